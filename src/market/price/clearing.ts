/**
 * The inputs of one market's level: the bids that execute, the bids that wait and are credible, the slots of healthy
 * pods and the pace of starts. House orders are left out; orders that wait for money are not in the book.
 */
import type { PriceNano } from '#base/money.ts';
import type { MarketOrder } from '../book/market-order.ts';
import { dueBy } from '../book/young-bids.ts';
import { CEILING_MAX } from '../listing.ts';
import { DemandCurve } from './demand-curve.ts';
import { Level, type LevelSettings, type Target } from './level.ts';
import { PastLevels, type PastLevelsState } from './past-levels.ts';

/** The time constant over which starts are counted. */
const PACE_TIME_CONSTANT_MS = 60_000;

/** The level of one market and its inputs. Must be notified of every order that waits, starts and ends. */
export class Clearing {
  readonly level: Level;
  readonly past: PastLevels;
  /** Credible bids, executing orders, and recent arrivals. */
  readonly #demand: DemandCurve;
  readonly arrivals: RecentArrivals;
  /** Credible bids only. */
  readonly waiting: DemandCurve;
  /** Per healthy slot, so that the pace is right immediately when a pod comes or goes. */
  readonly #claimsPerSlot: DecayingRate;
  readonly #settings: LevelSettings;
  readonly #startedMs: number;
  #slots = 0;
  #executing = 0;

