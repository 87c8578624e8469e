/**
 * One market: who waits, who runs where, and at which level. Whenever a slot is free and somebody waits, the next order
 * in the queue runs, whatever the published level says. Everything here is synchronous and takes the time as an argument;
 * what happens is told by events, in order, numbered from 1.
 *
 * Before anything that moves the level's target the clearing counts the time up to now (`level.count`): forgetting that
 * is the mistake to make here.
 */
import type { PriceNano } from '#base/money.ts';
import { Clearing } from './clearing.ts';
import type { Listing } from './listing.ts';
import { MarketAccount, MarketOrder, type Queue } from './market-order.ts';
import { PodSlots } from './pod-slots.ts';
import type { Capacity, ExchangeEvent, LevelRow, Release, Rest } from './ports.ts';
import { PriceQueue } from './price-queue.ts';
import { Turns } from './turns.ts';

/** An event before its market has numbered it. */
type Unnumbered = ExchangeEvent extends infer Event
  ? Event extends ExchangeEvent
    ? Omit<Event, 'model' | 'seq'>
    : never
  : never;

/** What a market is opened with. */
export interface MarketOptions {
  readonly listing: Listing;
  readonly levelTimeConstantMs: number;
  /** The newest level row from before a restart; null for a market that never traded, which starts at its floor. */
  readonly recovered: LevelRow | null;
  /** Accounts that are parked in every market; the exchange keeps the set. */
  readonly parked: ReadonlySet<string>;
  readonly emit: (event: ExchangeEvent) => void;
  readonly nowMs: number;
}

/** The orders, slots and level of one listing that is not a preview. */
export class Market {
  readonly #model: string;
  readonly #parked: ReadonlySet<string>;
  readonly #emit: (event: ExchangeEvent) => void;
  readonly #orders = new Map<string, MarketOrder>();
  readonly #accounts = new Map<string, MarketAccount>();
  readonly #pods = new PodSlots();
  readonly #queue: Queue;
  /** Null on a fixed-price listing, which has neither book nor level. */
  readonly #prices: { readonly queue: PriceQueue; readonly clearing: Clearing } | null;
  #levelSeq: number;
  #eventSeq = 0;
  #restedSeq = 0;

  /** A market listing emits its first level before anything else. */
  constructor({ listing, levelTimeConstantMs, recovered, parked, emit, nowMs }: MarketOptions) {
    this.#model = listing.id;
    this.#parked = parked;
    this.#emit = emit;
    this.#levelSeq = recovered?.levelSeq ?? 0;
    if (listing.type === 'fixed') {
      this.#queue = new Turns();
      this.#prices = null;
      return;
    }
    const queue = new PriceQueue(listing.accountShareMax);
    const settings = { floor: listing.floor, ceiling: listing.ceiling, timeConstantMs: levelTimeConstantMs };
    const clearing = new Clearing(settings, queue.book, recovered?.level ?? listing.floor, nowMs);
    this.#queue = queue;
    this.#prices = { queue, clearing };
    this.#publish(nowMs);
  }

