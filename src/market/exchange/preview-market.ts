/**
 * A preview: a simulated level, published like that of a market, and a quote latched from it in the same windows. It
 * takes no orders and is never degraded. Spec 1.10, 4.9.
 */
import { hashOf, seededRandom } from '#base/random.ts';
import type { Capacity, ExchangeEvent } from '../ports.ts';
import { QuoteWindows, type StandingQuote } from '../price/quote-windows.ts';
import type { MarketOptions } from './market.ts';
import { PreviewWalk } from './preview.ts';

/** What is left of a preview that is one no more. */
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
  /** For the market that it becomes. */
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

  /** What the market, or the preview with other terms, that takes its place goes on from. */
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
