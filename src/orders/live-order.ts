/**
 * An order that has not ended, as the order service holds it in memory. The database row holds what is committed; this
 * holds what the order service has decided, which is never behind it. It is also the caller's ticket.
 */
import type { NanoUsd, PriceNano } from '#base/money.ts';
import type { Tariff } from '#ledger/tariff.ts';
import type { Listing } from '#market/listing.ts';
import type { Admit, Rest } from '#market/ports.ts';
import { batchesOf } from '#results/event-log.ts';
import { Accumulator, eventsOf, type GenerationEvent } from '#results/generation.ts';
import type { AttemptSlot } from './attempt-slot.ts';
import { outputCapAt } from './max-charge.ts';
import { isFollowable, type OrderKind, type OrderRow } from './order.ts';
import type { BatchLine, LineCancelReason, OrderEnd, Submission, Ticket, Watcher } from './order-port.ts';
import { OrderStream, type Rendering } from './order-stream.ts';
import type { WaitingInput } from './packed-input.ts';
import type { Attempt } from './ports.ts';
import type { GenerationRequest, InferenceRequest, RequestTrace } from './request.ts';
import { holdOf } from './terms.ts';
import type { Admission } from './units.ts';

/**
 * opening: not in the database yet. queued: in the book or on its way there. admitting: its admission is being
 * committed. executing: a pod works on it. finishing: the pod is done, the outcome is being committed. closing: it ends
 * without running. ended: this process has nothing more to do with it.
 */
type Phase = 'opening' | 'queued' | 'admitting' | 'executing' | 'finishing' | 'closing' | 'ended';

/** The phases that may follow each phase; `ended` may follow any. Only a failure of the gateway finishes a queued order. */
const moves: Readonly<Record<Phase, readonly Phase[]>> = {
  opening: ['queued', 'admitting'],
  queued: ['admitting', 'closing', 'finishing'],
  admitting: ['executing', 'queued', 'opening'],
  executing: ['finishing'],
  finishing: ['finishing', 'queued'],
  closing: [],
  ended: [],
};

/** A submission that waits for the order's first commit. */
export interface PendingSubmission {
  readonly request: InferenceRequest;
  /** The batch line that the order is for; null outside any batch. */
  readonly line: BatchLine | null;
  /** Whether the account has its translated requests kept. */
  readonly logPayloads: boolean;
  /** Whether its key reads only what it made itself. */
  readonly readsOwn: boolean;
  readonly resolve: (submission: Submission) => void;
  readonly reject: (error: unknown) => void;
}

/** Notifies the order service of what happens to an order. */
export interface LiveOrderEvents {
  /** Its phase changed from `before`. */
  moved(order: LiveOrder, before: Phase): void;
  /** Its caller disconnected. */
  left(order: LiveOrder): void;
  /** The caller's watcher threw when it was notified of the end. */
  failed(order: LiveOrder, error: unknown): void;
}

/** One order, from submission to its end. */
export class LiveOrder implements Ticket {
  /**
   * The row as accepted; what changes later is in the fields below. It has no custom id, which may be as long as a
   * request and is not needed while the order lives: `opening` passes it to the first write.
   */
  readonly row: OrderRow;
  readonly listing: Listing;
  readonly tariff: Tariff;
  /** Null where nobody asked for it over HTTP in this process, and no traces are kept. */
  readonly trace: RequestTrace | null;
  /** The pod's input; null while the order is queued and once output has begun. */
  generation: GenerationRequest | null;
  /**
   * The same as JSON; `WaitingInputs` manages it. Null in an order whose request was small and which has never been
   * queued, and in one that an earlier process queued.
   */
  input: WaitingInput | null;

