/** The streams of orders that have ended, for those who follow them: from the stored result, or only that it failed. */
import type { Fault } from '#base/fault.ts';
import type { OrderEnd } from '#orders/order-port.ts';
import type { FollowedOrder, StreamPage } from '#orders/order-stream.ts';
import { entriesOf, type LogEntry, nextEntries } from '#results/event-log.ts';
import type { Result } from '#results/result.ts';

/** What is known of an order besides its answer. */
export type EndedFacts = Omit<FollowedOrder, 'echo' | 'restarted' | 'next' | 'close'>;

abstract class EndedOrder implements FollowedOrder {
  readonly orderId: FollowedOrder['orderId'];
  readonly kind: FollowedOrder['kind'];
  readonly model: FollowedOrder['model'];
  readonly createdAtMs: FollowedOrder['createdAtMs'];
  readonly promptEstimate: FollowedOrder['promptEstimate'];
  abstract readonly echo: string | null;
  abstract readonly restarted: boolean;

  constructor({ orderId, kind, model, createdAtMs, promptEstimate }: EndedFacts) {
    this.orderId = orderId;
    this.kind = kind;
    this.model = model;
    this.createdAtMs = createdAtMs;
    this.promptEstimate = promptEstimate;
  }

  abstract next(from: number): Promise<StreamPage>;

  close(): void {}
}

/** An order whose result is stored, with its stream. */
export class StoredOrder extends EndedOrder {
  readonly echo: string | null;
  readonly restarted: boolean;
  readonly #entries: readonly LogEntry[];
  readonly #end: OrderEnd;

  /** The size of the stored text. */
  readonly bytes: number;

  constructor(facts: EndedFacts, { answer, stream }: Result, bytes = 0) {
    super(facts);
    this.bytes = bytes;
    this.echo = stream?.echo ?? null;
    this.restarted = stream?.restarted ?? false;
    this.#entries = entriesOf(answer.generation, stream?.cadence ?? '');
    this.#end = { status: 'done', answer };
  }

  async next(from: number): Promise<StreamPage> {
    const entries = nextEntries(this.#entries, from);
    return { entries, end: from + entries.length >= this.#entries.length ? this.#end : null };
  }
}

/** An order that ended without an answer: nothing of what it produced is kept. */
export class EndedUnanswered extends EndedOrder {
  readonly echo = null;
  readonly restarted = false;
  readonly end: OrderEnd;

  constructor(facts: EndedFacts, fault: Fault) {
    super(facts);
    this.end = { status: 'error', fault };
  }

  async next(): Promise<StreamPage> {
    return { entries: [], end: this.end };
  }
}
