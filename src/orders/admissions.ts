/**
 * Admission: from the exchange's choice to a committed row. An order's first write, its admissions, and what follows
 * when a hold is refused. The order service may refuse the exchange's choice, and then gives the slot back. An order
 * that can run at once is written once, as executing. docs/understand/lifecycle.md.
 */
import type { Timer } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { overdueFault } from '#base/journal.ts';
import { DAY_MS } from '#base/time.ts';
import type { Admit, ExchangePort } from '#market/ports.ts';
import { AttemptSlot } from './attempt-slot.ts';
import { tellUnanswered } from './ended-order.ts';
import { failOrder } from './endings.ts';
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
  /** New orders that the market has not answered yet; only where that takes long. */
  readonly #unanswered = new Map<LiveOrder, Timer>();

  constructor(options: AdmissionsOptions) {
    this.#options = options;
  }

  /**
   * Asks the market of a new order for a slot or a place. An order without money waits outside the market, where it is
   * no demand. Refuses it with what the exchange throws.
   */
  open(order: LiveOrder): void {
    this.#guard(order, () => this.#open(order));
  }

  #open(order: LiveOrder): void {
    const { exchange, clock, funds, marketAnswerMs } = this.#options;
    const payer = funds.waits.payerWithout(order);
    if (payer) {
      this.#queue(order);
      if (order.phase === 'queued') funds.waits.enter(order, payer);
      return;
    }
    exchange.send(restCommand(order));
    if (marketAnswerMs === undefined) return;
    const refuse = () => {
      this.#answered(order);
      this.#drop(order, new Fault('unavailable', { retryAfterS: RETRY_S, message: NO_ANSWER }));
    };
    this.#unanswered.set(order, clock.after(marketAnswerMs, refuse));
  }

  /** No caller waits for a market any more. */
  close(): void {
    for (const order of this.#unanswered.keys()) this.#answered(order);
  }

  #answered(order: LiveOrder): void {
    this.#unanswered.get(order)?.cancel();
    this.#unanswered.delete(order);
  }

  /** The order did not start at once. */
  rested(order: LiveOrder | undefined, { restedSeq, bid }: Pick<Admit, 'restedSeq' | 'bid'>): void {
    if (!order) return;
    order.restedSeq = restedSeq;
    order.bids(bid);
    this.#answered(order);
    if (order.phase === 'opening') this.#guard(order, () => this.#queue(order));
  }

  /** A new order is written as queued, unless too many or too much of those wait. */
  #queue(order: LiveOrder): void {
    const { pending, inputs } = this.#options;
    if (!order.opening) return;
    const refusal = pending.refusal(order.row.accountId, order.row.batchId !== null) ?? inputs.refusal(order);
    if (refusal) {
      this.#drop(order, refusal);
      return;
    }
    order.moveTo('queued');
    this.#accept(order, order.opening, null);
    inputs.pack(order);
  }

  /** The exchange chose the order. The slot is given back if the order ended or is at another attempt. */
  chosen(order: LiveOrder | undefined, event: Admit): void {
    const slot = new AttemptSlot(event, this.#options.sendCommand);
    const isWaiting = order && (order.phase === 'opening' || order.phase === 'queued');
    if (!isWaiting || event.attempt !== order.attempt + 1) {
      slot.release('refused');
      return;
    }
    const isNew = order.phase === 'opening';
    this.#options.funds.waits.forget(order);
    this.#answered(order);
    const stop = this.#options.stops.mustStop(order);
    if (stop) {
      slot.release('refused');
      if (isNew) this.#drop(order, stop.fault);
      else this.#options.nowQueued(order);
      return;
    }
    order.moveTo('admitting');
    order.restedSeq = event.restedSeq;
    order.bids(event.bid);
    order.slot = slot;
    this.#guard(order, () => {
      const admission = admissionOf(order, event, this.#options.clock.nowMs());
      if (isNew && order.opening) this.#accept(order, order.opening, admission);
      else this.#admit(order, admission);
    });
  }

  /** Writes it for the first time: as running, or with `admission` null as queued. */
  #accept(order: LiveOrder, opening: PendingSubmission, admission: Admission | null): void {
    const { row } = order;
    const unit = {
      kind: 'accept',
      order: { ...row, bid: order.bid, restedSeq: order.restedSeq, customId: opening.line?.customId ?? null },
      admission,
      idempotency: this.#options.idempotency.rowFor(row, opening.request, opening.readsOwn),
      line: opening.line?.line ?? null,
      lineWarning: (opening.line && opening.request.extensions.misspelt?.warning) ?? null,
      body: order.bodyInRow && !order.input?.kept ? inputJson(order) : null,
      requestLog: requestLogOf(order, opening),
    } as const;
    // A line has no caller; it waits until it is written.
    const overdue = opening.line === null ? () => this.#overdue(order, opening) : undefined;
    this.#options.journal.write(unit, overdue).then(
      (outcome) => this.#guard(order, () => this.#accepted(order, opening, admission, outcome)),
      (error) => this.#break(order, error),
    );
  }

  /** The caller is refused. If the row commits after all, the order ends uncharged before it runs. */
  #overdue(order: LiveOrder, opening: PendingSubmission): void {
    order.acceptTimedOut = true;
    opening.reject(overdueFault());
  }

  #accepted(order: LiveOrder, opening: PendingSubmission, admission: Admission | null, outcome: AcceptOutcome): void {
    switch (outcome.result) {
      case 'key-taken':
        this.#leave(order);
        this.#options.idempotency
          .answer(outcome.existing, opening.request)
          .then((earlier) => earlier ?? Promise.reject(new Fault('result_pending', { retryAfterS: 1 })))
          .then(opening.resolve, opening.reject);
        return;
      case 'stale-epoch':
        this.#openAgain(order);
        return;
      case 'line-refused':
        this.#drop(order, new Fault('order_canceled'));
        return;
      case 'unfunded':
      case 'key-spent':
        this.#unpaid(order, outcome.result, outcome.funds);
        return;
      default:
        order.opening = null;
        opening.resolve({ type: 'order', ticket: order });
        if (outcome.result === 'queued') this.#nowQueued(order);
        else if (admission) this.#held(order, admission, outcome);
    }
  }

  #nowQueued(order: LiveOrder): void {
    if (order.phase === 'queued') this.#options.inputs.pack(order);
    this.#options.nowQueued(order);
  }

  #admit(order: LiveOrder, admission: Admission): void {
    const { orderId } = order;
    this.#options.journal.write({ kind: 'admit', orderId, accountId: order.row.accountId, admission }).then(
      (outcome) => this.#guard(order, () => this.#admitted(order, admission, outcome)),
      (error) => this.#break(order, error),
    );
  }

  #admitted(order: LiveOrder, admission: Admission, outcome: AdmitOutcome): void {
    switch (outcome.result) {
      case 'stale-epoch':
        order.slot?.release('refused');
        if (order.phase === 'admitting') this.#options.requeued(order);
        return;
      case 'gone':
        this.#options.log.warn({ order: order.orderId }, 'The exchange chose an order that had ended.');
        this.#drop(order, new Fault('internal_error'));
        return;
      case 'unfunded':
      case 'key-spent':
        this.#unpaid(order, outcome.result, outcome.funds);
        return;
      default:
        this.#held(order, admission, outcome);
    }
  }

  /** Its row says that it ended in an error. */
  #unpaid(order: LiveOrder, result: keyof typeof REFUSED, funds: Funds): void {
    this.#options.funds.update(order.row.accountId, funds);
    const end = { status: 'error', error: REFUSED[result], atMs: this.#options.clock.nowMs(), ran: false } as const;
    tellUnanswered(this.#options, order, end);
    this.#drop(order, new Fault(REFUSED[result]).withOrder(order.orderId));
    this.#options.funds.waits.answered(order);
  }

  /** Granted: it runs. Refused only because of other holds of its account or key: it waits for money. */
  #held(order: LiveOrder, admission: Admission, outcome: Extract<AdmitOutcome, { funds: unknown }>): void {
    if (outcome.result === 'parked') this.#wait(order, 'account', admission);
    else if (outcome.result === 'key-held') this.#wait(order, 'key', admission);
    this.#options.funds.update(order.row.accountId, outcome.funds);
    if (outcome.result !== 'executing') return;
    order.admit(admission);
    this.#options.funds.waits.answered(order);
    this.#options.start(order);
  }

  /**
   * The market changed hands before a new order was written: its new owner chooses again. The order has its place, so
   * it is written as queued at once: the owner's answer may take long.
   */
  #openAgain(order: LiveOrder): void {
    const stop = this.#options.stops.mustStop(order);
    if (stop || order.restedSeq === null) {
      this.#drop(order, stop?.fault ?? overdueFault());
      return;
    }
    order.slot?.release('refused');
    order.moveTo('opening');
    this.#options.sendCommand(restCommand(order));
    this.rested(order, { restedSeq: order.restedSeq });
  }

  #wait(order: LiveOrder, payer: Payer, { hold }: Admission): void {
    order.moveTo('queued');
    this.#options.funds.waits.wait(order, payer, hold);
    order.slot?.release('refused');
    this.#nowQueued(order);
  }

  /** Runs a step of an order. Anything it throws ends the order: no caller of this could do that. */
  #guard(order: LiveOrder, step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#break(order, error);
    }
  }

  /** It cannot go on, or the journal rejected its write. Its row says that it ended before anybody is notified. */
  #break(order: LiveOrder, error: unknown): void {
    // The journal takes nothing at the moment: a new order has no row.
    if (order.opening && error instanceof Fault) {
      this.#drop(order, error);
      return;
    }
    this.#options.log.error({ order: order.orderId, err: error }, 'The gateway failed an order before it ran.');
    const stop = { error: 'internal_error', fault: new Fault('internal_error', { cause: error }) } as const;
    const written = failOrder(this.#options, order, stop, order.slot?.attempt);
    this.#drop(order, order.opening ? error : stop.fault, written);
  }

  /** It does not run, or never was an order. Its caller gets the error after `written` has ended. */
  #drop(order: LiveOrder, error: unknown, written?: Promise<void>): void {
    const { opening } = order;
    this.#leave(order, written);
    const fault = error instanceof Fault ? error : new Fault('internal_error', { cause: error });
    const answer = () => {
      opening?.reject(error);
      order.end({ status: 'error', fault: fault.withOrder(order.orderId) });
    };
    if (written) written.then(answer, answer);
    else answer();
  }

  /** It leaves the exchange, with the slot that it was given, and this gateway. */
  #leave(order: LiveOrder, written?: Promise<void>): void {
    const { orderId, listing, slot } = order;
    if (slot?.held) slot.release('refused');
    else this.#options.sendCommand({ type: 'withdraw', model: listing.id, order: orderId, expired: false });
    order.opening = null;
    this.#options.forget(order, written);
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
