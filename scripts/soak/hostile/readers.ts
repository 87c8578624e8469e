/** Callers that read: their account, orders and usage, the market and its streams. */
import { between, chance, pick } from '../../harness/chance.ts';
import type { Lane } from '../../harness/lane.ts';

const PATHS = [
  '/v1/account',
  '/v1/usage?limit=200',
  '/v1/orders?include=usage,pricing,totals,counts&limit=50',
  '/v1/orders?status=queued,executing',
  '/v1/files',
  '/v1/batches',
  '/v1/models',
  '/v1/market/price-lock?model=tide',
  '/v1/market/levels',
  '/v1/market/history?model=tide&range=1h',
  '/v1/market/summary',
  '/v1/market/depth?model=tide',
  '/v1/market/locks?model=tide&range=24h',
  '/v1/stats/models',
  '/v1/stats/latency?model=tide&range=30d',
  '/v1/uptime',
  '/partner/v1/models',
];
const STREAMS = ['/v1/market/stream?model=tide', '/v1/market/levels/stream', '/v1/market/price-lock/stream?model=tide'];

/** Reads something once, or listens for a while. */
export async function readSomething({ client, caller, ledger, name, random }: Lane): Promise<void> {
  const path = chance(random, 1 / 8) ? pick(random, STREAMS) : pick(random, PATHS);
  const leaving = path.includes('/stream') ? { afterMs: between(random, 100, 20_000) } : null;
  const exchange = await client.call(caller, path, { leaving });
  const answer = exchange.kind === 'answer' ? String(exchange.status) : exchange.kind;
  ledger.tell({ account: caller.account, lane: name, answer, orderId: null, receipt: null, meaning: 'nothing' });
  if (exchange.kind === 'answer' && ![200, 503].includes(exchange.status))
    ledger.found(`${name}: ${path} was answered ${exchange.status}: ${exchange.text.slice(0, 300)}`);
}