  /** Takes an order. One that is here already changes nothing. */
  rest(rest: Rest, nowMs: number): void {
    if (this.#orders.has(rest.order)) return;
    this.#count(nowMs);
    const order = new MarketOrder(rest, this.#account(rest.account), this.#place(rest.restedSeq));
    this.#orders.set(order.id, order);
    order.account.queued.add(order);
    if (!this.#parked.has(order.account.id)) this.#join(order);
    this.#dispatch(nowMs);
    if (order.state !== 'executing') this.#tell({ type: 'rested', order: order.id, restedSeq: order.seq });
  }

  /** Takes a queued order out. Unknown and executing orders are left alone; there is no answer. */
  withdraw(id: string, nowMs: number): void {
    const order = this.#orders.get(id);
    if (!order || order.state === 'executing') return;
    this.#count(nowMs);
    this.#leave(order);
    this.#forget(order);
  }

  /** Moves a queued order behind those already at its new price. Answered by `repriced` or `not-resting`. */
  reprice(id: string, bid: PriceNano, nowMs: number): void {
    const order = this.#orders.get(id);
    if (!order || order.state === 'executing' || !this.#prices) {
      this.#tell({ type: 'not-resting', order: id });
      return;
    }
    this.#count(nowMs);
    const waited = order.state === 'waiting';
    this.#leave(order);
    order.price = bid;
    order.seq = this.#place(null);
    if (waited) this.#join(order);
    this.#tell({ type: 'repriced', order: id, bid, restedSeq: order.seq });
  }

  /** Takes a slot back from the order, attempt and pod that hold it; anything else changes nothing. */
  release({ order: id, attempt, pod, reason }: Release, nowMs: number): void {
    const order = this.#holder(id, attempt, pod);
    if (!order) return;
    this.#count(nowMs);
    this.#prices?.clearing.ends(order, reason !== 'finished', nowMs);
    this.#pods.give(pod);
    order.pod = null;
    order.state = 'parked';
    order.account.held--;
    this.#queue.heldChanged(order.account, false);
    if (reason === 'refused-parked') order.account.queued.add(order);
    else this.#forget(order);
    this.#dispatch(nowMs);
  }

  /** The account that holds the slot this release speaks of; null when nobody does. */
  holder({ order, attempt, pod }: Release): string | null {
    return this.#holder(order, attempt, pod)?.account.id ?? null;
  }

  /** Takes an account's waiting orders out of the queue; they keep their places. */
  park(account: string, nowMs: number): void {
    this.#count(nowMs);
    for (const order of this.#accounts.get(account)?.queued ?? []) this.#leave(order);
  }

  /** Puts an account's parked orders back at their old places. */
  unpark(account: string, nowMs: number): void {
    this.#count(nowMs);
    for (const order of this.#accounts.get(account)?.queued ?? []) this.#join(order);
    this.#dispatch(nowMs);
  }

  /** What one pod can run now. What runs already is never touched. */
  capacity({ pod, slots, healthy }: Capacity, nowMs: number): void {
    this.#count(nowMs);
    this.#pods.set(pod, slots, healthy);
    if (this.#prices?.clearing.setSlots(this.#pods.total, nowMs)) this.#publish(nowMs);
    this.#dispatch(nowMs);
  }

  /** Moves the level; once a second. */
  tick(nowMs: number): void {
    if (this.#prices?.clearing.level.tick(nowMs)) this.#publish(nowMs);
  }

  /** The place of an order in the book, from 1; null when it is not in a book. */
  position(id: string): number | null {
    const order = this.#orders.get(id);
    if (!this.#prices || order?.state !== 'waiting') return null;
    return this.#prices.queue.book.position(order);
  }

  #holder(id: string, attempt: number, pod: string): MarketOrder | null {
    const order = this.#orders.get(id);
    return order?.state === 'executing' && order.attempt === attempt && order.pod === pod ? order : null;
  }

  #dispatch(nowMs: number): void {
    while (this.#pods.free > 0) {
      const order = this.#queue.next(this.#pods.total);
      const pod = order && this.#pods.choose(order.avoidPod);
      if (!order || !pod) return;
      this.#admit(order, pod, nowMs);
    }
  }

  #admit(order: MarketOrder, pod: string, nowMs: number): void {
    this.#leave(order);
    order.account.queued.delete(order);
    order.account.held++;
    order.state = 'executing';
    order.pod = pod;
    this.#pods.take(pod);
    this.#queue.heldChanged(order.account, true);
    this.#prices?.clearing.starts(order, nowMs);
    this.#tell({
      type: 'admit',
      order: order.id,
      attempt: order.attempt,
      restedSeq: order.seq,
      pod,
      level: this.#prices?.clearing.level.published ?? order.price,
      levelSeq: this.#prices ? this.#levelSeq : 0,
    });
  }

  #join(order: MarketOrder): void {
    if (order.state === 'waiting') return;
    order.state = 'waiting';
    this.#queue.add(order);
    this.#prices?.clearing.waits(order);
  }

  #leave(order: MarketOrder): void {
    if (order.state !== 'waiting') return;
    order.state = 'parked';
    this.#queue.remove(order);
    this.#prices?.clearing.leaves(order);
  }

  #forget(order: MarketOrder): void {
    this.#orders.delete(order.id);
    order.account.queued.delete(order);
    if (order.account.idle) this.#accounts.delete(order.account.id);
  }

  #account(id: string): MarketAccount {
    let account = this.#accounts.get(id);
    if (!account) {
      account = new MarketAccount(id);
      this.#accounts.set(id, account);
    }
    return account;
  }

  /** A place in time: the one an order had, or the next one. New places come after every place seen. */
  #place(kept: number | null): number {
    const place = kept ?? this.#restedSeq + 1;
    this.#restedSeq = Math.max(this.#restedSeq, place);
    return place;
  }

  #count(nowMs: number): void {
    this.#prices?.clearing.level.count(nowMs);
  }

  /** Each published level, and each turn between healthy and degraded, is a row of its own. */
  #publish(nowMs: number): void {
    if (!this.#prices) return;
    const { published, frozen } = this.#prices.clearing.level;
    this.#levelSeq++;
    this.#tell({ type: 'level', level: published, levelSeq: this.#levelSeq, degraded: frozen, atMs: nowMs });
  }

  #tell(event: Unnumbered): void {
    this.#eventSeq++;
    this.#emit({ ...event, model: this.#model, seq: this.#eventSeq });
  }
}
