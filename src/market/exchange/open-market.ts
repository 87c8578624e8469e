/** The messages that open a market while the exchange runs, and change its terms. Only the process of the exchange sends them, and they are recorded. */
import type { MarketTerms } from '../listing.ts';
import type { Command, ExchangeEvent, LevelRow, RecoveredQuote } from '../ports.ts';

/** Opens the market of a listing that is new. It emits its first level and quote. Nothing changes for one that is there. */
export interface OpenMarket {
  readonly type: 'open';
  readonly model: string;
  readonly listing: MarketTerms;
  /** As of `ExchangeOptions`, of this model: it may have been sold before. */
  readonly recovered: LevelRow | null;
  readonly recoveredQuote: RecoveredQuote | null;
}

/**
 * Changes floor, ceiling, reserve and the share of one account; or opens a market that was in preview, at its level and
 * quote. Orders keep their places and bids, and the quote stands until its window ends. Nothing changes for a model that
 * is not there, and a market does not become a preview.
 */
interface ChangeTerms {
  readonly type: 'terms';
  readonly model: string;
  readonly listing: MarketTerms;
}

/** Everything that an exchange is told. */
export type AnyCommand = Command | OpenMarket | ChangeTerms;

/** An event before its market numbers it. */
export type Unnumbered = ExchangeEvent extends infer Event
  ? Event extends ExchangeEvent
    ? Omit<Event, 'model' | 'seq'>
    : never
  : never;
