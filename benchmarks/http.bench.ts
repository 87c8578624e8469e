/**
 * The whole HTTP path: requests per second through this gateway, through the peer and straight to the same mock backend,
 * in turn, several rounds, on one machine with the load generator. Every order through this gateway is durable: two
 * commits on SQLite. The figures to look at are ratios; absolute ones are the machine's.
 *
 * `node benchmarks/http.bench.ts [--quick]`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { processorTimeUs } from './http/processor-time.ts';
import { openStage, type Stage, type Target, type Upstream } from './http/stage.ts';
import { machine, markdownTable, median } from './table.ts';

interface Scenario {
  readonly name: string;
  readonly upstream: Upstream;
  readonly stream: boolean;
  readonly connections: number;
}

interface Sample {
  readonly requestsPerS: number;
  readonly processorUs: number | null;
  readonly p50Ms: number;
}

const EIGHT: Upstream = { model: 'words-8', chunks: 8, write: 'together' };
const FIFTY: Upstream = { model: 'words-50', chunks: 50, write: 'together' };
const FIFTY_EACH: Upstream = { model: 'words-50-each', chunks: 50, write: 'each' };

const scenarios: readonly Scenario[] = [
  { name: 'unary, 8 chunks', upstream: EIGHT, stream: false, connections: 20 },
  { name: 'unary, 8 chunks', upstream: EIGHT, stream: false, connections: 64 },
  { name: 'unary, 50 chunks', upstream: FIFTY, stream: false, connections: 20 },
  { name: 'unary, 50 chunks', upstream: FIFTY, stream: false, connections: 64 },
  { name: 'stream, 50 chunks together', upstream: FIFTY, stream: true, connections: 20 },
  { name: 'stream, 50 chunks together', upstream: FIFTY, stream: true, connections: 64 },
  { name: 'stream, 50 chunks one by one', upstream: FIFTY_EACH, stream: true, connections: 20 },
  { name: 'stream, 50 chunks one by one', upstream: FIFTY_EACH, stream: true, connections: 64 },
];
/** What runs before anything is measured: compilers need some ten thousand requests to have seen it all. */
const WARM_UP = scenarios.filter((scenario) => scenario.connections === 64 && scenario.upstream !== FIFTY);
const WARM_UP_MS = 4_000;
const single: Scenario = { name: 'one connection', upstream: EIGHT, stream: false, connections: 1 };

/** Runs it all and prints two tables. `quick` takes about a minute and a half. */
export async function benchHttp({ quick }: { readonly quick: boolean }): Promise<void> {
  const rounds = quick ? 2 : 5;
  const durationMs = quick ? 1_200 : 4_000;
  const stage = await openStage([EIGHT, FIFTY, FIFTY_EACH]);
  try {
    for (const scenario of WARM_UP) await measureAll(stage, scenario, WARM_UP_MS);
    const rows: string[][] = [];
    for (const scenario of scenarios) {
      const samples: Sample[][] = [];
      for (let round = 0; round < rounds; round++) samples.push(await measureAll(stage, scenario, durationMs));
      rows.push(throughputRow(scenario, samples));
      // Minutes pass: on standard error, so that the table alone can be kept.
      console.error(`${scenario.name}, ${scenario.connections} connections: measured`);
    }
    const latencies: Sample[][] = [];
    for (let round = 0; round < rounds; round++) latencies.push(await measureAll(stage, single, durationMs));
    console.log(`\nHTTP path on ${machine()}; ${rounds} rounds of ${durationMs} ms, medians\n`);
    console.log(markdownTable(THROUGHPUT_COLUMNS, rows));
    console.log(`\n${latencyLine(latencies)}`);
  } finally {
    await stage.close();
  }
}

const THROUGHPUT_COLUMNS = [
  'scenario',
  'connections',
  'direct req/s',
  'peer req/s',
  'sluice req/s',
  'sluice ÷ peer',
  'peer CPU µs/req',
  'sluice CPU µs/req',
];

/** One sample of each target, in turn. */
async function measureAll(stage: Stage, scenario: Scenario, durationMs: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const target of stage.targets) samples.push(await measure(stage, { scenario, target, durationMs }));
  return samples;
}

async function measure(
  stage: Stage,
  { scenario, target, durationMs }: { scenario: Scenario; target: Target; durationMs: number },
): Promise<Sample> {
  const { url, headers } = target.address(scenario.upstream.model);
  const before = processorTimeUs(target.pid);
  const result = await stage.load({
    url,
    headers,
    body: bodyOf(scenario),
    mark: markOf(scenario, target),
    connections: scenario.connections,
    durationMs,
  });
  const after = processorTimeUs(target.pid);
  if (result.failures > 0 || result.requests === 0)
    throw new Error(`${target.name}, ${scenario.name}: ${result.failures} bad answers.\n${result.firstFailure}`);
  // What the target does after its last answer belongs to no other target's measurement.
  await sleep(50);
  const used = before === null || after === null ? null : (after - before) / result.requests;
  return { requestsPerS: result.requests / result.seconds, processorUs: used, p50Ms: result.p50Ms };
}

function bodyOf({ upstream, stream }: Scenario): string {
  return JSON.stringify({
    model: upstream.model,
    messages: [
      { role: 'system', content: 'You are a helpful assistant that answers in a few words.' },
      { role: 'user', content: 'Which rivers run into the North Sea, and which of them carries the most water?' },
    ],
    max_tokens: 64,
    temperature: 0.7,
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  });
}

/** A good answer of this gateway has a receipt, any other its last words. */
function markOf({ stream }: Scenario, { name }: Target): string {
  if (name === 'sluice') return '"charged_usd":';
  return stream ? 'data: [DONE]' : '"finish_reason":"stop"';
}

function throughputRow({ name, connections }: Scenario, samples: readonly Sample[][]): string[] {
  const of = (column: number, value: (sample: Sample) => number) =>
    median(samples.flatMap((round) => (round[column] ? [value(round[column])] : [])));
  const rate = (column: number) => of(column, (sample) => sample.requestsPerS);
  const cpu = (column: number) => of(column, (sample) => sample.processorUs ?? Number.NaN);
  const ratio = median(samples.map(([, peer, sluice]) => (sluice?.requestsPerS ?? 0) / (peer?.requestsPerS ?? 1)));
  return [
    name,
    String(connections),
    ...[0, 1, 2].map((column) => rate(column).toFixed(0)),
    ratio.toFixed(2),
    cpu(1).toFixed(0),
    cpu(2).toFixed(0),
  ];
}

function latencyLine(samples: readonly Sample[][]): string {
  const added = (column: number) =>
    median(samples.map((round) => (round[column]?.p50Ms ?? 0) - (round[0]?.p50Ms ?? 0)));
  return `Latency added at one connection, p50: peer ${added(1).toFixed(2)} ms, sluice ${added(2).toFixed(2)} ms.`;
}

if (import.meta.main) await benchHttp({ quick: process.argv.includes('--quick') });
