/**
 * Several gateways on one MariaDB: how soon a market trades again when its owner is killed or paused, also with many
 * orders that wait, and what an order costs with one gateway alone, one in a cluster, two, and eight.
 * `node benchmarks/cluster.bench.ts [--quick] [--resting 100000] [--part takeovers|costs]` starts a server unless DATABASE_URL names one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Agent, request } from 'undici';
import { markdownTable } from '#simulations/markdown-table.ts';
import { clusterSite, type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { marketModel, selling, unlimited } from '#testing/test-config.ts';
import { processorTimeUs } from './http/processor-time.ts';
import { tellFigure } from './targets/figures.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    resting: { type: 'string', default: '100000' },
    part: { type: 'string' },
  },
});
const GATEWAYS = 8;
/** How many run while owners are killed and paused. */
const KILLED = 3;
/** Who order while the cost is measured: orders of one account wait for its row. */
const ACCOUNTS = 16;
const ROUNDS = values.quick ? 3 : 7;
const RESTING = values.quick ? 5_000 : Number(values.resting);
const MEASURED_MS = values.quick ? 4_000 : 12_000;
const CLIENTS = 32;
const SLOTS = 64;
const LIMITS = { ...unlimited, queued_orders_per_account: 1_000_000, queued_orders: 1_000_000 };
const CONFIGURATION = selling([marketModel('tide', SLOTS, SLOTS)], { limits: LIMITS });
/** An answer that holds its slot for some 10 ms. */
const FAST = { output_tokens: 8, first_token_ms: 2, token_ms: 1 };
const agent = new Agent({ connections: 256 });

if (process.env.DATABASE_URL) {
  await measure();
} else {
  const command = join(import.meta.dirname, '../scripts/with-mariadb');
  const [code] = await once(spawn(command, [process.execPath, ...process.argv.slice(1)], { stdio: 'inherit' }), 'exit');
  process.exitCode = code;
}

async function measure(): Promise<void> {
  const sites: Site[] = [];
  const databaseUrl = String(process.env.DATABASE_URL);
  for (let at = 0; at < GATEWAYS; at++) sites.push(await clusterSite(CONFIGURATION, { databaseUrl, beside: sites[0] }));
  const [first] = sites as [Site];
  const { apiKey } = await first.openAccount('bench', '10000');
  try {
    if (values.part !== 'costs') await takeovers(sites.slice(0, KILLED), apiKey);
    if (values.part !== 'takeovers') {
      const keys: string[] = [];
      for (let at = 0; at < ACCOUNTS; at++) keys.push((await first.openAccount(`bench ${at}`, '10000')).apiKey);
      await costs(sites, keys);
    }
  } finally {
    for (const site of sites) site.remove();
    await agent.close();
  }
}

/** Kills and pauses owners, first with an empty book and then with many orders that wait. */
async function takeovers(sites: readonly Site[], apiKey: string): Promise<void> {
  const gateways: GatewayProcess[] = [];
  for (const site of sites) gateways.push(await site.start());
  const rows: string[][] = [];
  try {
    for (const how of ['killed', 'paused'] as const) {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round++) times.push(await takeover(how, sites, gateways, apiKey));
      rows.push([`owner ${how}: trades again after`, ...spread(times), how === 'killed' ? '< 1 s' : '< 5 s']);
      console.log(`owner ${how}: measured`);
    }
    await rest(gateways, apiKey);
    const times = [await takeover('killed', sites, gateways, apiKey)];
    rows.push([`owner killed, ${RESTING} orders wait: after`, ...spread(times), '< 3 s']);
  } finally {
    for (const gateway of gateways) await gateway.kill();
  }
  console.log(markdownTable(['takeover', 'median ms', 'worst ms', 'target'], rows));
}

async function takeover(
  how: 'killed' | 'paused',
  sites: readonly Site[],
  gateways: GatewayProcess[],
  apiKey: string,
): Promise<number> {
  const at = await ownerAt(sites, gateways);
  const owner = gateways[at];
  const other = gateways[(at + 1) % gateways.length];
  if (!owner || !other) throw new Error('there is no owner');
  const beganMs = performance.now();
  if (how === 'killed') await owner.kill();
  else process.kill(owner.pid, 'SIGSTOP');
  while (!(await trades(other.url, apiKey))) await sleep(5);
  const tookMs = performance.now() - beganMs;
  if (how === 'paused') process.kill(owner.pid, 'SIGCONT');
  if (!(await owner.lives(how === 'paused' ? 500 : 0))) gateways[at] = await (sites[at] as Site).start();
  // The next owner must not be one that has just started.
  await sleep(1_500);
  return tookMs;
}

