/**
 * The terms of an order: what a request, an account and a listing come to at this moment. Pure, so each rule can be
 * read and tested alone. Prices, waits and caps are settled here once and kept with the order. Spec 4.2; docs/lifecycle.md.
 */
import { Fault } from '#base/fault.ts';
import type { NanoUsd, PriceNano } from '#base/money.ts';
import { priceAtMix, type Tariff, worstCaseOf } from '#ledger/tariff.ts';
import type { Listing } from '#market/listing.ts';
import type { Customer, InferenceRequest } from './request.ts';
import { promptBoundFor } from './token-estimate.ts';

/** Bounds of waiting, in seconds. Spec 8. */
export interface WaitBounds {
  readonly minS: number;
  readonly maxS: number;
  readonly lockWindowS: number;
}

/** The price an order rests at. */
export interface Price {
  readonly bid: PriceNano;
  /** The caller's limit; null on a fixed-price listing. */
  readonly limit: PriceNano | null;
  readonly lock: boolean;
  /** The quote a lock took; null otherwise. */
  readonly quote: PriceNano | null;
}

/**
 * The order's price. On a market listing: the limit from the request, else the key's or the account's default; a lock
 * bids the lower of that and the standing quote. Throws missing_price_limit (missing_bid on Messages) when there is none. Spec 1.6.
 */
export function priceOf(
  request: InferenceRequest,
  customer: Customer,
  listing: Listing,
  standingQuote: () => PriceNano,
): Price {
  if (listing.type === 'fixed') return { bid: priceAtMix(listing.tariff), limit: null, lock: false, quote: null };
  const limit = request.extensions.priceLimit ?? customer.priceLimitFor(listing.id);
  if (limit === null) {
    throw request.kind === 'messages'
      ? new Fault('missing_bid', { param: 'max_price' })
      : new Fault('missing_price_limit', { param: 'price_limit' });
  }
  const lock = request.extensions.priceLock ?? customer.priceLock;
  if (!lock) return { bid: limit, limit, lock, quote: null };
  const quote = standingQuote();
  return { bid: Math.min(quote, limit), limit, lock, quote };
}

/** When the order leaves the book: a lock after its window, others after max_wait within the bounds. */
export function waitMsOf(price: Price, request: InferenceRequest, customer: Customer, bounds: WaitBounds): number {
  if (price.lock) return bounds.lockWindowS * 1000;
  const wantedS = request.extensions.maxWaitS ?? customer.orderTimeoutS;
  return Math.min(bounds.maxS, Math.max(bounds.minS, wantedS)) * 1000;
}

/** Days the result is kept: the account's setting, which a request can only shorten; `store: false` keeps nothing. */
export function retentionDaysOf(request: InferenceRequest, customer: Customer): number {
  if (request.extensions.store === false) return 0;
  return Math.min(request.extensions.retentionDays ?? customer.retentionDays, customer.retentionDays);
}

/** The smallest cap that a default is lowered to for want of money. */
const LOWERED_CAP_MIN = 1024;

/**
 * The output cap and whether the balance covers the worst case at `price`. A cap that the caller gave is clamped to the
 * model's and never lowered; a default one is lowered to what the balance pays for, not under 1,024 tokens. A worst
 * case of 0 always passes. `balance` null asks for the cap alone.
 */
export function capOf(
  request: InferenceRequest,
  listing: Listing,
  price: PriceNano,
  balance: NanoUsd | null,
): { cap: number; covered: boolean } {
  const promptBound = promptBoundFor(request.generation, listing.imageTokens);
  const covers = (cap: number) => {
    const worst = worstCaseOf(listing.tariff, price, { uncached: promptBound, cached: 0, output: cap });
    return balance === null || worst === 0n || balance >= worst;
  };
  if (request.outputCap !== null) {
    const cap = Math.min(request.outputCap, listing.outputLengthMax);
    return { cap, covered: covers(cap) };
  }
  const cap = defaultCap(listing, promptBound);
  if (covers(cap)) return { cap, covered: true };
  const least = Math.min(cap, LOWERED_CAP_MIN);
  if (!covers(least)) return { cap: least, covered: false };
  return { cap: largestCovered(least, cap, covers), covered: true };
}

/** The worst case of an order at `price`: what is set aside when it is admitted. */
export function holdOf(tariff: Tariff, price: PriceNano, promptBound: number, outputCap: number): NanoUsd {
  return worstCaseOf(tariff, price, { uncached: promptBound, cached: 0, output: outputCap });
}

/** What is left of the context after the prompt. The bound is generous, so a long prompt still leaves a usable cap. */
function defaultCap(listing: Listing, promptBound: number): number {
  return Math.min(listing.outputLengthMax, Math.max(LOWERED_CAP_MIN, listing.contextLength - promptBound));
}

/** The largest cap from `low` (covered) to `high` (not covered) that is covered. */
function largestCovered(low: number, high: number, covers: (cap: number) => boolean): number {
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (covers(middle)) low = middle;
    else high = middle;
  }
  return low;
}
