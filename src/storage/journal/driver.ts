/** A journal's way to its database. */
import type { JournalUnit } from '#orders/journal-port.ts';
import type { Applied } from './batch.ts';

/** Applies one batch at a time, on a connection of its own. */
export interface JournalDriver {
  /** Never rejects: what went wrong with the database is in `failure`. */
  apply(units: readonly JournalUnit[], again: boolean): Promise<Applied>;
  /** Ends the connection; a batch under way ends first. */
  close(): Promise<void>;
}
