/**
 * Writes the events of the markets to the journal: every level, every quote, and the outcomes of locks. Levels are
 * written in the order of the events, and before any other code acts on an event, so no admission commits before the
 * level it names. A quote is published only after it has committed, so that every quote given to a lock can be proved.
 * docs/lifecycle.md.
 */
import type { JournalPort } from '#base/journal.ts';
import type { Log } from '#base/log.ts';
import type { ExchangeEvent, MarketEvent, QuoteLatched } from './ports.ts';
import type { MarketUnits } from './units.ts';

/** What the writer needs. */
export interface MarketEventWriterOptions {
  readonly journal: Pick<JournalPort<MarketUnits>, 'write'>;
  readonly log: Log;
  /** Called when a quote has committed and may be published. */
  readonly quoteCommitted: (quote: QuoteLatched) => void;
}

/** Whether an event is about a market, and not about an order. */
export function isMarketEvent(event: ExchangeEvent): event is MarketEvent {
  return event.type === 'level' || event.type === 'quote' || event.type === 'locks';
}

/** The writer of market events. */
export class MarketEventWriter {
  readonly #options: MarketEventWriterOptions;

  constructor(options: MarketEventWriterOptions) {
    this.#options = options;
  }

  /** Writes one event. A failure is logged. */
  take(event: MarketEvent): void {
    this.#write(event).catch((error) => {
      this.#options.log.error({ model: event.model, err: error }, `A ${event.type} event could not be recorded.`);
    });
  }

  async #write(event: MarketEvent): Promise<void> {
    const { journal, quoteCommitted } = this.#options;
    const { model } = event;
    if (event.type === 'level') {
      const { levelSeq, level, atMs } = event;
      await journal.write({ kind: 'level', model, levelSeq, level, atMs });
    } else if (event.type === 'locks') {
      const { minuteMs, started, missed, scarceStarted, scarceMissed } = event;
      await journal.write({ kind: 'locks', model, minuteMs, started, missed, scarceStarted, scarceMissed });
    } else {
      const { quoteSeq, price, atMs, untilMs, state } = event;
      const { result } = await journal.write({ kind: 'quote', model, quoteSeq, price, atMs, untilMs, state });
      if (result === 'changed') quoteCommitted(event);
    }
  }
}
