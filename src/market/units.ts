/** The journal units of the market: its history, and the state that it continues from after a restart. */
import type { PlainOutcome } from '#base/journal.ts';
import type { LevelRow, LockMinute, QuoteRow } from './ports.ts';

/** The units of the market. */
export interface MarketUnits {
  readonly level: { readonly unit: LevelUnit; readonly outcome: PlainOutcome };
  readonly quote: { readonly unit: QuoteUnit; readonly outcome: PlainOutcome };
  readonly locks: { readonly unit: LocksUnit; readonly outcome: PlainOutcome };
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