  /** Set until the first commit has been answered. */
  opening: PendingSubmission | null = null;
  attempt: number;
  failures: number;
  bid: PriceNano;
  /** As in its row, until it is repriced. */
  limit: PriceNano | null;
  restedSeq: number | null;
  expiresAtMs: number;
  firstPrice: PriceNano | null;
  price: PriceNano = 0;
  /** The hold of the running attempt. */
  hold: NanoUsd = 0n;
  /** Of the last attempt. */
  pod: string | null = null;
  /**
   * The slot of its last attempt, to answer what it holds. A step of an attempt takes it once, at its beginning: the
   * next attempt may have another by the end.
   */
  slot: AttemptSlot | null = null;
  /** Since when it waits, or waited for its last attempt. */
  queuedAtMs: number;
  admittedAtMs = 0;
  /**
   * It is queued outside its book: until this payer has money for this hold (`MoneyWaits`), or, without a payer, until its
   * input is read again. Null for any other.
   */
  heldBack: { readonly payer: 'account' | 'key' | null; hold: NanoUsd } | null = null;
  /** All callers have disconnected; the order ends at the next moment at which it can. */
  callerLeft = false;
  /** The caller was refused because the first write took too long: it must not run, even if that write commits. */
  acceptTimedOut = false;
  /** Why its batch was canceled: it ends as soon as it is queued again. Null while its batch runs. */
  batchCanceled: LineCancelReason | null = null;
  /** How long its failed attempts of this process took, in milliseconds: none had output. */
  silentMs = 0;
  /** How often in succession its input could not be read when it was to run. */
  unreadTimes = 0;
  running: Attempt | null = null;
  /** When the running attempt first had output; 0 before. */
  firstOutputAtMs = 0;
  output = new Accumulator();
  /** The stream for followers; null in an order that ends with its caller, in a line, and once it has ended. */
  stream: OrderStream | null = null;

  #watchers: readonly Watcher[] = NO_WATCHERS;
  /** The callers who wait for it. */
  #callers = 1;
  #ended = false;
  /** How it ended, for a watcher that attaches later. */
  #end: OrderEnd | null = null;
  #phase: Phase = 'opening';
  readonly #events: LiveOrderEvents;

  constructor(parts: {
    row: OrderRow;
    listing: Listing;
    tariff: Tariff;
    generation: GenerationRequest | null;
    input: WaitingInput | null;
    events: LiveOrderEvents;
    trace?: RequestTrace | undefined;
    /** What the request asked to be repeated; absent where that is not known any more. */
    rendering?: Rendering | undefined;
  }) {
    const { row } = parts;
    this.row = row;
    this.listing = parts.listing;
    this.tariff = parts.tariff;
    this.generation = parts.generation;
    this.trace = parts.trace ?? null;
    this.input = parts.input;
    this.queuedAtMs = row.createdAtMs;
    this.attempt = row.attempt;
    this.failures = row.failures;
    this.bid = row.bid;
    this.limit = row.limit;
    this.restedSeq = row.restedSeq;
    this.expiresAtMs = row.expiresAtMs;
    this.firstPrice = row.firstPrice;
    this.#events = parts.events;
    if (isFollowable(row)) this.stream = new OrderStream(parts.rendering ?? null, parts.rendering === undefined);
  }

