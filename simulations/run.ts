/**
 * `npm run simulate [-- --seed 1] [--only load,attack] [--picture FILE] [--json]`: plays seeded days on the real exchange
 * in simulated time, prints what came of them and draws level and quote. The same seed gives the same figures.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { markdownTable } from '../benchmarks/table.ts';
import type { Figures } from './floor.ts';
import { pictureOf } from './picture.ts';
import { type Outcome, play, type Scenario, scenarios } from './scenarios.ts';

/** What is simulated, and where the picture goes. */
export interface SimulationWishes {
  readonly seed: number;
  /** Words that a scenario's name must hold one of; all scenarios when empty. */
  readonly only: readonly string[];
  readonly picture: string;
}

/** Plays the wanted days and draws them. */
export function simulate({ seed, only, picture }: SimulationWishes): readonly Outcome[] {
  const outcomes = daysWith(only).map((scenario) => play(scenario, seed));
  mkdirSync(dirname(picture), { recursive: true });
  writeFileSync(picture, pictureOf(outcomes));
  return outcomes;
}

/** The days whose name holds one of the words; all of them for no word. */
export function daysWith(words: readonly string[]): readonly Scenario[] {
  return scenarios.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
}

/** The table that people read. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const columns: readonly (readonly [name: string, figure: keyof Figures, digits: number])[] = [
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
  const rows = outcomes.map(({ name, figures }) => [
    name,
    ...columns.map(([, figure, digits]) => (Number.isNaN(figures[figure]) ? '' : figures[figure].toFixed(digits))),
  ]);
  return markdownTable(['day', ...columns.map(([name]) => name)], rows);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      only: { type: 'string', default: '' },
      picture: { type: 'string', default: 'coverage/simulation.svg' },
      json: { type: 'boolean', default: false },
    },
  });
  const { picture } = values;
  const outcomes = simulate({ seed: Number(values.seed), only: values.only.split(',').filter(Boolean), picture });
  console.log(tableOf(outcomes));
  console.log(`\nLevel and quote over time: ${picture}`);
  if (values.json)
    console.log(
      JSON.stringify({
        seed: Number(values.seed),
        picture,
        days: outcomes.map(({ name, figures }) => ({ name, ...figures })),
      }),
    );
}
