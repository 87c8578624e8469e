/**
 * The whole HTTP path: requests per second through this gateway, through the peer, and directly to the same mock
 * backend. They take turns for several rounds, on one machine with the load generator. Every order through this gateway
 * is durable: two commits on SQLite. Compare the ratios; absolute numbers depend on the machine.
 *
 * `node benchmarks/http.bench.ts [--quick] [--scenario 'unary, 8 chunks, 64']`: the latter runs only scenarios whose
 * name and connections begin like that.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { markdownTable } from '#simulations/markdown-table.ts';
import { type LoadSetup, openLoadSetup, type Target, type Upstream } from './http/load-setup.ts';
import { processorTimeUs } from './http/processor-time.ts';
import { machine, median } from './machine.ts';

interface Scenario {
  readonly name: string;
  readonly upstream: Upstream;
  readonly stream: boolean;
  readonly connections: number;
}

interface Sample {
  readonly requests: number;
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
/**
 * The warm-up of each target for each kind of answer. The compilers need about ten thousand requests; before that an
 * order costs half as much again, and the first row would show that.
 */
const WARM_UP = { requests: 12_000, msMax: 12_000 };
const single: Scenario = { name: 'one connection', upstream: EIGHT, stream: false, connections: 1 };

/** Options of the benchmark. */
export interface HttpBenchOptions {
  /** Takes two to three minutes. */
  readonly quick: boolean;
  /** Runs only scenarios that begin with this. */
  readonly scenario?: string | undefined;
}

/** Runs the benchmark and prints a table and the added latency. */
export async function benchHttp({ quick, scenario: beginning = '' }: HttpBenchOptions): Promise<void> {
  const rounds = quick ? 2 : 5;
  const durationMs = quick ? 1_200 : 4_000;
  const chosen = scenarios.filter(({ name, connections }) => `${name}, ${connections}`.startsWith(beginning));
  const setup = await openLoadSetup([EIGHT, FIFTY, FIFTY_EACH]);
  try {
    await warmUp(setup, [...chosen, single]);
    const rows: string[][] = [];
    for (const scenario of chosen) {
      const samples: Sample[][] = [];
      for (let round = 0; round < rounds; round++) samples.push(await measureAll(setup, scenario, durationMs));
      rows.push(throughputRow(scenario, samples));
      // Progress goes to standard error, so that only the table is redirected.
      console.error(`${scenario.name}, ${scenario.connections} connections: measured`);
    }
    const latencies: Sample[][] = [];
    for (let round = 0; round < rounds; round++) latencies.push(await measureAll(setup, single, durationMs));
    console.log(`\nHTTP path on ${machine()}; ${rounds} rounds of ${durationMs} ms, medians\n`);
    console.log(markdownTable(THROUGHPUT_COLUMNS, rows));
    console.log(`\n${latencyLine(latencies)}`);
  } finally {
    await setup.close();
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

/** Warms up each kind of answer in `planned` once, with many connections; the direct call needs no warm-up. */
async function warmUp(setup: LoadSetup, planned: readonly Scenario[]): Promise<void> {
  const kinds = new Map(planned.map((scenario) => [`${scenario.upstream.model} ${scenario.stream}`, scenario]));
  for (const kind of kinds.values()) {
    const scenario = { ...kind, connections: 64 };
    for (const target of setup.targets.filter(({ name }) => name !== 'direct')) {
      let requests = 0;
      for (let ms = 0; ms < WARM_UP.msMax && requests < WARM_UP.requests; ms += 1_000)
        requests += (await measure(setup, { scenario, target, durationMs: 1_000 })).requests;
    }
    console.error(`${kind.name}: warmed up`);
  }
}

/** One sample of each target, in turn. */
async function measureAll(setup: LoadSetup, scenario: Scenario, durationMs: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const target of setup.targets) samples.push(await measure(setup, { scenario, target, durationMs }));
  return samples;
}

async function measure(
  setup: LoadSetup,
  { scenario, target, durationMs }: { scenario: Scenario; target: Target; durationMs: number },
): Promise<Sample> {
  const { url, headers } = target.address(scenario.upstream.model);
  const before = processorTimeUs(target.pid);
  const result = await setup.load({
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
  // Leftover work of this target must not count in the next target's measurement.
  await sleep(50);
  const used = before === null || after === null ? null : (after - before) / result.requests;
  const { requests } = result;
  return { requests, requestsPerS: requests / result.seconds, processorUs: used, p50Ms: result.p50Ms };
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

/** A good answer of this gateway has a receipt, any other one its last words. */
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

if (import.meta.main) {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, scenario: { type: 'string' } },
  });
  await benchHttp(values);
}
