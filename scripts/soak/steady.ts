/**
 * The steady soak: sends orders over HTTP to a gateway with simulated pods, while a share of the clients disconnects:
 * while queued, before the first token, in mid-stream. Prints throughput and memory meanwhile, waits until all is idle,
 * and ends with the audit.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '#base/random.ts';
import { makeSite, type Site } from '#testing/gateway-process.ts';
import { fixedModel, marketModel, selling, unlimited } from '#testing/test-config.ts';
import { openAccounts } from '../harness/accounts.ts';
import { audited } from '../harness/audit.ts';
import { untilIdle } from '../harness/books.ts';
import { between, chance, name } from '../harness/chance.ts';
import { type Call, Client } from '../harness/client.ts';
import { type Lane, type Lanes, runLanes } from '../harness/lane.ts';
import { count, Ledger } from '../harness/ledger.ts';
import { row } from '../harness/table.ts';
import { growthOf, heapRatioOf, type MemorySample, readSample, reportsMemory } from './memory.ts';

const CONFIGURATION = selling([marketModel('tide', 16, 16), fixedModel('harbor', 16), marketModel('ebb')], {
  limits: unlimited,
});
const CLIENTS = 64;
const SAMPLE_MS = 5000;
/** What these clients may get; anything else is a finding. */
const EXPECTED = new Set(['200', '202', 'left']);
const WIDTHS = [8, 8, 6, 5, 13, 12];
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
  const memoryFile = reportsMemory(site);
  const callers = Object.values(await openAccounts(site, { 'soak 1': {}, 'soak 2': {}, 'soak 3': {}, 'soak 4': {} }));
  const gateway = await site.start();
  const ledger = new Ledger(null);
  const client = new Client(ledger, { urls: [gateway.url] });
  console.log(`${orders} orders of ${CLIENTS} clients, ${abortedShare} of them disconnect, seed ${seed}`);
  let left = orders;
  const lanes = callers.map((caller): Lanes => {
    const once = (lane: Lane) => sendSmall(lane, abortedShare);
    return { name: caller.account, count: CLIENTS / callers.length, caller, pauseMs: 0, once };
  });
  // Asked before each order.
  const done = runLanes({ client, ledger, seed, isOver: () => left-- <= 0 }, lanes);
  const samples: MemorySample[] = [];
  await watch(ledger, done, () => readSample(memoryFile, gateway.pid), samples);
  const waiting = await untilIdle(client, callers);
  await gateway.stop();
  const answers = [...ledger.answers];
  const said = answers.map(([answer, times]) => (answer === 'left' ? `${times} left` : `${times} answered ${answer}`));
  console.log(`${ledger.total} orders: ${said.join(', ')}`);
  const odd = answers.filter(([answer]) => !EXPECTED.has(answer)).map(([answer, times]) => `${times} got: ${answer}`);
  const beginMs = performance.now();
  const audit = await audited(site);
  const findings = [...growthOf(samples), ...odd, ...waiting, ...ledger.findings, ...audit.findings];
  const verdict = audit.findings.length === 0 ? 'clean' : 'not clean';
  console.log(`Audit of ${audit.orders} orders in ${seconds(beginMs)} s: ${verdict}`);
  for (const finding of findings) console.log(`FOUND ${finding}`);
  return { isClean: findings.length === 0, heapRatio: heapRatioOf(samples) };
}

/** Prints a line at intervals until all is done, and keeps the samples. */
async function watch(
  ledger: Ledger,
  done: Promise<void>,
  read: () => MemorySample | null,
  samples: MemorySample[],
): Promise<void> {
  console.log(' seconds     ended   per s   left  live heap MiB  resident MiB');
  const beginMs = performance.now();
  let isDone = false;
  for (let [last, lastMs] = [0, beginMs]; !isDone; ) {
    isDone = await Promise.race([sleep(SAMPLE_MS, false), done.then(() => true)]);
    const sample = read();
    if (sample) samples.push(sample);
    const rate = ((ledger.total - last) / (performance.now() - lastMs)) * 1000;
    [last, lastMs] = [ledger.total, performance.now()];
    const memory = sample ? [mebi(sample.heapBytes), mebi(sample.residentBytes)] : ['', ''];
    const left = ledger.answers.get('left') ?? 0;
    console.log(row(WIDTHS, [seconds(beginMs), last, rate.toFixed(0), left, ...memory]));
  }
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(0);
}

function mebi(bytes: number): string {
  return (bytes / MEBI).toFixed(0);
}

/** Sends one small order to a fast pod, so that a million end within minutes; `abortedShare` of the clients disconnect. */
async function sendSmall({ client, caller, ledger, random }: Lane, abortedShare: number): Promise<void> {
  const call = chance(random, abortedShare) ? leaver(random) : patient(random);
  const exchange = await client.call(caller, '/v1/chat/completions', call);
  count(ledger.answers, exchange.kind === 'answer' ? String(exchange.status) : exchange.kind);
}

function patient(random: Random): Call {
  const stream = chance(random, 1 / 4);
  const detached = !stream && chance(random, 1 / 50);
  const simulate = { first_token_ms: 1, token_ms: 1, output_tokens: 3 };
  return {
    headers: chance(random, 1 / 50) ? { 'idempotency-key': name(random) } : {},
    body: { ...bodyOf(random, chance(random, 1 / 4) ? 'harbor' : 'tide', simulate), stream, detached },
  };
}

/** Disconnects while queued (that model has no pods), before the first token, or in mid-stream. */
function leaver(random: Random): Call {
  const leaving = { afterMs: between(random, 1, 25) };
  const stream = chance(random, 1 / 2);
  const moment = between(random, 0, 2);
  if (moment === 0) return { body: { ...bodyOf(random, 'ebb', {}), stream }, leaving };
  if (moment === 1) return { body: { ...bodyOf(random, 'tide', { first_token_ms: 60 }), stream }, leaving };
  const body = bodyOf(random, 'tide', { first_token_ms: 1, token_ms: 3, output_tokens: 20 });
  return { body: { ...body, stream: true }, leaving: { afterPieces: between(random, 1, 6) } };
}

function bodyOf(random: Random, model: string, simulate: object): object {
  const messages = [{ role: 'user', content: 'Say a few words about rivers.' }];
  return { model, messages, max_tokens: 32, price_limit: between(random, 1, 50), x_simulate: simulate };
}
