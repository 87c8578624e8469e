/**
 * What a gateway in a process of its own holds in memory: for each waiting order at three sizes of body, and while accounts with a cent flood it with bodies of 8 MB and others are served.
 * `--quick` floods with 5 accounts of 70 requests instead of 50 of 14, which are 700 in all.
 */
import { readFileSync } from 'node:fs';
import { Agent, type ClientRequest, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { markdownTable } from '#simulations/markdown-table.ts';
import { type GatewayProcess, makeSite } from '#testing/gateway-process.ts';

const QUICK = process.argv.includes('--quick');
const MIB = 2 ** 20;
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
const LARGE = 8 * MIB - 1024;
const flood = QUICK ? { accounts: 5, requests: 70 } : { accounts: 50, requests: 14 };
const sizes = [
  { name: '10 KB', bytes: 10_000, orders: 1000 },
  { name: '100 KB', bytes: 100_000, orders: 500 },
  { name: '8 MB', bytes: LARGE, orders: 40 },
];
const configuration = {
  default_model: 'tide',
  models: [
    market('tide', { id: 'sim', simulated: true, slots: 64 }),
    // Nobody listens there: its orders wait.
    market('reef', { id: 'none', url: 'http://127.0.0.1:1/v1', slots: 1 }),
  ],
  probes: { enabled: false },
  limits: { inference_requests_per_minute_per_key: 1_000_000, public_requests_per_minute_per_address: 1_000_000 },
};

console.log('One waiting order, with its connection on the side of the gateway:\n');
console.log(markdownTable(['body', 'orders', 'before MiB', 'after MiB', 'KiB an order'], await waitingOrders()));
console.log(
  `\n${flood.accounts} accounts of $0.01 with ${flood.requests} requests of 8 MB each, while others are served:\n`,
);
const columns = ['statuses', 'resident MiB before', 'highest MiB', 'others p50 ms', 'p99 ms', 'quiet p50 ms', 'p99 ms'];
console.log(markdownTable(columns, [await flooded()]));

async function waitingOrders(): Promise<string[][]> {
  const rows: string[][] = [];
  for (const { name, bytes, orders } of sizes) {
    rows.push(
      await withGateway(async (gateway, newKey) => {
        const key = await newKey('1');
        // The first few cost what is loaded and compiled once.
        const body = chat('reef', bytes);
        const warm = await waiting(gateway, key, body, 4);
        const before = residentMib(gateway);
        const held = await waiting(gateway, key, body, orders);
        await pause(3000);
        const after = residentMib(gateway);
        for (const sent of [...warm, ...held]) sent.destroy();
        const each = Math.round(((after - before) * 1024) / orders);
        return [name, String(orders), String(before), String(after), String(each)];
      }),
    );
  }
  return rows;
}

async function flooded(): Promise<string[]> {
  return withGateway(async (gateway, newKey) => {
    const rich = await newKey('100');
    const keys = await Promise.all(Array.from({ length: flood.accounts }, () => newKey('0.01')));
    const quiet = await latencies(gateway, rich, 10_000);
    const before = residentMib(gateway);
    let highest = before;
    const watch = setInterval(() => {
      highest = Math.max(highest, residentMib(gateway));
    }, 100);
    const statuses = new Map<string, number>();
    const count = (status: string) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const body = chat('reef', LARGE);
    const sent = keys.flatMap((key) =>
      Array.from({ length: flood.requests }, () => post(gateway, { key, body, onStatus: count })),
    );
    const others = await latencies(gateway, rich, QUICK ? 30_000 : 60_000);
    clearInterval(watch);
    for (const one of sent) one.destroy();
    const waitingStill = sent.length - [...statuses.values()].reduce((sum, many) => sum + many, 0);
    const text = [...statuses].map(([status, many]) => `${many} × ${status}`);
    return [[`${waitingStill} waiting`, ...text].join(', '), ...[before, highest, ...others, ...quiet].map(String)];
  });
}

async function withGateway<Result>(
  run: (gateway: GatewayProcess, newKey: (usd: string) => Promise<string>) => Promise<Result>,
): Promise<Result> {
  const site = await makeSite(JSON.stringify(configuration));
  const newKey = async (usd: string) => {
    const account = await site.command('account', 'create', 'bench', '--credit', usd, '--force');
    const key = await site.command('key', 'create', String(account.json.account_id));
    return String(key.json.api_key);
  };
  const gateway = await site.start();
  try {
    return await run(gateway, newKey);
  } finally {
    await gateway.kill();
    site.remove();
  }
}

function market(id: string, pod: object): object {
  return {
    ...{ id, display_name: id, type: 'market', owned_by: 'sluice', floor: 0.01, ceiling: 100, pods: [pod] },
    ...{ context_length: 131_072, max_output_length: 32_768 },
    pricing_ratio: { cached: 0.1, uncached: 1, output: 4 },
  };
}

/** A chat request of `bytes` bytes. */
function chat(model: string, bytes: number): Buffer {
  const head = { model, max_tokens: 8, price_limit: model === 'reef' ? 0 : 50, max_wait: 3600 };
  return Buffer.from(JSON.stringify({ ...head, messages: [{ role: 'user', content: 'x'.repeat(bytes) }] }));
}

interface Sent {
  readonly key: string;
  readonly body: Buffer;
  readonly onStatus: (status: string) => void;
}

function post(gateway: GatewayProcess, { key, body, onStatus }: Sent): ClientRequest {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': body.length,
  };
  const sent = request(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, agent }, (response) => {
    response.resume().once('end', () => onStatus(String(response.statusCode)));
  });
  let isAnswered = false;
  sent.once('response', () => {
    isAnswered = true;
  });
  // A refused body may break off after its answer.
  sent.on('error', (error) => {
    if (!isAnswered) onStatus('code' in error ? String(error.code) : error.name);
  });
  sent.end(body);
  return sent;
}

/** Sends `count` orders that wait, eight bodies at a time, and resolves when the gateway has them all. */
async function waiting(gateway: GatewayProcess, key: string, body: Buffer, count: number): Promise<ClientRequest[]> {
  const sent: ClientRequest[] = [];
  const target = (await queued(gateway)) + count;
  while (sent.length < count) {
    const some = Math.min(8, count - sent.length);
    const arrived = target - count + sent.length + some;
    for (let one = 0; one < some; one++) sent.push(post(gateway, { key, body, onStatus: refused }));
    while ((await queued(gateway)) < arrived) await pause(5);
  }
  return sent;
}

function refused(status: string): void {
  if (/^\d/.test(status)) throw new Error(`An order that should wait was answered with ${status}.`);
}

async function queued(gateway: GatewayProcess): Promise<number> {
  const health = (await (await fetch(`${gateway.url}/healthz`)).json()) as { queued: number };
  return health.queued;
}

/** The latency of small requests that run at once, one every 100 ms: the median and the 99th percentile. */
async function latencies(gateway: GatewayProcess, key: string, forMs: number): Promise<[number, number]> {
  const body = chat('tide', 100);
  const taken: number[] = [];
  for (const endMs = performance.now() + forMs; performance.now() < endMs; await pause(100)) {
    const startMs = performance.now();
    post(gateway, { key, body, onStatus: () => taken.push(performance.now() - startMs) });
  }
  await pause(2000);
  taken.sort((a, b) => a - b);
  const at = (share: number) => Math.round(taken[Math.floor(taken.length * share)] ?? Number.NaN);
  return [at(0.5), at(0.99)];
}

function residentMib({ pid }: GatewayProcess): number {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kib) / 1024);
}