  get phase(): Phase {
    return this.#phase;
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
  /** Whether the result is stored before `done`: a caller who may come back was promised it. */
  get resultFirst(): boolean {
    return this.resultStored && this.row.outlives;
  }
  /** Whether it counts in the budget of its key. */
  get budgeted(): boolean {
    return this.row.budgetFromMs != null;
  }
  get followable(): boolean {
    return isFollowable(this.row);
  }
  get retentionDays(): number {
    return this.row.retentionDays;
  }
  get promptEstimate(): number {
    return this.row.promptEstimate;
  }
  /** The output cap of the running attempt, or the last. */
  get outputCap(): number {
    return outputCapAt(this.tariff, this.price, this.row);
  }
  /** Whether the database keeps the pod's input, from the first commit on. */
  get bodyInRow(): boolean {
    return this.row.outlives && this.row.retentionDays > 0;
  }

  /** Changes its phase. Throws when the table has no such move: a bug that must not spread. */
  moveTo(phase: Phase): void {
    const before = this.#phase;
    if (phase !== 'ended' && !moves[before].includes(phase))
      throw new Error(`order ${this.orderId} cannot go from ${before} to ${phase}`);
    this.#phase = phase;
    this.#events.moved(this, before);
  }

  get inputWritten(): Promise<void> | null {
    return this.input?.file ?? null;
  }

  watch(watcher: Watcher): void {
    this.#watchers = [...this.#watchers, watcher];
    if (this.stream) {
      for (const batch of batchesOf(this.stream.entries)) if (batch !== 'progress') watcher.events(batch);
    } else if (this.output.hasOutput)
      watcher.events(eventsOf(this.output.generation()).filter((event) => event.type !== 'finish'));
    if (this.#end) watcher.ended(this.#end);
  }

  progressed(): void {
    this.stream?.progressed();
  }

  join(): boolean {
    if (this.#ended || (this.callerLeft && !this.row.outlives)) return false;
    this.#callers = this.callerLeft ? 1 : this.#callers + 1;
    this.callerLeft = false;
    return true;
  }

  leave(): void {
    if (this.callerLeft || this.phase === 'ended') return;
    this.#callers--;
    if (this.#callers > 0) return;
    this.callerLeft = true;
    this.#watchers = NO_WATCHERS;
    this.#events.left(this);
  }

  /** An attempt failed before any output, and the order is to wait again. */
  retried(): void {
    this.failures++;
    for (const watcher of this.#watchers) watcher.retried?.();
  }

  /** The market chose this bid, for an order with a deadline; undefined for any other. */
  bids(bid: PriceNano | undefined): void {
    if (bid !== undefined) this.bid = Math.min(bid, this.limit ?? bid);
  }

  /** The admission is granted: the order runs. */
  admit(admission: Admission): void {
    this.attempt = admission.attempt;
    this.pod = admission.pod;
    this.price = admission.price;
    this.hold = admission.hold;
    this.firstPrice ??= admission.price;
    this.admittedAtMs = admission.atMs;
  }

  /** Takes output of the running attempt and passes it to the watcher. */
  produce(batch: readonly GenerationEvent[]): void {
    for (const event of batch) this.output.add(event);
    // An order with output is never requeued.
    if (this.output.hasOutput) this.generation = null;
    for (const watcher of this.#watchers) watcher.events(batch);
    this.stream?.add(batch);
  }

  /** Discards the attempt's output; only for output that nobody can have seen. */
  startOver(): void {
    this.output = new Accumulator();
    this.stream?.startOver();
    this.running = null;
    this.firstOutputAtMs = 0;
  }

  /**
   * Notifies the caller of the end, once; later calls do nothing. Never throws. The order then drops its references: a Map that is
   * added to and deleted from all the time keeps deleted entries reachable, in tables that it has outgrown, until the
   * next full collection. A request and its answer are tens of kilobytes that would be copied and grow old.
   */
  end(end: OrderEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.stream?.ended(end);
    const watchers = this.#watchers;
    if (watchers.length === 0) {
      this.#end = end;
      return;
    }
    this.#watchers = NO_WATCHERS;
    this.generation = null;
    this.stream = null;
    this.output = new Accumulator();
    this.running = null;
    for (const watcher of watchers) {
      try {
        watcher.ended(end);
      } catch (error) {
        this.#events.failed(this, error);
      }
    }
  }
}

const NO_WATCHERS: readonly Watcher[] = [];

/** The admission that the exchange chose, at the lowest of the level, the bid and the price of the first admission. */
export function admissionOf(order: LiveOrder, event: Admit, atMs: number): Admission {
  const { attempt, pod, levelSeq, restedSeq } = event;
  const price = Math.min(event.level, order.bid, order.firstPrice ?? order.bid);
  const hold = holdNow(order, event.level);
  const own = { attempt, atMs, pod, price, levelSeq, restedSeq, hold };
  const { keyId } = order.row;
  const admission = order.budgeted && keyId !== null ? { ...own, budgetKey: keyId } : own;
  return event.epoch === undefined ? admission : { ...admission, epoch: event.epoch, model: event.model };
}

/** The hold that an order would need at this level, before its admission; at its bid where there is none. */
export function holdNow({ row, tariff, bid, firstPrice }: LiveOrder, level: PriceNano | undefined): NanoUsd {
  return row.house ? 0n : holdOf(tariff, Math.min(level ?? bid, bid, firstPrice ?? bid), row);
}

/** Puts an order into its model's book: a new one at the end of its rank, a requeued one at its old place. */
export function restCommand(order: LiveOrder): Rest {
  const { accountId, priceLock, limit, house, deadlineMs } = order.row;
  return {
    type: 'rest',
    model: order.listing.id,
    order: order.orderId,
    account: accountId,
    bid: order.bid,
    lockLimit: priceLock ? limit : null,
    restedSeq: order.restedSeq,
    attempt: order.attempt + 1,
    avoidPod: order.pod,
    house,
    ...(deadlineMs == null || order.limit === null ? {} : { deadline: { limit: order.limit, byMs: deadlineMs } }),
  };
}
