/**
 * What users feel: latency at a fixed rate, with arrivals on a clock, so that a pause of the server counts for everyone who
 * would have come meanwhile. Unary answers at 400 and 1,000 a second and 200 streams a second, through this gateway, the
 * floor, three other gateways and directly, in turn for several rounds. The gateways beside us settle nothing.
 *
 * What the tail was, on a time line of event-loop delay, collections, commits, and how long each thread waited for a core:
 * checkpoints within commits, 11 ms every 8,000 pages (a thread makes them now). Young collections took 1 to 2 ms and
 * were no part of it; one marking worker, one collector thread and larger logs brought nothing. After 15 seconds of rest
 * V8 had given memory and code back, and made both again under the next orders: p99 17 ms at 400/s, 9 without its memory
 * reducer; keeping only bytecode, or a large young generation, brought nothing. What is left: flushes of the disk of 10
 * to 60 ms, about one a minute, and threads that wait for one of the two cores, which load, backend and gateway share.
 *
 * `node benchmarks/open-loop.bench.ts [--quick] [--only direct,floor,sluice] [--json]`.
 */
import { parseArgs } from 'node:util';
import { markdownTable } from '#simulations/markdown-table.ts';
import {
  type Arrivals,
  arrivals,
  latencyOf,
  measureArrivals,
  openLoopKinds,
  openLoopUpstreams,
} from './http/arrivals.ts';
import { openLoadSetup, type TargetName } from './http/load-setup.ts';
import { warmUp } from './http/measure.ts';
import type { OpenLoadResult, Percentiles } from './http/open-load.ts';
import { machine } from './machine.ts';
import { tellFigure } from './targets/figures.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: 'direct,floor,peer,vllm-router,smg,sluice' },
    json: { type: 'boolean', default: false },
  },
});
const times = values.quick ? { rounds: 2, durationMs: 5_000 } : { rounds: 5, durationMs: 12_000 };
const names = values.only.split(',') as TargetName[];

type Rows = ReadonlyMap<TargetName, OpenLoadResult>;
const setup = await openLoadSetup(openLoopUpstreams, names);
try {
  await warmUp(setup, openLoopKinds);
  const measured: (readonly [Arrivals, Rows])[] = [];
  for (const scenario of arrivals) {
    measured.push([scenario, await measureArrivals(setup, scenario, times)]);
    console.error(`${scenario.label}: measured`);
  }
  print(measured);
} finally {
  await setup.close();
}

function print(measured: readonly (readonly [Arrivals, Rows])[]): void {
  console.log(`\nOpen loop on ${machine()}; ${times.rounds} rounds of ${times.durationMs / 1000} s, medians, ms\n`);
  const shown = ({ p50, p90, p99, p999 }: Percentiles) => [p50, p90, p99, p999].map((value) => value.toFixed(1));
  const columns = ['arrivals', 'through', 'p50', 'p90', 'p99', 'p99.9', 'bad'];
  const cells = measured.flatMap(([scenario, rows]) =>
    [...rows].flatMap(([target, result]) => {
      const { gaps, requests, failures } = result;
      const row = [scenario.label, target, ...shown(latencyOf(scenario, result)), `${failures} of ${requests}`];
      return scenario.stream ? [row, ['between tokens', target, ...shown(gaps), '']] : [row];
    }),
  );
  console.log(markdownTable(columns, cells));
  for (const [, rows] of measured)
    for (const [target, { firstFailure }] of rows)
      if (firstFailure !== null) console.log(`\n${target}, a bad answer: ${firstFailure}`);
  for (const [scenario, rows] of measured) tell(scenario, rows);
  if (values.json) console.log(JSON.stringify(measured.map(([scenario, rows]) => [scenario, [...rows]])));
}

/** What this gateway adds to a direct call. */
function tell(scenario: Arrivals, rows: Rows): void {
  const { perSecond, stream } = scenario;
  const [ours, direct] = [rows.get('sluice'), rows.get('direct')];
  if (!ours || !direct) return;
  for (const share of ['p50', 'p99', 'p999'] as const)
    tellFigure(
      `open loop: ${stream ? 'streams' : 'unary'}, ${perSecond}/s: added ${share} ms`,
      latencyOf(scenario, ours)[share] - latencyOf(scenario, direct)[share],
    );
  if (stream) tellFigure('open loop: streams: gap p99 ms', ours.gaps.p99);
}
