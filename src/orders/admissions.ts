/**
 * Admission: from the exchange's choice to a committed row. An order's first write, its admissions, and what follows
 * when a hold is refused. The order service may refuse the exchange's choice, and then gives the slot back. An order
 * that can run at once is written once, as executing. docs/lifecycle.md.
 */
import { Fault } from '#base/fault.ts';
import { overdueFault } from '#base/journal.ts';
import type { NanoUsd } from '#base/money.ts';
import { DAY_MS } from '#base/time.ts';
import type { Admit, ExchangePort, Release } from '#market/ports.ts';
import { Deadlines } from './deadlines.ts';
import { tellUnanswered } from './ended-order.ts';
import { admissionOf, type LiveOrder, type PendingSubmission, restCommand } from './live-order.ts';
import type { Payer } from './money-waits.ts';
import type { OrderServiceParts } from './order-parts.ts';
import { withFields } from './packed-input.ts';
import type { AcceptOutcome, AcceptUnit, Admission, AdmitOutcome, Funds } from './units.ts';

/** The fault of an order that is refused its hold for good. */
const REFUSED = { unfunded: 'insufficient_balance', 'key-spent': 'key_budget_exceeded' } as const;
const RETRY_S = 5;
const NO_ANSWER = 'The market of this model does not answer at the moment. Nothing was taken: try again shortly.';

/** What admissions need besides. */
export interface AdmissionsOptions extends OrderServiceParts {
  readonly exchange: Pick<ExchangePort, 'send'>;
  /**
   * How long a new order waits for the market's first answer, before it is refused; without bound when absent, as a
   * market in this process always answers.
   */
  readonly marketAnswerMs?: number;
  /** The order's admission has committed. */
  readonly start: (order: LiveOrder) => void;
  /** The order's row says queued, after its first write or because it waits for money. */
  readonly nowQueued: (order: LiveOrder) => void;
}

/** Writes the exchange's choices to the journal. */
export class Admissions {
  readonly #options: AdmissionsOptions;
  /** New orders of which the market has not said anything yet; only where that takes long. */
  readonly #unanswered: Deadlines<LiveOrder>;

