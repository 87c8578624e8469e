/**
 * An order as the market knows it: where it stands, what it bids and who sent it; no money, no status, no request.
 * Orders of one account in one market are kept together, for parking and for shares of slots.
 */
import type { PriceNano } from '#base/money.ts';
import { NOT_RESTING, type Ranked } from './order-book.ts';
import type { Rest } from './ports.ts';

/** One account in one market. */
export class MarketAccount {
  readonly id: string;
  /** Slots that its orders hold. */
  held = 0;
  /** Its orders that do not run: waiting or parked. */
  readonly queued = new Set<MarketOrder>();

  constructor(id: string) {
    this.id = id;
  }

  get idle(): boolean {
    return this.held === 0 && this.queued.size === 0;
  }
}

/** What an order was counted as when it came or was repriced. */
export interface Arrival {
  readonly price: PriceNano;
  readonly weight: number;
  readonly atMs: number;
}

/** A lock that counts. `learns`: for the calibration too. `startedAtMs` is null until it is given a slot. */
export interface LockStanding {
  readonly learns: boolean;
  startedAtMs: number | null;
}

/** An order that waits in its queue, is parked until its account has money again, or runs on `pod`. */
export class MarketOrder implements Ranked {
  readonly id: string;
  readonly account: MarketAccount;
  /** Its bid. */
  price: PriceNano;
  seq: number;
  slot = NOT_RESTING;
  state: 'waiting' | 'parked' | 'executing' = 'parked';
  /** Set while executing. */
  pod: string | null = null;
  /** When it was given its slot; while executing. */
  startedAtMs = 0;
  readonly attempt: number;
  readonly avoidPod: string | null;
  readonly house: boolean;
  /** Set on a lock whose outcome counts for the clear rate: its limit was above the quote and it has not started. */
  lock: LockStanding | null = null;
  /** How it was counted among the arrivals; null when it was not. */
  arrival: Arrival | null = null;

  constructor(rest: Rest, account: MarketAccount, seq: number) {
    this.id = rest.order;
    this.account = account;
    this.price = rest.bid;
    this.seq = seq;
    this.attempt = rest.attempt;
    this.avoidPod = rest.avoidPod;
    this.house = rest.house;
  }
}

/** Who waits in one market, and who runs next. Parked and executing orders are in no queue. */
export interface Queue {
  readonly size: number;
  add(order: MarketOrder): void;
  remove(order: MarketOrder): void;
  /** The order that takes the next free slot, left where it is; null when nobody waits. `slots` is the capacity now. */
  next(slots: number): MarketOrder | null;
  /** After the slots held by an account changed; `served` when one of its orders has just been given a slot. */
  heldChanged(account: MarketAccount, served: boolean): void;
}
