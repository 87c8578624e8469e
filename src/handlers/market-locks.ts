/** What was quoted to locks in the past, and which share of them started. */
import type { Clock } from '#base/clock.ts';
import { priceToUsd } from '#base/money.ts';
import { type LockRange, lockRangeNamed, lockStretch } from '#market/history.ts';
import type { Listing, Listings } from '#market/listing.ts';
import type { MarketView } from '#market/ports.ts';
import type { QuoteSettings } from '#market/quote.ts';
import type { LockBucket, LockHistory } from '#observe/ports.ts';
import type { OpenHandler } from './call.ts';
import { textParam } from './query.ts';
import { SharedAnswers } from './shared-answers.ts';

const AGE_S = 10;

/** What the handler needs. */
export interface MarketLocksOptions {
  readonly listings: Listings;
  readonly market: MarketView;
  readonly quotes: Pick<QuoteSettings, 'intervalMs'>;
  readonly locks: LockHistory;
  readonly clock: Clock;
}

/**
 * getMarketLocks: two queries in ten seconds for each market and range. No more windows are read than a range has with
 * the present interval. An unknown range becomes 24h, which the response names.
 */
export function marketLocksHandlers({ listings, market, quotes, locks, clock }: MarketLocksOptions): {
  readonly getMarketLocks: OpenHandler;
} {
  const answers = new SharedAnswers(clock, AGE_S);
  const build = async ({ id: model, preview }: Listing, range: LockRange) => {
    const { bucketS: bucket_seconds, fromS: from, toS: to } = lockStretch(range, clock.nowMs());
    const times = { fromMs: from * 1000, toMs: to * 1000, bucketMs: bucket_seconds * 1000 };
    const windows = Math.ceil((times.toMs - times.fromMs) / quotes.intervalMs);
    const afterSeq = (market.quote(model)?.quoteSeq ?? 0) - windows;
    const points = (await locks.buckets({ model, ...times, afterSeq })).map(pointOf);
    const interval_ms = quotes.intervalMs;
    return { range, model, bucket_seconds, interval_ms, from, to, points, ...(preview ? { preview } : {}) };
  };
  return {
    getMarketLocks: ({ query, headers }) => {
      const listing = listings.forMarket(textParam(query, 'model'));
      const range = lockRangeNamed(textParam(query, 'range'));
      return answers.reply(headers, `${range} ${listing.id}`, () => build(listing, range));
    },
  };
}

function pointOf({ atMs, windows, mean, low, high, started, missed }: LockBucket) {
  const locks = started + missed;
  return {
    t: atMs / 1000,
    windows,
    price: priceToUsd(mean),
    low: priceToUsd(low),
    high: priceToUsd(high),
    locks,
    started,
    started_share: locks === 0 ? null : Math.round((started / locks) * 10_000) / 10_000,
  };
}
