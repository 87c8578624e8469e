/**
 * A trading floor: one market of the real exchange in simulated time, without order service, money and network. Orders
 * run for their given time, locks expire after their window, others after their patience. It measures what traders and
 * the operator would see.
 */

import assert from 'node:assert';
import { type Random, seededRandom } from '#base/random.ts';
import { HOUR_MS } from '#base/time.ts';
import type { MarketOdds } from '#market/estimates/odds.ts';
import { Exchange, type ExchangeOptions } from '#market/exchange/exchange.ts';
import { RecordedExchange } from '#market/exchange/recording.ts';
import type { MarketTerms } from '#market/listing.ts';
import type { Admit, Command, ExchangeEvent } from '#market/ports.ts';
import { Agenda } from './agenda.ts';
import type { MarkUp } from './mark-up.ts';
import { type Measures, nothingMeasured } from './measures.ts';
import { TARGET_START_RATE } from './target.ts';

/** An order as a trader sends it. Prices in whole nano-dollars. */
export interface TraderOrder {
  readonly account: string;
  readonly limit: number;
  readonly lock: boolean;
  /** How long it holds a slot. */
  readonly runsMs: number;
  /** How long it waits, unless it is a lock. */
  readonly patienceMs: number;
  /** It is to start by this time, at the lowest price that the market finds up to its limit. Absent: it bids its limit. */
  readonly byMs?: number;
  /** Not measured by the floor, such as an attacker's order. */
  readonly unmeasured?: boolean;
}

/** One point of the picture. */
export interface Sample {
  readonly atMs: number;
  readonly level: number;
  readonly quote: number;
}

/** The options of a floor. */
export interface FloorOptions {
  readonly seed: number;
  readonly slots: number;
  readonly listing?: Partial<MarketTerms>;
  /** Receives a record of everything that goes into the exchange. */
  readonly record?: (line: string) => void;
  /** Called with each order that gets a slot, and its bid. */
  readonly admitted?: (bid: number, order: string) => void;
}

interface Live {
  readonly wish: TraderOrder;
  bid: number;
  readonly atMs: number;
  readonly counts: boolean;
  running: boolean;
}

const START_MS = Date.UTC(2026, 0, 1);
const LOCK_MS = 10_000;
const LISTING: MarketTerms = {
  id: 'sim',
  type: 'market',
  floor: 0,
  ceiling: 100e9,
  reserve: 0,
  preview: false,
  accountShareMax: null,
};

/** One simulated market. */
export class TradingFloor {
  readonly agenda = new Agenda(START_MS);
  readonly random: Random;
  readonly samples: Sample[] = [];
  measures: Measures = nothingMeasured();
  level = 0;
  quote = 0;
  readonly listing: MarketTerms;
  readonly #exchange: Pick<Exchange, 'handle' | 'tick' | 'latchQuotes' | 'find'>;
  readonly #onAdmitted: FloorOptions['admitted'] | undefined;
  #markUp: MarkUp | null = null;
  readonly #live = new Map<string, Live>();
  #orders = 0;
  #running = 0;
  #countedToMs = START_MS;

  constructor({ seed, slots, listing = {}, record, admitted }: FloorOptions) {
    this.#onAdmitted = admitted;
    this.random = seededRandom(seed);
    this.listing = { ...LISTING, ...listing };
    const options: ExchangeOptions = {
      listings: [this.listing],
      levelTimeConstantMs: 20_000,
      recovered: [],
      quotes: { intervalMs: 10_000, targetStartRate: TARGET_START_RATE, executeWindowMs: LOCK_MS },
      recoveredQuotes: [],
      random: seededRandom(seed ^ 0x5eed),
      emit: (event) => this.#heard(event),
      nowMs: START_MS,
    };
    this.#exchange = record ? new RecordedExchange(options, record) : new Exchange(options);
    this.pod('pod-1', slots);
    this.#tickLater();
  }

  get nowMs(): number {
    return this.agenda.nowMs;
  }

  /** Sets the slots of a pod; 0 is a pod that is down. */
  pod(pod: string, slots: number): void {
    this.#say({ type: 'capacity', model: this.listing.id, pod, slots, healthy: slots > 0 });
  }

  /** The id of the order that is sent next. */
  get nextOrder(): string {
    return `o${this.#orders + 1}`;
  }

