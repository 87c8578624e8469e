/**
 * From the exchange's word to a committed row: an order's first write, its admissions, and what a refused hold leads to.
 * The desk may refuse what the exchange chose, and then gives the slot back. An order that can run at once is written
 * once, as executing. docs/lifecycle.md.
 */
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import type { Admit, Command, Release } from '#market/ports.ts';
import type { FundsBook } from './funds.ts';
import type { Idempotency } from './idempotency.ts';
import type { AcceptOutcome, AcceptUnit, Admission, AdmitOutcome, JournalPort } from './journal-port.ts';
import type { LiveOrder, Opening } from './live-order.ts';
import { holdOf } from './terms.ts';
import type { WaitingRoom } from './waiting-room.ts';

const DAY_MS = 86_400_000;
/** Lines whose input may be larger than this, in tokens of two bytes, wait without it. */
const LINE_PROMPT_BOUND_MAX = 2048;

/** What admissions need of the desk. */
export interface AdmissionsParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: JournalPort;
  readonly funds: FundsBook;
  readonly waiting: WaitingRoom;
  readonly idempotency: Idempotency;
  readonly tellExchange: (command: Command) => void;
  /** The order's admission has committed. */
  readonly start: (order: LiveOrder) => void;
  /** The order's row says queued, by its first write or because its account is parked. */
  readonly nowQueued: (order: LiveOrder) => void;
  /** The order has ended, or never was. */
  readonly forget: (order: LiveOrder) => void;
}

/** Takes the exchange's choices to the journal. */
export class Admissions {
  readonly #parts: AdmissionsParts;

  constructor(parts: AdmissionsParts) {
    this.#parts = parts;
  }

  /** The order did not start at once; a new one is written as queued, unless its account has too many of those. */
  rested(order: LiveOrder, restedSeq: number): void {
    order.restedSeq = restedSeq;
    if (order.phase !== 'opening' || !order.opening) return;
    if (this.#parts.waiting.isFull(order.row.accountId, order.row.batchId !== null)) {
      this.#withdraw(order);
      this.#refuse(order, new Fault('queue_full'));
      return;
    }
    this.#parts.waiting.enter(order);
    this.#accept(order, order.opening, null);
  }

  /** The order was chosen to run. An order that is gone, or was chosen for another attempt, gives the slot back. */
  chosen(order: LiveOrder | undefined, event: Admit): void {
    const isWaiting = order && (order.phase === 'opening' || order.phase === 'queued');
    if (!isWaiting || event.attempt !== order.attempt + 1) {
      this.#giveBack(event, 'refused');
      return;
    }
    const isNew = order.phase === 'opening';
    this.#parts.waiting.leave(order, 'admitting');
    order.restedSeq = event.restedSeq;
    const admission = this.#admissionOf(order, event);
    if (isNew && order.opening) this.#accept(order, order.opening, admission);
    else this.#admit(order, admission);
  }