interface Lease {
  readonly holder: string | null;
  readonly address: string | null;
}

/** Which gateway owns the market: by the address that the leases name. */
async function ownerAt(sites: readonly Site[], gateways: readonly GatewayProcess[]): Promise<number> {
  for (;;) {
    const { json } = await (sites[0] as Site).command('cluster');
    const [market] = json.markets as Lease[];
    const owner = (json.gateways as Lease[]).find(({ holder }) => holder === market?.holder);
    const at = sites.findIndex(({ environment }) => environment.SLUICE_PEER_ADDRESS === owner?.address);
    if (market?.holder && gateways[at]) return at;
    await sleep(100);
  }
}

async function trades(url: string, apiKey: string): Promise<boolean> {
  return (await post(url, apiKey, { price_limit: 50, x_simulate: { output_tokens: 1 } }).catch(() => 0)) === 200;
}

/** Leaves detached orders that cannot run: below what others pay while every slot is free costs the floor. */
async function rest(gateways: readonly GatewayProcess[], apiKey: string): Promise<void> {
  const long = { price_limit: 60, detached: true, x_simulate: { output_tokens: 400, token_ms: 1_000 } };
  for (let at = 0; at < SLOTS; at++) await post(gateways[at % gateways.length]?.url ?? '', apiKey, long);
  let left = RESTING;
  const client = async (first: number) => {
    for (let at = first; left-- > 0; at++) {
      await post(gateways[at % gateways.length]?.url ?? '', apiKey, { price_limit: 0.3, detached: true });
    }
  };
  await Promise.all(Array.from({ length: 96 }, (_, at) => client(at)));
  console.log(`${RESTING} orders wait`);
}

/** One gateway alone, and one, two and eight in a cluster, at as many clients a gateway. */
async function costs(sites: readonly Site[], keys: readonly string[]): Promise<void> {
  const [one, two] = sites as [Site, Site];
  const alone = await makeSite(CONFIGURATION, {
    SLUICE_DATA: one.environment.SLUICE_DATA,
  });
  const rows: string[][] = [];
  for (const [name, figure, of] of [
    ['one, no cluster', 'alone', [alone]],
    ['one in a cluster', 'one', [one]],
    ['two', 'two', [one, two]],
    ['eight', 'eight', sites],
  ] as const) {
    const gateways: GatewayProcess[] = [];
    for (const site of of) gateways.push(await site.start());
    await load(gateways, keys, MEASURED_MS / 2);
    const beforeUs = gateways.map(({ pid }) => processorUs(pid));
    const orders = await load(gateways, keys, MEASURED_MS);
    const usedUs = gateways.reduce((sum, { pid }, at) => sum + processorUs(pid) - (beforeUs[at] ?? 0), 0);
    for (const gateway of gateways) await gateway.kill();
    const cpuUs = usedUs / orders;
    tellFigure(`cluster: ${figure} µs`, cpuUs);
    rows.push([
      name,
      ((orders * 1000) / MEASURED_MS).toFixed(0),
      cpuUs.toFixed(0),
      ((of.length * 1e6) / cpuUs).toFixed(0),
    ]);
    console.log(`${name}: measured`);
  }
  alone.remove();
  const names = ['gateways', 'orders a second here', 'CPU µs an order', 'orders a second with a core each'];
  console.log(markdownTable(names, rows));
}

async function load(gateways: readonly GatewayProcess[], keys: readonly string[], forMs: number): Promise<number> {
  const endMs = performance.now() + forMs;
  let orders = 0;
  const client = async (url: string, at: number) => {
    while (performance.now() < endMs) {
      if ((await post(url, keys[at % keys.length] ?? '', { price_limit: 50, x_simulate: FAST })) === 200) orders++;
    }
  };
  await Promise.all(gateways.flatMap(({ url }) => Array.from({ length: CLIENTS }, (_, at) => client(url, at))));
  return orders;
}

async function post(url: string, apiKey: string, more: object): Promise<number> {
  const { statusCode, body } = await request(`${url}/v1/chat/completions`, {
    method: 'POST',
    dispatcher: agent,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'tide', messages: [{ role: 'user', content: 'hello' }], max_tokens: 8, ...more }),
  });
  await body.dump({ limit: 2 ** 24 });
  return statusCode;
}

function spread(times: readonly number[]): string[] {
  const sorted = [...times].sort((one, other) => one - other);
  return [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0].map((ms) => ms.toFixed(0));
}

function processorUs(pid: number): number {
  const us = processorTimeUs(pid);
  if (Number.isNaN(us)) throw new Error('This machine does not tell how much processor time a process takes.');
  return us;
}
