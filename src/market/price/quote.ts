/**
 * The quote of one market: the price at which a lock can expect to start within its window. It is read from the book;
 * it is not a mark-up on the level. It is the lowest price at which the orders ahead, and those expected to arrive and
 * bid more, leave room for one more order before the window ends, with an allowance for chance. What is expected to come
 * is what started lately and what waited unserved, as far as that counts for the level. It must be notified of every order
 * that comes, starts or expires, and `count` must be called before any other change. docs/decisions/0022, 0035.
 */
import { lowest } from '#base/lowest.ts';
import type { PriceNano } from '#base/money.ts';
import { normalQuantile, type Random } from '#base/random.ts';
import type { HeldTimes } from '../book/held-times.ts';
import { CLAIM_PARTS, type MarketOrder } from '../book/market-order.ts';
import type { PodSlots } from '../book/pod-slots.ts';
import type { PriceBounds } from '../listing.ts';
import type { LockMinute, Rest } from '../ports.ts';
import { ArrivalRates, stepAround } from './arrival-rates.ts';
import { ClearRate } from './clear-rate.ts';
import type { Clearing } from './clearing.ts';
import { type DemandCurve, demandBins } from './demand-curve.ts';
import type { Level } from './level.ts';
import { QuoteWindows, type Reading, type StandingQuote } from './quote-windows.ts';
import type { SlotTurnover } from './slot-turnover.ts';

/** The parameters of the quotes of every market. */
export interface QuoteSettings {
  readonly intervalMs: number;
  /** The share of locks that should start within the window. */
  readonly targetStartRate: number;
  /** The time a lock has to start, from its submission. */
  readonly executeWindowMs: number;
}

/** The state of a quote that a restart continues from: the arrivals are those of the last minute and of the last ten seconds. */
export type QuoteState = ReturnType<Quote['state']>;

/** What a quote needs, and what it reads of its market. */
interface QuoteOptions {
  readonly settings: QuoteSettings;
  readonly bounds: PriceBounds;
  readonly random: Random;
  readonly pods: Pick<PodSlots, 'free'>;
  /** The claims of the waiting orders that stand before others, in `CLAIM_PARTS`. */
  readonly standing: Pick<DemandCurve, 'atOrBetter'>;
  readonly turnover: Pick<SlotTurnover, 'claimsPerSecond'>;
  readonly clearing: Pick<Clearing, 'quoteMax'> & {
    readonly level: Pick<Level, 'frozen'>;
    readonly runs: Pick<HeldTimes, 'weigh'>;
  };
  /** A window began. */
  readonly latched: (quote: StandingQuote) => void;
  readonly recovered: { readonly state: QuoteState | null; readonly lockMinutes: readonly LockMinute[] };
}

/** The time constants over which arrivals are counted. */
const STEADY_MS = 60_000;
const RECENT_MS = 10_000;
/** With less room than this in a window, nothing can be promised to a single order. */
const ROOM_MIN = 1;

/** Quote, calibration and clear rate of one market. */
export class Quote {
  readonly #options: QuoteOptions;
  /** The rates of the last minute and of the last ten seconds: the first varies less, the second follows changes faster. */
  readonly #arrivals: readonly [ArrivalRates, ArrivalRates];
  readonly #calibration: Calibration;
  readonly clearRate: ClearRate;
  readonly #windows: QuoteWindows;
  /** The last price that was read: the next is most often about the same, and is looked for there first. */
  #nearby: PriceNano = 0;

