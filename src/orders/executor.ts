/**
 * What happens to an admitted order: it runs on its pod, and the way that ends decides whether it is settled, failed or
 * sent back to the book. Output that a caller may have seen is never produced twice; a pod that fails before any output
 * costs the order nothing but time. docs/lifecycle.md.
 */
import type { Clock } from '#base/clock.ts';
import { Fault, type FaultCode } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import type { Command } from '#market/ports.ts';
import type { FundsBook } from './funds.ts';
import type { ReportedUsage } from './generation.ts';
import type { JournalPort, ReleaseOutcome, SettleOutcome } from './journal-port.ts';
import type { LiveOrder } from './live-order.ts';
import type { AttemptOutcome, OrderStore, PodPort } from './ports.ts';
import type { ResultKeeper } from './result-keeper.ts';
import { fitsRow } from './results.ts';
import { type Settlement, settlementOf, settleUnitOf, withWriteOff } from './settlement.ts';

/** Failures of pods that an order survives. */
const FAILURES_MAX = 3;
/** How long a caller waits for a settlement that does not commit. */
const SETTLEMENT_PATIENCE_MS = 10_000;

/** What the executor needs of the desk. */
export interface ExecutorParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: JournalPort;
  readonly pods: PodPort;
  readonly store: OrderStore;
  readonly keeper: ResultKeeper;
  readonly tellExchange: (command: Command) => void;
  readonly funds: FundsBook;
  /** The order is queued again; its attempt's slot has been given back. */
  readonly requeued: (order: LiveOrder) => void;
  /** The order has ended, for good. */
  readonly finished: (order: LiveOrder) => void;
}

