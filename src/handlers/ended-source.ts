/** The streams of orders that have ended, for those who follow them: from the stored result, or only that it failed. */
import type { Fault } from '#base/fault.ts';
import type { OrderEnd } from '#orders/order-port.ts';
import type { FollowedFacts, FollowedOrder, StreamPage } from '#orders/order-stream.ts';
import { entriesOf, type LogEntry, nextEntries, PAGE_ENTRIES, sizesOf } from '#results/event-log.ts';
import type { Result } from '#results/result.ts';

abstract class EndedOrder implements FollowedOrder {
  readonly orderId: FollowedOrder['orderId'];
  readonly kind: FollowedOrder['kind'];
  readonly model: FollowedOrder['model'];
  readonly createdAtMs: FollowedOrder['createdAtMs'];
  readonly promptEstimate: FollowedOrder['promptEstimate'];
  abstract readonly echo: unknown;
  abstract readonly restarted: boolean;
  abstract readonly toldBytes: number;

  constructor({ orderId, kind, model, createdAtMs, promptEstimate }: FollowedFacts) {
    this.orderId = orderId;
    this.kind = kind;
    this.model = model;
    this.createdAtMs = createdAtMs;
    this.promptEstimate = promptEstimate;
  }

  abstract heldBytes(): number;

  abstract next(from: number): Promise<StreamPage>;

  close(): void {}
}

/** An order whose result is stored, with its stream. Its answer is taken apart as it is read, from the first event on. */
export class StoredOrder extends EndedOrder {
  readonly echo: unknown;
  readonly restarted: boolean;
  readonly toldBytes: number;
  readonly #heldBytes: number;
  readonly #rest: Iterator<LogEntry, void>;
  /** Entries that were taken out of the rest, of which the first is the `#from`-th. */
  #ahead: LogEntry[] = [];
  #from = 0;
  readonly #end: OrderEnd;

  /** Throws when the stored text was damaged. */
  constructor(facts: FollowedFacts, { answer, stream }: Result) {
    super(facts);
    const cadence = stream?.cadence ?? '';
    const echo = stream?.echo ?? null;
    this.echo = echo === null ? undefined : Buffer.from(echo);
    this.restarted = stream?.restarted ?? false;
    const { told, texts } = sizesOf(entriesOf(answer.generation, cadence), echo?.length ?? 0);
    this.toldBytes = told;
    this.#heldBytes = texts + cadence.length + (echo?.length ?? 0);
    this.#rest = entriesOf(answer.generation, cadence);
    this.#end = { status: 'done', answer };
  }

  heldBytes(): number {
    return this.#heldBytes;
  }

  /** Pages are read one after the other. */
  async next(from: number): Promise<StreamPage> {
    this.#ahead = this.#ahead.slice(from - this.#from);
    this.#from = from;
    // One more than a page, so that it is known whether there is more.
    while (this.#ahead.length <= PAGE_ENTRIES || this.#ahead.at(-1)?.type === 'logprobs') {
      const { value, done } = this.#rest.next();
      if (done) break;
      this.#ahead.push(value);
    }
    const entries = nextEntries(this.#ahead, 0);
    return { entries, end: entries.length === this.#ahead.length ? this.#end : null };
  }
}

/** An order that ended without an answer: nothing of what it produced is kept. */
export class EndedUnanswered extends EndedOrder {
  readonly echo = undefined;
  readonly restarted = false;
  readonly toldBytes = 0;
  readonly end: OrderEnd;

  constructor(facts: FollowedFacts, fault: Fault) {
    super(facts);
    this.end = { status: 'error', fault };
  }

  heldBytes(): number {
    return 0;
  }

  async next(): Promise<StreamPage> {
    return { entries: [], end: this.end };
  }
}