  /** `price` stands until the first window ends. */
  constructor(options: QuoteOptions, price: PriceNano, nowMs: number) {
    this.#options = options;
    const { state, lockMinutes } = options.recovered;
    const { intervalMs, targetStartRate } = options.settings;
    this.#arrivals = [
      new ArrivalRates(STEADY_MS, nowMs, state?.arrivals[0]),
      new ArrivalRates(RECENT_MS, nowMs, state?.arrivals[1]),
    ];
    this.#calibration = new Calibration(targetStartRate, state?.calibration);
    this.clearRate = new ClearRate(lockMinutes);
    const { bounds, random } = options;
    const read = (atMs: number) => this.#readWithin(atMs);
    const latched = (quote: StandingQuote) => {
      const starts = (options.settings.executeWindowMs / 1000) * options.turnover.claimsPerSecond();
      this.#calibration.endWindow(options.clearing.level.frozen, starts);
      options.latched(quote);
    };
    this.#windows = new QuoteWindows({ intervalMs, bounds, random, read, latched }, price, nowMs);
  }

  get standing(): StandingQuote {
    return this.#windows.standing;
  }

  /** Takes the readings that are due and latches the quotes of windows that ended. */
  count(nowMs: number): void {
    this.#windows.count(nowMs);
  }

  /** An order rests. `isNew` is false when it rests again, after a requeue or a restart. */
  rests(
    order: MarketOrder,
    { lockLimit, bid, attempt, waitedForMoney }: Rest,
    { isNew, nowMs }: { isNew: boolean; nowMs: number },
  ): void {
    if (order.house || lockLimit === null) return;
    order.lock = { limit: lockLimit, counted: null };
    // A lock bids the lower of quote and limit, so a limit above the bid was above the quote. One that waited for money
    // may start too late for a reason that says nothing about the market.
    if (lockLimit <= bid || attempt > 1 || waitedForMoney) return;
    const { floor } = this.#options.bounds;
    const { price, calibrated } = this.#windows.standing;
    const weight = this.#options.clearing.runs.weigh(order.account, isNew, nowMs);
    // At the floor nearly every lock starts, whatever the correction; it would unlearn what the next rush needs.
    const calibrates = isNew && calibrated && price > floor;
    order.lock.counted = { weight, scarce: bid > floor, calibrates, startedAtMs: null };
  }

  /**
   * A new order counts as an arrival of this part of a slot from now on, in place of what it counted before: at its bid, or at
   * its limit if it is a lock. It arrived when it first counted, however often its price changes.
   */
  asks(order: MarketOrder, claim: number, nowMs: number): void {
    if (order.arrival === null || (order.arrival === 'expected' && claim === 0)) return;
    const price = Math.max(order.price, order.lock?.limit ?? 0);
    if (order.arrival === 'expected') {
      order.arrival = { atMs: nowMs, price, claim };
      for (const rates of this.#arrivals) rates.add(price, claim, nowMs);
      return;
    }
    const { arrival } = order;
    for (const rates of this.#arrivals) {
      if (price !== arrival.price) rates.adjust(arrival.price, -arrival.claim, arrival.atMs);
      rates.adjust(price, price === arrival.price ? claim - arrival.claim : claim, arrival.atMs);
    }
    [arrival.price, arrival.claim] = [price, claim];
  }

  /** A waiting order bids less than before: its whole count moves to the lower price. */
  lowers(order: MarketOrder, nowMs: number): void {
    if (order.arrival !== null && order.arrival !== 'expected') this.asks(order, order.arrival.claim, nowMs);
  }

  /**
   * An order gave its slot back after claiming this part of it, 0 to 1. It counts as that part from now on, and for good: it
   * is no arrival if it rests again.
   */
  ends(order: MarketOrder, claimed: number, nowMs: number): void {
    this.asks(order, claimed, nowMs);
    order.arrival = null;
  }

  /** An order was given a slot. */
  starts(order: MarketOrder, nowMs: number): void {
    this.asks(order, order.claim / CLAIM_PARTS, nowMs);
    const lock = order.lock?.counted;
    if (!lock) return;
    lock.startedAtMs = nowMs;
    this.clearRate.count('started', nowMs, lock);
    if (lock.calibrates) this.#calibration.resolve(false, lock.weight);
  }

  /** An order that was given a slot did not start after all; it no longer counts as a lock. */
  refused(order: MarketOrder): void {
    const lock = order.lock?.counted;
    if (!order.lock || !lock || lock.startedAtMs === null) return;
    this.clearRate.count('started', lock.startedAtMs, { ...lock, weight: -lock.weight });
    if (lock.calibrates) this.#calibration.resolve(false, -lock.weight);
    order.lock.counted = null;
  }

  /** An order ran out of time in the book. */
  expires(order: MarketOrder, nowMs: number): void {
    const lock = order.lock?.counted;
    if (!lock) return;
    this.clearRate.count('missed', nowMs, lock);
    if (lock.calibrates && !this.#options.clearing.level.frozen) this.#calibration.resolve(true, lock.weight);
  }

  /** The state to store for a restart. */
  state() {
    return {
      calibration: this.#calibration.state(),
      arrivals: [this.#arrivals[0].stored(), this.#arrivals[1].stored()],
    };
  }

  #arrivalsAbove(price: PriceNano, atMs: number): number {
    const [steady, recent] = this.#arrivals;
    return Math.max(steady.perSecondAbove(price, atMs), recent.perSecondAbove(price, atMs));
  }

  /** A price that nobody paid lately is not quoted, and teaches nothing. */
  #readWithin(atMs: number): Reading | null {
    const reading = this.#read(atMs);
    if (reading) this.#nearby = reading.price;
    const most = this.#options.clearing.quoteMax(atMs);
    return reading && reading.price > most ? { price: Math.round(most), calibrated: false } : reading;
  }

  #read(atMs: number): Reading | null {
    const { settings, bounds, pods, standing, turnover, clearing } = this.#options;
    if (clearing.level.frozen) return null;
    const windowS = settings.executeWindowMs / 1000;
    const { free } = pods;
    const starts = windowS * turnover.claimsPerSecond();
    const ahead = (price: PriceNano) => standing.atOrBetter(price) / CLAIM_PARTS;
    const expected = free + starts * Math.exp(-this.#calibration.correction);
    const reliable = reliableCapacity(expected, settings.targetStartRate);
    const fitting = (room: number) => {
      const fits = (price: PriceNano) => ahead(price) + windowS * this.#arrivalsAbove(price, atMs) <= room;
      return fits(bounds.ceiling) ? lowestPrice(bounds.ceiling, fits, this.#nearby) : null;
    };
    if (free + starts >= ROOM_MIN) {
      const price = fitting(reliable);
      if (price !== null) return { price, calibrated: true };
      const likely = fitting(Math.max(ROOM_MIN, reliable));
      if (likely !== null) return { price: likely, calibrated: false };
    }
    return { price: lowestPrice(bounds.ceiling, (price) => ahead(price) === 0, this.#nearby), calibrated: false };
  }
}

/**
 * The lowest price that holds, as `lowest` finds it; `high` when none below it does. Asks fewer prices: the orders ahead change
 * where a bin of the demand begins, and the arrivals where one of their steps ends. Fewest if the price is about `near`.
 */
export function lowestPrice(high: PriceNano, holds: (price: PriceNano) => boolean, near: PriceNano): PriceNano {
  const bin = lowest(demandBins.of(high) + 1, (each) => holds(demandBins.lowestOf(each)), demandBins.of(near));
  let price = Math.min(high, demandBins.lowestOf(bin));
  const end = stepAround(demandBins.lowestOf(Math.max(0, bin - 1)))[1] - 1;
  if (end < price && holds(end)) price = end;
  // Beyond some thousand dollars the bounds of bins are off by a nano-dollar or two.
  return price > 0 && holds(price - 1) ? lowest(price, holds) : price;
}

const GAIN = 0.4;
/** The largest step in one window. After a quiet period the moving average lags far behind the locks resolved now. */
const STEP_MAX = 0.4;
const CORRECTION_MIN = -0.5;
const CORRECTION_MAX = 2.5;
/** The gain falls with the root of the starts of a window, from the square of this many on. */
const STEADY_STARTS = 2;
/** A window in which few locks were resolved is weighted as if there had been this many. */
const RESOLVED_MIN = 20;
/** The weight of the newest window in the moving average. */
const NEWEST_WEIGHT = 0.1;

/**
 * The correction m, which keeps the share of locks that start in time at its target: the quote counts on e^(−m) times the
 * starts that the measured pace predicts. The model's error shows in locks that miss their window. Unbounded corrections
 * per order diverged in simulation, so step and correction are bounded.
 */
export class Calibration {
  readonly #targetStartRate: number;
  #correction: number;
  #resolvedMean: number;
  #resolved = 0;
  #misses = 0;

  constructor(targetStartRate: number, recovered: ReturnType<Calibration['state']> | null = null) {
    this.#targetStartRate = targetStartRate;
    this.#correction = within(recovered?.correction ?? 0);
    this.#resolvedMean = recovered?.resolvedMean ?? 0;
  }

  get correction(): number {
    return this.#correction;
  }

  /**
   * A lock that counts this much, 0 to 1, started or missed its window. A negative weight takes back one that was counted
   * as started and did not start after all.
   */
  resolve(missed: boolean, weight = 1): void {
    this.#resolved = Math.max(0, this.#resolved + weight);
    if (missed) this.#misses += weight;
  }

  /** Ends a window in which about this many orders could start. While `frozen` its outcomes are discarded, because nothing could start. */
  endWindow(frozen: boolean, starts: number): void {
    if (!frozen) {
      this.#resolvedMean += NEWEST_WEIGHT * (this.#resolved - this.#resolvedMean);
      const excess = this.#misses - (1 - this.#targetStartRate) * this.#resolved;
      // Where many orders start in a window, a fixed gain answers chance with a sawtooth.
      const gain = GAIN * Math.min(1, STEADY_STARTS / Math.sqrt(starts));
      const step = (gain * excess) / Math.max(RESOLVED_MIN, this.#resolvedMean);
      this.#correction = within(this.#correction + Math.min(STEP_MAX, step));
    }
    this.#resolved = 0;
    this.#misses = 0;
  }

  /** The state to store for a restart. */
  state() {
    return { correction: this.#correction, resolvedMean: this.#resolvedMean };
  }
}

function within(correction: number): number {
  return Math.min(CORRECTION_MAX, Math.max(CORRECTION_MIN, correction));
}

/**
 * The number of independent variances, each equal to the number of claims: of orders that arrive and of orders that are
 * served, both between reading a price and the order that relies on it, and in the window of that order.
 */
const VARIANCES = 4;

/**
 * How many claims on slots can be promised for a number of expected starts. Both are random: if as many were promised as
 * starts are expected, half of the promises would fail. A large market keeps back a few per cent; one with eight slots most
 * of the starts of a window. It is the largest k with k + z × √(4k) ≤ `starts`, where z is the normal quantile of `promised`. It is between 0 and
 * `starts`. `promised` is the share of promises to keep, from 0.5, which keeps nothing back, to below 1.
 */
export function reliableCapacity(starts: number, promised: number): number {
  const half = (normalQuantile(promised) * Math.sqrt(VARIANCES)) / 2;
  return (Math.sqrt(starts + half * half) - half) ** 2;
}
