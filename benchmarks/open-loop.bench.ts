/**
 * What users feel: latency at a fixed rate, with arrivals on a clock, so that a pause of the server counts for everyone who
 * would have come meanwhile. Unary answers at 400 and 1,000 a second and 200 streams a second, through this gateway, the
 * floor, three other gateways and directly, in turn for several rounds. The gateways beside us settle nothing.
 *
 * `node benchmarks/open-loop.bench.ts [--quick] [--only direct,floor,sluice] [--json]`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { markdownTable } from '#simulations/markdown-table.ts';
import { type LoadSetup, openLoadSetup, type Target, type TargetName } from './http/load-setup.ts';
import { bodyOf, EIGHT, FIFTY_EACH, markOf, type Scenario, warmUp } from './http/measure.ts';
import type { OpenLoadResult, Percentiles } from './http/open-load.ts';
import { machine, median } from './machine.ts';
import { tellFigure } from './targets/figures.ts';

interface Arrivals extends Scenario {
  readonly perSecond: number;
}

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: 'direct,floor,peer,vllm-router,smg,sluice' },
    json: { type: 'boolean', default: false },
  },
});
const { rounds, durationMs } = values.quick ? { rounds: 2, durationMs: 5_000 } : { rounds: 5, durationMs: 12_000 };
const names = values.only.split(',') as TargetName[];
const unary = { name: 'unary, 8 chunks', upstream: EIGHT, stream: false, connections: 0 };
const streams = { name: 'streams of 50 tokens one by one', upstream: FIFTY_EACH, stream: true, connections: 0 };
const arrivals: readonly Arrivals[] = [
  { ...unary, perSecond: 400 },
  { ...unary, perSecond: 1_000 },
  { ...streams, perSecond: 200 },
];

type Row = readonly [target: TargetName, result: OpenLoadResult];
const setup = await openLoadSetup([EIGHT, FIFTY_EACH], names);
try {
  await warmUp(setup, [unary, streams]);
  const measured: (readonly [Arrivals, Row[]])[] = [];
  for (const scenario of arrivals) {
    measured.push([scenario, await rowsOf(setup, scenario)]);
    console.error(`${scenario.name}, ${scenario.perSecond}/s: measured`);
  }
  print(measured);
} finally {
  await setup.close();
}

/** The targets in turn, with the medians over the rounds. */
async function rowsOf({ targets, openLoad }: LoadSetup, scenario: Arrivals): Promise<Row[]> {
  const seen = new Map<TargetName, OpenLoadResult[]>();
  for (let round = 0; round < rounds; round++) {
    for (const target of targets) {
      const result = await openLoad({ ...requestOf(scenario, target), perSecond: scenario.perSecond, durationMs });
      seen.set(target.name, [...(seen.get(target.name) ?? []), result]);
      // Leftover work of this target must not count in the next target's measurement.
      await sleep(200);
    }
  }
  return [...seen].map(([name, results]): Row => [name, medianOf(results)]);
}

function requestOf(scenario: Scenario, target: Target) {
  return { ...target.address(scenario.upstream.model), body: bodyOf(scenario), mark: markOf(scenario, target) };
}

function medianOf(results: readonly OpenLoadResult[]): OpenLoadResult {
  const of = (figure: (result: OpenLoadResult) => number) => median(results.map(figure));
  const each = (kind: 'whole' | 'first' | 'gaps'): Percentiles => ({
    p50: of((result) => result[kind].p50),
    p90: of((result) => result[kind].p90),
    p99: of((result) => result[kind].p99),
    p999: of((result) => result[kind].p999),
  });
  return {
    requests: results.reduce((sum, { requests }) => sum + requests, 0),
    failures: results.reduce((sum, { failures }) => sum + failures, 0),
    firstFailure: results.find(({ firstFailure }) => firstFailure !== null)?.firstFailure ?? null,
    whole: each('whole'),
    first: each('first'),
    gaps: each('gaps'),
  };
}

function print(measured: readonly (readonly [Arrivals, Row[]])[]): void {
  console.log(`\nOpen loop on ${machine()}; ${rounds} rounds of ${durationMs / 1000} s, medians, ms\n`);
  const shown = ({ p50, p90, p99, p999 }: Percentiles) => [p50, p90, p99, p999].map((value) => value.toFixed(1));
  const columns = ['arrivals', 'through', 'p50', 'p90', 'p99', 'p99.9', 'bad'];
  const cells = measured.flatMap(([{ name, perSecond, stream }, rows]) =>
    rows.flatMap(([target, { whole, first, gaps, requests, failures }]) => {
      const bad = `${failures} of ${requests}`;
      const label = `${name}, ${perSecond}/s`;
      if (!stream) return [[label, target, ...shown(whole), bad]];
      return [
        [`${label}: first token`, target, ...shown(first), bad],
        [`${label}: gaps`, target, ...shown(gaps), ''],
      ];
    }),
  );
  console.log(markdownTable(columns, cells));
  for (const [, rows] of measured)
    for (const [target, { firstFailure }] of rows)
      if (firstFailure !== null) console.log(`\n${target}, a bad answer: ${firstFailure}`);
  for (const [scenario, rows] of measured) tell(scenario, new Map(rows));
  if (values.json) console.log(JSON.stringify(measured));
}

/** What this gateway adds to a direct call. */
function tell({ perSecond, stream }: Arrivals, rows: ReadonlyMap<TargetName, OpenLoadResult>): void {
  const [ours, direct] = [rows.get('sluice'), rows.get('direct')];
  if (!ours || !direct) return;
  const kind = stream ? 'first' : 'whole';
  for (const share of ['p50', 'p99', 'p999'] as const)
    tellFigure(
      `open loop: ${stream ? 'streams' : 'unary'}, ${perSecond}: added ${share} ms`,
      ours[kind][share] - direct[kind][share],
    );
  if (stream) tellFigure('open loop: streams: gap p99 ms', ours.gaps.p99);
}
