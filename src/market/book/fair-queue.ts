/**
 * The queue of a fixed-price listing: accounts that wait share the slot time equally. Each has a virtual time, the slot
 * time it has used, and the next slot goes to the one with the smallest, as in start-time fair queueing and in Linux's
 * CFS. An order is charged the expected time when it starts, as much again whenever it outlives that, and in the end
 * what it took. So the length of a job, and what an account pretends about it, gains nothing in the long run. Slot time
 * counts only while somebody waits: idle slots are free.
 *
 * An account that comes, or comes back, begins at the clock: the virtual time of an account that has always waited and
 * always got its share. If it began at the smallest virtual time of those that wait, a stream of accounts with one
 * order each would always go first. docs/decisions/0006.
 */
import { lowest } from '#base/lowest.ts';
import { MINUTE_MS } from '#base/time.ts';
import type { MarketTerms } from '../listing.ts';
import { type MarketOrder, type Queue, slotsHeldMax } from './market-order.ts';
import { NOT_RESTING, OrderBook, type Ranked } from './order-book.ts';

/**
 * The number of idle accounts that are remembered. The accounts furthest behind are forgotten first: they lose nothing.
 */
const REMEMBERED_MAX = 10_000;
/** The job time expected before any job has ended here. */
const FIRST_EXPECTED_MS = 10_000;
/** The number of jobs over which job times are averaged, of an account and of the listing. */
const ACCOUNT_JOBS = 8;
const LISTING_JOBS = 64;
/** How far the clock can be ahead of the account served last, in time of all slots: the credit for a long wait. */
const CREDIT_MAX_MS = 15 * MINUTE_MS;
/** The exchange ticks once a second, so more time than this between two counts is a clock that was set forward. */
const COUNTED_AT_ONCE_MAX_MS = 2000;

/** An account that waits for its turn, with its orders. */
export interface Turn {
  readonly account: string;
  readonly waiting: number;
  readonly executing: number;
}

/** Waiting orders by account; O(log n) in the number of accounts. */
export class FairQueue implements Queue {
  #shareMax: number | null;
  /** All accounts known: waiting, running or remembered. */
  readonly #accounts = new Map<string, Account>();
  /** Accounts with waiting orders, the next one first. */
  readonly #waiting = new OrderBook<Account>();
  /** Accounts with neither waiting nor running orders, the one furthest behind first. */
  readonly #idle = new OrderBook<Account>();
  readonly #jobs = new Map<MarketOrder, Job>();
  /** Running jobs, the one whose charge runs out first at the front. */
  readonly #charges = new OrderBook<Job>();
  readonly #jobTime = new JobTime(LISTING_JOBS);
  #countedToMs: number;
  /** The time counted, and the part of it in which an order waited. */
  #elapsedMs = 0;
  #contendedMs = 0;
  #clock = 0;
  /** The virtual time of the account served last, before it was charged. */
  #servedAt = 0;
  #seq = 0;
  #size = 0;

  /** `shareMax` is the largest share of slots for one account while others wait; null for no bound. */
  constructor(shareMax: number | null, nowMs: number) {
    this.#shareMax = shareMax;
    this.#countedToMs = nowMs;
  }

  renew({ accountShareMax }: Pick<MarketTerms, 'accountShareMax'>): void {
    this.#shareMax = accountShareMax;
  }

  get size(): number {
    return this.#size;
  }

  /** The number of accounts in memory. */
  get accounts(): number {
    return this.#accounts.size;
  }

  /** The first so many accounts with waiting orders, the one whose turn is next first. */
  turns(max: number): readonly Turn[] {
    const turns: Turn[] = [];
    for (const { id, orders, running } of this.#waiting) {
      if (turns.length === max) break;
      turns.push({ account: id, waiting: orders.length, executing: running });
    }
    return turns;
  }

