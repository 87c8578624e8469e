/**
 * The current state of the markets as this process knows it from the events. It only stores; it never computes a level
 * or a quote.
 */
import { type Clock, waitAtMost } from '#base/clock.ts';
import { type Listing, lowestLevel } from '../listing.ts';
import type { LevelMoved, LevelRow, MarketSnapshot, MarketView, QuoteLatched, QuoteSnapshot } from '../ports.ts';

/** How long a start, or a listing that is new, waits for the owners of markets: as long as a caller does. */
const QUOTED_MS_MAX = 10_000;

/** The newest snapshot of every market and preview. Give it each `level` event, and each `quote` once recorded. */
export class LevelBoard implements MarketView {
  readonly #markets = new Map<string, MarketSnapshot>();

  readonly #quotes = new Map<string, QuoteSnapshot>();
  /** The markets whose first quote is awaited. */
  readonly #first = new Map<string, PromiseWithResolvers<void>>();

  /** Before the first event of a market, its last recorded level or its lowest is shown, and it is degraded. */
  constructor(listings: readonly Listing[], recovered: readonly LevelRow[], nowMs: number) {
    const rows = new Map(recovered.map((row) => [row.model, row]));
    for (const listing of listings) this.add(listing, rows.get(listing.id) ?? null, nowMs);
  }

  /** Shows a listing that is new, as the constructor does; nothing changes for one that is shown. */
  add(listing: Listing, row: LevelRow | null, nowMs: number): void {
    if (listing.type === 'fixed' || this.#markets.has(listing.id)) return;
    this.#markets.set(listing.id, {
      model: listing.id,
      level: Math.max(row?.level ?? 0, lowestLevel(listing)),
      levelSeq: row?.levelSeq ?? 0,
      mode: listing.preview ? 'preview' : 'clearing',
      degraded: !listing.preview,
      updatedAtMs: row?.atMs ?? nowMs,
      preview: listing.preview,
    });
  }

  /** A listing may no longer be a preview: it is degraded until its market says otherwise. */
  renew({ id, preview }: Listing): void {
    const known = this.#markets.get(id);
    const quote = this.#quotes.get(id);
    if (!known || known.preview === preview) return;
    this.#markets.set(id, { ...known, mode: preview ? 'preview' : 'clearing', degraded: !preview, preview });
    if (quote) this.#quotes.set(id, { ...quote, preview });
  }

  current(model: string): MarketSnapshot | null {
    return this.#markets.get(model) ?? null;
  }

  /**
   * Resolves once each of these markets has a quote, by default all, or after ten seconds: a market whose owner does not
   * answer, or has it as another kind, must not hold up the others.
   */
  async whenQuoted(clock: Clock, models: Iterable<string> = this.#markets.keys()): Promise<void> {
    const missing = [...models].filter((model) => !this.#quotes.has(model));
    const firsts = missing.map((model) => {
      const first = this.#first.get(model) ?? Promise.withResolvers<void>();
      this.#first.set(model, first);
      return first.promise;
    });
    if (firsts.length > 0) await waitAtMost(clock, QUOTED_MS_MAX, Promise.all(firsts));
  }

  quote(model: string): QuoteSnapshot | null {
    return this.#quotes.get(model) ?? null;
  }

  /** Applies a level event; an event that is not newer than the known level changes nothing. */
  apply({ model, level, levelSeq, degraded, atMs }: LevelMoved): void {
    const known = this.#markets.get(model);
    if (!known || known.levelSeq >= levelSeq) return;
    this.#markets.set(model, { ...known, level, levelSeq, degraded, updatedAtMs: atMs });
  }

  /** Applies a committed quote; a quote that is not newer than the known one changes nothing. */
  applyQuote({ model, price, previousPrice, untilMs, quoteSeq, ...latched }: QuoteLatched): void {
    const market = this.#markets.get(model);
    if (!market || (this.#quotes.get(model)?.quoteSeq ?? 0) >= quoteSeq) return;
    const { preview } = market;
    const { clearRate, scarceClearRate, attainable } = latched;
    const figures = { clearRate, scarceClearRate, attainable };
    this.#quotes.set(model, { model, price, previousPrice, validUntilMs: untilMs, ...figures, preview, quoteSeq });
    this.#first.get(model)?.resolve();
    this.#first.delete(model);
  }
}
