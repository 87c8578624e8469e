/** `simulate`: seeded days of trading on the real exchange, in simulated time. */
import { fixedPriceDays, fixedPriceTable, playFixedPrices } from '#simulations/fixed-prices.ts';
import { checkRequirements, requirements, requirementTable } from '#simulations/requirements.ts';
import { jsonOf, namesOfDays, simulate, tablesOf, wantedBy } from '#simulations/run.ts';
import { CommandError, type CommandResult } from './output.ts';

/** Simulates the days and reports the figures. Throws CommandError for an invalid seed and for unknown days. */
export function simulateDays(options: { seed: string; only: string; picture: string }): CommandResult {
  const { seed, only, picture } = options;
  if (!/^\d{1,9}$/.test(seed)) throw new CommandError('The seed must be a whole number of up to nine digits.');
  const words = only.split(',').filter(Boolean);
  const { days, contests } = wantedBy(words);
  const isWanted = ({ name }: { readonly name: string }) =>
    words.length === 0 || words.some((word) => name.includes(word));
  const fixed = fixedPriceDays.filter(isWanted);
  const tried = requirements.filter(isWanted);
  if (days.length + contests.length + fixed.length + tried.length === 0) {
    const more = [...fixedPriceDays, ...requirements].map(({ name }) => name);
    const names = [...namesOfDays(), ...new Set(more)];
    throw new CommandError(`No day has a name that contains ${only}; the names are: ${names.join('; ')}.`);
  }
  const isDrawn = days.length + contests.length > 0;
  const simulation = isDrawn ? simulate({ seed: Number(seed), only: words, picture }) : { days: [], contests: [] };
  const outcomes = fixed.map((day) => playFixedPrices(day, Number(seed)));
  const outcome = checkRequirements(tried, Number(seed));
  const drawn = isDrawn ? `Level and quote over time: ${picture}` : '';
  return {
    json: {
      seed: Number(seed),
      picture: isDrawn ? picture : null,
      ...jsonOf(simulation),
      fixed_prices: outcomes,
      requirements: outcome,
    },
    text: [tablesOf(simulation), fixedPriceTable(outcomes), requirementTable(outcome), drawn]
      .filter(Boolean)
      .join('\n\n'),
  };
}
