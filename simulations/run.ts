/**
 * The program of `sluice simulate` and `npm run simulate`: seeded days on the real exchange in simulated time, honest ones
 * and attacks, and clusters of gateways with faults. Everything is in one table, with the targets beside the figures, and
 * in one picture. The same seeds give the same bytes.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { batchDays, batchOn } from './batch-deadlines.ts';
import { CLUSTERS_MAX, clusterGroups } from './cluster/clusters.ts';
import { compare, contests } from './comparison.ts';
import { deadlineDays, deadlinesOn } from './deadlines.ts';
import { fairness, fixedPriceDays } from './fixed-prices.ts';
import { habits, withHabit } from './habits.ts';
import { pictureOf } from './picture.ts';
import { type Requirement, requirements, requirementTable, type SeededRequirement, SLOTS } from './requirements.ts';
import { type Outcome, play, scenarios } from './scenarios.ts';
import { worstFound } from './search.ts';

/** What is simulated, and where the picture goes. */
export interface SimulationOptions {
  readonly seeds: readonly number[];
  /** The name of what is played must contain one of these words; empty: everything but the contests. */
  readonly only: readonly string[];
  /** How many small clusters of gateways are simulated with each seed. */
  readonly clusters: number;
  /** For how long attacks are searched, with each seed, over markets of all sizes. */
  readonly searchSeconds: number;
  readonly picture: string;
}

export { CLUSTERS_MAX };

/** Contests run many days each, and say nothing that must hold. */
const CONTEST = 'quote or mark-up';

/** What can be played: the number of small clusters and the time of the search are of no use to most. */
interface Group {
  readonly name: string;
  readonly run: (seed: number, clusters: number, searchSeconds: number) => Requirement[] | Promise<Requirement[]>;
}

const all: readonly Group[] = [
  ...scenarios.map((day) => ({ name: day.name, run: (seed: number) => [ordinary(play(day, seed))] })),
  ...requirements,
  ...SLOTS.flatMap((slots) =>
    habits.map((habit) => ({
      name: `requirements: habits with ${slots} slots: ${habit.name}`,
      run: (seed: number) => [withHabit(habit, slots, seed)],
    })),
  ),
  ...SLOTS.map((slots) => ({
    name: `requirements: search for attacks with ${slots} slots`,
    run: (seed: number, _clusters: number, seconds: number) => [worstFound(slots, seed, seconds / SLOTS.length)],
  })),
  ...deadlineDays.map((day) => ({
    name: `requirements: deadlines: ${day.name}`,
    run: (seed: number) => [deadlinesOn(day, seed)],
  })),
  ...batchDays.map((day) => ({
    name: `requirements: deadlines: a batch ${day.name}`,
    run: (seed: number) => [batchOn(day, seed)],
  })),
  ...fixedPriceDays.map((day) => ({
    name: `fixed prices with ${day.slots} slots: ${day.name}`,
    run: (seed: number) => [fairness(day, seed)],
  })),
  ...clusterGroups,
  ...contests.map((contest) => ({
    name: `${CONTEST}: ${contest.name}`,
    run: (seed: number) =>
      compare(contest, seed).map((outcome) => ordinary({ ...outcome, name: `${contest.name}: ${outcome.name}` })),
  })),
];

/** What the words select. */
export function wantedBy(words: readonly string[]): readonly Group[] {
  if (words.length === 0) return all.filter(({ name }) => !name.startsWith(CONTEST));
  return all.filter(({ name }) => words.some((word) => name.includes(word)));
}

/** The names that `wantedBy` searches, in the order in which they run. */
export function namesOfDays(): readonly string[] {
  return all.map(({ name }) => name);
}

/** Plays what is selected with each seed, and draws it. */
export async function simulate(options: SimulationOptions): Promise<readonly SeededRequirement[]> {
  const { seeds, only, clusters, searchSeconds, picture } = options;
  const outcomes: SeededRequirement[] = [];
  for (const { run } of wantedBy(only)) {
    const bySeed: SeededRequirement[][] = [];
    for (const seed of seeds)
      bySeed.push((await run(seed, clusters, searchSeconds)).map((outcome) => ({ ...outcome, seed })));
    outcomes.push(...(bySeed[0] ?? []).flatMap((_, at) => bySeed.flatMap((ofSeed) => ofSeed[at] ?? [])));
  }
  mkdirSync(dirname(picture), { recursive: true });
  writeFileSync(picture, pictureOf(outcomes));
  return outcomes;
}

/** A day without a requirement. */
function ordinary({ name, figures, samples }: Outcome): Requirement {
  const { occupancy, level, quote, clearRate, locksStarted, waitS, revenuePerHour, lockPrice } = figures;
  const figure = [
    `occupancy ${occupancy.toFixed(2)}`,
    `level ${level.toFixed(3)}`,
    `quote ${quote.toFixed(3)}`,
    `clear rate ${Number.isNaN(clearRate) ? '–' : `${clearRate.toFixed(3)} with ${locksStarted} starts`}`,
    `locks pay ${lockPrice.toFixed(3)}`,
    `wait ${waitS.toFixed(1)} s`,
    `$${revenuePerHour.toFixed(2)} an hour`,
  ];
  return { name, figure: figure.join(', '), target: '', holds: null, samples };
}

const LEGEND = [
  'Level, quote and what locks pay: means, in USD per 1M input tokens at the reference mix. Clear rate: of the locks with a limit',
  'above the quote, the share that started within ten seconds. Cost of an attack: of the revenue without it.',
].join('\n');

/** The table for people. What has no target holds for nothing (–). */
export function tableOf(outcomes: readonly SeededRequirement[]): string {
  const asked = outcomes.filter(({ holds }) => holds !== null);
  const held = asked.filter(({ holds }) => holds);
  const sum = `${held.length} of ${asked.length} targets hold.`;
  return [requirementTable(outcomes), ...(asked.length === 0 ? [] : [sum]), LEGEND].join('\n\n');
}

/** The same for programs, without the points of the picture. */
export function jsonOf(outcomes: readonly SeededRequirement[]) {
  return outcomes.map(({ seed, name, figure, target, holds }) => ({ seed, name, figure, target, holds }));
}
