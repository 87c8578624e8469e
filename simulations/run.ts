/**
 * The program of `sluice simulate` and `npm run simulate`: seeded days on the real exchange in simulated time, and the
 * quote compared with a mark-up on the level; tables of the outcomes, and a picture of level and quote. The same seed
 * gives the same figures.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Contest, type ContestOutcome, compare, contests } from './comparison.ts';
import { markdownTable } from './markdown-table.ts';
import type { Figures } from './measures.ts';
import { pictureOf } from './picture.ts';
import { type Outcome, play, type Scenario, scenarios } from './scenarios.ts';

/** What is simulated, and where the picture goes. */
export interface SimulationOptions {
  readonly seed: number;
  /** The name of a day or contest must contain one of these words; empty: all. */
  readonly only: readonly string[];
  readonly picture: string;
}

/** The outcomes of the days, and of the contests between quote and mark-up. */
export interface Simulation {
  readonly days: readonly Outcome[];
  readonly contests: readonly ContestOutcome[];
}

/** Runs the selected days and contests, and draws the days. */
export function simulate({ seed, only, picture }: SimulationOptions): Simulation {
  const wanted = wantedBy(only);
  const days = wanted.days.map((scenario) => play(scenario, seed));
  const entries = wanted.contests.flatMap((contest) => compare(contest, seed));
  mkdirSync(dirname(picture), { recursive: true });
  writeFileSync(picture, pictureOf([...days, ...entries.map(inContest)]));
  return { days, contests: entries };
}

/** The days and contests whose name contains one of the words; all without words. `quote` also selects the contests. */
export function wantedBy(words: readonly string[]): {
  readonly days: readonly Scenario[];
  readonly contests: readonly Contest[];
} {
  const isWanted = (name: string) => words.length === 0 || words.some((word) => name.includes(word));
  return {
    days: scenarios.filter(({ name }) => isWanted(name)),
    contests: contests.filter((contest) => isWanted(nameOfContest(contest))),
  };
}

/** The names that `wantedBy` searches, in the order in which they run. */
export function namesOfDays(): readonly string[] {
  return [...scenarios.map(({ name }) => name), ...contests.map(nameOfContest)];
}

function nameOfContest({ name }: Contest): string {
  return `quote or mark-up: ${name}`;
}

type Column = readonly [name: string, figure: keyof Figures, digits: number];

const dayColumns: readonly Column[] = [
  ['occupancy', 'occupancy', 2],
  ['level', 'level', 3],
  ['quote', 'quote', 3],
  ['clear rate', 'clearRate', 3],
  ['locks served', 'locksServed', 0],
  ['paid by locks', 'lockPrice', 3],
  ['wait s', 'waitS', 1],
  ['revenue $/h', 'revenuePerHour', 2],
  ['attacker $/h', 'attackCostPerHour', 3],
];

const contestColumns: readonly Column[] = [
  ['clear rate', 'clearRate', 3],
  ['locks above their quote that started', 'locksStarted', 0],
  ['quote', 'quote', 3],
  ['all locks served', 'locksServed', 0],
  ['paid by them', 'lockPrice', 3],
];

const LEGEND = [
  'Level, quote and what locks paid: USD per 1M input tokens at the reference mix, the means of two hours. Clear rate: of the',
  'locks with a limit above the quote, the share that started within ten seconds; the target is 0.95. Wait: of what started.',
  'An attack plays on the day of load 1.5, and its last column is what the attacker paid.',
].join('\n');

/** The tables for people. */
export function tablesOf({ days, contests: entries }: Simulation): string {
  const tables: string[] = [];
  if (days.length > 0) tables.push(table('day', dayColumns, days), LEGEND);
  if (entries.length > 0) {
    tables.push(table('quote or mark-up: what locks bid', contestColumns, entries.map(inContest)));
  }
  return tables.join('\n\n');
}

function table(head: string, columns: readonly Column[], rows: readonly Outcome[]): string {
  const lines = rows.map(({ name, figures }) => [
    name,
    ...columns.map(([, figure, digits]) => (Number.isNaN(figures[figure]) ? '' : figures[figure].toFixed(digits))),
  ]);
  return markdownTable([head, ...columns.map(([name]) => name)], lines);
}

function inContest(outcome: ContestOutcome): Outcome {
  return { ...outcome, name: `${outcome.contest}: ${outcome.name}` };
}

/** The same for programs, without the points of the picture. */
export function jsonOf({ days, contests: entries }: Simulation) {
  return {
    days: days.map(({ name, figures }) => ({ name, ...figures })),
    contests: entries.map(({ contest, name, figures }) => ({ contest, name, ...figures })),
  };
}
