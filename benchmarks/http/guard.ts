/**
 * `npm run bench -- --guard`: whether an order still costs no more than docs/understand/benchmarks.md says, in multiples of the
 * floor, which both takes the machine out of the figure and is measured in turn with it; and whether arrivals on a clock
 * wait no longer. A row that seems worse is measured again, for longer, before it counts.
 */
import { readFileSync } from 'node:fs';
import { markdownTable } from '#simulations/markdown-table.ts';
import { machine, median } from '../machine.ts';
import {
  type Arrivals,
  arrivals,
  latencyOf,
  measureArrivals,
  openLoopKinds,
  openLoopUpstreams,
  type Rounds,
} from './arrivals.ts';
import { type LoadSetup, openLoadSetup, RETENTION_DAYS } from './load-setup.ts';
import { measureAll, type Scenario, upstreams, warmUp } from './measure.ts';
import { type Added, isSlower, isWorse, publishedAdded, publishedRatios } from './published.ts';

const PAGE = new URL('../../docs/understand/benchmarks.md', import.meta.url);
const FIRST = { rounds: 6, durationMs: 400 };
const AGAIN = { rounds: 30, durationMs: 400 };
const ON_CLOCK = { rounds: 2, durationMs: 4_000 };
const ON_CLOCK_AGAIN = { rounds: 5, durationMs: 6_000 };

/** Measures, prints a table, and returns whether no row is worse than published. */
export async function guardHttp(chosen: readonly Scenario[]): Promise<boolean> {
  if (RETENTION_DAYS !== '30') throw new Error('The published table is of an account that keeps results for 30 days.');
  const published = publishedRatios(readFileSync(PAGE, 'utf8'));
  const setup = await openLoadSetup(upstreams, ['floor', 'sluice']);
  const worse: string[] = [];
  const rows: string[][] = [];
  try {
    await warmUp(setup, chosen);
    for (const scenario of chosen) {
      const key = `${scenario.name}, ${scenario.connections}`;
      const before = published.get(key);
      let ratio = await ratioOf(setup, scenario, FIRST);
      if (isWorse(ratio, before)) ratio = await ratioOf(setup, scenario, AGAIN);
      if (isWorse(ratio, before)) worse.push(key);
      rows.push([key, before?.toFixed(2) ?? 'none', ratio.toFixed(2), isWorse(ratio, before) ? 'worse' : '']);
      console.error(`${key} connections: measured`);
    }
  } finally {
    await setup.close();
  }
  console.log(`\nProcessor time ÷ floor on ${machine()}\n`);
  console.log(markdownTable(['scenario', 'published', 'now', ''], rows));
  if (worse.length > 0) console.log(`\nMore than a tenth above docs/understand/benchmarks.md: ${worse.join('; ')}.`);
  return worse.length === 0;
}

/** The same for arrivals on a clock: what is added to a direct call. */
export async function guardOpenLoop(): Promise<boolean> {
  const published = publishedAdded(readFileSync(PAGE, 'utf8'));
  const setup = await openLoadSetup(openLoopUpstreams, ['direct', 'sluice']);
  const slower: string[] = [];
  const rows: string[][] = [];
  const shown = (added: Added) => [added.p50.toFixed(1), added.p99.toFixed(1)];
  try {
    await warmUp(setup, openLoopKinds);
    for (const scenario of arrivals) {
      const key = scenario.label;
      const before = published.get(key);
      if (!before) throw new Error(`docs/understand/benchmarks.md has no arrivals “${key}”.`);
      let added = await addedOf(setup, scenario, ON_CLOCK);
      if (isSlower(added, before)) added = await addedOf(setup, scenario, ON_CLOCK_AGAIN);
      if (isSlower(added, before)) slower.push(key);
      rows.push([key, ...shown(before), ...shown(added), isSlower(added, before) ? 'slower' : '']);
    }
  } finally {
    await setup.close();
  }
  console.log(`\nAdded to a direct call, ms, on ${machine()}\n`);
  console.log(markdownTable(['arrivals', 'published p50', 'p99', 'now p50', 'p99', ''], rows));
  if (slower.length > 0) console.log(`\nFar above docs/understand/benchmarks.md: ${slower.join('; ')}.`);
  return slower.length === 0;
}

async function addedOf(setup: LoadSetup, scenario: Arrivals, times: Rounds): Promise<Added> {
  const results = await measureArrivals(setup, scenario, times);
  const [ours, direct] = [results.get('sluice'), results.get('direct')];
  if (!ours || !direct) throw new Error('a target was not measured');
  const [own, bare] = [latencyOf(scenario, ours), latencyOf(scenario, direct)];
  return { p50: own.p50 - bare.p50, p99: own.p99 - bare.p99 };
}

async function ratioOf(setup: LoadSetup, scenario: Scenario, { rounds, durationMs }: typeof FIRST): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const [floor, sluice] = await measureAll(setup, scenario, durationMs);
    if (floor && sluice) ratios.push(sluice.processorUs / floor.processorUs);
  }
  return median(ratios);
}
