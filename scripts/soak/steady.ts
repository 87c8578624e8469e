/**
 * The steady soak: sends orders over HTTP to a gateway with simulated pods, while a share of the clients disconnects:
 * while queued, before the first token, in mid-stream. Prints throughput and memory meanwhile, waits until all is idle,
 * and ends with the audit.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeSite, type Site } from '#testing/gateway-process.ts';
import { fixedModel, marketModel, selling } from '#testing/test-config.ts';
import { audited } from '../books/audit.ts';
import { untilIdle } from '../books/usage-records.ts';
import { SoakClients } from './clients.ts';
import { growthOf, heapRatioOf, type MemorySample, readSample } from './memory.ts';

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

/** How many orders, which share of their clients disconnects, and by which seed. */
export interface SteadyOptions {
  readonly orders: number;
  readonly abortedShare: number;
  readonly seed: number;
}

/** What a soak found. */
export interface SteadyResult {
  /** Memory stayed flat, every answer was right, and the audit is clean. */
  readonly isClean: boolean;
  /** See `heapRatioOf`. */
  readonly heapRatio: number;
}

/** Runs the soak. */
export async function steadySoak(options: SteadyOptions): Promise<SteadyResult> {
  const site = await makeSite(CONFIGURATION);
  try {
    return await soak(site, options);
  } finally {
    site.remove();
  }
}

async function soak(site: Site, { orders, abortedShare, seed }: SteadyOptions): Promise<SteadyResult> {
  const { folder, command, start, environment } = site;
  const memoryFile = join(folder, 'memory.json');
  environment.SLUICE_SOAK_MEMORY = memoryFile;
  environment.NODE_OPTIONS = `--import ${join(import.meta.dirname, 'report-memory.ts')}`;
  const keys = await openAccounts(command);
  const gateway = await start();
  const clients = new SoakClients({ url: gateway.url, keys, orders, clients: CLIENTS, abortedShare, seed });
  console.log(`${orders} orders of ${CLIENTS} clients, ${abortedShare} of them disconnect, seed ${seed}`);
  const samples: MemorySample[] = [];
  const watching = watch(clients, { orders, memoryFile, pid: gateway.pid, samples });
  await clients.done;
  await watching;
  for (const apiKey of keys) await untilIdle({ url: gateway.url, apiKey });
  await gateway.stop();
  console.log(clients.summary());
  const beginMs = performance.now();
  const audit = await audited(site);
  const findings = [...growthOf(samples), ...clients.findings(), ...audit.findings];
  const verdict = audit.findings.length === 0 ? 'clean' : 'not clean';
  console.log(`Audit of ${audit.orders} orders in ${seconds(beginMs)} s: ${verdict}`);
  for (const finding of findings) console.log(`FOUND ${finding}`);
  return { isClean: findings.length === 0, heapRatio: heapRatioOf(samples) };
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
  { orders, memoryFile, pid, samples }: { orders: number; memoryFile: string; pid: number; samples: MemorySample[] },
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
