/**
 * The quote of one market: the price at which a lock can expect to start within its window. It is read from the book;
 * it is not a mark-up on the level. It is the lowest price at which the orders ahead, and those expected to arrive and
 * bid more, leave room for one more order before the window ends, with an allowance for chance. It must be notified of
 * every order that arrives, starts or expires, and `count` must be called before any other change. docs/decisions/0022.
 */
import type { PriceNano } from '#base/money.ts';
import type { Random } from '#base/random.ts';
import { ArrivalRates, type ArrivalState } from './arrival-rates.ts';
import { Calibration, type CalibrationState } from './calibration.ts';
import { ClearRate } from './clear-rate.ts';
import type { Pace } from './clearing.ts';
import type { MarketOrder } from './market-order.ts';
import type { LockMinute, Rest } from './ports.ts';
import { QuoteWindows, type Reading, type StandingQuote } from './quote-windows.ts';
import { reliableCapacity } from './reliable-capacity.ts';

/** The parameters of the quotes of every market. */
export interface QuoteSettings {
  readonly intervalMs: number;
  /** The share of locks that should start within the window. */
  readonly targetStartRate: number;
  /** The time a lock has to start, from its submission. */
  readonly executeWindowMs: number;
}

/** The state of a quote that a restart continues from. */
export interface QuoteState {
  readonly calibration: CalibrationState;
  readonly arrivals: ArrivalState;
  /** Measured by the clearing. */
  readonly pace: Pace;
}

/** What a quote needs, and what it reads of its market. */
export interface QuoteOptions {
  readonly settings: QuoteSettings;
  readonly floor: PriceNano;
  readonly ceiling: PriceNano;
  readonly random: Random;
  readonly market: {
    /** The number of orders at this price or better. */
    ahead(price: PriceNano): number;
    /** The highest resting bid; null when nothing rests. */
    best(): PriceNano | null;
    freeSlots(): number;
    /** Starts per second, each counted as the part of a slot it claims. */
    claimRate(nowMs: number): number;
    /** Whether no pod is healthy. */
    frozen(): boolean;
  };
  /** A window began. */
  readonly latched: (quote: StandingQuote) => void;
  readonly recovered: { readonly state: QuoteState | null; readonly lockMinutes: readonly LockMinute[] };
}

/** With less room than this in a window, nothing can be promised to a single order. */
const ROOM_MIN = 1;
/** A lock can expire without running, so it weighs less than an order that stays. */
const LOCK_WEIGHT = 0.5;

/** Quote, calibration and clear rate of one market. */
export class Quote {
  readonly #options: QuoteOptions;
  readonly #arrivals: ArrivalRates;
  readonly #calibration: Calibration;
  readonly #clearRate: ClearRate;
  readonly #windows: QuoteWindows;

  /** `price` stands until the first window ends. */
  constructor(options: QuoteOptions, price: PriceNano, nowMs: number) {
    this.#options = options;
    const { state, lockMinutes } = options.recovered;
    const { intervalMs, targetStartRate } = options.settings;
    this.#arrivals = new ArrivalRates(nowMs, state?.arrivals);
    this.#calibration = new Calibration(targetStartRate, state?.calibration);
    this.#clearRate = new ClearRate(lockMinutes);
    const { floor, ceiling, random } = options;
    const read = (atMs: number) => this.#read(atMs);
    this.#windows = new QuoteWindows(
      { intervalMs, floor, ceiling, random, read, latched: (quote) => this.#windowEnded(quote) },
      price,
      nowMs,
    );
  }

  get standing(): StandingQuote {
    return this.#windows.standing;
  }

  /** Takes the readings that are due and latches the quotes of windows that ended. */
  count(nowMs: number): void {
    this.#windows.count(nowMs);
  }

  /** From 0 to 1; null with too few locks. */
  clearRate(nowMs: number): number | null {
    return this.#clearRate.rate(nowMs);
  }

  /** The minutes of lock outcomes that changed since the last call. */
  takeChangedMinutes(): LockMinute[] {
    return this.#clearRate.takeChanged();
  }

