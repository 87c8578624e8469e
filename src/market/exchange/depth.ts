/**
 * What waits at which bid, for the public. It must not teach anybody a single order: it counts only the orders that have
 * bid their price for a while, of an account in each step as many as it runs and one more, in coarse steps whose bounds
 * never move. It merges steps with fewer than three accounts, and is shown one window of the quote late.
 * docs/decisions/0042.
 */
import { lowest } from '#base/lowest.ts';
import type { PriceNano } from '#base/money.ts';
import { CEILING_MAX } from '../listing.ts';

/** A step is shown with at least this many accounts in it. */
export const DEPTH_ACCOUNTS_MIN = 3;

/** Ten steps from 1 to below 10, a fifth to a quarter apart: numbers on it show no small differences. */
const DECADE: readonly number[] = [1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.4, 8];
/** The lower bounds of all steps, the highest first; the last is 0. */
const BOUNDS: readonly PriceNano[] = boundsBelow(CEILING_MAX);
/** Bounds below the ceiling: four decades. Whatever bids less is one step. */
const BOUNDS_MAX = 40;

/** The bids from `price` up to the step above, or without upper bound in the first step. */
export interface DepthStep {
  readonly price: PriceNano;
  readonly orders: number;
}

/** One market as it was when a window of its quote began. */
export interface MarketDepth {
  /** When that was. */
  readonly atMs: number;
  /** The slots of healthy pods, and how many of them were held. */
  readonly slots: number;
  readonly held: number;
  /** The best first; at most 41. Steps without orders are left out. */
  readonly steps: readonly DepthStep[];
}

/** The accounts with orders in a step, and how many of these orders count. */
interface Bin {
  readonly accounts: Set<HoldingAccount>;
  orders: number;
}

/** An account, with the number of slots that it holds now. */
interface HoldingAccount {
  readonly held: number;
  /** How many of its orders stand in each step, by its place in `BOUNDS`. */
  readonly standing: Map<number, number>;
}

/**
 * The waiting orders of one market, by step. A change costs a search among 142 bounds, however many orders wait. `holds` must be
 * called whenever `held` of an account has changed.
 */
export class Depth {
  readonly #bins: readonly Bin[] = BOUNDS.map(() => ({ accounts: new Set(), orders: 0 }));
  /** Where the highest step begins; the bids above belong to it. */
  #top = 0;
  #shown: MarketDepth | null = null;
  #next: MarketDepth | null = null;

  constructor(ceiling: PriceNano) {
    this.ceiling = ceiling;
  }

  /** The highest step begins here or just below, from the next picture on. */
  set ceiling(ceiling: PriceNano) {
    this.#top = BOUNDS.findIndex((bound) => bound <= ceiling);
  }

  /** What may be shown now. */
  get shown(): MarketDepth | null {
    return this.#shown;
  }

  /** An order of this account stands at `price` from now on. */
  add(account: HoldingAccount, price: PriceNano): void {
    const [at, bin] = this.#binOf(price);
    const before = account.standing.get(at) ?? 0;
    account.standing.set(at, before + 1);
    if (before === 0) bin.accounts.add(account);
    if (before <= account.held) bin.orders++;
  }

  /** An order that was added stands there no longer. */
  remove(account: HoldingAccount, price: PriceNano): void {
    const [at, bin] = this.#binOf(price);
    const left = (account.standing.get(at) ?? 0) - 1;
    if (left <= account.held) bin.orders--;
    if (left > 0) account.standing.set(at, left);
    else {
      account.standing.delete(at);
      bin.accounts.delete(account);
    }
  }

  /** An account holds one slot more than before, or one less: as many more or fewer of its orders count in each step. */
  holds({ held, standing }: HoldingAccount, more: 1 | -1): void {
    const counted = more === 1 ? held : held + 1;
    for (const [at, orders] of standing) {
      const bin = this.#bins[at];
      if (bin && orders > counted) bin.orders += more;
    }
  }

  /** A window begins: the picture of the last one is shown from now on, and another is taken. */
  latch(market: Omit<MarketDepth, 'steps'>): void {
    this.#shown = this.#next;
    this.#next = { ...market, steps: this.#steps() };
  }

  #steps(): DepthStep[] {
    const steps: { price: PriceNano; orders: number }[] = [];
    const few = new Set<HoldingAccount>();
    let [orders, isEmpty] = [0, true];
    let lastPrice = 0;
    for (const [index, bin] of this.#bins.entries()) {
      if (bin.accounts.size > 0) isEmpty = false;
      orders += bin.orders;
      for (const account of bin.accounts) {
        if (few.size === DEPTH_ACCOUNTS_MIN) break;
        few.add(account);
      }
      const goesOn = index + 1 < BOUNDS.length && this.#shownAs(index) === this.#shownAs(index + 1);
      if (isEmpty || goesOn) continue;
      isEmpty = true;
      lastPrice = BOUNDS[this.#shownAs(index)] ?? 0;
      if (few.size < DEPTH_ACCOUNTS_MIN) continue;
      steps.push({ price: lastPrice, orders });
      few.clear();
      orders = 0;
    }
    // The remaining accounts are too few for a step of their own.
    const last = steps.at(-1);
    if (last && orders > 0) {
      last.price = lastPrice;
      last.orders += orders;
    }
    return steps;
  }

  /** The bound of the step that a bin is part of: bids above the ceiling, and far below it, are one step each. */
  #shownAs(bin: number): number {
    if (bin < this.#top) return this.#top;
    return bin < this.#top + BOUNDS_MAX ? bin : BOUNDS.length - 1;
  }

  #binOf(price: PriceNano): readonly [at: number, bin: Bin] {
    const at = lowest(BOUNDS.length, (index) => (BOUNDS[index] ?? 0) <= price);
    const bin = this.#bins[at];
    if (!bin) throw new Error(`a bid of ${price} is in no step`);
    return [at, bin];
  }
}

function boundsBelow(ceiling: PriceNano): PriceNano[] {
  const bounds: PriceNano[] = [];
  for (let decade = ceiling; decade >= 10; decade /= 10)
    for (const factor of DECADE.toReversed()) if (decade * factor <= ceiling) bounds.push(Math.round(decade * factor));
  return [...bounds, 0];
}

/** The next number of the grid that is not below `value`; 0 stays 0. */
export function upTheDecade(value: number): number {
  if (value <= 0) return 0;
  const unit = 10 ** Math.floor(Math.log10(value));
  const step = DECADE.find((factor) => factor * unit >= value) ?? 10;
  return Number((step * unit).toPrecision(3));
}