  constructor(parts: {
    readonly settings: LevelSettings;
    readonly start: PriceNano;
    /** The pace from before a restart: the part of a slot that each start claimed, per slot; null for none. */
    readonly pace: RateState | null;
    /** The levels of the days before a restart; absent for none. */
    readonly past?: PastLevelsState | undefined;
    readonly nowMs: number;
  }) {
    const { settings, start, pace, past, nowMs } = parts;
    this.past = new PastLevels(past);
    this.#settings = settings;
    this.#startedMs = nowMs;
    // The ceiling may change while orders count.
    this.#demand = new DemandCurve(CEILING_MAX);
    this.arrivals = new RecentArrivals(this.#demand);
    this.waiting = new DemandCurve(CEILING_MAX);
    this.#claimsPerSlot = new DecayingRate(PACE_TIME_CONSTANT_MS, nowMs, pace);
    this.level = new Level(settings, start, nowMs, (atMs) => this.#target(atMs));
  }

  /** The lowest level that there may be. */
  get floor(): PriceNano {
    return this.#settings.bounds.floor;
  }

  /** Starts per second with the current slots, each counted as the part of a slot that it claims. */
  claimRate(nowMs: number): number {
    return this.#claimsPerSlot.perSecond(nowMs) * this.#slots;
  }

  /** Moves the level. Call it once a second. Returns whether it moved. */
  tick(nowMs: number): boolean {
    const hasMoved = this.level.tick(nowMs);
    this.past.count(this.level.published, nowMs);
    return hasMoved;
  }

  /** The state to store for a restart. */
  pace(): RateState {
    return this.#claimsPerSlot.state();
  }

  /** Sets the slots of healthy pods; with 0 the level is frozen. Returns whether it froze or thawed. */
  setSlots(slots: number, nowMs: number): boolean {
    const wasFrozen = this.level.frozen;
    this.level.freeze(slots === 0, nowMs);
    this.#slots = slots;
    return this.level.frozen !== wasFrozen;
  }

  /** A waiting order counts at this price from now on. */
  counts({ claim }: MarketOrder, price: PriceNano): void {
    this.#demand.add(price, claim);
    this.waiting.add(price, claim);
  }

  /** A waiting order counts no longer at this price. */
  countsNoLonger({ claim }: MarketOrder, price: PriceNano): void {
    this.#demand.remove(price, claim);
    this.waiting.remove(price, claim);
  }

  /** An order was given a slot, of which it is expected to claim `order.claim`. */
  starts(order: MarketOrder, nowMs: number): void {
    const { arrival } = order;
    if (arrival === 'expected' || arrival?.away) this.arrivals.arrives(order, worthOf(order), nowMs);
    this.holds(order);
    this.#claimsPerSlot.add(order.claim / this.#slots, nowMs);
  }

  /** An order has a slot, which it was given before. */
  holds(order: MarketOrder): void {
    this.#executing++;
    this.#demand.add(worthOf(order), 1);
  }

  /** An order gave its slot back, after it claimed this part of it, 0 to 1. A refused order claimed nothing. */
  ends(order: MarketOrder, claimed: number, nowMs: number): void {
    this.#executing--;
    this.#demand.remove(worthOf(order), 1);
    this.arrivals.ends(order, claimed);
    if (this.#slots > 0) this.#claimsPerSlot.add((claimed - order.claim) / this.#slots, nowMs);
  }

  /**
   * The orders that will have come some seconds from now, against the slots and what will have started by then. After a
   * start it looks ahead only as far as it has seen arrivals. Bids above the ceiling count as bids of it. With fewer orders than slots the price is 0, whoever may come.
   */
  #target(nowMs: number): Target {
    if (this.#executing + this.waiting.total <= this.#slots) return { price: 0, strain: 0 };
    const aheadMs = Math.min(AHEAD_MS, Math.max(0, nowMs - this.#startedMs));
    const place = this.#slots + (aheadMs / 1000) * this.claimRate(nowMs);
    const excess = this.#demand.atOrBetter(this.level.published) - place;
    const price = Math.min(this.#settings.bounds.ceiling, this.#demand.priceAt(place) ?? 0);
    return { price, strain: excess / Math.sqrt(this.#slots) };
  }
}

/** What an executing order is worth to its owner. A lock bids no more than the quote, which follows a rush too late. */
function worthOf({ price, lock }: MarketOrder): PriceNano {
  return lock ? Math.max(price, lock.limit) : price;
}

/** How far the level looks ahead, and for how long an arrival counts. */
const AHEAD_MS = 10_000;
/** The numbers that are kept of an arrival: when it stops counting, its price, and the part of a slot that it counts as. */
const WIDTH = 3;
/** So many that are done stay in the column before it is worth closing the gap. */
const DONE_MAX = 1024;

/**
 * The orders that arrived lately, as an extra demand of the level: it looks a little ahead, expecting as many orders as
 * came in the time before, each at its bid and with the claim of its order. Slots come free only when orders end, so
 * the orders that run and wait show a change of demand late; those that arrive show it at once. docs/decisions/0035.
 *
 * The arrivals of the last ten seconds are numbered from 0, each with its number in its order. They outlive most orders, so
 * they are one column of numbers that the garbage collector neither reads nor moves. `dueBy` and `advanceTo` must be
 * called before anything else at a later time.
 */
export class RecentArrivals {
  readonly #demand: DemandCurve;
  #column: number[] = [];
  /** Where the first that still counts is in the column. */
  #first = 0;
  /** How many are no longer in the column. */
  #gone = 0;

  /** Arrivals are added to `demand`, and taken away again. */
  constructor(demand: DemandCurve) {
    this.#demand = demand;
  }

  /** When the next arrival stops counting, if that is by `nowMs`; null otherwise. */
  dueBy(nowMs: number): number | null {
    return dueBy(nowMs, this.#column[this.#first], AHEAD_MS);
  }

  /** Takes away what counts no longer. */
  advanceTo(nowMs: number): void {
    while (this.dueBy(nowMs) !== null) {
      this.#remove(this.#first);
      this.#first += WIDTH;
    }
    if (this.#first <= WIDTH * DONE_MAX || this.#first * 2 <= this.#column.length) return;
    this.#column = this.#column.slice(this.#first);
    this.#gone += this.#first / WIDTH;
    this.#first = 0;
  }

  /** An order arrived with this bid, counts at another one than before, or counts again. It arrives once. */
  arrives(order: MarketOrder, price: PriceNano, nowMs: number): void {
    if (order.recent === null) {
      order.recent = this.#gone + this.#column.length / WIDTH;
      this.#column.push(nowMs + AHEAD_MS, price, order.claim);
    } else {
      const at = this.#placeOf(order);
      if (at < 0) return;
      this.#remove(at);
      this.#column[at + 1] = price;
      this.#column[at + 2] = order.claim;
    }
    this.#demand.add(price, order.claim);
  }

  /** An order counts as if it had not arrived, until it counts again. */
  goesAway(order: MarketOrder): void {
    const at = this.#placeOf(order);
    if (at < 0) return;
    this.#remove(at);
    this.#column[at + 2] = 0;
  }

  /** An order claimed this part of a slot, 0 to 1: its arrival counts as that from now on. */
  ends(order: MarketOrder, claimed: number): void {
    const at = this.#placeOf(order);
    order.recent = null;
    if (at < 0) return;
    this.#remove(at);
    this.#column[at + 2] = claimed;
    if (claimed > 0) this.#demand.add(this.#column[at + 1] ?? 0, claimed);
  }

  /** Where the arrival of an order is in the column; negative when it is there no more. */
  #placeOf({ recent }: MarketOrder): number {
    const at = recent === null ? -1 : (recent - this.#gone) * WIDTH;
    return at < this.#first ? -1 : at;
  }

  #remove(at: number): void {
    const claim = this.#column[at + 2] ?? 0;
    if (claim > 0) this.#demand.remove(this.#column[at + 1] ?? 0, claim);
  }
}

/** The state of a rate that a restart continues from. */
export type RateState = ReturnType<DecayingRate['state']>;

/**
 * Events per second, decaying with the time constant: it follows the present without a list of events, and a steady stream
 * reads as less than it is until a few time constants have passed. Time is an argument. When it steps back, nothing decays and
 * nothing is restored, so asking about past moments makes the same time decay twice.
 */
export class DecayingRate {
  readonly #timeConstantMs: number;
  #sum = 0;
  #atMs: number;

  constructor(timeConstantMs: number, nowMs: number, recovered: RateState | null = null) {
    this.#timeConstantMs = timeConstantMs;
    this.#atMs = recovered?.atMs ?? nowMs;
    this.#sum = recovered?.sum ?? 0;
  }

  /** Counts `weight` events now. A negative weight removes events that were just counted. */
  add(weight: number, nowMs: number): void {
    this.#decay(nowMs);
    this.#sum = Math.max(0, this.#sum + weight);
  }

  /** Never below 0. */
  perSecond(nowMs: number): number {
    this.#decay(nowMs);
    return (this.#sum * 1000) / this.#timeConstantMs;
  }

  state() {
    return { sum: this.#sum, atMs: this.#atMs };
  }

  #decay(nowMs: number): void {
    if (nowMs === this.#atMs) return;
    if (nowMs > this.#atMs) this.#sum *= Math.exp((this.#atMs - nowMs) / this.#timeConstantMs);
    this.#atMs = nowMs;
  }
}
