/** Arrivals on a clock: what is measured of them, by the benchmark and by the guard. */
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../machine.ts';
import type { LoadSetup, Target, TargetName } from './load-setup.ts';
import { bodyOf, EIGHT, FIFTY_EACH, markOf, type Scenario } from './measure.ts';
import type { OpenLoadResult, Percentiles } from './open-load.ts';

/** Requests of one kind that come at a fixed rate. */
export interface Arrivals extends Scenario {
  readonly perSecond: number;
  /** In tables: what is timed, and how often it comes. */
  readonly label: string;
}

/** How often and how long each target is measured. */
export interface Rounds {
  readonly rounds: number;
  readonly durationMs: number;
}

const unary = { name: 'unary, 8 chunks', upstream: EIGHT, stream: false, connections: 0 };
const streams = { name: 'streams of 50 tokens one by one', upstream: FIFTY_EACH, stream: true, connections: 0 };
/** The backends and kinds of request that `arrivals` need. */
export const openLoopUpstreams = [EIGHT, FIFTY_EACH] as const;
export const openLoopKinds: readonly Scenario[] = [unary, streams];
/** The rows of the table. */
export const arrivals: readonly Arrivals[] = [
  { ...unary, perSecond: 400, label: 'unary, 400/s' },
  { ...unary, perSecond: 1_000, label: 'unary, 1000/s' },
  { ...streams, perSecond: 200, label: 'first token, 200/s' },
];

/** The targets in turn, with the medians over the rounds. */
export async function measureArrivals(
  { targets, openLoad }: LoadSetup,
  scenario: Arrivals,
  { rounds, durationMs }: Rounds,
): Promise<ReadonlyMap<TargetName, OpenLoadResult>> {
  const seen = new Map<TargetName, OpenLoadResult[]>();
  for (let round = 0; round < rounds; round++) {
    for (const target of targets) {
      const result = await openLoad({ ...requestOf(scenario, target), perSecond: scenario.perSecond, durationMs });
      seen.set(target.name, [...(seen.get(target.name) ?? []), result]);
      // Leftover work of this target must not count in the next target's measurement.
      await sleep(200);
    }
  }
  return new Map([...seen].map(([name, results]) => [name, medianOf(results)]));
}

/** What counts for a reader: of a stream its first token. */
export function latencyOf({ stream }: Scenario, { whole, first }: OpenLoadResult): Percentiles {
  return stream ? first : whole;
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