  /** An order rests. `isNew` is false when it rests again, after a requeue or a restart. */
  arrives(order: MarketOrder, { lockLimit, bid, attempt }: Rest, { isNew, nowMs }: { isNew: boolean; nowMs: number }) {
    if (order.house) return;
    if (isNew) this.#countArrival(order, lockLimit ?? bid, lockLimit === null ? 1 : LOCK_WEIGHT, nowMs);
    // A lock bids the lower of quote and limit, so a limit above the bid was above the quote.
    if (lockLimit === null || lockLimit <= bid || attempt > 1) return;
    order.lock = { calibrates: isNew && this.#windows.standing.calibrated, startedAtMs: null };
  }

  /** A repriced order counts as an arrival at its new price and no longer at its old one. */
  repriced(order: MarketOrder, nowMs: number): void {
    if (order.house) return;
    this.leaves(order);
    this.#countArrival(order, order.price, 1, nowMs);
  }

  /**
   * An order left before it ran, or waits for money. It claimed nothing and counts as if it had never arrived.
   * Otherwise bids shown for a moment, or bids that nobody could pay, would raise the quote at no cost.
   */
  leaves(order: MarketOrder): void {
    this.ends(order, 0);
  }

  /**
   * An order gave its slot back after claiming this part of it, 0 to 1. Its arrival counts as that part from now on,
   * and for good: it is not counted again if the order rests again with money.
   */
  ends(order: MarketOrder, claimed: number): void {
    const { arrival } = order;
    if (arrival && claimed < 1) this.#arrivals.takeBack(arrival.price, (1 - claimed) * arrival.weight, arrival.atMs);
    order.arrival = null;
  }

  /** An order was given a slot. */
  starts({ lock }: MarketOrder, nowMs: number): void {
    if (!lock) return;
    lock.startedAtMs = nowMs;
    this.#clearRate.started(nowMs);
    if (lock.calibrates) this.#calibration.resolve(false);
  }

  /** An order that was given a slot did not start after all; it no longer counts as a lock. */
  refused(order: MarketOrder): void {
    const { lock } = order;
    if (!lock || lock.startedAtMs === null) return;
    this.#clearRate.takeBack(lock.startedAtMs);
    if (lock.calibrates) this.#calibration.takeBack();
    order.lock = null;
  }

  /** An order ran out of time in the book. */
  expires({ lock }: MarketOrder, nowMs: number): void {
    if (!lock) return;
    this.#clearRate.missed(nowMs);
    if (lock.calibrates && !this.#options.market.frozen()) this.#calibration.resolve(true);
  }

  /** The state to store for a restart; the pace comes from the clearing. */
  state(pace: Pace): QuoteState {
    return { calibration: this.#calibration.state(), arrivals: this.#arrivals.state(), pace };
  }

  #countArrival(order: MarketOrder, price: PriceNano, weight: number, nowMs: number): void {
    this.#arrivals.add(price, weight, nowMs);
    order.arrival = { price, weight, atMs: nowMs };
  }

  #windowEnded(quote: StandingQuote): void {
    this.#calibration.endWindow(this.#options.market.frozen());
    this.#options.latched(quote);
  }

  #read(atMs: number): Reading | null {
    const { market, settings, ceiling } = this.#options;
    if (market.frozen()) return null;
    const windowS = settings.executeWindowMs / 1000;
    const free = market.freeSlots();
    const starts = windowS * market.claimRate(atMs);
    const room = reliableCapacity(free + starts * Math.exp(-this.#calibration.correction), settings.targetStartRate);
    const fits = (price: PriceNano) =>
      market.ahead(price) + windowS * this.#arrivals.perSecondAbove(price, atMs) <= room;
    if (free + starts >= ROOM_MIN && fits(ceiling)) return { price: lowest(fits, ceiling), calibrated: true };
    const best = market.best();
    return { price: best === null ? 0 : best + 1, calibrated: false };
  }
}

/** The lowest whole price from 0 that fits. `high` must fit, and so must every price above one that fits. */
function lowest(fits: (price: PriceNano) => boolean, high: PriceNano): PriceNano {
  let low = 0;
  let fitting = high;
  while (low < fitting) {
    const middle = low + Math.floor((fitting - low) / 2);
    if (fits(middle)) fitting = middle;
    else low = middle + 1;
  }
  return fitting;
}
