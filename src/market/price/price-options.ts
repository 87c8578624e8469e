/** What the prices of one market are built from. */
import type { Random } from '#base/random.ts';
import type { MarketTerms } from '../listing.ts';
import type { LevelRow, RecoveredQuote } from '../ports.ts';
import type { QuoteSettings } from './quote.ts';

/** What the prices of one market start from. */
export interface PriceOptions {
  readonly listing: MarketTerms;
  readonly levelTimeConstantMs: number;
  readonly quotes: QuoteSettings;
  /** Draws the instants of quote readings. */
  readonly random: Random;
  /** The newest level row from before a restart; null for a market that never traded, which starts at its floor. */
  readonly recovered: LevelRow | null;
  /** The newest quote from before a restart; null for none. */
  readonly recoveredQuote: RecoveredQuote | null;
  readonly nowMs: number;
}
