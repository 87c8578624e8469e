/** How long an order took, of what its settlement knows. */
import type { Answer } from '#results/result.ts';
import type { LiveOrder } from './live-order.ts';
import type { RunTimes } from './ports.ts';

/** An answer of fewer tokens says nothing about their pace. */
const TOKENS_MIN = 10;

/** The times of an order that ran. A clock that stepped back counts as no time. */
export function timesOf(order: LiveOrder, { receipt, finishedAtMs }: Answer): RunTimes {
  const { listing, attempt, createdAtMs, admittedAtMs, firstOutputAtMs, bid, price } = order;
  const hasOutput = firstOutputAtMs > 0;
  const outputMs = finishedAtMs - firstOutputAtMs;
  const { output } = receipt.tokens;
  return {
    model: listing.id,
    waitMs: attempt === 1 ? Math.max(0, admittedAtMs - createdAtMs) : null,
    // The price is the level unless the bid is lower.
    bidOverLevel: bid <= price ? 1 : bid / price,
    firstTokenMs: hasOutput ? Math.max(0, firstOutputAtMs - admittedAtMs) : null,
    tokensPerSecond: hasOutput && output >= TOKENS_MIN && outputMs > 0 ? (1000 * (output - 1)) / outputMs : null,
  };
}