  #admissionOf(order: LiveOrder, event: Admit): Admission {
    const levelAtExecution = Math.min(event.level, order.bid, order.priceCap ?? order.bid);
    const { promptBound, outputCap, house } = order.row;
    return {
      attempt: event.attempt,
      atMs: this.#parts.clock.nowMs(),
      pod: event.pod,
      levelAtExecution,
      levelSeq: event.levelSeq,
      priceCap: order.priceCap ?? levelAtExecution,
      restedSeq: event.restedSeq,
      hold: house ? 0n : holdOf(order.tariff, levelAtExecution, promptBound, outputCap),
    };
  }

  #accept(order: LiveOrder, opening: Opening, admission: Admission | null): void {
    const { row } = order;
    const unit = {
      kind: 'accept',
      order: { ...row, restedSeq: order.restedSeq, customId: opening.line?.customId ?? null },
      admission,
      idempotency: this.#parts.idempotency.rowFor(row, opening.request),
      line: opening.line?.line ?? null,
      body: row.outlives && row.retentionDays > 0 ? (order.generation?.body ?? null) : null,
      requestLog: requestLogOf(order, opening),
    } as const;
    this.#parts.journal.write(unit).then(
      (outcome) => this.#accepted(order, opening, admission, outcome),
      (error) => {
        this.#leaveExchange(order, admission);
        this.#refuse(order, error);
      },
    );
  }

  #accepted(order: LiveOrder, opening: Opening, admission: Admission | null, outcome: AcceptOutcome): void {
    if (outcome.result === 'key-taken') {
      this.#leaveExchange(order, admission);
      order.opening = null;
      this.#parts.forget(order);
      this.#parts.idempotency
        .answer(outcome.existing, opening.request)
        .then((earlier) => earlier ?? Promise.reject(new Fault('result_pending', { retryAfterS: 1 })))
        .then(opening.resolve, opening.reject);
      return;
    }
    if (outcome.result === 'line-refused') {
      this.#leaveExchange(order, admission);
      this.#refuse(order, new Fault('order_canceled'));
      return;
    }
    if (outcome.result === 'unfunded') {
      this.#parts.funds.update(order.row.accountId, outcome.funds);
      this.#leaveExchange(order, admission);
      this.#refuse(order, new Fault('insufficient_balance').withOrder(order.orderId));
      return;
    }
    order.opening = null;
    opening.resolve({ type: 'order', ticket: order });
    if (outcome.result === 'queued') this.#restsInMemory(order);
    else if (admission) this.#held(order, admission, outcome);
  }

  /** A line may wait for days beside thousands of others: a large input is read back when it runs. */
  #restsInMemory(order: LiveOrder): void {
    const { batchId, promptBound } = order.row;
    if (batchId !== null && promptBound > LINE_PROMPT_BOUND_MAX) order.generation = null;
    this.#parts.nowQueued(order);
  }

  #admit(order: LiveOrder, admission: Admission): void {
    const { orderId } = order;
    this.#parts.journal.write({ kind: 'admit', orderId, accountId: order.row.accountId, admission }).then(
      (outcome) => this.#admitted(order, admission, outcome),
      (error) => {
        this.#parts.log.error({ order: orderId, err: error }, 'An admission could not be written.');
        this.#endUnstarted(order, admission, new Fault('internal_error', { cause: error }));
      },
    );
  }

  #admitted(order: LiveOrder, admission: Admission, outcome: AdmitOutcome): void {
    if (outcome.result === 'gone') {
      this.#parts.log.warn({ order: order.orderId }, 'An order that was chosen had ended already.');
      this.#endUnstarted(order, admission, new Fault('internal_error'));
      return;
    }
    if (outcome.result === 'unfunded') {
      this.#parts.funds.update(order.row.accountId, outcome.funds);
      this.#endUnstarted(order, admission, new Fault('insufficient_balance'));
      return;
    }
    this.#held(order, admission, outcome);
  }

  /** Granted: it runs. Refused only because of the account's own holds: it waits, and its account with it. */
  #held(order: LiveOrder, admission: Admission, outcome: Extract<AdmitOutcome, { funds: unknown }>): void {
    const { accountId } = order.row;
    if (outcome.result === 'parked') {
      this.#park(order, admission);
      this.#parts.funds.update(accountId, outcome.funds);
      return;
    }
    this.#parts.funds.update(accountId, outcome.funds);
    order.attempt = admission.attempt;
    order.pod = admission.pod;
    order.levelAtExecution = admission.levelAtExecution;
    order.hold = admission.hold;
    order.priceCap = admission.priceCap;
    order.admittedAtMs = admission.atMs;
    this.#parts.start(order);
  }

  #park(order: LiveOrder, admission: Admission): void {
    this.#parts.funds.park(order.row.accountId, admission.hold);
    this.#parts.tellExchange({ type: 'park', account: order.row.accountId });
    this.#giveBack(leaseOf(order, admission), 'refused-parked');
    this.#parts.waiting.enter(order);
    this.#parts.nowQueued(order);
  }

  #endUnstarted(order: LiveOrder, admission: Admission, fault: Fault): void {
    this.#giveBack(leaseOf(order, admission), 'refused');
    this.#parts.forget(order);
    order.end({ status: 'error', fault: fault.withOrder(order.orderId) });
  }

  #refuse(order: LiveOrder, error: unknown): void {
    order.opening?.reject(error);
    order.opening = null;
    this.#parts.forget(order);
  }

  #leaveExchange(order: LiveOrder, admission: Admission | null): void {
    if (admission) this.#giveBack(leaseOf(order, admission), 'refused');
    else this.#withdraw(order);
  }

  #withdraw(order: LiveOrder): void {
    this.#parts.tellExchange({ type: 'withdraw', model: order.listing.id, order: order.orderId, expired: false });
  }

  #giveBack(lease: Omit<Release, 'type' | 'reason'>, reason: Release['reason']): void {
    const { model, order, attempt, pod } = lease;
    this.#parts.tellExchange({ type: 'release', model, order, attempt, pod, reason });
  }
}

function leaseOf(order: LiveOrder, admission: Admission): Omit<Release, 'type' | 'reason'> {
  return { model: order.listing.id, order: order.orderId, attempt: admission.attempt, pod: admission.pod };
}

/** The request for the operator to read; never of a request of which nothing is to be kept. */
function requestLogOf({ row, generation }: LiveOrder, { logPayloads, request }: Opening): AcceptUnit['requestLog'] {
  if (!logPayloads || row.retentionDays === 0 || !generation) return null;
  return {
    body: { ...generation.body, ...request.askedBy },
    expiresAtMs: row.createdAtMs + row.retentionDays * DAY_MS,
  };
}
