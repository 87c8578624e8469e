/**
 * The inputs of one market's level: what starts and bids how much, what waits or leaves unserved, and what stays free.
 * House orders are left out; orders that wait for money are not in the book.
 */
import type { PriceNano } from '#base/money.ts';
import { type HeldTime, HeldTimes, KNOWN_ORDERS } from '../book/held-times.ts';
import { CLAIM_PARTS, type MarketOrder } from '../book/market-order.ts';
import type { PodSlots } from '../book/pod-slots.ts';
import { ArrivalRates, BinCounts } from './arrival-rates.ts';
import { AskedTime, Level, type LevelSettings, RUSH_ABOVE, slownessOf } from './level.ts';
import type { SlotTurnover } from './slot-turnover.ts';

/** A bid that stands for a shorter time is served by the next slot, or means nothing. */
const UNSERVED_MS = 2500;
/** What waits is looked at again after this time, as long as it counts as unserved. */
const AGAIN_MS = 10_000;
/** How long orders run on a market where none has ended. */
const RUNS_MS = 20_000;
/** An order that leaves sooner than this could not have been served. An order that stays for the second counts in full. */
const LEAVES_MS_MIN = 500;
const LEAVES_MS_FULL = 6000;
/** The level runs after the price that this part of the slot time started from the queue of late bid at least. */
const PAID_MS = 5000;
const PAID_PART = 0.9;
/**
 * The quote is at most this many times the level, this part of its recent high, or what this part of the slot time that
 * orders held of late bid more than. A market that never had a level may quote this part of the ceiling: where everybody locks it would
 * stay at 0 otherwise.
 */
const QUOTE_FACTOR = 2.5;
const QUOTE_OF_HIGH = 0.5;
const QUOTE_OF_CEILING = 0.01;
const HELD_PART = 0.1;
const HELD_MS = 60_000;

/** The state from which a restart continues. */
export type ClearingState = ReturnType<Clearing['state']>;

/** What the level of one market is made of. */
interface ClearingOptions {
  readonly settings: LevelSettings;
  readonly start: PriceNano;
  readonly pods: PodSlots;
  /** How long orders run, counted by its owner. */
  readonly turnover: SlotTurnover;
  /** The most slots that one account may hold; Infinity for no bound. */
  readonly heldMax: () => number;
  /** The level moved, or stayed, as it does once a second. */
  readonly stood: (level: PriceNano, nowMs: number) => void;
  /** A waiting order has bid its price for a while, and stands before others with this part of a slot. */
  readonly stands: (order: MarketOrder, claim: number) => void;
  /** Partly absent from what earlier versions stored; null for none. */
  readonly state: Partial<ClearingState> | null;
}

/** The level of one market and its inputs. Must be notified of every order that waits, leaves, starts and ends. */
export class Clearing {
  readonly level: Level;
  readonly runs: HeldTimes;
  readonly #options: ClearingOptions;
  readonly #asked: AskedTime;
  /** The waiting orders that are looked at for the first time, and again. Most orders start before. */
  readonly #young = new Looks(UNSERVED_MS, 1);
  readonly #counted = new Looks(AGAIN_MS, 2);
  /** Slot seconds by bid: started from the queue, and held. */
  readonly #started: ArrivalRates;
  readonly #held: ArrivalRates;
  /** The orders that hold a slot now. */
  readonly #holding = new BinCounts();
  /**
   * What waits counts in this part without credit. Where nearly all that starts from the queue bids far more than the level,
   * accounts that never run count too: otherwise nobody would outbid those who run, and they would pay nothing.
   */
  #freePart = 0;
  /** Slot milliseconds by which waiting orders count as unserved. */
  #waiting = 0;
  /** The same before a restart, as far as no order has them: those that rest again share them, and their starts take them back. */
  #owed: number;
  #countedToMs: number;
  #tickedMs: number;

