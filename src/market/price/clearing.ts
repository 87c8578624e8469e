/**
 * The inputs of one market's level: the bids that execute, the bids that wait and are credible, the slots of healthy
 * pods and the pace of starts. House orders are left out; orders that wait for money are not in the book.
 */
import type { PriceNano } from '#base/money.ts';
import type { MarketOrder } from '../book/market-order.ts';
import { CEILING_MAX } from '../listing.ts';
import { DecayingRate, type RateState } from './decaying-rate.ts';
import { DemandCurve } from './demand-curve.ts';
import { Level, type LevelSettings, type Target } from './level.ts';
import { PastLevels, type PastLevelsState } from './past-levels.ts';
import { AHEAD_MS, RecentArrivals } from './recent-arrivals.ts';

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
