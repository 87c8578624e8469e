/**
 * A trading floor: one market of the real exchange, without desk, money and network, in simulated time. Orders run for
 * as long as they are sized, locks expire after their window, others after their patience. It measures what traders and
 * the operator would see.
 */
import { type Random, seededRandom } from '#base/random.ts';
import { Exchange, type ExchangeOptions } from '#market/exchange.ts';
import type { Listing } from '#market/listing.ts';
import type { Admit, Command, ExchangeEvent } from '#market/ports.ts';
import { RecordedExchange } from '#market/recording.ts';
import { marketListing } from '#testing/listings.ts';
import { Agenda } from './agenda.ts';
import type { MarkUp } from './mark-up.ts';
import { TARGET_START_RATE } from './target.ts';

/** An order as a trader sends it. Prices in whole nano-dollars. */
export interface Wish {
  readonly account: string;
  readonly limit: number;
  readonly lock: boolean;
  /** How long it holds a slot. */
  readonly runsMs: number;
  /** How long it waits, unless it is a lock. */
  readonly patienceMs: number;
  /** Left out of what the floor measures: an attacker's. */
  readonly unmeasured?: boolean;
}

/** What became of the orders of a stretch of time. Prices are whole nano-dollars, times milliseconds. */
export interface Measures {
  arrived: number;
  started: number;
  waitedMs: number;
  /** Locks whose limit was above the quote, resolved. */
  locksStarted: number;
  locksMissed: number;
  /** All locks that started, those with low limits included, and what they paid together, price times slot time. */
  locksServed: number;
  lockPrices: number;
  /** Price times slot time in USD and hours. */
  revenue: number;
  /** What unmeasured orders paid. */
  attackCost: number;
  busySlotMs: number;
  levelArea: number;
  quoteArea: number;
  elapsedMs: number;
}

/** A moment of the picture. */
export interface Sample {
  readonly atMs: number;
  readonly level: number;
  readonly quote: number;
}

/** What a floor is opened with. */
export interface FloorOptions {
  readonly seed: number;
  readonly slots: number;
  readonly listing?: Partial<Listing>;
  /** Gets a record of everything that goes into the exchange. */
  readonly record?: (line: string) => void;
}

interface Live {
  readonly wish: Wish;
  readonly bid: number;
  readonly atMs: number;
  readonly counts: boolean;
  running: boolean;
}

const START_MS = Date.UTC(2026, 0, 1);
const LOCK_MS = 10_000;
const HOUR_MS = 3_600_000;

/** One simulated market. */
export class TradingFloor {
  readonly agenda = new Agenda(START_MS);
  readonly random: Random;
  readonly samples: Sample[] = [];
  measures: Measures = nothingMeasured();
  level = 0;
  quote = 0;
  readonly listing: Listing;
  readonly #exchange: Pick<Exchange, 'handle' | 'tick' | 'turnWindows'>;
  #markUp: MarkUp | null = null;
  readonly #live = new Map<string, Live>();
  #orders = 0;
  #running = 0;
  #countedToMs = START_MS;

  constructor({ seed, slots, listing = {}, record }: FloorOptions) {
    this.random = seededRandom(seed);
    this.listing = marketListing({ id: 'sim', ceiling: 100e9, ...listing });
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

  /** What a pod can run from now on; 0 slots is a pod that is down. */
  pod(pod: string, slots: number): void {
    this.#say({ type: 'capacity', model: this.listing.id, pod, slots, healthy: slots > 0 });
  }

  /** Sends an order, and gives its id. */
  send(wish: Wish): string {
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
    });
    return order;
  }

  /** Takes an order back; one that runs or has ended is left alone. */
  cancel(order: string): void {
    if (this.#live.get(order)?.running !== false) return;
    this.#live.delete(order);
    this.#say({ type: 'withdraw', model: this.listing.id, order, expired: false });
  }

  reprice(order: string, bid: number): void {
    if (this.#live.get(order)?.running === false) this.#say({ type: 'reprice', model: this.listing.id, order, bid });
  }

  /** An account's waiting orders leave the book for want of money, until it has some again. */
  park(account: string, isPoor: boolean): void {
    this.#say({ type: isPoor ? 'park' : 'unpark', account });
  }

  /** Lets time pass, and measures it. */
  run(ms: number): void {
    this.agenda.runUntil(this.nowMs + ms);
    this.#count();
  }

  /** From now on locks bid this instead of the quote that is read from the book; for comparing. */
  quoteBy(markUp: MarkUp): void {
    this.#markUp = markUp;
  }

  /** Forgets what was measured so far. */
  measureAfresh(): void {
    this.#count();
    this.measures = nothingMeasured();
  }

  /** What a lock may bid now: the quote, or what stands in for it. */
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

  #admitted({ order, attempt, pod, level }: Admit): void {
    const live = this.#live.get(order);
    if (!live) throw new Error(`${order} was given a slot after it had gone`);
    live.running = true;
    this.#running++;
    const { wish, bid } = live;
    const paid = Math.min(level, bid);
    if (bid > wish.limit) throw new Error(`${order} was made to bid above its limit`);
    const cost = (paid / 1e9) * (wish.runsMs / HOUR_MS);
    if (wish.unmeasured) this.measures.attackCost += cost;
    else this.#started(live, paid, cost);
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

function nothingMeasured(): Measures {
  const orders = {
    arrived: 0,
    started: 0,
    waitedMs: 0,
    locksStarted: 0,
    locksMissed: 0,
    locksServed: 0,
    lockPrices: 0,
  };
  return { ...orders, revenue: 0, attackCost: 0, busySlotMs: 0, levelArea: 0, quoteArea: 0, elapsedMs: 0 };
}

/** Several stretches of time as one. */
export function sumOf(parts: readonly Measures[]): Measures {
  const sum = nothingMeasured();
  for (const part of parts) for (const name of Object.keys(sum) as (keyof Measures)[]) sum[name] += part[name];
  return sum;
}

/** The figures that people ask for. USD and seconds; NaN of nothing. */
export function figuresOf(measures: Measures, slots: number) {
  const { elapsedMs, locksStarted, locksMissed } = measures;
  return {
    occupancy: measures.busySlotMs / (elapsedMs * slots),
    level: measures.levelArea / elapsedMs / 1e9,
    quote: measures.quoteArea / elapsedMs / 1e9,
    clearRate: locksStarted / (locksStarted + locksMissed),
    locksStarted,
    locksServed: measures.locksServed,
    lockPrice: measures.lockPrices / measures.locksServed / 1e9,
    waitS: measures.waitedMs / measures.started / 1000,
    revenuePerHour: (measures.revenue * HOUR_MS) / elapsedMs,
    attackCostPerHour: (measures.attackCost * HOUR_MS) / elapsedMs,
  };
}

export type Figures = ReturnType<typeof figuresOf>;
