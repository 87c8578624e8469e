/**
 * Writes what the markets decide to the journal: every level, every quote, and how locks ended. Levels are written in
 * the order of the events, so no admission commits before the level it names. A quote is shown only once it has
 * committed, so that whatever a lock was told can be proved. docs/lifecycle.md.
 */
import type { Log } from '#base/log.ts';
import type { LevelMoved, LocksResolved, QuoteLatched } from '#market/ports.ts';
import type { JournalPort } from './journal-port.ts';

/** What the record needs. */
export interface MarketRecordParts {
  readonly journal: JournalPort;
  readonly log: Log;
  /** A quote is in the database, and may be shown. */
  readonly quoteCommitted: (quote: QuoteLatched) => void;
}

/** The writer of market events. */
export class MarketRecord {
  readonly #parts: MarketRecordParts;

  constructor(parts: MarketRecordParts) {
    this.#parts = parts;
  }

  /** Writes one event. */
  take(event: LevelMoved | QuoteLatched | LocksResolved): void {
    this.#write(event).catch((error) => {
      this.#parts.log.error({ model: event.model, err: error }, `A ${event.type} event could not be recorded.`);
    });
  }

  async #write(event: LevelMoved | QuoteLatched | LocksResolved): Promise<void> {
    const { journal, quoteCommitted } = this.#parts;
    const { model } = event;
    if (event.type === 'level') {
      const { levelSeq, level, atMs } = event;
      await journal.write({ kind: 'level', model, levelSeq, level, atMs });
    } else if (event.type === 'locks') {
      const { minuteMs, started, missed } = event;
      await journal.write({ kind: 'locks', model, minuteMs, started, missed });
    } else {
      const { quoteSeq, price, atMs, untilMs, state } = event;
      const { result } = await journal.write({ kind: 'quote', model, quoteSeq, price, atMs, untilMs, state });
      if (result === 'changed') quoteCommitted(event);
    }
  }
}
