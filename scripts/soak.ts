/**
 * `npm run soak [-- --orders 1000000 --aborted 0.3 --seed 1 --quick]`: drives a gateway in a process of its own over
 * HTTP, with simulated pods, while a share of the clients leaves: while queued, before the first token, in the middle of
 * a stream. Prints throughput and memory as it goes, waits until all is quiet, and ends with the audit. Exits 1 when
 * memory grew, an answer was wrong, or the audit has findings. `--quick` is 30,000 orders.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeSite, type Site } from '#testing/gateway-process.ts';
import { fixedModel, marketModel, selling } from '#testing/wares.ts';
import { untilIdle } from './crash-test/books.ts';
import { Crowd } from './soak/crowd.ts';
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

/** Whether everything was as it must be. */
async function soak({ folder, command, start, environment }: Site): Promise<boolean> {
  const memoryFile = join(folder, 'memory.json');
  environment.SLUICE_SOAK_MEMORY = memoryFile;
  environment.NODE_OPTIONS = `--import ${join(import.meta.dirname, 'soak/report-memory.ts')}`;
  const keys = await openAccounts(command);
  const gateway = await start();
  const crowd = new Crowd({
    ...{ url: gateway.url, keys, orders, clients: CLIENTS },
    ...{ abortedShare: Number(values.aborted), seed: Number(values.seed) },
  });
  console.log(`${orders} orders of ${CLIENTS} clients, ${values.aborted} of them leave, seed ${values.seed}`);
  const samples: MemorySample[] = [];
  const watching = watch(crowd, { memoryFile, pid: gateway.pid, samples });
  await crowd.done;
  await watching;
  for (const apiKey of keys) await untilIdle({ url: gateway.url, apiKey });
  await gateway.stop();
  const findings = [...growthOf(samples), ...crowd.findings()];
  console.log(crowd.summary());
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

/** Prints a line now and then, until the crowd has gone. */
async function watch(
  crowd: Crowd,
  { memoryFile, pid, samples }: { memoryFile: string; pid: number; samples: MemorySample[] },
): Promise<void> {
  console.log(' seconds     ended   per s   left  live heap MiB  resident MiB');
  const beginMs = performance.now();
  for (let [last, lastMs] = [0, beginMs]; crowd.ended < orders; ) {
    await Promise.race([sleep(SAMPLE_MS), crowd.done]);
    const sample = readSample(memoryFile, pid);
    if (sample) samples.push(sample);
    const rate = ((crowd.ended - last) / (performance.now() - lastMs)) * 1000;
    [last, lastMs] = [crowd.ended, performance.now()];
    const memory = sample ? [mebi(sample.heapBytes), mebi(sample.residentBytes)] : ['', ''];
    console.log(row([seconds(beginMs), crowd.ended, rate.toFixed(0), crowd.left, ...memory]));
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
