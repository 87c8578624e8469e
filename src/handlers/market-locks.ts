/**
 * What was quoted to locks in the past, and which share of them started. Numbers of locks are shown by the quarter of an
 * hour alone: two resolutions could be subtracted until a single lock is left. docs/decisions/0042-depth-without-orders.md.
 */
import type { Clock } from '#base/clock.ts';
import { priceToUsd } from '#base/money.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { JsonOf } from '#contract/reply.ts';
import { type LockRange, lockStretch } from '#market/data/history.ts';
import type { Listing, Listings } from '#market/listing.ts';
import type { MarketView } from '#market/ports.ts';
import { LOCKS_MIN } from '#market/price/clear-rate.ts';
import type { QuoteSettings } from '#market/price/quote.ts';
import type { LockBucket, LockHistory } from '#observe/ports.ts';
import { SharedAnswers } from './shared-answers.ts';

const AGE_S = 10;

/**
 * getMarketLocks: two queries in ten seconds for each market and range. No more windows are read than a range has with
 * the present interval. An unknown range becomes 24h, which the response names.
 */
export function marketLocksHandlers(options: {
  listings: Listings;
  market: MarketView;
  quotes: Pick<QuoteSettings, 'intervalMs'>;
  locks: LockHistory;
  clock: Clock;
}): HandlersFor<'getMarketLocks'> {
  const { listings, market, quotes, locks, clock } = options;
  const answers = new SharedAnswers<JsonOf<'getMarketLocks'>>(clock, AGE_S);
  const build = async ({ id: model, preview }: Listing, range: LockRange) => {
    const { bucketS: bucket_seconds, fromS: from, toS: to } = lockStretch(range, clock.nowMs());
    const times = { fromMs: from * 1000, toMs: to * 1000, bucketMs: bucket_seconds * 1000 };
    const windows = Math.ceil((times.toMs - times.fromMs) / quotes.intervalMs);
    const afterSeq = (market.quote(model)?.quoteSeq ?? 0) - windows;
    const points = (await locks.buckets({ model, ...times, afterSeq })).map((bucket) => ({
      ...quotesOf(bucket),
      ...locksOf(range === '24h' && bucket.atMs + 2 * times.bucketMs < times.toMs ? bucket : null),
    }));
    const interval_ms = quotes.intervalMs;
    const what = { range, model, bucket_seconds, interval_ms, from, to, locks_min: LOCKS_MIN };
    return { ...what, points, preview: preview || undefined };
  };
  return {
    getMarketLocks: ({ query, headers }) => {
      const listing = listings.forMarket(query.model);
      const { range } = query;
      return answers.reply(headers, `${range} ${listing.id}`, () => build(listing, range));
    },
  };
}

function quotesOf({ atMs, windows, mean, low, high }: LockBucket) {
  return { t: atMs / 1000, windows, price: priceToUsd(mean), low: priceToUsd(low), high: priceToUsd(high) };
}

/** Of a bucket that may be shown; all null for another, and of few locks. */
function locksOf(bucket: LockBucket | null) {
  const locks = bucket ? bucket.started + bucket.missed : 0;
  if (!bucket || locks < LOCKS_MIN) return { locks: null, started: null, started_share: null };
  const { started } = bucket;
  return { locks, started, started_share: Math.round((started / locks) * 10_000) / 10_000 };
}
