/**
 * The inputs of one market's level: the bids that execute and wait, the slots of healthy pods and the pace of starts.
 * House orders are left out. So are parked orders, because they are not in the book.
 */
import type { PriceNano } from '#base/money.ts';
import { DecayingRate, type RateState } from './decaying-rate.ts';
import { Level, type LevelSettings, marginalPlace } from './level.ts';
import type { MarketOrder } from './market-order.ts';
import { kthBestPrice, OrderBook } from './order-book.ts';

/** The time constant over which starts are counted. */
const PACE_TIME_CONSTANT_MS = 60_000;

/**
 * The pace per slot: `starts` counts each start as one, `claims` counts the part of a slot it used. Which bid is
 * marginal depends on starts; what a quote can promise depends on slots that come free for longer than a moment.
 */
export interface Pace {
  readonly starts: RateState;
  readonly claims: RateState;
}

/** How an order gave its slot back. A refused order claimed nothing. */
export interface Ending {
  readonly claimed: number;
  readonly refused: boolean;
}

/** The level of one market and its inputs. Must be notified of every order that waits, starts and ends. */
export class Clearing {
  readonly level: Level;
  readonly #book: OrderBook<MarketOrder>;
  readonly #executing = new OrderBook<MarketOrder>();
  /** House orders in the book. They are few, so they are counted one by one. */
  readonly #house = new Set<MarketOrder>();
  /** Per healthy slot, so that the pace is right immediately when a pod comes or goes. */
  readonly #startsPerSlot: DecayingRate;
  readonly #claimsPerSlot: DecayingRate;
  #slots = 0;

  constructor(parts: {
    readonly settings: LevelSettings;
    readonly book: OrderBook<MarketOrder>;
    readonly start: PriceNano;
    /** The pace from before a restart; null for none. */
    readonly pace: Pace | null;
    readonly nowMs: number;
  }) {
    const { settings, book, start, pace, nowMs } = parts;
    this.#book = book;
    this.#startsPerSlot = new DecayingRate(PACE_TIME_CONSTANT_MS, nowMs, pace?.starts);
    this.#claimsPerSlot = new DecayingRate(PACE_TIME_CONSTANT_MS, nowMs, pace?.claims);
    this.level = new Level(settings, start, nowMs, (atMs) => this.#target(atMs));
  }

  /** Starts per second with the current slots. */
  startRate(nowMs: number): number {
    return this.#startsPerSlot.perSecond(nowMs) * this.#slots;
  }

  /** The same, but an order that held its slot only for a moment counts in part. */
  claimRate(nowMs: number): number {
    return this.#claimsPerSlot.perSecond(nowMs) * this.#slots;
  }

  /** The state to store for a restart. */
  pace(): Pace {
    return { starts: this.#startsPerSlot.state(), claims: this.#claimsPerSlot.state() };
  }

  /** Sets the slots of healthy pods; with 0 the level is frozen. Returns whether it froze or thawed. */
  setSlots(slots: number, nowMs: number): boolean {
    const wasFrozen = this.level.frozen;
    this.level.freeze(slots === 0, nowMs);
    this.#slots = slots;
    return this.level.frozen !== wasFrozen;
  }

  /** An order entered the book. */
  waits(order: MarketOrder): void {
    if (order.house) this.#house.add(order);
  }

  /** An order left the book. */
  leaves(order: MarketOrder): void {
    if (order.house) this.#house.delete(order);
  }

  /** An order was given a slot. */
  starts(order: MarketOrder, nowMs: number): void {
    if (order.house) return;
    this.#executing.insert(order);
    this.#startsPerSlot.add(1 / this.#slots, nowMs);
    this.#claimsPerSlot.add(1 / this.#slots, nowMs);
  }

  /** An order gave its slot back. `claimed` is the part of a slot it used, 0 to 1; `refused` when it never started. */
  ends(order: MarketOrder, { claimed, refused }: Ending, nowMs: number): void {
    if (order.house) return;
    this.#executing.remove(order);
    if (this.#slots === 0) return;
    if (refused) this.#startsPerSlot.add(-1 / this.#slots, nowMs);
    this.#claimsPerSlot.add((claimed - 1) / this.#slots, nowMs);
  }

  #target(nowMs: number): PriceNano {
    const place = marginalPlace(this.#slots, this.startRate(nowMs));
    // House orders at or above the price found push the target down, which can uncover more of them; repeat until none.
    for (let skipped = 0; ; ) {
      const price = kthBestPrice(this.#executing, this.#book, place + skipped);
      if (price === null) return 0;
      const found = this.#houseAtOrAbove(price);
      if (found === skipped) return price;
      skipped = found;
    }
  }

  #houseAtOrAbove(price: PriceNano): number {
    let count = 0;
    for (const order of this.#house) if (order.price >= price) count++;
    return count;
  }
}
