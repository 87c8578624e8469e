/**
 * The whole HTTP path: requests per second and processor time through this gateway, Portkey (the peer), two
 * routers in Rust that settle nothing, the floor (`floor/server.ts`), and directly to the same mock backend. They take turns for several rounds, on one machine with
 * the load generator. Every order through this gateway is durable: two commits on SQLite. Compare the ratios; absolute
 * numbers depend on the machine.
 *
 * `node benchmarks/http.bench.ts [--quick] [--guard] [--peers] [--picture FILE] [--scenario 'unary, 8 chunks, 64']`: the
 * last runs only scenarios whose name and connections begin like that. `--peers` measures LiteLLM too, in longer rounds,
 * because it answers a few dozen requests a second. The guard compares with the published table, see `http/guard.ts`.
 *
 * What helped: small results as rows (400 to 700 µs down to 35); releasing request and output at the end (12 MB copied by
 * the collector down to 2); express's prototypes set at creation (5 %); one transaction for each turn of the event loop
 * (5 to 20 %); cheaper conditions of partial indexes (10 to 17 µs); settlements that read nothing (7 µs); gathered writes
 * (a fifth of a stream); replies without promises and lists (7 to 12 %).
 *
 * Tried without gain: other sizes of the young generation, one collector thread, large pages, other UTF-8 decoders, other
 * page sizes of SQLite, several rows a statement, one JSON text a batch, `Atomics` instead of messages, marking streams
 * without a weak map.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { markdownTable } from '#simulations/markdown-table.ts';
import { guardHttp, guardOpenLoop } from './http/guard.ts';
import { openLoadSetup, type TargetName } from './http/load-setup.ts';
import { measureAll, type Sample, type Scenario, scenarios, single, upstreams, warmUp } from './http/measure.ts';
import { type BarGroup, processorPicture } from './http/picture.ts';
import { ratioColumn } from './http/published.ts';
import { machine, median } from './machine.ts';
import { tellFigure } from './targets/figures.ts';

/** Options of the benchmark. */
export interface HttpBenchOptions {
  /** Takes three to four minutes. */
  readonly quick: boolean;
  /** Measures LiteLLM too. */
  readonly peers?: boolean;
  /** A file for the picture. */
  readonly picture?: string | undefined;
  /** Only scenarios that begin with this. */
  readonly chosen: readonly Scenario[];
}

/** Runs the benchmark and prints two tables and the added latency. */
export async function benchHttp({ quick, peers = false, picture, chosen }: HttpBenchOptions): Promise<void> {
  const { rounds, durationMs } = peers ? LONG : quick ? QUICK : USUAL;
  const names = peers ? WITH_LITELLM : TARGETS;
  const setup = await openLoadSetup(upstreams, names);
  try {
    const measured: Measured[] = [];
    await warmUp(setup, [...chosen, single]);
    for (const scenario of [...chosen, single]) {
      const samples: Sample[][] = [];
      for (let round = 0; round < rounds; round++) samples.push(await measureAll(setup, scenario, durationMs));
      measured.push(new Measured(scenario, names, samples));
      // Progress goes to standard error, so that only the table is redirected.
      console.error(`${scenario.name}, ${scenario.connections} connections: measured`);
    }
    const latency = measured.pop();
    console.log(`\nHTTP path on ${machine()}; ${rounds} rounds of ${durationMs} ms, medians\n`);
    console.log(markdownTable(rateColumns(names), measured.map(rateRow)));
    console.log(`\n${markdownTable(costColumns(names), measured.map(costRow))}`);
    if (latency) console.log(`\n${latencyLine(latency)}`);
    tellFigures(measured, latency);
    const drawn = measured.filter(({ scenario }) => PICTURED.includes(scenario.name));
    if (picture) writeFileSync(picture, processorPicture(drawn.map(barsOf), CAPTION));
  } finally {
    await setup.close();
  }
}

function tellFigures(measured: readonly Measured[], latency: Measured | undefined): void {
  for (const row of measured) {
    const name = `http: ${row.scenario.name}, ${row.scenario.connections}`;
    const over = (of: (sample: Sample) => number, other: TargetName) =>
      row.of((sample) => of(sample('sluice')) / of(sample(other)));
    tellFigure(
      `${name}: ÷ floor`,
      over(({ processorUs }) => processorUs, 'floor'),
    );
    for (const peer of peersIn(row.names)) {
      tellFigure(
        `${name}: ÷ ${peer}`,
        over(({ requestsPerS }) => requestsPerS, peer),
      );
      tellFigure(
        `${name}: processor time ÷ ${peer}`,
        over(({ processorUs }) => processorUs, peer),
      );
    }
    tellFigure(
      `${name}: rate`,
      row.of((sample) => sample('sluice').requestsPerS),
    );
  }
  if (!latency) return;
  const added = latency.of((sample) => sample('sluice').p50Ms - sample('direct').p50Ms);
  tellFigure('http: one connection: added ms', added);
}

/** Many short rounds: what else the machine does then hits all targets alike. */
const USUAL = { rounds: 20, durationMs: 1_000 };
const QUICK = { rounds: 6, durationMs: 400 };
const LONG = { rounds: 3, durationMs: 6_000 };

