/**
 * Writes the events of the markets to the journal: every level, every quote, and the outcomes of locks. Levels are
 * written in the order of the events, and before any other code acts on an event, so no admission commits before the
 * level it names. A quote is published only after it has committed, so that every quote given to a lock can be proved.
 * With several gateways the owner of a market writes under the epoch of its lease. docs/understand/lifecycle.md.
 */
import type { JournalPort } from '#base/journal.ts';
import type { Log } from '#base/log.ts';
import type { ExchangeEvent, MarketEvent, QuoteLatched } from '../ports.ts';
import type { LevelUnit, LocksUnit, MarketUnits, QuoteUnit } from '../units.ts';

interface MarketEventWriterOptions {
  readonly journal: Pick<JournalPort<MarketUnits>, 'write'>;
  readonly log: Log;
  /** Called when a quote has committed and may be published. */
  readonly quoteCommitted?: (quote: QuoteLatched) => void;
}

/** How a write ended. `stale`: the market has another owner by now, or it has this level or quote already. */
export type Written = 'committed' | 'stale' | 'failed';

/** Whether an event is about a market, and not about an order. */
export function isMarketEvent(event: ExchangeEvent): event is MarketEvent {
  return event.type === 'level' || event.type === 'quote' || event.type === 'locks';
}

/** Writes one event, under the epoch of the market's lease if there is one. Never rejects: a failure is logged. */
export type WriteMarketEvent = (event: MarketEvent, epoch?: number) => Promise<Written>;

/** Writes market events to a journal. */
export function marketEventWriter({ journal, log, quoteCommitted }: MarketEventWriterOptions): WriteMarketEvent {
  return async (event, epoch) => {
    try {
      const { result } = await journal.write(unitOf(event, epoch === undefined ? {} : { epoch }));
      if (result === 'changed' && event.type === 'quote') quoteCommitted?.(event);
      return result === 'changed' ? 'committed' : 'stale';
    } catch (error) {
      log.error({ model: event.model, err: error }, `A ${event.type} event could not be recorded.`);
      return 'failed';
    }
  };
}

function unitOf(event: MarketEvent, owner: { readonly epoch?: number }): LevelUnit | QuoteUnit | LocksUnit {
  const { model } = event;
  if (event.type === 'level') {
    const { levelSeq, level, atMs } = event;
    return { kind: 'level', model, levelSeq, level, atMs, ...owner };
  }
  if (event.type === 'locks') {
    const { minuteMs, started, missed, scarceStarted, scarceMissed } = event;
    return { kind: 'locks', model, minuteMs, started, missed, scarceStarted, scarceMissed, ...owner };
  }
  const { quoteSeq, price, atMs, untilMs, state } = event;
  return { kind: 'quote', model, quoteSeq, price, atMs, untilMs, state, ...owner };
}
