/**
 * What metrics cost: processor time of an order in two gateways in turn, one with metrics and one without, and what a
 * scrape of 10,000 series does to the orders beside it. `node benchmarks/metrics.bench.ts [--quick]`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { markdownTable } from '#simulations/markdown-table.ts';
import { freePort } from '#testing/free-port.ts';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { fixedModel, selling } from '#testing/test-config.ts';
import type { LoadOrder, LoadResult } from './http/load.ts';
import { processorTimeUs } from './http/processor-time.ts';
import { startBackend } from './http/start-backend.ts';
import { machine, median } from './machine.ts';
import { tellFigure } from './targets/figures.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
/** Two processes of one program differ by a percent or two: the more are started, the less that counts. */
const STARTS = values.quick ? 1 : 4;
const ROUNDS = values.quick ? 6 : 15;
const ROUND_MS = values.quick ? 500 : 1_000;
const SCRAPED = values.quick ? { rounds: 3, ms: 1_000 } : { rounds: 8, ms: 3_000 };
const WARM_UP_MS = values.quick ? 3_000 : 10_000;
const CONNECTIONS = 20;
/** Each has some 45 series before its first order. */
const MODELS = 225;
const LIMIT = 1_000_000_000;

interface Gateway {
  readonly site: Site;
  readonly process: GatewayProcess;
  readonly order: LoadOrder;
  /** Null without metrics. */
  readonly metricsUrl: string | null;
}

const children: ChildProcess[] = [];
const backend = await startBackend(children, { chunks: 8, write: 'together' });
const generator = fork(join(import.meta.dirname, 'http/load.ts'));
children.push(generator);
try {
  const pairs: { off: number; on: number }[] = [];
  let scrapes: string[][] = [];
  for (let start = 0; start < STARTS; start++) {
    const [off, on] = [await open(false), await open(true)];
    for (const gateway of [off, on]) await load(gateway, WARM_UP_MS);
    for (let round = 0; round < ROUNDS; round++) {
      // Who is first changes: the machine may get busier.
      const first = round % 2 === 0 ? await costOf(off) : Number.NaN;
      const cost = await costOf(on);
      pairs.push({ off: round % 2 === 0 ? first : await costOf(off), on: cost });
    }
    if (start === STARTS - 1) scrapes = await scraped(on);
    for (const gateway of [off, on]) await close(gateway);
    console.error(`pair ${start + 1} of ${STARTS}: measured`);
  }
  report(pairs, scrapes);
} finally {
  for (const child of children) child.kill('SIGKILL');
}

function report(pairs: readonly { off: number; on: number }[], scrapes: string[][]): void {
  const [off, on] = [median(pairs.map((pair) => pair.off)), median(pairs.map((pair) => pair.on))];
  const ratio = median(pairs.map((pair) => pair.on / pair.off));
  console.log(`\nMetrics on ${machine()}; ${pairs.length} rounds of ${ROUND_MS} ms in turn, medians\n`);
  const row = ['unary, 8 chunks, 20 connections', off.toFixed(0), on.toFixed(0), ratio.toFixed(3), '≤ 1.03'];
  console.log(markdownTable(['an order', 'without: CPU µs', 'with: CPU µs', 'with ÷ without', 'target'], [row]));
  console.log(`\n${markdownTable(['orders beside', 'p50 ms', 'p99 ms', 'series', 'CPU ms a scrape'], scrapes)}`);
  tellFigure('metrics on: processor time ÷ off', ratio);
}

/** Latencies of orders without scrapes and with one a second, in turn. */
async function scraped(gateway: Gateway): Promise<string[][]> {
  const url = gateway.metricsUrl ?? '';
  const read = async () => Buffer.from(await (await fetch(url)).arrayBuffer());
  const series = (await read())
    .toString()
    .split('\n')
    .filter((line) => /^\w/.test(line)).length;
  const beforeUs = processorTimeUs(gateway.process.pid);
  for (let at = 0; at < 10; at++) await read();
  const scrapeMs = (processorTimeUs(gateway.process.pid) - beforeUs) / 10_000;
  const [quiet, beside]: [LoadResult[], LoadResult[]] = [[], []];
  for (let round = 0; round < SCRAPED.rounds; round++) {
    quiet.push(await load(gateway, SCRAPED.ms));
    const scraping = setInterval(() => void read(), 1_000);
    beside.push(await load(gateway, SCRAPED.ms));
    clearInterval(scraping);
    await read();
  }
  const times = (rounds: readonly LoadResult[]) => [
    median(rounds.map(({ p50Ms }) => p50Ms)).toFixed(1),
    median(rounds.map(({ p99Ms }) => p99Ms)).toFixed(1),
  ];
  return [
    ['no scrape', ...times(quiet), '', ''],
    ['a scrape every second', ...times(beside), String(series), scrapeMs.toFixed(0)],
  ];
}

async function costOf(gateway: Gateway): Promise<number> {
  const beforeUs = processorTimeUs(gateway.process.pid);
  const { requests } = await load(gateway, ROUND_MS);
  return (processorTimeUs(gateway.process.pid) - beforeUs) / requests;
}

async function load({ order }: Gateway, durationMs: number): Promise<LoadResult> {
  const answered = once(generator, 'message');
  generator.send({ ...order, durationMs });
  const [result] = (await answered) as [LoadResult | { error: string }];
  if ('error' in result || result.failures > 0) throw new Error(`The load failed: ${JSON.stringify(result)}`);
  return result;
}

async function open(withMetrics: boolean): Promise<Gateway> {
  const port = withMetrics ? await freePort() : 0;
  const others = Array.from({ length: MODELS }, (_, at) => fixedModel(`model-${at}`, 1));
  const words = { ...fixedModel('words'), pods: [{ id: 'words-1', url: backend, slots: 256 }] };
  const limits = { inference_requests_per_minute_per_key: LIMIT };
  const site = await makeSite(selling([words, ...others], { limits }), { METRICS_PORT: String(port) });
  const { apiKey } = await site.openAccount('bench', '1000000', '--force', '--retention-days', '0');
  const process = await site.start();
  const body = JSON.stringify({ model: 'words', messages: [{ role: 'user', content: 'Which rivers are long?' }] });
  const order: LoadOrder = {
    ...{ url: `${process.url}/v1/chat/completions`, headers: { authorization: `Bearer ${apiKey}` }, body },
    ...{ mark: '"charged_usd":', connections: CONNECTIONS, durationMs: 0 },
  };
  return { site, process, order, metricsUrl: withMetrics ? `http://127.0.0.1:${port}/metrics` : null };
}

async function close({ site, process }: Gateway): Promise<void> {
  await process.stop();
  site.remove();
}
