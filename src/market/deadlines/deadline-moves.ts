/**
 * The waiting orders of one market that have a deadline, and the moves of their bids. Their number costs little: what is
 * bid depends on the time left alone, which is cut into steps of a tenth; a step's bid is computed once in five seconds,
 * and orders take their turn to be compared with it, the more often the nearer their deadlines. docs/decisions/0057.
 */
import type { PriceNano } from '#base/money.ts';
import type { MarketOrder } from '../book/market-order.ts';
import { DemandCurve, PriceBins } from '../price/demand-curve.ts';
import { type DeadlineOutlook, deadlineBid, type Rivals } from './deadline-bids.ts';

/** A forecast is used for so long; for orders with more time for this part of it, within these bounds. */
const OUTLOOK_MS = 5_000;
const OUTLOOK_MS_MAX = 300_000;
const OUTLOOK_PART = 0.01;
/** Bids of steps that are computed again in a tick: each takes some 50 µs. With orders in all steps 15 a second are due. */
const COMPUTED_MAX = 16;
/** A time left is rounded down to a step of this factor. */
const STEP = Math.log(1.1);
/** Every order has had its turn in this part of its time left. */
const TURNS = 10;
/** Orders that have their turn in one tick at most, but for one of each step, and those of them that are moved. */
const TURNS_MAX = 2_000;
export const MOVES_MAX = 200;
/** Limits within a tenth count as equal. A few per cent above the highest price limit, 10^18, which nobody exceeds. */
const LIMITS = new PriceBins(1.1);
const LIMIT_MAX = 1.1e18;
/** A bid falls only by more than this part: each move is written. */
const FALL = 0.06;

/** A new bid of a waiting order. */
export interface BidMove {
  readonly order: MarketOrder;
  readonly bid: PriceNano;
}

/** Orders whose time left was in one step when they last had their turn; the one whose turn is next first. */
interface Step {
  readonly orders: Set<MarketOrder>;
  /** How many of these orders may bid a price, in steps of a tenth. */
  readonly limits: DemandCurve;
  /** The bid of all of them by the last forecast, unless their limit is lower; null if no price is enough. */
  bid: PriceNano | null;
  computedMs: number;
}

/** The orders of one market that wait in its book. Time is an argument. */
export class DeadlineMoves {
  readonly #read: (nowMs: number) => DeadlineOutlook;
  #outlook: DeadlineOutlook | null = null;
  readonly #steps = new Map<number, Step>();
  readonly #stepOf = new Map<MarketOrder, number>();
  /** How many steps may still be computed again in this tick. */
  #left = COMPUTED_MAX;

  /** `read` reads the market as it is; it is called once in five seconds, and not while there is no order. */
  constructor(read: (nowMs: number) => DeadlineOutlook) {
    this.#read = read;
  }

  get size(): number {
    return this.#stepOf.size;
  }