  constructor(options: ClearingOptions, nowMs: number) {
    const { settings, start, state } = options;
    this.#options = options;
    this.level = new Level(settings, start, state?.level);
    this.#asked = new AskedTime(state?.asked);
    this.#owed = state?.waiting ?? 0;
    this.runs = new HeldTimes(nowMs, state?.runs);
    this.#started = new ArrivalRates(PAID_MS, nowMs, state?.paid?.[0]);
    this.#held = new ArrivalRates(HELD_MS, nowMs, state?.paid?.[1]);
    this.#countedToMs = nowMs;
    this.#tickedMs = nowMs;
  }

  /** The highest quote that this market explains: a price that nobody paid lately is too high to promise a start at. */
  quoteMax(nowMs: number): PriceNano {
    const { published, high } = this.level;
    const paid = this.#held.priceOfBest(HELD_PART, nowMs) ?? 0;
    const first = high < 1 ? QUOTE_OF_CEILING * this.#options.settings.bounds.ceiling : 0;
    return Math.max(QUOTE_FACTOR * published, QUOTE_OF_HIGH * high, paid, first);
  }

  /** When the next waiting order is looked at, if that is by `nowMs`; Infinity otherwise. */
  dueBy(nowMs: number): number {
    return Math.min(this.#young.dueBy(nowMs), this.#counted.dueBy(nowMs));
  }

  /** Counts the time up to now, during which nothing changed but how long orders wait. Call it before every change. */
  count(nowMs: number): void {
    const elapsedMs = nowMs - this.#countedToMs;
    this.#countedToMs = nowMs;
    if (elapsedMs > 0 && !this.level.frozen) this.#asked.idles(this.#options.pods.free, elapsedMs);
    for (;;) {
      const [youngMs, countedMs] = [this.#young.dueBy(nowMs), this.#counted.dueBy(nowMs)];
      const atMs = Math.min(youngMs, countedMs);
      if (atMs === Number.POSITIVE_INFINITY) return;
      const order = (youngMs <= countedMs ? this.#young : this.#counted).take();
      if (order && this.#look(order, atMs)) this.#counted.add(order, atMs);
    }
  }

  /** Moves the level. Call it once a second. Returns whether it moved. */
  tick(nowMs: number): boolean {
    this.count(nowMs);
    const elapsedMs = nowMs - this.#tickedMs;
    this.#tickedMs = nowMs;
    if (this.level.frozen || elapsedMs <= 0) return false;
    this.#owed = 0;
    this.#held.addFor(elapsedMs, this.#holding, nowMs);
    const { total: slots, free } = this.#options.pods;
    const { heldMs, ended } = this.#options.turnover.state();
    const perSecond = (slots * 1000) / (ended < 1 ? RUNS_MS : heldMs / ended);
    const excess = this.#asked.take({ slots, perSecond, elapsedMs });
    const paid = free > 0 ? null : this.#started.priceOfBest(PAID_PART, nowMs);
    const slowness = slownessOf(perSecond);
    this.#freePart = paid !== null && paid >= RUSH_ABOVE * this.level.published ? 1 / slowness : 0;
    const hasMoved = this.level.tick({ excess, paid, slowness }, elapsedMs);
    this.#options.stood(this.level.published, nowMs);
    return hasMoved;
  }

  /** The state to store for a restart. */
  state(nowMs: number) {
    const paid = [this.#started.stored(), this.#held.stored()] as const;
    const [level, asked, runs] = [this.level.state(), this.#asked.state(), this.runs.state(nowMs)];
    return { level, asked, waiting: this.#waiting + this.#owed, runs, paid };
  }

  /** The slots of healthy pods changed; without any the level is frozen. Returns whether it froze or thawed. */
  slotsChanged(nowMs: number): boolean {
    const { frozen } = this.level;
    this.level.frozen = this.#options.pods.total === 0;
    if (frozen) this.#tickedMs = nowMs;
    return this.level.frozen !== frozen;
  }

  /** An order entered the book, or one in it bids more than before; `known` when it had rested before, and counted then. */
  waits(order: MarketOrder, known: boolean, nowMs: number): void {
    (known ? this.#counted : this.#young).add(order, nowMs);
    if (!known || worthOf(order) < this.level.published) return;
    const ms = Math.min(this.#owed, this.runs.ofWaiting(order.account));
    this.#owed -= ms;
    this.#counts(order, ms);
  }

  /** The part of a slot by which a waiting order, or one that left, counts as asked for at the level. */
  claimOf({ account, asked }: MarketOrder): number {
    return this.runs.claimOf(account) * Math.min(1, asked / this.runs.ofWaiting(account));
  }

  /** A waiting order leaves because nobody can pay for it. It counts as if it had never come. */
  waitsForMoney(order: MarketOrder, nowMs: number): void {
    this.#takeBack(order, order.asked, nowMs);
  }

  /** A waiting order leaves, because its owner gives up or its time is over. If it left soon, it counts in part. */
  leaves(order: MarketOrder, nowMs: number): void {
    const waitedMs = nowMs - order.sinceMs;
    // Without credit it does not count: a crowd that comes and goes in a second would pay for nearly nothing.
    if (order.asked === 0 && waitedMs >= LEAVES_MS_MIN && this.#mayRun(order)) this.#isUnserved(order, 0, nowMs);
    this.#takeBack(order, order.asked * Math.max(0, 1 - waitedMs / LEAVES_MS_FULL), nowMs);
    // It keeps what it counted, for the quote; no start takes that back any more.
    order.account.asked -= order.asked;
    this.#waiting -= order.asked;
  }

  /** An order was given a slot, after it waited for some time if `isQueued`. */
  starts(order: MarketOrder, isQueued: boolean, nowMs: number): void {
    const { account } = order;
    this.#takeBack(order, order.asked, nowMs);
    order.asked = this.runs.ofStart(account);
    // The level may have risen above it while it waited; its bid answered the earlier level.
    order.atLevel = worthOf(order) >= Math.min(order.levelThen, this.level.published);
    this.#asked.starts(order.asked, order.atLevel);
    if (isQueued) this.#started.add(order.price, order.asked / 1000, nowMs);
    const run = this.holds(order, nowMs);
    this.runs.claims(run, order.claim / CLAIM_PARTS, nowMs);
  }

  /** An order has a slot, which it was given before. */
  holds(order: MarketOrder, nowMs: number): HeldTime {
    order.claim = Math.round(this.runs.claimOf(order.account) * CLAIM_PARTS);
    order.run = this.runs.takes(order.account, nowMs);
    this.#holding.add(order.price, 1);
    return order.run;
  }

  /** An order gave its slot back, after it claimed this part of it, 0 to 1; `heldMs` is null when it never started. */
  ends(order: MarketOrder, { claimed, heldMs }: { claimed: number; heldMs: number | null }, nowMs: number): void {
    const { account } = order;
    if (order.run) {
      this.runs.gives(order.run, nowMs);
      this.runs.claims(order.run, -order.claim / CLAIM_PARTS, nowMs);
      this.#holding.add(order.price, -1);
    }
    const isCorrected = heldMs === null || this.runs.ended(account) < KNOWN_ORDERS;
    if (order.asked > 0 && isCorrected) this.#asked.starts(Math.max(0, heldMs ?? 0) - order.asked, order.atLevel);
    // After the clock stepped back, nobody knows how long it ran.
    if (heldMs !== null && heldMs >= 0) this.runs.learn(account, heldMs, nowMs);
    // From now on its figures are those of its account, which may be known by now.
    this.runs.claims(this.runs.of(account, nowMs), claimed, nowMs);
  }

  /** A waiting order has bid its price for a while. Returns whether it counts as unserved, and is looked at again. */
  #look(order: MarketOrder, nowMs: number): boolean {
    const { account } = order;
    if (!this.#mayRun(order)) {
      this.#options.stands(order, 0);
      return false;
    }
    const isBelow = worthOf(order) < this.level.published;
    const isUnserved = !isBelow && this.#isUnserved(order, this.#freePart, nowMs);
    this.#options.stands(order, isBelow ? this.runs.claimOf(account) : this.claimOf(order));
    return isUnserved;
  }

  /** Whether its account holds less than it may. Otherwise it may not run, however much it bids, and delays no other order. */
  #mayRun({ account }: MarketOrder): boolean {
    return account.held < this.#options.heldMax();
  }

  /**
   * Counts a waiting order as unserved, if it bids the level or more, as far as it needs credit and its account has
   * some. Returns whether it may count again. Without credit it may not, or each tick would look at all waiting orders.
   * Of an account without an ended order, one order more counts than it holds.
   */
  #isUnserved(order: MarketOrder, freePart: number, nowMs: number): boolean {
    const { account } = order;
    if (worthOf(order) < this.level.published) return false;
    const whole = this.runs.ofWaiting(account);
    const room = this.runs.ended(account) > 0 ? whole : (account.held + 1) * whole - account.asked;
    if (room <= 0) return false;
    const wanted = Math.min(whole, room);
    const spent = this.runs.spend(account, wanted, nowMs);
    const asked = spent + freePart * (wanted - spent);
    this.#counts(order, asked);
    this.#asked.unserved(asked);
    return spent > 0;
  }

  #counts(order: MarketOrder, ms: number): void {
    order.asked += ms;
    order.account.asked += ms;
    this.#waiting += ms;
  }

  #takeBack(order: MarketOrder, ms: number, nowMs: number): void {
    if (ms <= 0) return;
    this.#counts(order, -ms);
    this.#asked.unserved(-ms);
    this.runs.spend(order.account, -ms, nowMs);
  }
}

/** What an order is worth to its owner. A lock bids no more than the quote, which follows a rush too late. */
function worthOf({ price, lock }: MarketOrder): PriceNano {
  return lock ? Math.max(price, lock.limit) : price;
}

/** So many that are done stay in a list before it is worth closing the gap. */
const DONE_MAX = 1024;

/** Waiting orders in the order in which they are looked at: each so long after it was added. An order knows its newest entry. */
class Looks {
  readonly #afterMs: number;
  #orders: MarketOrder[] = [];
  #dueMs: number[] = [];
  #first = 0;
  /** The number of the first entry; each has two more than the one before, so that all are odd in one list and even in the other. */
  #from: number;

  constructor(afterMs: number, from: 1 | 2) {
    this.#afterMs = afterMs;
    this.#from = from;
  }

  add(order: MarketOrder, nowMs: number): void {
    order.look = this.#from + 2 * this.#orders.length;
    this.#orders.push(order);
    this.#dueMs.push(nowMs + this.#afterMs);
  }

  /** When the next order is due, if that is by `nowMs`; Infinity otherwise. */
  dueBy(nowMs: number): number {
    for (;;) {
      const order = this.#orders[this.#first];
      const dueMs = this.#dueMs[this.#first] ?? 0;
      // An entry further ahead than any order may be was added before the clock stepped back, and is due now.
      if (!order || (dueMs > nowMs && dueMs <= nowMs + this.#afterMs)) return Number.POSITIVE_INFINITY;
      if (order.state === 'waiting' && order.look === this.#from + 2 * this.#first) return Math.min(dueMs, nowMs);
      this.take();
    }
  }

  /** Takes the order that is due. */
  take(): MarketOrder | null {
    const order = this.#orders[this.#first] ?? null;
    if (order?.look === this.#from + 2 * this.#first) order.look = 0;
    if (++this.#first > DONE_MAX && this.#first * 2 > this.#orders.length) {
      this.#orders = this.#orders.slice(this.#first);
      this.#dueMs = this.#dueMs.slice(this.#first);
      this.#from += 2 * this.#first;
      this.#first = 0;
    }
    return order;
  }
}