/** Runs admitted orders to their end. */
export class Executor {
  readonly #parts: ExecutorParts;
  /** Orders whose settlement has been written and not yet answered, oldest first. */
  readonly #settling = new Map<LiveOrder, number>();

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
  }

  /** Sends an order whose admission has committed to its pod. */
  start(order: LiveOrder): void {
    order.phase = 'executing';
    order.startOver();
    if (order.callerLeft && !order.row.outlives) {
      this.#release(order);
      this.#fail(order, 'client_closed', new Fault('order_canceled'));
    } else if (order.generation) {
      this.#run(order);
    } else {
      this.#readBack(order);
    }
  }

  /** Tells callers whose settlement does not commit that the charge is uncertain; the settlement goes on. */
  review(): void {
    const overdueMs = this.#parts.clock.nowMs() - SETTLEMENT_PATIENCE_MS;
    for (const [order, sinceMs] of this.#settling) {
      if (sinceMs > overdueMs) return;
      order.end({ status: 'error', fault: new Fault('settlement_uncertain').withOrder(order.orderId) });
    }
  }

  #run(order: LiveOrder): void {
    const { generation, pod } = order;
    if (!generation || pod === null) throw new Error(`order ${order.orderId} was started without an input or a pod`);
    const { attempt } = order;
    order.running = this.#parts.pods.execute(
      { orderId: order.orderId, attempt, model: order.listing.id, pod, generation, outputCap: order.row.outputCap },
      {
        events: (batch) => order.produce(batch),
        ended: (outcome) => this.#ended(order, outcome),
      },
    );
  }

  #readBack(order: LiveOrder): void {
    const { promptBound, promptEstimate } = order.row;
    this.#parts.store.body(order.orderId).then(
      (body) => {
        if (body) {
          order.generation = { body, promptBound, promptEstimate, images: 0 };
          this.#run(order);
        } else {
          this.#release(order);
          this.#fail(order, 'gateway_restarted', new Fault('gateway_restarted'));
        }
      },
      (error) => {
        this.#parts.log.error({ order: order.orderId, err: error }, 'The kept input of an order could not be read.');
        this.#release(order);
        this.#podFailed(order, { kind: 'failed', reason: 'its kept input could not be read' });
      },
    );
  }

  #ended(order: LiveOrder, outcome: AttemptOutcome): void {
    order.running = null;
    this.#release(order);
    if (order.cutOff) {
      this.#cutOff(order);
      return;
    }
    switch (outcome.kind) {
      case 'complete':
      case 'aborted':
        this.#settle(order, outcome.usage);
        return;
      case 'refused':
        this.#fail(
          order,
          'model_refused',
          new Fault('model_refused', { message: `The model refused this request: ${outcome.message}` }),
        );
        return;
      case 'no-slot':
      case 'failed':
        this.#podFailed(order, outcome);
    }
  }

  /** The gateway closes. An order that outlives its caller stays as it is: the next process sends it back to the book. */
  #cutOff(order: LiveOrder): void {
    const fault = new Fault('unavailable', { retryAfterS: 5 });
    if (!order.row.outlives) {
      this.#fail(order, 'gateway_draining', fault);
      return;
    }
    this.#parts.finished(order);
    order.end({ status: 'error', fault: fault.withOrder(order.orderId) });
  }

  #podFailed(order: LiveOrder, outcome: AttemptOutcome): void {
    const counts = outcome.kind === 'failed';
    const cause = outcome.kind === 'failed' ? outcome.reason : 'the backend has no room (429 or 503)';
    this.#parts.log.warn(
      { order: order.orderId, pod: order.pod, attempt: order.attempt, cause },
      'A pod failed an order.',
    );
    const abandoned = order.callerLeft && !order.row.outlives;
    if (order.output.hasOutput || abandoned || (counts && order.failures >= FAILURES_MAX)) {
      this.#fail(order, 'backend_error', new Fault('backend_error', { cause }));
    } else {
      this.#requeue(order, counts);
    }
  }

  #requeue(order: LiveOrder, counts: boolean): void {
    const { clock, journal, funds } = this.#parts;
    order.startOver();
    order.failures += counts ? 1 : 0;
    // A line waits until its batch's deadline, however long it ran; the time of others runs only while they wait.
    if (order.row.batchId === null) order.expiresAtMs += clock.nowMs() - order.admittedAtMs;
    const { accountId } = order.row;
    const { orderId, attempt, expiresAtMs, failures } = order;
    journal.write({ kind: 'requeue', orderId, accountId, attempt, expiresAtMs, failures }).then((outcome) => {
      if (outcome.result === 'released') funds.update(accountId, outcome.funds);
      else this.#giveUp(order, 'its row was not executing');
    }, this.#unwritten(order));
    this.#parts.requeued(order);
  }

  #fail(order: LiveOrder, code: FaultCode | 'client_closed' | 'gateway_draining', fault: Fault): void {
    order.phase = 'finishing';
    const { accountId } = order.row;
    const { orderId, attempt } = order;
    const finishedAtMs = this.#parts.clock.nowMs();
    this.#settling.set(order, finishedAtMs);
    this.#parts.journal
      .write({ kind: 'fail', orderId, accountId, attempt, finishedAtMs, error: code, errorMessage: fault.message })
      .then((outcome: ReleaseOutcome) => {
        if (outcome.result === 'released') this.#parts.funds.update(accountId, outcome.funds);
        this.#close(order);
        order.end({ status: 'error', fault: fault.withOrder(orderId) });
      }, this.#unwritten(order));
  }

  #settle(order: LiveOrder, reported: ReportedUsage | null): void {
    order.phase = 'finishing';
    const finishedAtMs = this.#parts.clock.nowMs();
    const settlement = settlementOf(order, reported, finishedAtMs);
    const { body } = settlement;
    this.#settling.set(order, finishedAtMs);
    // `done` promises that the body exists.
    if (body && order.bodyFirst && !fitsRow(body)) {
      void this.#parts.keeper.store(body).then(() => this.#writeSettlement(order, settlement));
    } else {
      this.#writeSettlement(order, settlement);
    }
  }

  #writeSettlement(order: LiveOrder, settlement: Settlement): void {
    this.#parts.journal
      .write(settleUnitOf(order, settlement))
      .then((outcome) => this.#settled(order, settlement, outcome), this.#unwritten(order));
  }

  #settled(order: LiveOrder, settlement: Settlement, outcome: SettleOutcome): void {
    const { log, funds } = this.#parts;
    this.#close(order);
    if (outcome.result === 'stale') {
      log.error({ order: order.orderId, attempt: order.attempt }, 'A settlement found its order gone.');
      order.end({ status: 'error', fault: new Fault('settlement_uncertain').withOrder(order.orderId) });
      return;
    }
    funds.update(order.row.accountId, outcome.funds);
    const { charged, writtenOff } = outcome;
    if (writtenOff === 0n) {
      this.#told(order, settlement, false);
    } else {
      log.warn({ order: order.orderId, writtenOff: writtenOff.toString() }, 'Part of a charge was written off.');
      this.#told(order, withWriteOff(order, settlement, charged), true);
    }
  }

  /** A large body follows now, or, where it came first, only to say another charge. */
  #told(order: LiveOrder, { answer, body }: Settlement, changed: boolean): void {
    order.end({ status: 'done', answer });
    if (!body || fitsRow(body)) return;
    if (!order.bodyFirst) this.#parts.keeper.keep(order.row.accountId, body);
    else if (changed) void this.#parts.keeper.store(body);
  }

  #release(order: LiveOrder): void {
    const { orderId, attempt, pod } = order;
    if (pod === null) return;
    this.#parts.tellExchange({
      type: 'release',
      model: order.listing.id,
      order: orderId,
      attempt,
      pod,
      reason: 'finished',
    });
  }

  #close(order: LiveOrder): void {
    this.#settling.delete(order);
    this.#parts.finished(order);
  }

  #unwritten(order: LiveOrder): (error: unknown) => void {
    return (error) => this.#giveUp(order, error);
  }

  /** A write that can never be applied: the row stays as it is, for the operator, and the caller is told so. */
  #giveUp(order: LiveOrder, cause: unknown): void {
    this.#parts.log.error({ order: order.orderId, err: cause }, 'An order could not be written.');
    this.#parts.tellExchange({ type: 'withdraw', model: order.listing.id, order: order.orderId, expired: false });
    this.#close(order);
    order.end({ status: 'error', fault: new Fault('settlement_uncertain', { cause }).withOrder(order.orderId) });
  }
}
