/** Bids gathered into a few steps, so that a book of a thousand prices is read at a glance. */

/** A step of the book. Prices in USD. */
export interface Step {
  /** The lowest and the highest bid in it. */
  readonly low: number;
  readonly high: number;
  readonly orders: number;
  /** The orders of this step and of all better ones. */
  readonly above: number;
}

interface Bid {
  readonly price: number;
  readonly orders: number;
}

/** More prices than this are gathered. */
const STEPS_MAX = 24;

/** No step reaches further than this part of the best bid; cheaper bids are in the last one. */
const LEAST_PART = 1e-6;

/** The steps, the best first. Each reaches the same factor further, so that cheap and dear bids are told apart alike. */
export function binned(bids: readonly Bid[], stepsMax = STEPS_MAX): readonly Step[] {
  const [best, last] = [bids[0], bids.at(-1)];
  if (!best || !last) return [];
  const least = Math.max(last.price, best.price * LEAST_PART);
  const width = Math.log(best.price / least) / stepsMax;
  const isOwn = bids.length <= stepsMax;
  const steps: (Step & { bin: number })[] = [];
  let above = 0;
  for (const [place, { price, orders }] of bids.entries()) {
    above += orders;
    const below = Math.log(best.price / Math.max(price, least));
    const bin = isOwn ? place : Math.min(stepsMax - 1, Math.floor(below / width));
    const step = steps.at(-1);
    if (step?.bin === bin) steps[steps.length - 1] = { ...step, low: price, orders: step.orders + orders, above };
    else steps.push({ bin, low: price, high: price, orders, above });
  }
  return steps;
}
