/** How long runs took: the time to the first token, tokens a second, and the wait by bid. */
import type { Clock } from '#base/clock.ts';
import { HOUR_MS } from '#base/time.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { JsonOf } from '#contract/reply.ts';
import type { Listing, Listings } from '#market/listing.ts';
import type { RunStore } from '#observe/ports.ts';
import { type StatisticsRange, windowOf } from '#observe/ranges.ts';
import { BID_BOUNDS, type Percentiles, RunCounts } from '#observe/run-counts.ts';
import { listingNamed } from './listing-named.ts';
import { SharedAnswers } from './shared-answers.ts';

/** Gateways write their counts once a minute. */
const AGE_S = 60;
/** With fewer orders than this a percentile means nothing. */
const SAMPLES_MIN = 20;

interface LatencyOptions {
  readonly listings: Listings;
  readonly runs: RunStore;
  readonly clock: Clock;
}

/** getLatencyStatistics: a month is read at most once in a minute for each model. An unknown range becomes 24h. */
export function latencyHandlers({ listings, runs, clock }: LatencyOptions): HandlersFor<'getLatencyStatistics'> {
  const answers = new SharedAnswers<JsonOf<'getLatencyStatistics'>>(clock, AGE_S);
  const build = async ({ id: model, type }: Listing, range: StatisticsRange) => {
    const { fromMs, toMs } = hoursOf(range, clock.nowMs());
    const counts = new RunCounts();
    await runs.each(model, { fromMs, toMs }, (packed) => counts.addPacked(packed));
    return {
      ...{ range, model, from: fromMs / 1000, to: toMs / 1000, samples_min: SAMPLES_MIN },
      time_to_first_token_ms: atMost(counts.firstTokenMs),
      tokens_per_second: atLeast(counts.tokensPerSecond),
      wait_ms: atMost(counts.waitMs(null)),
      wait_by_bid: type === 'fixed' ? [] : BID_BOUNDS.map((above, group) => ({ above, ...waitOf(counts, group) })),
    };
  };
  return {
    getLatencyStatistics: ({ query, headers }) => {
      const listing = listingNamed(query.model, listings) ?? listings.default;
      const { range } = query;
      return answers.reply(headers, `${range} ${listing.id}`, () => build(listing, range));
    },
  };
}

/** Whole hours, the last of which contains the current moment. */
function hoursOf(range: StatisticsRange, nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  const { fromMs, toMs } = windowOf(range, nowMs);
  const endMs = nowMs - (nowMs % HOUR_MS) + HOUR_MS;
  return { fromMs: endMs - (toMs - fromMs), toMs: endMs };
}

function waitOf(counts: RunCounts, group: number) {
  return { up_to: BID_BOUNDS[group + 1] ?? null, ...atMost(counts.waitMs(group)) };
}

/** What 50, 95 and 99 of 100 orders took at most. */
function atMost(percentiles: Percentiles) {
  return shown(percentiles, [0.5, 0.95, 0.99]);
}

/** What 50, 95 and 99 of 100 orders reached at least. */
function atLeast(percentiles: Percentiles) {
  return shown(percentiles, [0.5, 0.05, 0.01]);
}

function shown({ count, at }: Percentiles, [p50, p95, p99]: readonly [number, number, number]) {
  const value = (share: number) => (count < SAMPLES_MIN ? null : Number(at(share).toPrecision(3)));
  // In tens: two answers, one after the other, must not show a single order.
  return { count: count - (count % 10), p50: value(p50), p95: value(p95), p99: value(p99) };
}
