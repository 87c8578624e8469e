/** Prices of models of both kinds, made comparable. */
import type { MarketSummaryRow } from '#generated/types.ts';

/** Whether requests for it are taken and can run now. */
export function isOnSale({ preview, deprecated, degraded }: MarketSummaryRow): boolean {
  return !preview && !deprecated && !degraded;
}

/** The quote, USD per 1M input tokens at the reference mix; null on a fixed price, and while nothing can start. */
export function quoteOf({ quote, degraded }: MarketSummaryRow): number | null {
  return quote && !degraded ? quote.price : null;
}

/** What a request that starts now pays, in USD per 1M input tokens at the reference mix: the lower of level and bid. */
export function startPriceOf({
  level,
  quote,
  usd_per_million: { cached, uncached, output },
}: MarketSummaryRow): number {
  if (level === null) return 0.9 * cached + 0.1 * uncached + 0.02 * output;
  return Math.min(level, quote?.price ?? level);
}

/** The cheapest model that can run a request now; null where there is none. */
export function cheapestOf(rows: readonly MarketSummaryRow[]): MarketSummaryRow | null {
  const [first = null] = rows.filter(isOnSale).sort((one, other) => startPriceOf(one) - startPriceOf(other));
  return first;
}
