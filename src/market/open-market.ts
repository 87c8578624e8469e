/** The message that opens a market while the exchange runs. Only the process of the exchange sends it, and it is recorded. */
import type { MarketTerms } from './listing.ts';
import type { Command, LevelRow, RecoveredQuote } from './ports.ts';

/** Opens the market of a listing that is new. It emits its first level and quote. Nothing changes for one that is there. */
export interface OpenMarket {
  readonly type: 'open';
  readonly model: string;
  readonly listing: MarketTerms;
  /** As of `ExchangeOptions`, of this model: it may have been sold before. */
  readonly recovered: LevelRow | null;
  readonly recoveredQuote: RecoveredQuote | null;
}

/** Everything that an exchange is told. */
export type AnyCommand = Command | OpenMarket;
