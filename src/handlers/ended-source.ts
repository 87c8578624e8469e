/** The streams of orders that have ended, for those who follow them: from the stored result, or only that it failed. */
import type { Fault } from '#base/fault.ts';
import type { OrderEnd } from '#orders/order-port.ts';
import type { FollowedFacts, FollowedOrder } from '#orders/order-stream.ts';
import { cadenceOf, entriesOf, type LogEntry, nextEntries, PAGE_ENTRIES, sizesOf } from '#results/event-log.ts';
import { eventsOf } from '#results/generation.ts';
import type { Result } from '#results/result.ts';

/**
 * An order whose result is stored, with its stream. Its answer is taken apart as it is read, from the first event on, and
 * pages are read one after the other. Throws when the stored text was damaged.
 */
export function storedOrder(facts: FollowedFacts, { answer, stream }: Result): FollowedOrder {
  // Results of versions that kept no streams become a few long events.
  const cadence = stream?.cadence ?? cadenceOf(eventsOf(answer.generation));
  const echo = stream?.echo ?? null;
  const echoBytes = echo?.length ?? 0;
  const { told, texts } = sizesOf(entriesOf(answer.generation, cadence), echoBytes);
  const rest: Iterator<LogEntry, void> = entriesOf(answer.generation, cadence);
  /** Entries that were taken out of the rest; the first is the `aheadFrom`-th. */
  let ahead: LogEntry[] = [];
  let aheadFrom = 0;
  return {
    ...facts,
    echo: echo === null ? undefined : Buffer.from(echo),
    restarted: stream?.restarted ?? false,
    toldBytes: told,
    heldBytes: () => texts + cadence.length + echoBytes,
    async next(from) {
      ahead = ahead.slice(from - aheadFrom);
      aheadFrom = from;
      // One more than a page, so that it is known whether there is more.
      while (ahead.length <= PAGE_ENTRIES || ahead.at(-1)?.type === 'logprobs') {
        const { value, done } = rest.next();
        if (done) break;
        ahead.push(value);
      }
      const entries = nextEntries(ahead, 0);
      return { entries, end: entries.length === ahead.length ? { status: 'done', answer } : null };
    },
    close: () => {},
  };
}

/** An order that ended without an answer: nothing of what it produced is kept. */
export interface EndedUnanswered extends FollowedOrder {
  readonly end: OrderEnd;
}

/** The order, which ended with this fault. */
export function endedUnanswered(facts: FollowedFacts, fault: Fault): EndedUnanswered {
  const end = { status: 'error', fault } as const;
  const kept = { echo: undefined, restarted: false, toldBytes: 0, heldBytes: () => 0 };
  return { ...facts, ...kept, end, next: async () => ({ entries: [], end }), close: () => {} };
}
