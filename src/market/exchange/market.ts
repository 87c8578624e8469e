/**
 * One market: its waiting orders, its slots and its level. Whenever a slot is free and an order waits, the next order
 * in the queue runs, whatever the published level is. Everything is synchronous and takes the time as an argument.
 * Changes are reported by events, in order, numbered from 1.
 *
 * Before anything changes the book or the slots, call `count` so that the prices count the time up to now. Forgetting
 * that is the easiest mistake to make here.
 */
import type { PriceNano } from '#base/money.ts';
import { FairQueue } from '../book/fair-queue.ts';
import { MarketAccounts, MarketOrder, type Queue } from '../book/market-order.ts';
import { PodSlots } from '../book/pod-slots.ts';
import { type BidMove, DeadlineMoves } from '../deadlines/deadline-moves.ts';
import type { MarketOdds } from '../estimates/odds.ts';
import type { MarketTerms } from '../listing.ts';
import type { Capacity, ExchangeEvent, HeldSlot, Release, Rest, Unnumbered, Withdraw } from '../ports.ts';
import type { MarketDepth } from './depth.ts';
import { MarketPrices, type PriceOptions } from './market-prices.ts';
import { bookOf, type MarketBook, type MarketSituation, standingOrders } from './situation.ts';

/** What a market needs. */
export interface MarketOptions extends PriceOptions {
  /** Called for each event, in order, from inside the constructor and every method that changes something. */
  readonly emit: (event: ExchangeEvent) => void;
  /** New orders get rested seqs above it; 0 when absent. Each new exchange of a market begins above its predecessors' numbers. */
  readonly restedSeqFrom?: number;
  /** Its events are numbered above it; 0 when absent. */
  readonly eventSeqFrom?: number;
}

/** The orders, slots and level of one listing that is not a preview. */
export class Market {
  readonly #model: string;
  readonly #emit: (event: ExchangeEvent) => void;
  readonly #orders = new RenewedMap<MarketOrder>();
  readonly #accounts = new MarketAccounts();
  readonly #pods = new PodSlots();
  readonly #queue: Queue;
  /** Null on a fixed-price listing, which has neither book nor level nor quote. */
  readonly #prices: MarketPrices | null;
  /** Null as the prices are. */
  readonly #deadlines: DeadlineMoves | null;
  #eventSeq: number;
  #restedSeq: number;

  /** A market listing emits its first level and first quote before anything else. */
  constructor({ emit, restedSeqFrom = 0, eventSeqFrom = 0, ...prices }: MarketOptions) {
    this.#model = prices.listing.id;
    this.#emit = emit;
    this.#restedSeq = restedSeqFrom;
    this.#eventSeq = eventSeqFrom;
    const isFixed = prices.listing.type === 'fixed';
    this.#prices = isFixed ? null : new MarketPrices(prices, this.#pods, (event) => this.#publish(event));
    this.#queue = this.#prices?.queue ?? new FairQueue(prices.listing.accountShareMax, prices.nowMs);
    const own = this.#prices;
    this.#deadlines = own && new DeadlineMoves((atMs) => own.outlook(atMs));
    this.#prices?.open(prices.nowMs);
  }

  /** Counts the time up to now, and latches the quote if its window ended. */
  count(nowMs: number): void {
    this.#prices?.count(nowMs);
    this.#queue.count(nowMs);
  }

