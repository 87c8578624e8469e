/**
 * The quote of one market: the price at which a lock can count on starting within its window. It is read from the book
 * and not from a mark-up on the level: the lowest price at which those who are ahead, and those who will come and bid
 * more, leave room for one more order before the window ends, with chance allowed for. Tell it of every order that
 * arrives, starts or expires; before anything else changes, let it `count`. docs/decisions/0022.
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
import { sureClaims } from './sure-claims.ts';

/** How the quotes of every market are latched. */
export interface QuoteSettings {
  readonly intervalMs: number;
  /** The share of locks that should start within the window. */
  readonly targetStartRate: number;
  /** How long a lock has to start, from its own submission. */
  readonly executeWindowMs: number;
}

/** What a restart gives back to the quote of a market. */
export interface QuoteState {
  readonly calibration: CalibrationState;
  readonly arrivals: ArrivalState;
  /** Kept by the clearing. */
  readonly pace: Pace;
}

/** What the quote reads of its market. */
export interface QuoteParts {
  readonly settings: QuoteSettings;
  readonly floor: PriceNano;
  readonly ceiling: PriceNano;
  readonly random: Random;
  readonly market: {
    /** Orders resting at this price or better. */
    ahead(price: PriceNano): number;
    /** The highest resting bid; null when nothing rests. */
    best(): PriceNano | null;
    freeSlots(): number;
    /** Starts per second, by how much of a slot each claims. */
    claimRate(nowMs: number): number;
    /** Whether no pod is healthy. */
    frozen(): boolean;
  };
  /** A window began. */
  readonly latched: (quote: StandingQuote) => void;
  readonly recovered: { readonly state: QuoteState | null; readonly lockMinutes: readonly LockMinute[] };
}

/** With less room than this in a window, there is nothing to promise a single order. */
const ROOM_MIN = 1;
/** A lock may expire unserved, so it weighs less than an order that stays. */
const LOCK_WEIGHT = 0.5;

/** Quote, calibration and clear rate of one market. */
export class Quote {
  readonly #parts: QuoteParts;
  readonly #arrivals: ArrivalRates;
  readonly #calibration: Calibration;
  readonly #clearRate: ClearRate;
  readonly #windows: QuoteWindows;

  /** `price` stands until the first window ends. */
  constructor(parts: QuoteParts, price: PriceNano, nowMs: number) {
    this.#parts = parts;
    const { state, lockMinutes } = parts.recovered;
    const { intervalMs, targetStartRate } = parts.settings;
    this.#arrivals = new ArrivalRates(nowMs, state?.arrivals);
    this.#calibration = new Calibration(targetStartRate, state?.calibration);
    this.#clearRate = new ClearRate(lockMinutes);
    const { floor, ceiling, random } = parts;
    const read = (atMs: number) => this.#read(atMs);
    this.#windows = new QuoteWindows(
      { intervalMs, floor, ceiling, random, read, latched: (quote) => this.#turned(quote) },
      price,
      nowMs,
    );
  }

  get standing(): StandingQuote {
    return this.#windows.standing;
  }

  /** Takes the readings that fell due and turns the windows that ended. */
  count(nowMs: number): void {
    this.#windows.count(nowMs);
  }

  /** 0 to 1; null with too few locks. */
  clearRate(nowMs: number): number | null {
    return this.#clearRate.rate(nowMs);
  }

  /** The minutes of lock outcomes that changed since the last call. */
  takeChangedMinutes(): LockMinute[] {
    return this.#clearRate.takeChanged();
  }

  /** An order rests here for the first time, requeues and restarts aside for which `isNew` is false. */
  arrives(order: MarketOrder, { lockLimit, bid, attempt }: Rest, { isNew, nowMs }: { isNew: boolean; nowMs: number }) {
    if (order.house) return;
    if (isNew) this.#came(order, lockLimit ?? bid, lockLimit === null ? 1 : LOCK_WEIGHT, nowMs);
    // The bid of a lock is the lower of quote and limit, so a limit above the bid was above the quote.
    if (lockLimit === null || lockLimit <= bid || attempt > 1) return;
    order.lock = { learns: isNew && this.#windows.standing.calibrated, startedAtMs: null };
  }

  /** An order bids anew: it came at its new price and not at its old one. */
  repriced(order: MarketOrder, nowMs: number): void {
    if (order.house) return;
    this.goes(order);
    this.#came(order, order.price, 1, nowMs);
  }

  /**
   * An order was taken back before it ran, or waits for money. It has claimed nothing, and counts as if it had not come:
   * else the quote could be driven up for nothing, by bids that are shown for a moment or that nobody could pay.
   */
  goes(order: MarketOrder): void {
    this.ends(order, 0);
  }

  /**
   * An order gave its slot back. It has claimed only this part of one, 0 to 1, and counts as no more among the arrivals:
   * once and for all, also where it rests again with money.
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
    if (lock.learns) this.#calibration.resolve(false);
  }

  /** The order that was given a slot had not started after all; it counts as no lock from now on. */
  unstarted(order: MarketOrder): void {
    const { lock } = order;
    if (!lock || lock.startedAtMs === null) return;
    this.#clearRate.takeBack(lock.startedAtMs);
    if (lock.learns) this.#calibration.takeBack();
    order.lock = null;
  }

  /** An order ran out of time in the book. */
  expires({ lock }: MarketOrder, nowMs: number): void {
    if (!lock) return;
    this.#clearRate.missed(nowMs);
    if (lock.learns && !this.#parts.market.frozen()) this.#calibration.resolve(true);
  }

  /** What a restart goes on from; the pace is the clearing's. */
  state(pace: Pace): QuoteState {
    return { calibration: this.#calibration.state(), arrivals: this.#arrivals.state(), pace };
  }

  #came(order: MarketOrder, price: PriceNano, weight: number, nowMs: number): void {
    this.#arrivals.add(price, weight, nowMs);
    order.arrival = { price, weight, atMs: nowMs };
  }

  #turned(quote: StandingQuote): void {
    this.#calibration.endWindow(this.#parts.market.frozen());
    this.#parts.latched(quote);
  }

  #read(atMs: number): Reading | null {
    const { market, settings, ceiling } = this.#parts;
    if (market.frozen()) return null;
    const windowS = settings.executeWindowMs / 1000;
    const free = market.freeSlots();
    const starts = windowS * market.claimRate(atMs);
    const room = sureClaims(free + starts * Math.exp(-this.#calibration.correction), settings.targetStartRate);
    const fits = (price: PriceNano) =>
      market.ahead(price) + windowS * this.#arrivals.perSecondAbove(price, atMs) <= room;
    if (free + starts >= ROOM_MIN && fits(ceiling)) return { price: lowest(fits, ceiling), calibrated: true };
    const best = market.best();
    return { price: best === null ? 0 : best + 1, calibrated: false };
  }
}

/** The lowest whole price from 0 that fits, where every price above one that fits does too, as `high` does. */
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
