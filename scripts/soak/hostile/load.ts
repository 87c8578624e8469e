/** All the lanes of a hostile soak. */
import { runSmallBatch } from '../../harness/batches.ts';
import { between, chance, pick } from '../../harness/chance.ts';
import { keyedOrders } from '../../harness/keyed-orders.ts';
import type { Lane, Lanes } from '../../harness/lane.ts';
import { sendDetached, sendPlain } from '../../harness/orders.ts';
import type { SoakAccounts } from './accounts.ts';

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

/** What the callers of the accounts do. */
export function hostileLanes(accounts: SoakAccounts): Lanes[] {
  const { kept, unkept, keyed, detached, batches, tiny, rotating, suspended } = accounts;
  const unkeptByRequest = (lane: Lane) => sendPlain(lane, { unkept: true });
  const patient = (lane: Lane) => sendPlain(lane, { models: ['ebb'] });
  const rotated = (lane: Lane) => sendPlain(lane, {}, ['401 invalid_api_key']);
  return [
    { name: 'kept', count: 6, caller: kept, pauseMs: 600, once: (lane) => sendPlain(lane) },
    { name: 'unkept', count: 5, caller: unkept, pauseMs: 600, once: (lane) => sendPlain(lane) },
    { name: 'unkept by request', count: 2, caller: kept, pauseMs: 600, once: unkeptByRequest },
    { name: 'patient', count: 3, caller: kept, pauseMs: 700, once: patient },
    { name: 'keyed', count: 8, caller: keyed, pauseMs: 600, once: keyedOrders().send },
    { name: 'detached', count: 6, caller: detached, pauseMs: 1500, once: (lane) => sendDetached(lane) },
    { name: 'batches', count: 2, caller: batches, pauseMs: 6000, once: runSmallBatch },
    { name: 'tiny', count: 2, caller: tiny, pauseMs: 600, once: (lane) => sendPlain(lane) },
    { name: 'rotating', count: 2, caller: rotating, pauseMs: 600, once: rotated },
    { name: 'suspended', count: 3, caller: suspended, pauseMs: 800, once: sendSuspended },
    { name: 'suspended batches', count: 1, caller: suspended, pauseMs: 8000, once: runSmallBatch },
    { name: 'readers', count: 4, caller: kept, pauseMs: 800, once: readSomething },
  ];
}

function sendSuspended(lane: Lane): Promise<void> {
  const allowed = ['403 account_suspended'];
  return chance(lane.random, 1 / 3) ? sendDetached(lane, allowed) : sendPlain(lane, {}, allowed);
}

/** Reads something once, or listens for a while. */
async function readSomething({ client, caller, ledger, name, random }: Lane): Promise<void> {
  const path = chance(random, 1 / 8) ? pick(random, STREAMS) : pick(random, PATHS);
  const leaving = path.includes('/stream') ? { afterMs: between(random, 100, 20_000) } : null;
  const exchange = await client.call(caller, path, { leaving });
  const answer = exchange.kind === 'answer' ? String(exchange.status) : exchange.kind;
  ledger.tell({ account: caller.account, lane: name, answer, orderId: null, receipt: null, meaning: 'nothing' });
  if (exchange.kind === 'answer' && ![200, 503].includes(exchange.status))
    ledger.found(`${name}: ${path} was answered ${exchange.status}: ${exchange.text.slice(0, 300)}`);
}