  count(nowMs: number): void {
    const ms = Math.min(Math.max(0, nowMs - this.#countedToMs), COUNTED_AT_ONCE_MAX_MS);
    this.#countedToMs = nowMs;
    this.#elapsedMs += ms;
    if (this.#waiting.size === 0) return;
    this.#contendedMs += ms;
    const running = this.#jobs.size;
    const clockMax = Math.max(this.#clock, this.#servedAt + CREDIT_MAX_MS * running);
    this.#clock = Math.min(this.#clock + (ms * running) / this.#waiting.size, clockMax);
    // Jobs that outlived their charged time are charged as much again.
    for (let job = this.#charges.best(); job && job.coveredToMs <= this.#contendedMs; job = this.#charges.best()) {
      this.#charges.remove(job);
      this.#charge(job.account, job.chargedMs);
      job.chargedMs *= 2;
      this.#charges.insert(job);
    }
  }

  add(order: MarketOrder): void {
    const account = this.#account(order.account.id);
    account.orders.splice(placeOf(account.orders, order.seq), 0, order);
    this.#size++;
    if (account.orders.length > 1) return;
    this.#idle.remove(account);
    account.virtualMs = Math.max(account.virtualMs, this.#clock);
    account.seq = ++this.#seq;
    this.#waiting.insert(account);
  }

  remove(order: MarketOrder): void {
    const account = this.#accounts.get(order.account.id);
    // Searches from the first with this seq: successive owners of a market may have given the same one.
    const index = account?.orders.indexOf(order, placeOf(account.orders, order.seq)) ?? -1;
    if (!account || index < 0) return;
    account.orders.splice(index, 1);
    this.#size--;
    if (account.orders.length > 0) return;
    this.#waiting.remove(account);
    this.#remember(account);
  }

  /** If every waiting account is at its share, the first one is served anyway: an idle slot would serve nobody. */
  next(slots: number): MarketOrder | null {
    const first = this.#waiting.best();
    const heldMax = slotsHeldMax(this.#shareMax, slots);
    if (!first || first.held < heldMax) return first?.orders[0] ?? null;
    for (const account of this.#waiting) if (account.held < heldMax) return account.orders[0] ?? null;
    return first.orders[0] ?? null;
  }

  starts(order: MarketOrder): void {
    const account = this.#account(order.account.id);
    if (account.orders.length === 0) this.#idle.remove(account);
    this.#servedAt = account.virtualMs;
    this.#clock = Math.max(this.#clock, this.#servedAt);
    account.running++;
    const expectedMs = Math.max(1, account.jobTime.meanMs ?? this.#jobTime.meanMs ?? FIRST_EXPECTED_MS);
    const job = new Job(account, { elapsedMs: this.#elapsedMs, contendedMs: this.#contendedMs, expectedMs });
    this.#jobs.set(order, job);
    job.seq = ++this.#seq;
    this.#charges.insert(job);
    this.#charge(account, expectedMs, job.seq);
  }

  ends(order: MarketOrder, refused: boolean): void {
    const job = this.#jobs.get(order);
    if (!job) return;
    const { account } = job;
    this.#jobs.delete(order);
    this.#charges.remove(job);
    this.#charge(account, this.#contendedMs - job.coveredToMs);
    account.running--;
    if (!refused) {
      account.jobTime.take(this.#elapsedMs - job.startedMs);
      this.#jobTime.take(this.#elapsedMs - job.startedMs);
    }
    this.#remember(account);
  }

  /** Changes the virtual time of an account, and its place if it waits. */
  #charge(account: Account, ms: number, seq = account.seq): void {
    const waited = this.#waiting.remove(account);
    account.virtualMs += ms;
    account.seq = seq;
    if (waited) this.#waiting.insert(account);
  }

  #account(id: string): Account {
    const known = this.#accounts.get(id);
    if (known) return known;
    const account = new Account(id, this.#clock);
    this.#accounts.set(id, account);
    return account;
  }

  /** Remembers an account without orders, so that it does not lose what it owes by leaving. */
  #remember(account: Account): void {
    if (account.orders.length > 0 || account.running > 0) return;
    this.#idle.insert(account);
    if (this.#idle.size <= REMEMBERED_MAX) return;
    const forgotten = this.#idle.best();
    if (!forgotten) return;
    this.#idle.remove(forgotten);
    this.#accounts.delete(forgotten.id);
  }
}

/** The mean of the last job times: over all of them at first, then exponentially. Null before the first. */
class JobTime {
  readonly #jobs: number;
  #count = 0;
  meanMs: number | null = null;

  constructor(jobs: number) {
    this.#jobs = jobs;
  }

  take(ms: number): void {
    this.#count = Math.min(this.#count + 1, this.#jobs);
    this.meanMs = (this.meanMs ?? 0) + (ms - (this.meanMs ?? 0)) / this.#count;
  }
}

/** An account of this listing. Ranks by the smallest virtual time, then by who was placed there first. */
class Account implements Ranked {
  readonly id: string;
  virtualMs: number;
  seq = 0;
  slot = NOT_RESTING;
  /** Waiting, by arrival. */
  readonly orders: MarketOrder[] = [];
  running = 0;
  readonly jobTime = new JobTime(ACCOUNT_JOBS);

  constructor(id: string, virtualMs: number) {
    this.id = id;
    this.virtualMs = virtualMs;
  }

  /** The slots it holds. */
  get held(): number {
    return this.orders[0]?.account.held ?? this.running;
  }

  /** Books rank by the highest price. */
  get price(): number {
    return -this.virtualMs;
  }
}

/** A running order. Ranks by the contended time up to which it is charged. */
class Job implements Ranked {
  readonly account: Account;
  readonly startedMs: number;
  readonly startedContendedMs: number;
  chargedMs: number;
  seq = 0;
  slot = NOT_RESTING;

  constructor(account: Account, start: { elapsedMs: number; contendedMs: number; expectedMs: number }) {
    this.account = account;
    this.startedMs = start.elapsedMs;
    this.startedContendedMs = start.contendedMs;
    this.chargedMs = start.expectedMs;
  }

  get coveredToMs(): number {
    return this.startedContendedMs + this.chargedMs;
  }

  get price(): number {
    return -this.coveredToMs;
  }
}

/** The index at which an order with this seq stands, or would stand, among orders by arrival. */
function placeOf(orders: readonly MarketOrder[], seq: number): number {
  return lowest(orders.length, (place) => (orders[place]?.seq ?? 0) >= seq);
}
