/**
 * A preview: a simulated level, published like that of a market, and a quote latched from it in the same windows. It
 * takes no orders and is never degraded. Spec 1.10, 4.9.
 */
import type { PriceNano } from '#base/money.ts';
import { hashOf, normal, type Random, seededRandom } from '#base/random.ts';
import type { PriceBounds } from '../listing.ts';
import type { Capacity, ExchangeEvent } from '../ports.ts';
import { QuoteWindows, type StandingQuote } from '../price/quote-windows.ts';
import type { MarketOptions } from './market.ts';

/** The state of a former preview. */
interface PreviewPast extends Required<Pick<MarketOptions, 'recovered' | 'recoveredQuote' | 'eventSeqFrom'>> {
  readonly capacities: readonly Capacity[];
}

/** The level and quote of one listing in preview. */
export class PreviewMarket {
  readonly #model: string;
  readonly #emit: (event: ExchangeEvent) => void;
  readonly #walk: PreviewWalk;
  readonly #windows: QuoteWindows;
  #levelSeq: number;
  #quoteSeq: number;
  #eventSeq: number;
  /** Kept for the market that it becomes. */
  readonly #capacities = new Map<string, Capacity>();

  /** Emits its first level and quote at once. */
  constructor({ listing, recovered, recoveredQuote, quotes, random, emit, nowMs, eventSeqFrom = 0 }: MarketOptions) {
    this.#eventSeq = eventSeqFrom;
    this.#model = listing.id;
    this.#emit = emit;
    this.#levelSeq = recovered?.levelSeq ?? 0;
    this.#quoteSeq = recoveredQuote?.quoteSeq ?? 0;
    // The seed depends on the level number, so that a restart continues the walk instead of repeating its steps.
    const steps = seededRandom(hashOf(listing.id) + this.#levelSeq);
    this.#walk = new PreviewWalk(listing, recovered?.level ?? null, steps, nowMs);
    const read = () => ({ price: this.#walk.level, calibrated: false });
    this.#windows = new QuoteWindows(
      {
        intervalMs: quotes.intervalMs,
        bounds: listing,
        random,
        read,
        latched: (quote) => this.#publishQuote(quote),
      },
      recoveredQuote?.price ?? this.#walk.level,
      nowMs,
    );
    this.#publishLevel(nowMs);
    this.#publishQuote(this.#windows.standing);
  }

  /** Its pods have these slots, which count when it opens. */
  capacity(capacity: Capacity): void {
    this.#capacities.set(capacity.pod, capacity);
  }

  /** The state from which its successor continues: a market, or a preview with other terms. */
  past(atMs: number): PreviewPast {
    const [model, { level }] = [this.#model, this.#walk];
    const { price } = this.#windows.standing;
    return {
      recovered: { model, level, levelSeq: this.#levelSeq, atMs },
      recoveredQuote: { model, quoteSeq: this.#quoteSeq, price, state: null, lockMinutes: [] },
      eventSeqFrom: this.#eventSeq,
      capacities: [...this.#capacities.values()],
    };
  }

  /** Latches the quote if its window ended. */
  count(nowMs: number): void {
    this.#windows.count(nowMs);
  }

  tick(nowMs: number): void {
    this.count(nowMs);
    if (this.#walk.tick(nowMs)) this.#publishLevel(nowMs);
  }

  #publishLevel(atMs: number): void {
    const [level, levelSeq] = [this.#walk.level, ++this.#levelSeq];
    this.#emit({ type: 'level', model: this.#model, seq: ++this.#eventSeq, level, levelSeq, degraded: false, atMs });
  }

  #publishQuote({ price, previousPrice, atMs, untilMs }: StandingQuote): void {
    const [model, seq, quoteSeq] = [this.#model, ++this.#eventSeq, ++this.#quoteSeq];
    const nothing = { clearRate: null, scarceClearRate: null, attainable: null, state: null };
    this.#emit({ type: 'quote', model, seq, quoteSeq, price, previousPrice, atMs, untilMs, ...nothing });
  }
}

/** The time constant of the reversion to the mean, and the long-run standard deviation in log price. */
const REVERSION_MS = 3_600_000;
const SPREAD = 0.35;
/** A floor of 0 has no logarithm, so the walk then ends at this part of the ceiling. */
const LOWEST_OF_CEILING = 1 / 1000;

/**
 * A simulated level between floor and ceiling, in whole nano-dollars: a mean-reverting walk in log price (an exactly
 * stepped Ornstein-Uhlenbeck process), drawn from a seed, so that it can be replayed.
 */
export class PreviewWalk {
  readonly #bounds: PriceBounds;
  readonly #random: Random;
  readonly #center: number;
  #log: number;
  #atMs: number;

  /** Starts at `start`; when null, at the center of the walk (the geometric mean of the bounds). */
  constructor(bounds: PriceBounds, start: PriceNano | null, random: Random, nowMs: number) {
    this.#bounds = bounds;
    this.#random = random;
    const lowest = Math.max(1, bounds.floor, bounds.ceiling * LOWEST_OF_CEILING);
    this.#center = Math.log(Math.sqrt(lowest * Math.max(1, bounds.ceiling)));
    this.#log = start === null ? this.#center : Math.log(Math.max(lowest, start));
    this.#atMs = nowMs;
  }

  get level(): PriceNano {
    return Math.min(this.#bounds.ceiling, Math.max(this.#bounds.floor, Math.round(Math.exp(this.#log))));
  }

  /** Moves the walk to now. Returns whether the level changed. */
  tick(nowMs: number): boolean {
    const before = this.level;
    const kept = Math.exp(-Math.max(0, nowMs - this.#atMs) / REVERSION_MS);
    this.#atMs = nowMs;
    const noise = SPREAD * Math.sqrt(1 - kept * kept) * normal(this.#random);
    this.#log = this.#center + (this.#log - this.#center) * kept + noise;
    return this.level !== before;
  }
}