  /** Sends an order, and returns its id. */
  send(wish: TraderOrder): string {
    const order = `o${++this.#orders}`;
    const quote = this.#lockPrice;
    const bid = wish.lock ? Math.min(quote, wish.limit) : wish.limit;
    const live = { wish, bid, atMs: this.nowMs, counts: wish.lock && wish.limit > quote, running: false };
    this.#live.set(order, live);
    if (!wish.unmeasured) this.measures.arrived++;
    this.agenda.after(wish.lock ? LOCK_MS : wish.patienceMs, () => this.#expire(order));
    this.#say({
      type: 'rest',
      model: this.listing.id,
      order,
      account: wish.account,
      bid,
      lockLimit: wish.lock ? wish.limit : null,
      restedSeq: null,
      attempt: 1,
      avoidPod: null,
      house: false,
      ...(wish.byMs === undefined ? {} : { deadline: { limit: wish.limit, byMs: wish.byMs } }),
    });
    return order;
  }

  /** What stands between orders and their start now. */
  odds(): MarketOdds {
    const odds = this.#exchange.find(this.listing.id)?.odds(this.nowMs);
    assert(odds);
    return odds;
  }

  /** Whether an order is still in the book, or waits for money. */
  isWaiting(order: string): boolean {
    return this.#live.get(order)?.running === false;
  }

  /** Withdraws an order; has no effect on one that runs or has ended. */
  cancel(order: string): void {
    if (!this.isWaiting(order)) return;
    this.#live.delete(order);
    this.#say({ type: 'withdraw', model: this.listing.id, order, expired: false });
  }

  reprice(order: string, bid: number): void {
    const live = this.#live.get(order);
    if (!live || live.running) return;
    live.bid = bid;
    this.#say({ type: 'reprice', model: this.listing.id, order, bid });
  }

  /** Takes an order out of the book for lack of money. */
  waitForMoney(order: string): void {
    if (this.isWaiting(order))
      this.#say({ type: 'withdraw', model: this.listing.id, order, expired: false, waitsForMoney: true });
  }

  /** Lets time pass, and measures. */
  run(ms: number): void {
    this.agenda.runUntil(this.nowMs + ms);
    this.#count();
  }

  /** From now on locks bid this instead of the quote from the book, for comparison. */
  quoteBy(markUp: MarkUp): void {
    this.#markUp = markUp;
  }

  /** Forgets what was measured so far. */
  resetMeasures(): void {
    this.#count();
    this.measures = nothingMeasured();
  }

  /** What a lock may bid now: the quote, or its substitute. */
  get #lockPrice(): number {
    return Math.min(this.listing.ceiling, this.#markUp?.price ?? this.quote);
  }

  #expire(order: string): void {
    const live = this.#live.get(order);
    if (!live || live.running) return;
    this.#live.delete(order);
    if (live.counts && !live.wish.unmeasured) this.measures.locksMissed++;
    if (live.counts) this.#markUp?.resolve(true);
    this.#say({ type: 'withdraw', model: this.listing.id, order, expired: true });
  }

  #say(command: Command): void {
    this.#exchange.handle(command, this.nowMs);
  }

  #heard(event: ExchangeEvent): void {
    this.#count();
    if (event.type === 'level') this.level = event.level;
    if (event.type === 'quote') this.quote = event.price;
    if (event.type === 'admit') this.#admitted(event);
  }

  #admitted({ order, attempt, pod, level, bid: chosen }: Admit): void {
    const live = this.#live.get(order);
    if (!live) throw new Error(`${order} was given a slot after it had left`);
    live.running = true;
    this.#running++;
    const { wish } = live;
    const bid = chosen ?? live.bid;
    this.#onAdmitted?.(bid, order);
    const paid = Math.min(level, bid);
    if ((wish.lock || wish.byMs !== undefined) && bid > wish.limit)
      throw new Error(`${order} was made to bid above its limit`);
    const cost = (paid / 1e9) * (wish.runsMs / HOUR_MS);
    if (wish.unmeasured) {
      this.measures.attackCost += cost;
      this.measures.attackSlotMs += wish.runsMs;
    } else this.#started(live, paid, cost);
    this.agenda.after(wish.runsMs, () => {
      this.#count();
      this.#running--;
      this.#live.delete(order);
      this.#say({ type: 'release', model: this.listing.id, order, attempt, pod, reason: 'finished' });
    });
  }

  #started({ wish, atMs, counts }: Live, paid: number, cost: number): void {
    const { measures } = this;
    measures.started++;
    measures.waitedMs += this.nowMs - atMs;
    measures.revenue += cost;
    measures.othersSlotMs += wish.runsMs;
    if (counts) {
      measures.locksStarted++;
      this.#markUp?.resolve(false);
    }
    if (!wish.lock) return;
    measures.locksServed++;
    measures.lockPrices += paid;
  }

  #tickLater(): void {
    this.agenda.after(1000, () => {
      this.#tickLater();
      this.#exchange.tick(this.nowMs);
      if (this.nowMs % 10_000 === 0) {
        this.#markUp?.turn(this.level);
        this.samples.push({ atMs: this.nowMs, level: this.level, quote: this.#lockPrice });
      }
    });
  }

  #count(): void {
    const { measures, nowMs } = this;
    const ms = nowMs - this.#countedToMs;
    this.#countedToMs = nowMs;
    measures.elapsedMs += ms;
    measures.busySlotMs += ms * this.#running;
    measures.levelArea += ms * this.level;
    measures.quoteArea += ms * this.#lockPrice;
  }
}