  /** What an order is to bid now, never above its limit; null for one without a deadline. */
  bidFor({ deadline }: MarketOrder, nowMs: number): PriceNano | null {
    if (!deadline) return null;
    const { limit, byMs } = deadline;
    return Math.min(limit, this.#bidAt(stepOf(byMs - nowMs), nowMs) ?? limit);
  }

  /** An order waits from now on; no effect on one without a deadline. */
  add(order: MarketOrder, nowMs: number): void {
    if (order.deadline) this.#put(order, stepOf(order.deadline.byMs - nowMs));
  }

  /** A new limit. */
  limit(order: MarketOrder, limit: PriceNano): void {
    if (!order.deadline) return;
    const limits = this.#steps.get(this.#stepOf.get(order) ?? Number.NaN)?.limits;
    limits?.add(order.deadline.limit, -1);
    limits?.add(limit, 1);
    order.deadline = { ...order.deadline, limit };
  }

  /** An order waits no more; no effect on one that is not here. */
  delete(order: MarketOrder): void {
    const at = order.deadline ? this.#stepOf.get(order) : undefined;
    if (at === undefined) return;
    this.#stepOf.delete(order);
    const step = this.#steps.get(at);
    step?.orders.delete(order);
    step?.limits.add(order.deadline?.limit ?? 0, -1);
    if (step?.orders.size === 0) this.#steps.delete(at);
  }

  /** The moves of this second, those with the least time left first. Call it once a second. */
  moves(nowMs: number): BidMove[] {
    const moves: BidMove[] = [];
    this.#left = COMPUTED_MAX;
    const steps = [...this.#steps].sort(([one], [two]) => one - two);
    const wanted = steps.map(([at, { orders }]) => Math.min(orders.size, (orders.size * TURNS * 1000) / msOf(at)));
    // Many orders that are nearly due take their part of the turns, not all: an order with a little more time must not
    // miss its turn.
    const part = Math.min(1, TURNS_MAX / wanted.reduce((sum, turns) => sum + turns, 0));
    for (const [index, [, { orders }]] of steps.entries()) {
      for (const order of firstOf(orders, Math.ceil((wanted[index] ?? 0) * part))) {
        if (moves.length === MOVES_MAX) return moves;
        const move = this.#moveOf(order, nowMs);
        if (move) moves.push(move);
      }
    }
    return moves;
  }

  #moveOf(order: MarketOrder, nowMs: number): BidMove | null {
    const { deadline } = order;
    if (!deadline) return null;
    const step = stepOf(deadline.byMs - nowMs);
    const orders = this.#stepOf.get(order) === step ? this.#steps.get(step)?.orders : undefined;
    if (orders?.delete(order)) orders.add(order);
    else {
      this.delete(order);
      this.#put(order, step);
    }
    const bid = this.bidFor(order, nowMs) ?? order.price;
    const isMove = bid > order.price || bid < order.price * (1 - FALL);
    return isMove ? { order, bid } : null;
  }

  #put(order: MarketOrder, at: number): void {
    const step = this.#steps.get(at) ?? newStep();
    step.orders.add(order);
    step.limits.add(order.deadline?.limit ?? 0, 1);
    this.#stepOf.set(order, at);
    this.#steps.set(at, step);
  }

  #bidAt(at: number, nowMs: number): PriceNano | null {
    const step = this.#steps.get(at);
    if (step && Math.abs(nowMs - step.computedMs) < usedFor(at)) return step.bid;
    if (step && Number.isFinite(step.computedMs) && this.#left-- <= 0) return step.bid;
    // The orders with as much time left or less.
    const rivals: Rivals[] = [];
    for (const [other, { limits, bid }] of this.#steps) {
      if (other <= at && bid !== null) rivals.push({ bid, upTo: (price) => limits.atOrBetter(price) });
    }
    if (!this.#outlook || Math.abs(nowMs - this.#outlook.odds.atMs) >= OUTLOOK_MS) this.#outlook = this.#read(nowMs);
    const bid = deadlineBid(this.#outlook, { timeLeftMs: msOf(at), rivals });
    if (step) [step.bid, step.computedMs] = [bid, nowMs];
    return bid;
  }
}

function newStep(): Step {
  return {
    orders: new Set(),
    limits: new DemandCurve(LIMITS, LIMIT_MAX),
    bid: null,
    computedMs: Number.NEGATIVE_INFINITY,
  };
}

function stepOf(timeLeftMs: number): number {
  return Math.max(0, Math.floor(Math.log(Math.max(1, timeLeftMs / 1000)) / STEP));
}

/** The least time left of a step. */
function msOf(step: number): number {
  return Math.exp(step * STEP) * 1000;
}

/** How long the bid of a step is used. */
function usedFor(step: number): number {
  return Math.min(OUTLOOK_MS_MAX, Math.max(OUTLOOK_MS, msOf(step) * OUTLOOK_PART));
}

function firstOf(orders: Iterable<MarketOrder>, count: number): MarketOrder[] {
  const first: MarketOrder[] = [];
  for (const order of orders) {
    if (first.length >= count) break;
    first.push(order);
  }
  return first;
}
