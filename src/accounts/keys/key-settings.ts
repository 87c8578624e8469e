/** What a member writes of a key, as the store takes it. Types and sizes are checked already, by the document. */
import type { KeySettings } from '#access/principal.ts';
import { Fault } from '#base/fault.ts';
import { type NanoUsd, type PriceNano, parseUsd, priceFromUsd } from '#base/money.ts';
import type { components } from '#generated/console-api/types.ts';
import type { Listing, Listings } from '#market/listing.ts';

const MOMENT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,3})?Z$/;

/** The change. Throws Fault invalid_request and, of a name that is no model's, unknown_model or fixed_price_model. */
export function keyChangeOf(body: components['schemas']['KeySettings'], listings: Listings): KeySettings {
  const { name, budget_usd: budget, budget_reset: reset, expires_at: expires, models, price_limits: limits } = body;
  return {
    ...(name === undefined ? {} : { name }),
    ...(budget === undefined ? {} : { budget: budget === null ? null : amountOf(budget) }),
    ...(reset === undefined ? {} : { reset }),
    ...(expires === undefined ? {} : { expiresAtMs: expires === null ? null : momentOf(expires) }),
    ...(models === undefined ? {} : { models: models && modelsOf(models, listings) }),
    ...(limits === undefined ? {} : { priceLimits: limitsOf(limits, listings) }),
  };
}

function amountOf(text: string): NanoUsd {
  const amount = parseUsd(text);
  if (amount !== null) return amount;
  throw new Fault('invalid_request', {
    param: 'budget_usd',
    message: 'budget_usd must be USD as a decimal such as 12.50, with at most nine decimals.',
  });
}

/** Date.parse takes the 30th of February for a day in March. */
function momentOf(text: string): number {
  const [, seconds] = MOMENT.exec(text) ?? [];
  const ms = seconds === undefined ? Number.NaN : Date.parse(text);
  if (!Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 19) === seconds) return ms;
  throw new Fault('invalid_request', {
    param: 'expires_at',
    message: 'expires_at must be a moment in UTC such as 2027-01-31T18:00:00Z.',
  });
}

function modelsOf(names: readonly string[], listings: Listings): string[] {
  return [...new Set(names.map((name) => listingOf(name, 'models', listings).id))];
}

/** The last of several names of one model counts. */
function limitsOf(limits: Readonly<Record<string, number>>, listings: Listings): Record<string, PriceNano> {
  return Object.fromEntries(
    Object.entries(limits).map(([name, usd]) => {
      const param = `price_limits.${name}`;
      const listing = listingOf(name, param, listings);
      if (listing.type === 'fixed') throw new Fault('fixed_price_model', { param });
      return [listing.id, priceFromUsd(usd)];
    }),
  );
}

function listingOf(name: string, param: string, listings: Listings): Listing {
  const listing = listings.find(name);
  if (listing) return listing;
  throw new Fault('unknown_model', { param, message: `No model ${name} is served here.` });
}