const TARGETS: readonly TargetName[] = ['direct', 'floor', 'peer', 'vllm-router', 'smg', 'sluice'];
const WITH_LITELLM: readonly TargetName[] = ['direct', 'floor', 'peer', 'litellm', 'sluice'];

/** All rounds of one scenario. */
class Measured {
  readonly scenario: Scenario;
  readonly names: readonly TargetName[];
  readonly #rounds: readonly (readonly Sample[])[];

  constructor(scenario: Scenario, names: readonly TargetName[], rounds: readonly (readonly Sample[])[]) {
    this.scenario = scenario;
    this.names = names;
    this.#rounds = rounds;
  }

  /** The median over the rounds of what `figure` makes of them. */
  of(figure: (sample: (name: TargetName) => Sample) => number): number {
    return median(
      this.#rounds.map((samples) =>
        figure((name) => {
          const sample = samples[this.names.indexOf(name)];
          if (!sample) throw new Error(`${name} was not measured`);
          return sample;
        }),
      ),
    );
  }
}

/** Gateways other than this one. */
function peersIn(names: readonly TargetName[]): TargetName[] {
  return names.filter((name) => name !== 'direct' && name !== 'floor' && name !== 'sluice');
}

/** All that are processes. */
function serversIn(names: readonly TargetName[]): TargetName[] {
  return names.filter((name) => name !== 'direct');
}

function rateColumns(names: readonly TargetName[]): string[] {
  const ratios = peersIn(names).map((name) => `sluice ÷ ${name}`);
  return ['scenario', 'connections', ...names.map((name) => `${name} req/s`), ...ratios];
}

function rateRow(measured: Measured): string[] {
  const { name, connections } = measured.scenario;
  const rateOf = (target: TargetName) => measured.of((sample) => sample(target).requestsPerS).toFixed(0);
  const over = (peer: TargetName) =>
    measured.of((sample) => sample('sluice').requestsPerS / sample(peer).requestsPerS).toFixed(2);
  return [name, String(connections), ...measured.names.map(rateOf), ...peersIn(measured.names).map(over)];
}

function costColumns(names: readonly TargetName[]): string[] {
  const servers = serversIn(names);
  const ratios = peersIn(names).map((name) => `${name} ÷ floor`);
  return [
    ...['scenario', 'connections', ...servers.map((name) => `${name} CPU µs`), ...ratios, ratioColumn],
    ...servers.map((name) => `${name} KB`),
  ];
}

/** Processor time of the whole process, and kilobytes of heap that its main thread allocates, for one request. */
function costRow(measured: Measured): string[] {
  const { name, connections } = measured.scenario;
  const servers = serversIn(measured.names);
  const overFloor = (server: TargetName) =>
    measured.of((sample) => sample(server).processorUs / sample('floor').processorUs).toFixed(2);
  const kilobytes = (server: TargetName) => measured.of((sample) => sample(server).allocatedBytes / 1_000);
  return [
    name,
    String(connections),
    ...servers.map((server) => measured.of((sample) => sample(server).processorUs).toFixed(0)),
    ...[...peersIn(measured.names), 'sluice' as const].map(overFloor),
    ...servers.map(kilobytes).map((of) => (Number.isNaN(of) ? '' : of.toFixed(1))),
  ];
}

/** Where a gateway costs most beside its floor, and least. */
const PICTURED = ['unary, 8 chunks', 'stream, 50 chunks one by one'];
const CAPTION =
  'Processor time of one request, all threads; logarithmic. The floor is a bare proxy in Node. vllm-router and smg settle nothing.';

/** The names in the picture. */
const SHOWN = {
  ...{ floor: 'floor', sluice: 'Sluice', peer: 'Portkey', litellm: 'LiteLLM' },
  ...{ 'vllm-router': 'vllm-router', smg: 'smg' },
} as const;

function barsOf(measured: Measured): BarGroup {
  const { name, connections } = measured.scenario;
  const shown = (['floor', 'sluice', 'vllm-router', 'smg', 'peer', 'litellm'] as const).filter((target) =>
    measured.names.includes(target),
  );
  const bars = shown.map((target) => ({
    name: SHOWN[target],
    processorUs: measured.of((sample) => sample(target).processorUs),
  }));
  return { name: `${name}, ${connections} connections`, bars };
}

function latencyLine(measured: Measured): string {
  const added = (name: TargetName) =>
    `${name} ${measured.of((sample) => sample(name).p50Ms - sample('direct').p50Ms).toFixed(2)} ms`;
  return `Latency added at one connection, p50: ${serversIn(measured.names).map(added).join(', ')}.`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      guard: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      picture: { type: 'string' },
      scenario: { type: 'string', default: '' },
    },
  });
  const chosen = scenarios.filter(({ name, connections }) => `${name}, ${connections}`.startsWith(values.scenario));
  if (!values.guard) await benchHttp({ ...values, chosen });
  else {
    const holds = [await guardHttp(chosen), await guardOpenLoop()];
    if (holds.includes(false)) process.exitCode = 1;
  }
}
