/**
 * An order as the market sees it: its place, its bid and its account; no money, no status, no request. The orders of an
 * account in one market are kept together, for shares of slots.
 */
import type { PriceNano } from '#base/money.ts';
import type { MarketTerms } from '../listing.ts';
import type { DeadlineTerms, Rest } from '../ports.ts';
import type { HeldTime, Runner } from './held-times.ts';
import { NOT_RESTING, type Ranked } from './order-book.ts';

/** Parts of a slot are whole numbers, so that sums can be undone exactly and need no memory of their own. */
export const CLAIM_PARTS = 256;

/** One account in one market. */
export class MarketAccount implements Runner {
  readonly id: string;
  /** The number of slots that its orders hold. */
  held = 0;
  /** The number of its orders that are here: they wait or hold a slot. */
  orders = 0;
  /** Slot milliseconds by which its waiting orders count for the level. */
  asked = 0;
  /** How many of its orders stand in each step of the depth, which keeps it. */
  readonly standing = new Map<number, number>();
  runs: Runner['runs'] = null;

  constructor(id: string) {
    this.id = id;
  }
}

/** How an order was added to the arrival rates: when, at which price, and as which part of a slot. */
export interface Arrival {
  readonly atMs: number;
  price: PriceNano;
  claim: number;
}

/** The additional fields of an order that is a lock. */
interface Lock {
  /** Its price limit. */
  readonly limit: PriceNano;
  /**
   * How it counts in the clear rate: its limit was above the quote, and it did not start before. Null if it does not
   * count.
   */
  counted: CountedLock | null;
}

/** A lock counted in the clear rate and, if `calibrates`, in the calibration. `startedAtMs` is null until it starts. */
export interface CountedLock {
  /** How much it counts, 0 to 1. */
  readonly weight: number;
  /** Whether its quote was above the lowest level. */
  readonly scarce: boolean;
  readonly calibrates: boolean;
  startedAtMs: number | null;
}

/** What a market knows of an order. */
type OrderTerms = Pick<Rest, 'order' | 'bid' | 'restedSeq' | 'attempt' | 'avoidPod' | 'house' | 'deadline'>;

/** An order that waits in its queue, executes on `pod`, or is outside of both for a moment. */
export class MarketOrder implements Ranked {
  // Fields that are read of waiting orders come first, so that they share few cache lines: orders are scattered over memory.
  readonly account: MarketAccount;
  /** Its bid. */
  price: PriceNano;
  slot = NOT_RESTING;
  state: 'waiting' | 'executing' | 'outside' = 'outside';
  readonly house: boolean;
  /** The price at which it stands before others, which it has bid for a while; null before, and outside of the book. */
  stands: PriceNano | null = null;
  /** How it was counted in the arrival rates; null when it was not. Only a new order is still expected to be, once. */
  arrival: Arrival | 'expected' | null;
  /** Null for any other order. */
  lock: Lock | null = null;
  /** Null for any other order than one with a deadline, whose bid the market moves. */
  deadline: DeadlineTerms | null;
  readonly id: string;
  seq: number;
  /**
   * The part of a slot that it claims, as a whole number of `CLAIM_PARTS`: by which it stands before others while it waits, or
   * was expected when it started.
   */
  claim = 0;
  /** When it came; while it executes, when it got its slot. 0 for one that came before a restart. */
  sinceMs = 0;
  /** The level when it came, or rested again. */
  levelThen: PriceNano = 0;
  /** Slot milliseconds by which it counts for the level: as unserved while it waits, as started from then on. */
  asked = 0;
  /** Whether it counts as started at the level or above. */
  atLevel = false;
  /** The number of the entry by which it is looked at next (`price/clearing.ts`); 0 where it is not looked at again. */
  look = 0;
  /** The credit that its account gains from its slot; null without one. */
  run: HeldTime | null = null;
  /** Set while executing. */
  pod: string | null = null;
  readonly attempt: number;
  readonly avoidPod: string | null;

  constructor(rest: OrderTerms, account: MarketAccount, seq: number) {
    this.id = rest.order;
    this.account = account;
    this.price = rest.bid;
    this.seq = seq;
    this.attempt = rest.attempt;
    this.avoidPod = rest.avoidPod;
    this.house = rest.house;
    this.deadline = rest.deadline ?? null;
    this.arrival = rest.restedSeq === null && !rest.house ? 'expected' : null;
  }
}

/** The waiting orders of one market, and which of them runs next. Executing orders are in no queue. */
export interface Queue {
  readonly size: number;
  /** Other terms, from the next choice on. */
  renew(terms: Pick<MarketTerms, 'accountShareMax' | 'reserve'>): void;
  /** Counts the time up to now, during which nothing changed. Call it before every change. */
  count(nowMs: number): void;
  add(order: MarketOrder): void;
  remove(order: MarketOrder): void;
  /** The order for the next free slot, without removing it; null when none may run. `slots`: the capacity now. */
  next(slots: number): MarketOrder | null;
  /** An order, already removed, got a slot. */
  starts(order: MarketOrder): void;
  /** An order gave its slot back; `refused` when it never started. */
  ends(order: MarketOrder, refused: boolean): void;
}

/** The most slots that an account may hold while others wait, with this largest share; null is no bound. */
export function slotsHeldMax(shareMax: number | null, slots: number): number {
  return shareMax === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(shareMax * slots));
}

/** This many accounts are kept before it is worth looking for those without orders. */
const KEPT_MIN = 4096;

/**
 * The accounts of one market by their id. Most come back, so those without orders are kept for a while: the next order
 * then needs no new one, and finds what is known about its account by the very string that it is stored under.
 */
export class MarketAccounts {
  readonly #accounts = new Map<string, MarketAccount>();
  /** With more accounts than this the idle ones are dropped. */
  #keptMax = KEPT_MIN;

  /** The account, a new one if it has not been here lately; one without orders may have been dropped. */
  of(id: string): MarketAccount {
    let account = this.#accounts.get(id);
    if (!account) {
      if (this.#accounts.size >= this.#keptMax) {
        for (const [other, { orders }] of this.#accounts) if (orders === 0) this.#accounts.delete(other);
        this.#keptMax = Math.max(KEPT_MIN, 2 * this.#accounts.size);
      }
      account = new MarketAccount(id);
      this.#accounts.set(id, account);
    }
    return account;
  }
}
