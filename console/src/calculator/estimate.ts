/**
 * What a request would have cost, and when it would have started, going by past levels. A level is what a market
 * published, not a promise: a bid at the level may still have waited behind others at the same bid.
 */

/** The level from one time until the next. Epoch milliseconds, USD per 1M input tokens at the reference mix. */
export interface PastLevel {
  readonly atMs: number;
  readonly level: number;
}

/** What past levels say of a bid. Shares are 0 to 1; null where no level is known. */
export interface Chances {
  /** Of the time, how much the level was at or below the bid. */
  readonly below: number | null;
  /** Of the moments at which one could have begun to wait, after how many it was so within the wait. */
  readonly withinWait: number | null;
  /** The mean of the levels at or below the bid, which are what would have been charged; null where there are none. */
  readonly meanLevel: number | null;
}

/** What these levels, oldest first and evenly spaced, say of a bid that waits at most `waitMs`. */
export function chancesOf(past: readonly PastLevel[], bid: number, waitMs: number): Chances {
  if (past.length === 0) return { below: null, withinWait: null, meanLevel: null };
  const met = past.filter(({ level }) => level <= bid);
  // Walking backwards, the next time at which the bid is met is always known.
  let nextMetMs = Number.POSITIVE_INFINITY;
  let inTime = 0;
  for (const { atMs, level } of past.toReversed()) {
    if (level <= bid) nextMetMs = atMs;
    if (nextMetMs - atMs <= waitMs) inTime++;
  }
  const sum = met.reduce((total, { level }) => total + level, 0);
  return {
    below: met.length / past.length,
    withinWait: inTime / past.length,
    meanLevel: met.length === 0 ? null : sum / met.length,
  };
}

/** What the past says of a bid that begins to wait now. */
export interface Outlook {
  /** 0 to 1: of the moments at which the level was about what it is now, after how many the bid was met within the wait. */
  readonly chance: number;
  /** The mean of the levels that first met it, which would have been charged; null where none did. */
  readonly level: number | null;
  /** How many moments that is: of a few it means little. */
  readonly moments: number;
}

/** Levels within this share of the level now are about the same. */
const NEAR = 0.1;

/** What these levels, oldest first and evenly spaced, say of a bid at the level now. Null where it was never so. */
export function outlookOf(
  past: readonly PastLevel[],
  { now, bid, waitMs }: { readonly now: number; readonly bid: number; readonly waitMs: number },
): Outlook | null {
  if (now <= bid) return { chance: 1, level: now, moments: 0 };
  const endMs = past.at(-1)?.atMs ?? 0;
  let next: PastLevel | null = null;
  const met: number[] = [];
  let moments = 0;
  for (const at of past.toReversed()) {
    if (at.level <= bid) next = at;
    // The level now is above the bid.
    // What came later than the wait after the last of them is not known.
    if (at.level <= bid || Math.abs(at.level - now) > NEAR * now || at.atMs + waitMs > endMs) continue;
    moments++;
    if (next && next.atMs - at.atMs <= waitMs) met.push(next.level);
  }
  if (moments === 0) return null;
  const level = met.length === 0 ? null : met.reduce((sum, each) => sum + each, 0) / met.length;
  return { chance: met.length / moments, level, moments };
}

/** Tokens of one request. */
export interface RequestTokens {
  readonly input: number;
  /** The part of the input that is in the cache, 0 to 1. */
  readonly cachedShare: number;
  readonly output: number;
}

/** What a request costs at these prices, in USD per 1M tokens. */
export function costOf(
  { input, cachedShare, output }: RequestTokens,
  prices: { readonly cached: number; readonly uncached: number; readonly output: number },
): number {
  const cached = input * cachedShare;
  return (cached * prices.cached + (input - cached) * prices.uncached + output * prices.output) / 1e6;
}

/** What a request with this limit costs if it starts now: the level, or its limit if that is lower. */
export function costAtLimit(
  tokens: RequestTokens,
  { level, usd_per_million }: { readonly level: number | null; readonly usd_per_million: Parameters<typeof costOf>[1] },
  limit: number,
): number {
  // Prices are proportional to the level.
  return costOf(tokens, usd_per_million) * (level ? Math.min(1, limit / level) : 1);
}
