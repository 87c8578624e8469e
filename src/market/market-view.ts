/**
 * What anyone in this process may know of the markets, read from the level events as they pass. It only remembers;
 * it never computes a level.
 */
import type { Listing } from './listing.ts';
import type { LevelMoved, LevelRow, MarketSnapshot, MarketView } from './ports.ts';

/** The newest snapshot of every market and preview. Feed it each `level` event. */
export class LevelBoard implements MarketView {
  readonly #markets = new Map<string, MarketSnapshot>();

  /** Until the exchange has spoken a market stands at its last recorded level, or its floor, and is degraded. */
  constructor(listings: readonly Listing[], recovered: readonly LevelRow[], nowMs: number) {
    const rows = new Map(recovered.map((row) => [row.model, row]));
    for (const listing of listings) {
      if (listing.type === 'fixed') continue;
      const row = rows.get(listing.id);
      this.#markets.set(listing.id, {
        model: listing.id,
        level: row?.level ?? listing.floor,
        levelSeq: row?.levelSeq ?? 0,
        mode: listing.preview ? 'preview' : 'clearing',
        degraded: !listing.preview,
        updatedAtMs: row?.atMs ?? nowMs,
        preview: listing.preview,
      });
    }
  }

  current(model: string): MarketSnapshot | null {
    return this.#markets.get(model) ?? null;
  }

  /** Takes a level event; one that is not newer than what is known changes nothing. */
  apply({ model, level, levelSeq, degraded, atMs }: LevelMoved): void {
    const known = this.#markets.get(model);
    if (!known || known.levelSeq >= levelSeq) return;
    this.#markets.set(model, { ...known, level, levelSeq, degraded, updatedAtMs: atMs });
  }
}
