/** `simulate`: seeded days of trading on the real exchange, in simulated time. */
import { jsonOf, namesOfDays, simulate, tableOf, wantedBy } from '#simulations/run.ts';
import { CommandError, type CommandResult, good, wrong } from './output.ts';

/** Simulates days and reports the figures with their targets. Throws CommandError for invalid seeds and unknown days. */
export function simulateDays(options: { seed: string; only: string; picture: string }): CommandResult {
  const { seed, only, picture } = options;
  const seeds = [...new Set(seed.split(','))];
  if (!seeds.every((one) => /^\d{1,9}$/.test(one))) {
    throw new CommandError('A seed must be a whole number of up to nine digits; separate several with commas.');
  }
  const words = only.split(',').filter(Boolean);
  if (wantedBy(words).length === 0) {
    throw new CommandError(`No day has a name that contains ${only}; the names are: ${namesOfDays().join('; ')}.`);
  }
  const outcomes = simulate({ seeds: seeds.map(Number), only: words, picture });
  const table = tableOf(outcomes).replaceAll('✔', good('✔')).replaceAll('✘', wrong('✘'));
  return {
    json: { seeds: seeds.map(Number), picture, requirements: jsonOf(outcomes) },
    text: `${table}\n\nThe same as a picture: ${picture}`,
  };
}
