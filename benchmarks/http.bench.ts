/**
 * The whole HTTP path: requests per second and processor time through this gateway, through the peer, through the floor
 * (`floor/server.ts`), and directly to the same mock backend. They take turns for several rounds, on one machine with
 * the load generator. Every order through this gateway is durable: two commits on SQLite. Compare the ratios; absolute
 * numbers depend on the machine.
 *
 * `node benchmarks/http.bench.ts [--quick] [--guard] [--scenario 'unary, 8 chunks, 64']`: the last runs only scenarios
 * whose name and connections begin like that. The guard compares with the published table, see `http/guard.ts`.
 */
import { parseArgs } from 'node:util';
import { markdownTable } from '#simulations/markdown-table.ts';
import { guardHttp } from './http/guard.ts';
import { openLoadSetup, type TargetName } from './http/load-setup.ts';
import { measureAll, type Sample, type Scenario, scenarios, single, upstreams, warmUp } from './http/measure.ts';
import { ratioColumn } from './http/published.ts';
import { machine, median } from './machine.ts';

/** Options of the benchmark. */
export interface HttpBenchOptions {
  /** Takes three to four minutes. */
  readonly quick: boolean;
  /** Only scenarios that begin with this. */
  readonly chosen: readonly Scenario[];
}

/** Runs the benchmark and prints two tables and the added latency. */
export async function benchHttp({ quick, chosen }: HttpBenchOptions): Promise<void> {
  // Many short rounds: what else the machine does then hits all targets alike.
  const rounds = quick ? 6 : 20;
  const durationMs = quick ? 400 : 1_000;
  const setup = await openLoadSetup(upstreams);
  try {
    const measured: Measured[] = [];
    await warmUp(setup, [...chosen, single]);
    for (const scenario of [...chosen, single]) {
      const samples: Sample[][] = [];
      for (let round = 0; round < rounds; round++) samples.push(await measureAll(setup, scenario, durationMs));
      measured.push(new Measured(scenario, samples));
      // Progress goes to standard error, so that only the table is redirected.
      console.error(`${scenario.name}, ${scenario.connections} connections: measured`);
    }
    const latency = measured.pop();
    console.log(`\nHTTP path on ${machine()}; ${rounds} rounds of ${durationMs} ms, medians\n`);
    console.log(markdownTable(RATE_COLUMNS, measured.map(rateRow)));
    console.log(`\n${markdownTable(COST_COLUMNS, measured.map(costRow))}`);
    if (latency) console.log(`\n${latencyLine(latency)}`);
  } finally {
    await setup.close();
  }
}

/** The order in which `openLoadSetup` opens them. */
const COLUMNS: readonly TargetName[] = ['direct', 'floor', 'peer', 'sluice'];

/** All rounds of one scenario. */
class Measured {
  readonly scenario: Scenario;
  readonly #rounds: readonly (readonly Sample[])[];

  constructor(scenario: Scenario, rounds: readonly (readonly Sample[])[]) {
    this.scenario = scenario;
    this.#rounds = rounds;
  }

  /** The median over the rounds of what `figure` makes of them. */
  of(figure: (sample: (name: TargetName) => Sample) => number): number {
    return median(
      this.#rounds.map((samples) =>
        figure((name) => {
          const sample = samples[COLUMNS.indexOf(name)];
          if (!sample) throw new Error(`${name} was not measured`);
          return sample;
        }),
      ),
    );
  }
}

const RATE_COLUMNS = [
  ...['scenario', 'connections', 'direct req/s', 'floor req/s', 'peer req/s', 'sluice req/s', 'sluice ÷ peer'],
];

function rateRow(measured: Measured): string[] {
  const { name, connections } = measured.scenario;
  const rates = COLUMNS.map((column) => measured.of((sample) => sample(column).requestsPerS).toFixed(0));
  const ratio = measured.of((sample) => sample('sluice').requestsPerS / sample('peer').requestsPerS);
  return [name, String(connections), ...rates, ratio.toFixed(2)];
}

const COST_COLUMNS = [
  ...['scenario', 'connections', 'floor CPU µs', 'peer CPU µs', 'sluice CPU µs', 'peer ÷ floor', ratioColumn],
  ...['floor KB', 'peer KB', 'sluice KB'],
];

/** Processor time of the whole process, and kilobytes of heap that its main thread allocates, for one request. */
function costRow(measured: Measured): string[] {
  const { name, connections } = measured.scenario;
  const servers: readonly TargetName[] = ['floor', 'peer', 'sluice'];
  const overFloor = (server: TargetName) =>
    measured.of((sample) => sample(server).processorUs / sample('floor').processorUs).toFixed(2);
  return [
    name,
    String(connections),
    ...servers.map((server) => measured.of((sample) => sample(server).processorUs).toFixed(0)),
    overFloor('peer'),
    overFloor('sluice'),
    ...servers.map((server) => measured.of((sample) => sample(server).allocatedBytes / 1_000).toFixed(1)),
  ];
}

function latencyLine(measured: Measured): string {
  const added = (name: TargetName) => measured.of((sample) => sample(name).p50Ms - sample('direct').p50Ms).toFixed(2);
  return `Latency added at one connection, p50: floor ${added('floor')} ms, peer ${added('peer')} ms, sluice ${added('sluice')} ms.`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      guard: { type: 'boolean', default: false },
      scenario: { type: 'string', default: '' },
    },
  });
  const chosen = scenarios.filter(({ name, connections }) => `${name}, ${connections}`.startsWith(values.scenario));
  if (!values.guard) await benchHttp({ quick: values.quick, chosen });
  else if (!(await guardHttp(chosen))) process.exitCode = 1;
}
