/** What gateways must have in common to trade with each other. */
import { createHash } from 'node:crypto';
import type { Config } from '#config/config.ts';

/** A hash of what is sold, on which pods, and how prices move. */
export function listingHash({ listings, pods, market }: Pick<Config, 'listings' | 'pods' | 'market'>): string {
  const shared = {
    listings: listings.all,
    default: listings.default.id,
    pods: pods.map(({ model, id, url, slots }) => ({ model, id, url, slots })),
    market: { levelTimeConstantMs: market.levelTimeConstantMs, quote: market.quote },
  };
  const text = JSON.stringify(shared, (_name, value) => (typeof value === 'bigint' ? `${value}n` : value));
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
