/**
 * The journal units of the market: its history, and the state that it continues from after a restart; and what is recorded
 * of levels over time, in blocks of slots and as single changes.
 */
import type { PlainOutcome } from '#base/journal.ts';
import type { LevelRow, LockMinute, QuoteRow } from './ports.ts';

/** The units of the market. */
export interface MarketUnits {
  readonly level: { readonly unit: LevelUnit; readonly outcome: PlainOutcome };
  readonly quote: { readonly unit: QuoteUnit; readonly outcome: PlainOutcome };
  readonly locks: { readonly unit: LocksUnit; readonly outcome: PlainOutcome };
  readonly 'level-blocks': { readonly unit: LevelBlocksUnit; readonly outcome: PlainOutcome };
}

/** Of the market's lease: written only while it is the present one, else `stale`. Absent with one gateway. */
interface OfOwner {
  readonly epoch?: number;
}

/** The published level moved. */
export interface LevelUnit extends LevelRow, OfOwner {
  readonly kind: 'level';
}

/** A window of a quote began. `state` is kept only with the newest quote. */
export interface QuoteUnit extends QuoteRow, OfOwner {
  readonly kind: 'quote';
  readonly state: string | null;
}

/** The locks of one minute that started and missed so far: the full counts. */
export interface LocksUnit extends LockMinute, OfOwner {
  readonly kind: 'locks';
  readonly model: string;
}

/** Complete blocks of levels, and the time up to which this boot is recorded. Blocks of other boots are left alone. */
export interface LevelBlocksUnit {
  readonly kind: 'level-blocks';
  readonly boot: number;
  readonly untilMs: number;
  readonly blocks: readonly LevelBlock[];
}

/** Up to sixty candles of one market and one width, starting at `fromMs`; `level-chart.ts` defines the bytes. */
export interface LevelBlock {
  readonly model: string;
  readonly widthMs: number;
  readonly fromMs: number;
  readonly candles: Uint8Array;
}

/** A stored block: what one boot recorded of that time. */
export interface StoredBlock extends LevelBlock {
  readonly boot: number;
}

/** Selects blocks of a market: of one width, from `fromMs` on, from boots before `beforeBoot`. */
export interface WantedBlocks {
  readonly widthMs: number;
  readonly fromMs: number;
  readonly beforeBoot: number;
}

/** A period in which a gateway was up: from its start to its end, or to its last sign of life. */
export interface GatewayRun {
  readonly boot: number;
  readonly fromMs: number;
  readonly untilMs: number;
  /** Whether it recorded blocks of every width. Runs from before blocks left minutes and single changes. */
  readonly inBlocks: boolean;
}

/** A run that was cut off. What happened after `untilMs` is recorded as single changes, not in blocks. */
export interface UnfinishedRun extends GatewayRun {
  /** The time of its newest record. */
  readonly lastSignMs: number;
}

/** What earlier processes recorded of the markets. Results are paged, so that a month is never in memory at once. */
export interface LevelPast {
  /** Blocks of earlier boots for one market, newest first; for the same time, the newest boot first. */
  blocks(model: string, wanted: WantedBlocks): AsyncIterable<readonly StoredBlock[]>;
  /** Level changes of one market before `beforeMs`, oldest first, starting with the one in force at `sinceMs`. */
  changes(model: string, sinceMs: number, beforeMs: number): AsyncIterable<readonly LevelRow[]>;
  /** The run before this boot if it was cut off; null otherwise. */
  unfinished(boot: number): Promise<UnfinishedRun | null>;
  /** Runs that ended after `sinceMs` and began before `beforeMs`, oldest first. */
  runs(sinceMs: number, beforeMs: number): Promise<GatewayRun[]>;
}
