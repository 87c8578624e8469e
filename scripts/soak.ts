/**
 * `npm run soak [-- --orders 1000000 --aborted 0.3 --seed 1 --quick]`: sends orders over HTTP to a gateway in a process
 * of its own with simulated pods, while a share of the clients disconnects: while queued, before the first token, in
 * mid-stream. Prints throughput and memory meanwhile, waits until all is idle, and ends with the audit. Exits 1 when
 * memory grew, an answer was wrong, or the audit has findings. `--quick` is 30,000 orders.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeSite, type Site } from '#testing/gateway-process.ts';
import { fixedModel, marketModel, selling } from '#testing/test-config.ts';
import { untilIdle } from './crash-test/receipts.ts';
import { SoakClients } from './soak/clients.ts';
import { growthOf, type MemorySample, readSample } from './soak/memory.ts';

const CONFIGURATION = selling([marketModel('tide', 16, 16), fixedModel('harbor', 16), marketModel('ebb')], {
  limits: {
    inference_requests_per_minute_per_key: 10_000_000,
    account_operations_per_minute_per_account: 10_000_000,
  },
});
const ACCOUNTS = 4;
const CLIENTS = 64;
const SAMPLE_MS = 5000;
const MEBI = 2 ** 20;

const { values } = parseArgs({
  options: {
    orders: { type: 'string' },
    aborted: { type: 'string', default: '0.3' },
    seed: { type: 'string', default: '1' },
    quick: { type: 'boolean', default: false },
  },
});
const orders = Number(values.orders ?? (values.quick ? 30_000 : 1_000_000));
const site = await makeSite(CONFIGURATION);
try {
  process.exitCode = (await soak(site)) ? 0 : 1;
} finally {
  site.remove();
}

/** Returns whether there was no finding. */
async function soak({ folder, command, start, environment }: Site): Promise<boolean> {
  const memoryFile = join(folder, 'memory.json');
  environment.SLUICE_SOAK_MEMORY = memoryFile;
  environment.NODE_OPTIONS = `--import ${join(import.meta.dirname, 'soak/report-memory.ts')}`;
  const keys = await openAccounts(command);
  const gateway = await start();
  const clients = new SoakClients({
    ...{ url: gateway.url, keys, orders, clients: CLIENTS },
    ...{ abortedShare: Number(values.aborted), seed: Number(values.seed) },
  });
  console.log(`${orders} orders of ${CLIENTS} clients, ${values.aborted} of them disconnect, seed ${values.seed}`);
  const samples: MemorySample[] = [];
  const watching = watch(clients, { memoryFile, pid: gateway.pid, samples });
  await clients.done;
  await watching;
  for (const apiKey of keys) await untilIdle({ url: gateway.url, apiKey });
  await gateway.stop();
  const findings = [...growthOf(samples), ...clients.findings()];
  console.log(clients.summary());
  const beginMs = performance.now();
  const { json } = await command('audit', '--against-config');
  if (json.ok !== true) findings.push(`audit: ${JSON.stringify(json.findings)}`);
  console.log(`Audit of ${json.orders} orders in ${seconds(beginMs)} s: ${json.ok === true ? 'clean' : 'not clean'}`);
  for (const finding of findings) console.log(`FOUND ${finding}`);
  return findings.length === 0;
}

async function openAccounts(command: Site['command']): Promise<string[]> {
  await command('migrate');
  const keys: string[] = [];
  for (let number = 1; number <= ACCOUNTS; number++) {
    const account = await command('account', 'create', `soak ${number}`, '--credit', '10000');
    const key = await command('key', 'create', String(account.json.account_id));
    keys.push(String(key.json.api_key));
  }
  return keys;
}

/** Prints a line at intervals, until all clients are done. */
async function watch(
  clients: SoakClients,
  { memoryFile, pid, samples }: { memoryFile: string; pid: number; samples: MemorySample[] },
): Promise<void> {
  console.log(' seconds     ended   per s   left  live heap MiB  resident MiB');
  const beginMs = performance.now();
  for (let [last, lastMs] = [0, beginMs]; clients.ended < orders; ) {
    await Promise.race([sleep(SAMPLE_MS), clients.done]);
    const sample = readSample(memoryFile, pid);
    if (sample) samples.push(sample);
    const rate = ((clients.ended - last) / (performance.now() - lastMs)) * 1000;
    [last, lastMs] = [clients.ended, performance.now()];
    const memory = sample ? [mebi(sample.heapBytes), mebi(sample.residentBytes)] : ['', ''];
    console.log(row([seconds(beginMs), clients.ended, rate.toFixed(0), clients.left, ...memory]));
  }
}

function row(cells: readonly (string | number)[]): string {
  const widths = [8, 8, 6, 5, 13, 12];
  return cells.map((cell, column) => String(cell).padStart(widths[column] ?? 0)).join('  ');
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(0);
}

function mebi(bytes: number): string {
  return (bytes / MEBI).toFixed(0);
}
