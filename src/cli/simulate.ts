/** `simulate`: seeded days of trading on the real exchange, in simulated time. */
import { jsonOf, namesOfDays, simulate, tablesOf, wantedBy } from '#simulations/run.ts';
import { CommandError, type CommandResult } from './output.ts';

/** Simulates the days and reports the figures. Throws CommandError for an invalid seed and for unknown days. */
export function simulateDays(options: { seed: string; only: string; picture: string }): CommandResult {
  const { seed, only, picture } = options;
  if (!/^\d{1,9}$/.test(seed)) throw new CommandError('The seed must be a whole number of up to nine digits.');
  const words = only.split(',').filter(Boolean);
  const { days, contests } = wantedBy(words);
  if (days.length + contests.length === 0)
    throw new CommandError(`No day has a name that contains ${only}; the names are: ${namesOfDays().join('; ')}.`);
  const simulation = simulate({ seed: Number(seed), only: words, picture });
  return {
    json: { seed: Number(seed), picture, ...jsonOf(simulation) },
    text: `${tablesOf(simulation)}\n\nLevel and quote over time: ${picture}`,
  };
}