  /** Takes an order. An order that is already here changes nothing. */
  rest(rest: Rest, nowMs: number): void {
    if (this.#orders.has(rest.order)) return;
    this.count(nowMs);
    const order = new MarketOrder(rest, this.#accounts.of(rest.account), this.#place(rest.restedSeq));
    this.#orders.set(order.id, order);
    order.account.orders++;
    const isNew = rest.restedSeq === null;
    if (isNew) order.sinceMs = nowMs;
    if (isNew && order.deadline) order.price = this.#deadlines?.bidFor(order, nowMs) ?? order.price;
    this.#prices?.arrives(order, rest, { isNew, nowMs });
    if (isNew && this.#startsAtOnce(order, nowMs)) return;
    order.state = 'waiting';
    this.#queue.add(order);
    this.#deadlines?.add(order, nowMs);
    this.#prices?.joins(order, !isNew && !rest.waitedForMoney, nowMs);
    this.#dispatch(nowMs);
    if (order.pod !== null) return;
    const { id, seq: restedSeq, price: bid } = order;
    if (order.deadline) this.#publish({ type: 'rested', order: id, restedSeq, bid });
    else this.#emit({ type: 'rested', order: id, restedSeq, model: this.#model, seq: ++this.#eventSeq });
  }

  /** Takes an order that holds a slot already. An order that is already here changes nothing. */
  hold(hold: HeldSlot, nowMs: number): void {
    if (this.#orders.has(hold.order)) return;
    this.count(nowMs);
    const account = this.#accounts.of(hold.account);
    const order = new MarketOrder({ ...hold, avoidPod: null }, account, this.#place(hold.restedSeq));
    this.#orders.set(order.id, order);
    order.account.orders++;
    this.#takeSlot(order, hold.pod, nowMs);
    this.#prices?.holds(order, nowMs);
  }

  /** Removes a queued order. Unknown and executing orders are left alone. There is no answer. */
  withdraw(command: Withdraw, nowMs: number): void {
    const order = this.#orders.get(command.order);
    if (!order || order.state === 'executing') return;
    this.count(nowMs);
    this.#prices?.withdraws(order, command, nowMs);
    this.#leave(order);
    this.#forget(order);
  }

  /** Moves a queued order behind those already at its new price. Answered by `repriced` or `not-resting`. */
  reprice(id: string, bid: PriceNano, nowMs: number): void {
    const order = this.#orders.get(id);
    if (!order || order.state === 'executing' || !this.#prices) {
      this.#publish({ type: 'not-resting', order: id });
      return;
    }
    this.count(nowMs);
    this.#deadlines?.limit(order, bid);
    this.#move({ order, bid: this.#deadlines?.bidFor(order, nowMs) ?? bid }, nowMs);
    const own = order.deadline ? { limit: bid } : {};
    this.#publish({ type: 'repriced', order: id, bid: order.price, ...own, restedSeq: order.seq });
    // Below the reserve it may have waited beside a free slot.
    this.#dispatch(nowMs);
  }

  /** Takes a slot back from the order, attempt and pod that hold it; for any others it changes nothing. */
  release({ order: id, attempt, pod, reason }: Release, nowMs: number): void {
    const order = this.#orders.get(id);
    if (order?.state !== 'executing' || order.attempt !== attempt || order.pod !== pod) return;
    this.count(nowMs);
    this.#prices?.ends(order, reason !== 'finished', nowMs);
    this.#pods.give(pod);
    order.pod = null;
    order.state = 'outside';
    order.account.held--;
    this.#prices?.depth.holds(order.account, -1);
    this.#queue.ends(order, reason !== 'finished');
    this.#forget(order);
    this.#dispatch(nowMs);
  }

  /** Sets what one pod can run now. Running orders are never touched. */
  capacity(capacity: Capacity, nowMs: number): void {
    this.count(nowMs);
    if (this.#prices) this.#prices.capacity(capacity, nowMs);
    else this.#pods.set(capacity.pod, capacity.slots, capacity.healthy);
    this.#dispatch(nowMs);
  }

  /** Other bounds, another reserve, another share of one account. Orders keep their places, and running ones go on. */
  renew(terms: MarketTerms, nowMs: number): void {
    this.count(nowMs);
    this.#queue.renew(terms);
    this.#prices?.renew(terms, nowMs);
    this.#dispatch(nowMs);
  }

  /** Moves the level. Call it once a second. */
  tick(nowMs: number): void {
    this.#queue.count(nowMs);
    this.#prices?.tick(nowMs);
    const moves = this.#deadlines?.size ? this.#deadlines.moves(nowMs) : [];
    if (moves.length === 0) return;
    for (const move of moves) {
      this.#move(move, nowMs);
      this.#publish({ type: 'moved', order: move.order.id, bid: move.bid, restedSeq: move.order.seq });
    }
    this.#dispatch(nowMs);
  }

  // What can be looked at. Nothing of this changes the market, so none of it is recorded.

  /** What waits at which bid, as far as it may be shown; null on a fixed-price listing too. */
  get depth(): MarketDepth | null {
    return this.#prices?.depth.shown ?? null;
  }

  /** What waits and runs, exactly, for the operator. */
  get book(): MarketBook {
    return bookOf(this.#queue, this.#pods);
  }

  /** What stands between orders and their start; null on a fixed-price listing. */
  odds(nowMs: number): MarketOdds | null {
    return this.#prices?.odds(nowMs) ?? null;
  }

  /** How it stands, for another exchange to go on from; null on a fixed-price listing. */
  situation(nowMs: number): MarketSituation | null {
    if (!this.#prices) return null;
    const standing = standingOrders(this.#prices.queue.book, this.#orders.values());
    return { atMs: nowMs, slots: this.#pods.total, ...standing, ...this.#prices.situation() };
  }

  /** The position of an order in the book, from 1; null when it is not in a book. */
  position(id: string): number | null {
    const order = this.#orders.get(id);
    if (!this.#prices || order?.state !== 'waiting') return null;
    return this.#prices.queue.book.position(order);
  }

  /** Behind those that bid as much. */
  #move({ order, bid }: BidMove, nowMs: number): void {
    const before = order.price;
    const waits = order.state === 'waiting';
    if (waits) this.#queue.remove(order);
    order.price = bid;
    order.seq = this.#place(null);
    if (!waits) return;
    this.#queue.add(order);
    this.#prices?.reprices(order, before, nowMs);
  }

  #dispatch(nowMs: number): void {
    while (this.#pods.free > 0) {
      const order = this.#queue.next(this.#pods.total);
      const pod = order && this.#pods.choose(order.avoidPod);
      if (!order || !pod) return;
      this.#admit(order, pod, nowMs);
    }
  }

  /** Where nothing waits a new order need not go through the book, and most orders are sent to such a market. */
  #startsAtOnce(order: MarketOrder, nowMs: number): boolean {
    const pod = this.#prices?.queue.isNextAlone(order) ? this.#pods.choose(order.avoidPod) : null;
    if (pod === null) return false;
    this.#admit(order, pod, nowMs);
    return true;
  }

  #admit(order: MarketOrder, pod: string, nowMs: number): void {
    const isQueued = nowMs > order.sinceMs;
    this.#takeSlot(order, pod, nowMs);
    this.#prices?.starts(order, isQueued, nowMs);
    const level = this.#prices?.clearing.level.published ?? order.price;
    const levelSeq = this.#prices?.levelSeq ?? 0;
    const { id, attempt, seq: restedSeq, price: bid } = order;
    if (order.deadline) this.#publish({ type: 'admit', order: id, attempt, restedSeq, pod, level, levelSeq, bid });
    else {
      const [model, seq] = [this.#model, ++this.#eventSeq];
      this.#emit({ type: 'admit', order: id, attempt, restedSeq, pod, level, levelSeq, model, seq });
    }
  }

  #takeSlot(order: MarketOrder, pod: string, nowMs: number): void {
    order.account.held++;
    this.#prices?.depth.holds(order.account, 1);
    this.#leave(order);
    order.state = 'executing';
    order.pod = pod;
    order.sinceMs = nowMs;
    this.#pods.take(pod);
    this.#queue.starts(order);
  }

  #leave(order: MarketOrder): void {
    if (order.state !== 'waiting') return;
    order.state = 'outside';
    this.#queue.remove(order);
    this.#deadlines?.delete(order);
    this.#prices?.leaves(order);
  }

  #forget(order: MarketOrder): void {
    this.#orders.delete(order.id);
    order.account.orders--;
  }

  /** The rested seq: the one an order had, or the next. New numbers come after every number seen. */
  #place(kept: number | null): number {
    const place = kept ?? this.#restedSeq + 1;
    this.#restedSeq = Math.max(this.#restedSeq, place);
    return place;
  }

  /** Numbers an event. What each order causes is numbered where it is made: a copy is a twentieth of an order with room. */
  #publish(event: Unnumbered): void {
    this.#eventSeq++;
    this.#emit({ ...event, model: this.#model, seq: this.#eventSeq });
  }
}

/** After this many removals the entries move, if there were at least as many as entries. */
const REMOVALS_MIN = 1024;
/** With more entries than this they stay: moving them would take a noticeable time. */
const SIZE_MAX = 8192;

/**
 * A Map for values that come and go. Once a Map has survived two collections, V8 makes each of its new tables among the
 * old objects, and all that the replaced table refers to survives until the next full collection. So a Map that lives
 * for ever turns short-lived orders into old ones. This map moves its entries to a new Map now and then, which costs
 * less.
 */
export class RenewedMap<Value> {
  #map = new Map<string, Value>();
  #removals = 0;

  values(): Iterable<Value> {
    return this.#map.values();
  }

  has(key: string): boolean {
    return this.#map.has(key);
  }

  get(key: string): Value | undefined {
    return this.#map.get(key);
  }

  set(key: string, value: Value): void {
    this.#map.set(key, value);
  }

  delete(key: string): void {
    const { size } = this.#map;
    this.#map.delete(key);
    if (++this.#removals < Math.max(REMOVALS_MIN, size) || size > SIZE_MAX) return;
    this.#map = new Map(this.#map);
    this.#removals = 0;
  }
}
