/** Listings for tests: a market at a floor of 0 and a ceiling of 100 USD, and a fixed-price model at 1, 2 and 3 USD. */
import { seededRandom } from '#base/random.ts';
import { tariffOf } from '#ledger/tariff.ts';
import type { ExchangeOptions } from '#market/exchange/exchange.ts';
import { type Listing, Listings } from '#market/listing.ts';

const common = {
  ownedBy: 'sluice',
  createdAtS: 1_767_225_600,
  aliases: [],
  contextLength: 131_072,
  outputLengthMax: 32_768,
  answerBytesMax: 16 * 1024 * 1024,
  preview: false,
  deprecated: false,
  reserve: 0,
  accountShareMax: null,
  reasoningEfforts: [],
  mediaTokens: { image: 1_500, audio: 5_000, video: 25_000, file: 30_000 },
  estimatedCachedShare: 0,
  acceptsImages: false,
  customTools: 'drop' as const,
};

/** A market listing, by default `tide-70b`. */
export function marketListing(changes: Partial<Listing> = {}): Listing {
  return {
    ...common,
    id: 'tide-70b',
    type: 'market',
    displayName: 'Tide 70B',
    tariff: tariffOf('market', { cached: '0.1', uncached: '1', output: '4' }),
    floor: 0,
    ceiling: 100e9,
    ...changes,
  };
}

/** A fixed-price listing, by default `ebb-8b`. */
export function fixedListing(changes: Partial<Listing> = {}): Listing {
  return {
    ...common,
    id: 'ebb-8b',
    type: 'fixed',
    displayName: 'Ebb 8B',
    tariff: tariffOf('fixed', { cached: '1', uncached: '2', output: '3' }),
    floor: 0,
    ceiling: 0,
    ...changes,
  };
}

/** A market model with an alias, a fixed-price model, a preview and a deprecated model; the first is the default. */
export function someListings(): Listings {
  const tariff = tariffOf('fixed', { cached: '0.1', uncached: '1.25', output: '4' });
  return new Listings(
    [
      marketListing({ aliases: ['tide'] }),
      marketListing({ id: 'rock-8b', type: 'fixed', tariff, aliases: ['rock'] }),
      marketListing({ id: 'soon-1b', preview: true }),
      marketListing({ id: 'gone-3b', deprecated: true }),
    ],
    'tide-70b',
  );
}

/** Quotes with the configuration's defaults, for an exchange that has recovered nothing. */
export function someQuotes(seed = 1): Pick<ExchangeOptions, 'quotes' | 'recoveredQuotes' | 'random'> {
  return {
    quotes: { intervalMs: 10_000, targetStartRate: 0.95, executeWindowMs: 10_000 },
    recoveredQuotes: [],
    random: seededRandom(seed),
  };
}
