/** `simulate`: seeded days of trading on the real exchange, in simulated time. */
import { fixedPriceDays, fixedPriceTable, playFixedPrices } from '#simulations/fixed-prices.ts';
import { jsonOf, namesOfDays, simulate, tablesOf, wantedBy } from '#simulations/run.ts';
import { CommandError, type CommandResult } from './output.ts';

/** Simulates the days and reports the figures. Throws CommandError for an invalid seed and for unknown days. */
export function simulateDays(options: { seed: string; only: string; picture: string }): CommandResult {
  const { seed, only, picture } = options;
  if (!/^\d{1,9}$/.test(seed)) throw new CommandError('The seed must be a whole number of up to nine digits.');
  const words = only.split(',').filter(Boolean);
  const { days, contests } = wantedBy(words);
  const fixed = fixedPriceDays.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  if (days.length + contests.length + fixed.length === 0) {
    const names = [...namesOfDays(), ...new Set(fixedPriceDays.map(({ name }) => name))];
    throw new CommandError(`No day has a name that contains ${only}; the names are: ${names.join('; ')}.`);
  }
  const isDrawn = days.length + contests.length > 0;
  const simulation = isDrawn ? simulate({ seed: Number(seed), only: words, picture }) : { days: [], contests: [] };
  const outcomes = fixed.map((day) => playFixedPrices(day, Number(seed)));
  const drawn = isDrawn ? `Level and quote over time: ${picture}` : '';
  return {
    json: { seed: Number(seed), picture: isDrawn ? picture : null, ...jsonOf(simulation), fixed_prices: outcomes },
    text: [tablesOf(simulation), fixedPriceTable(outcomes), drawn].filter(Boolean).join('\n\n'),
  };
}
