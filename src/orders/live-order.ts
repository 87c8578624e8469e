/**
 * An order that has not ended, as the desk holds it in memory. The row in the database says what is true; this says what
 * the desk has decided, which is never behind it. It is also the caller's ticket.
 */
import type { NanoUsd, PriceNano } from '#base/money.ts';
import type { Tariff } from '#ledger/tariff.ts';
import type { Listing } from '#market/listing.ts';
import type { Command } from '#market/ports.ts';
import { Accumulator, eventsOf, type GenerationEvent } from './generation.ts';
import type { BatchLine } from './line-port.ts';
import type { OrderKind, OrderRow } from './order.ts';
import type { OrderEnd, Submission, Ticket, Watcher } from './order-port.ts';
import type { Attempt } from './ports.ts';
import type { GenerationRequest, InferenceRequest } from './request.ts';

/**
 * opening: not in the database yet. queued: rests, or is on its way to the book. admitting: its admission is being
 * committed. executing: a pod works on it. finishing: the pod is done, the outcome is being committed. closing: it ends
 * without running. ended: told to the caller.
 */
export type Phase = 'opening' | 'queued' | 'admitting' | 'executing' | 'finishing' | 'closing' | 'ended';

/** Somebody waits for the order's first commit. */
export interface Opening {
  readonly request: InferenceRequest;
  /** The line of a batch that the order is; null outside any batch. */
  readonly line: BatchLine | null;
  /** Whether the account wants its translated requests kept. */
  readonly logPayloads: boolean;
  readonly resolve: (submission: Submission) => void;
  readonly reject: (error: unknown) => void;
}

/** What the desk is told of the caller's side of an order. */
export interface CallerEvents {
  left(order: LiveOrder): void;
}

/** One order, from submission to its end. */
export class LiveOrder implements Ticket {
  /**
   * The row as it was accepted; what changes later stands beside it. Without a custom id, which may be as long as a
   * request, and which nobody asks of an order while it lives: `opening` brings it to the first write.
   */
  readonly row: OrderRow;
  readonly listing: Listing;
  readonly tariff: Tariff;
  /** The pod's input; null for a recovered order until it is read back. */
  generation: GenerationRequest | null;

  phase: Phase = 'opening';
  /** Set until the first commit has been told. */
  opening: Opening | null = null;
  attempt: number;
  failures: number;
  bid: PriceNano;
  restedSeq: number | null;
  expiresAtMs: number;
  priceCap: PriceNano | null;
  levelAtExecution: PriceNano = 0;
  /** What is set aside for the running attempt. */
  hold: NanoUsd = 0n;
  pod: string | null = null;
  admittedAtMs = 0;
  /** The caller's connection is gone; acted upon at the next moment at which the order can end. */
  callerLeft = false;
  /** Its batch was canceled: it ends as soon as it waits. */
  unwanted = false;
  /** The gateway ends it: what the attempt produced is not settled. */
  cutOff = false;
  running: Attempt | null = null;
  output = new Accumulator();

  #watcher: Watcher | null = null;
  #ended = false;
  /** How it ended, for a watcher who is still to come. */
  #end: OrderEnd | null = null;
  readonly #callerEvents: CallerEvents;

  constructor(parts: {
    row: OrderRow;
    listing: Listing;
    tariff: Tariff;
    generation: GenerationRequest | null;
    callerEvents: CallerEvents;
  }) {
    const { row } = parts;
    this.row = row;
    this.listing = parts.listing;
    this.tariff = parts.tariff;
    this.generation = parts.generation;
    this.attempt = row.attempt;
    this.failures = row.failures;
    this.bid = row.bid;
    this.restedSeq = row.restedSeq;
    this.expiresAtMs = row.expiresAtMs;
    this.priceCap = row.priceCap;
    this.#callerEvents = parts.callerEvents;
  }

  get orderId(): string {
    return this.row.id;
  }
  get kind(): OrderKind {
    return this.row.kind;
  }
  get createdAtMs(): number {
    return this.row.createdAtMs;
  }
  get detached(): boolean {
    return this.row.detached;
  }
  get resultStored(): boolean {
    return this.row.resultState === 'promised';
  }
  /** Whether the body must exist before `done`: a caller who may come back was promised it. Others get it now. */
  get bodyFirst(): boolean {
    return this.resultStored && this.row.outlives;
  }
  get retentionDays(): number {
    return this.row.retentionDays;
  }
  get promptEstimate(): number {
    return this.row.promptEstimate;
  }

  watch(watcher: Watcher): void {
    this.#watcher = watcher;
    if (this.output.hasOutput)
      watcher.events(eventsOf(this.output.generation()).filter((event) => event.type !== 'finish'));
    if (this.#end) watcher.ended(this.#end);
  }

  leave(): void {
    if (this.callerLeft || this.phase === 'ended') return;
    this.callerLeft = true;
    this.#watcher = null;
    this.#callerEvents.left(this);
  }

  /** Takes output of the running attempt and passes it on. */
  produce(batch: readonly GenerationEvent[]): void {
    for (const event of batch) this.output.add(event);
    this.#watcher?.events(batch);
  }

  /** Forgets the attempt's output; only for output that nobody can have seen. */
  startOver(): void {
    this.output = new Accumulator();
    this.running = null;
  }

  /**
   * Tells the caller how it ended, once; later calls do nothing. The order then lets go of all that hangs on it: a Map
   * that entries come and go through keeps those it has deleted reachable, in tables that it has outgrown, until the
   * next full collection. A request and its answer are tens of kilobytes that would otherwise be copied and grow old.
   */
  end(end: OrderEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    const watcher = this.#watcher;
    if (!watcher) {
      this.#end = end;
      return;
    }
    this.#watcher = null;
    this.generation = null;
    this.startOver();
    watcher.ended(end);
  }
}

/** Puts an order into the book of its model: a new one at the end of its rank, one that came back at its old place. */
export function restCommand(order: LiveOrder): Command {
  const { accountId, priceLock, priceLimit, house } = order.row;
  return {
    type: 'rest',
    model: order.listing.id,
    order: order.orderId,
    account: accountId,
    bid: order.bid,
    lockLimit: priceLock ? priceLimit : null,
    restedSeq: order.restedSeq,
    attempt: order.attempt + 1,
    avoidPod: order.pod,
    house,
  };
}