  constructor(options: AdmissionsOptions) {
    this.#options = options;
    this.#unanswered = new Deadlines(options.clock, (order) => {
      this.#withdraw(order);
      this.#refuse(order, new Fault('unavailable', { retryAfterS: RETRY_S, message: NO_ANSWER }));
    });
  }

  /**
   * Asks the market of a new order for a slot or a place. One for which there is no money waits outside the market, where
   * it is no demand. Throws what the exchange throws.
   */
  open(order: LiveOrder): void {
    const { exchange, clock, funds, marketAnswerMs } = this.#options;
    const payer = funds.waits.payerWithout(order);
    if (payer) {
      this.#queue(order);
      if (order.phase === 'queued') funds.waits.enter(order, payer);
      return;
    }
    exchange.send(restCommand(order));
    if (marketAnswerMs !== undefined) this.#unanswered.set(order, clock.nowMs() + marketAnswerMs);
  }

  /** Nobody waits for a market any more. */
  close(): void {
    this.#unanswered.close();
  }

  /** The order did not start at once. */
  rested(order: LiveOrder | undefined, { restedSeq, bid }: Pick<Admit, 'restedSeq' | 'bid'>): void {
    if (!order) return;
    order.restedSeq = restedSeq;
    order.bids(bid);
    this.#unanswered.delete(order);
    if (order.phase === 'opening') this.#queue(order);
  }

  /** A new order is written as queued, unless too many or too much of those wait. */
  #queue(order: LiveOrder): void {
    const { pending, inputs } = this.#options;
    if (!order.opening) return;
    const refusal = pending.refusal(order.row.accountId, order.row.batchId !== null) ?? inputs.refusal(order);
    if (refusal) {
      this.#withdraw(order);
      this.#refuse(order, refusal);
      return;
    }
    pending.enter(order);
    this.#accept(order, order.opening, null);
    inputs.pack(order);
  }

  /** The exchange chose the order. The slot is given back if the order ended or is at another attempt. */
  chosen(order: LiveOrder | undefined, event: Admit): void {
    const isWaiting = order && (order.phase === 'opening' || order.phase === 'queued');
    if (!isWaiting || event.attempt !== order.attempt + 1) {
      this.#sendBack(event, 'refused');
      return;
    }
    const isNew = order.phase === 'opening';
    this.#options.funds.waits.forget(order);
    this.#unanswered.delete(order);
    this.#options.pending.leave(order, 'admitting');
    order.restedSeq = event.restedSeq;
    order.bids(event.bid);
    order.slot = { attempt: event.attempt, pod: event.pod };
    const admission = admissionOf(order, event, this.#options.clock.nowMs());
    if (isNew && order.opening) this.#accept(order, order.opening, admission);
    else this.#admit(order, admission);
  }

  #accept(order: LiveOrder, opening: PendingSubmission, admission: Admission | null): void {
    const { row } = order;
    const unit = {
      kind: 'accept',
      order: { ...row, bid: order.bid, restedSeq: order.restedSeq, customId: opening.line?.customId ?? null },
      admission,
      idempotency: this.#options.idempotency.rowFor(row, opening.request),
      line: opening.line?.line ?? null,
      body: order.bodyInRow && !order.input?.kept ? inputJson(order) : null,
      requestLog: requestLogOf(order, opening),
    } as const;
    // A line has no caller; it waits until it is written.
    const overdue = opening.line === null ? () => this.#overdue(order, opening) : undefined;
    this.#options.journal.write(unit, overdue).then(
      (outcome) => this.#accepted(order, opening, admission, outcome),
      (error) => {
        this.#leaveExchange(order);
        this.#refuse(order, error);
      },
    );
  }

  /** The caller is refused. If the row commits after all, the order ends uncharged before it runs. */
  #overdue(order: LiveOrder, opening: PendingSubmission): void {
    order.acceptTimedOut = true;
    opening.reject(overdueFault());
  }

  #accepted(order: LiveOrder, opening: PendingSubmission, admission: Admission | null, outcome: AcceptOutcome): void {
    if (outcome.result === 'key-taken') {
      this.#leaveExchange(order);
      order.opening = null;
      this.#options.forget(order);
      this.#options.idempotency
        .answer(outcome.existing, opening.request)
        .then((earlier) => earlier ?? Promise.reject(new Fault('result_pending', { retryAfterS: 1 })))
        .then(opening.resolve, opening.reject);
      return;
    }
    if (outcome.result === 'stale-epoch') {
      this.#openAgain(order);
      return;
    }
    if (outcome.result === 'line-refused') {
      this.#leaveExchange(order);
      this.#refuse(order, new Fault('order_canceled'));
      return;
    }
    if (outcome.result === 'unfunded' || outcome.result === 'key-spent') {
      this.#unpaid(order, outcome.result, outcome.funds);
      this.#leaveExchange(order);
      this.#refuse(order, new Fault(REFUSED[outcome.result]).withOrder(order.orderId));
      this.#options.funds.waits.answered(order);
      return;
    }
    order.opening = null;
    opening.resolve({ type: 'order', ticket: order });
    if (outcome.result === 'queued') this.#nowQueued(order);
    else if (admission) this.#held(order, admission, outcome);
  }

  #nowQueued(order: LiveOrder): void {
    if (order.phase === 'queued') this.#options.inputs.pack(order);
    this.#options.nowQueued(order);
  }

  #admit(order: LiveOrder, admission: Admission): void {
    const { orderId } = order;
    this.#options.journal.write({ kind: 'admit', orderId, accountId: order.row.accountId, admission }).then(
      (outcome) => this.#admitted(order, admission, outcome),
      (error) => {
        this.#options.log.error({ order: orderId, err: error }, 'An admission could not be written.');
        this.#endUnstarted(order, new Fault('internal_error', { cause: error }));
      },
    );
  }

  #admitted(order: LiveOrder, admission: Admission, outcome: AdmitOutcome): void {
    if (outcome.result === 'stale-epoch') {
      this.#giveBack(order, 'refused');
      this.#options.requeued(order);
      return;
    }
    if (outcome.result === 'gone') {
      this.#options.log.warn({ order: order.orderId }, 'The exchange chose an order that had ended.');
      this.#endUnstarted(order, new Fault('internal_error'));
      return;
    }
    if (outcome.result === 'unfunded' || outcome.result === 'key-spent') {
      this.#unpaid(order, outcome.result, outcome.funds);
      this.#endUnstarted(order, new Fault(REFUSED[outcome.result]));
      this.#options.funds.waits.answered(order);
      return;
    }
    this.#held(order, admission, outcome);
  }

  /** Its row says that it ended in an error. */
  #unpaid(order: LiveOrder, result: keyof typeof REFUSED, funds: Funds): void {
    this.#options.funds.update(order.row.accountId, funds);
    const end = { status: 'error', error: REFUSED[result], atMs: this.#options.clock.nowMs(), ran: false } as const;
    tellUnanswered(this.#options.onEnd, order, end);
  }

  /** Granted: it runs. Refused only because of other holds of its account or key: it waits for money. */
  #held(order: LiveOrder, admission: Admission, outcome: Extract<AdmitOutcome, { funds: unknown }>): void {
    if (outcome.result === 'parked') this.#wait(order, 'account', admission.hold);
    else if (outcome.result === 'key-held') this.#wait(order, 'key', admission.hold);
    this.#options.funds.update(order.row.accountId, outcome.funds);
    if (outcome.result !== 'executing') return;
    order.admit(admission);
    this.#options.start(order);
    this.#options.funds.waits.answered(order);
  }

  /**
   * The market changed hands before a new order was written: its new owner chooses again. The order has its place, so
   * it is written as queued at once; nobody knows how soon that owner answers.
   */
  #openAgain(order: LiveOrder): void {
    this.#giveBack(order, 'refused');
    if (order.acceptTimedOut || order.restedSeq === null) {
      this.#refuse(order, overdueFault());
      return;
    }
    order.phase = 'opening';
    this.#options.sendCommand(restCommand(order));
    this.rested(order, { restedSeq: order.restedSeq });
  }

  #wait(order: LiveOrder, payer: Payer, hold: NanoUsd): void {
    this.#options.pending.enter(order);
    this.#options.funds.waits.wait(order, payer, hold);
    this.#giveBack(order, 'refused');
    this.#nowQueued(order);
  }

  #endUnstarted(order: LiveOrder, fault: Fault): void {
    this.#giveBack(order, 'refused');
    this.#options.forget(order);
    order.end({ status: 'error', fault: fault.withOrder(order.orderId) });
  }

  #refuse(order: LiveOrder, error: unknown): void {
    order.opening?.reject(error);
    order.opening = null;
    this.#options.forget(order);
  }

  #leaveExchange(order: LiveOrder): void {
    if (order.slot) this.#giveBack(order, 'refused');
    else this.#withdraw(order);
  }

  #withdraw(order: LiveOrder): void {
    this.#options.sendCommand({ type: 'withdraw', model: order.listing.id, order: order.orderId, expired: false });
  }

  /** Gives back the slot for which the exchange chose the order. */
  #giveBack(order: LiveOrder, reason: Release['reason']): void {
    const { slot, orderId, listing } = order;
    order.slot = null;
    if (slot) this.#sendBack({ model: listing.id, order: orderId, ...slot }, reason);
  }

  #sendBack({ model, order, attempt, pod }: Omit<Release, 'type' | 'reason'>, reason: Release['reason']): void {
    this.#options.sendCommand({ type: 'release', model, order, attempt, pod, reason });
  }
}

/** The model's input in JSON; null when this process does not have it. */
export function inputJson({ input, generation }: LiveOrder): string | null {
  if (input?.json) return input.json.toString();
  return generation ? JSON.stringify(generation.body) : null;
}

/** The request as logged for the operator; null if nothing of the request may be kept. */
export function requestLogOf(order: LiveOrder, { logPayloads, request }: PendingSubmission): AcceptUnit['requestLog'] {
  const { row } = order;
  const json = logPayloads && row.retentionDays > 0 ? inputJson(order) : null;
  if (json === null) return null;
  const expiresAtMs = row.createdAtMs + row.retentionDays * DAY_MS;
  return { body: withFields(json, request.askedBy ?? {}), expiresAtMs };
}
