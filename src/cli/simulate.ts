/** `simulate`: seeded days of trading on the real exchange, in simulated time. */
import { jsonOf, namesOfDays, simulate, tablesOf, wantedBy } from '#simulations/run.ts';
import { CommandError, type Result } from './output.ts';

/** Plays the days and tells what came of them. Throws CommandError for a seed that is no whole number. */
export function simulateDays(options: { seed: string; only: string; picture: string }): Result {
  const { seed, only, picture } = options;
  if (!/^\d{1,9}$/.test(seed)) throw new CommandError('The seed is a whole number of up to nine digits.');
  const words = only.split(',').filter(Boolean);
  const { days, contests } = wantedBy(words);
  if (days.length + contests.length === 0)
    throw new CommandError(`No day has a name with ${only} in it; the names are: ${namesOfDays().join('; ')}.`);
  const simulation = simulate({ seed: Number(seed), only: words, picture });
  return {
    json: { seed: Number(seed), picture, ...jsonOf(simulation) },
    text: `${tablesOf(simulation)}\n\nLevel and quote over time: ${picture}`,
  };
}
