/**
 * What happens to an admitted order: it runs on its pod, and the way that ends decides whether it is settled, failed or
 * sent back to the book. Output that a caller may have seen is never produced twice; a pod that fails before any output
 * costs the order nothing but time. Design: life of an order.
 */
import type { Clock } from '#base/clock.ts';
import { Fault, type FaultCode } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import { tokensToCharge } from '#ledger/settlement.ts';
import { chargeOf, type Tokens } from '#ledger/tariff.ts';
import type { Command } from '#market/ports.ts';
import type { FundsBook } from './funds.ts';
import type { ReportedUsage } from './generation.ts';
import type { JournalPort, ReleaseOutcome, SettleOutcome } from './journal-port.ts';
import type { LiveOrder } from './live-order.ts';
import type { Answer, StoredResult } from './order-port.ts';
import type { AttemptOutcome, OrderStore, PodPort } from './ports.ts';
import type { ResultKeeper } from './result-keeper.ts';

/** Failures of pods that an order survives. */
const FAILURES_MAX = 3;
/** How long a caller waits for a settlement that does not commit. */
const SETTLEMENT_PATIENCE_MS = 10_000;
const DAY_MS = 86_400_000;

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
    const cause = outcome.kind === 'failed' ? outcome.reason : outcome.kind;
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
    order.expiresAtMs += clock.nowMs() - order.admittedAtMs;
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
    const { tokens, estimated } = tokensToCharge({
      reported,
      outputDeltas: order.output.outputDeltas,
      outputBytes: () => order.output.outputBytes(),
      promptEstimate: order.row.promptEstimate,
      promptBound: order.row.promptBound,
      outputCap: order.row.outputCap,
      contextLength: order.listing.contextLength,
    });
    const answer = this.#answer(order, tokens, reported?.reasoningTokens ?? null, finishedAtMs);
    this.#settling.set(order, finishedAtMs);
    if (!order.bodyFirst) this.#writeSettlement(order, answer, estimated, null);
    else {
      const stored = this.#parts.keeper.store(storedResult(order, answer));
      void stored.then((bytes) => this.#writeSettlement(order, answer, estimated, bytes));
    }
  }

  #answer(order: LiveOrder, tokens: Tokens, reasoningTokens: number | null, finishedAtMs: number): Answer {
    const { tariff, levelAtExecution, bid, orderId } = order;
    const charged = chargeOf(tariff, levelAtExecution, tokens);
    const receipt = { orderId, tariff, levelAtExecution, bid, charged, tokens };
    return { generation: order.output.generation(), receipt, reasoningTokens, finishedAtMs };
  }

  /** `bytes` is the size of the body where it had to come first: `done` promises that it exists. */
  #writeSettlement(order: LiveOrder, answer: Answer, estimated: boolean, bytes: number | null): void {
    const { orderId, attempt } = order;
    const { accountId, model, house, retentionDays } = order.row;
    const { tokens, charged: charge, tariff, levelAtExecution } = answer.receipt;
    this.#parts.journal
      .write({
        kind: 'settle',
        orderId,
        accountId,
        attempt,
        finishedAtMs: answer.finishedAtMs,
        model,
        pricing: tariff.type,
        levelAtExecution,
        tokens,
        charge,
        atBid: chargeOf(tariff, Math.min(order.bid, order.listing.ceiling), tokens),
        estimated,
        house,
        resultBytes: bytes,
        resultExpiresAtMs: order.resultStored ? answer.finishedAtMs + retentionDays * DAY_MS : null,
      })
      .then((outcome) => this.#settled(order, answer, outcome), this.#unwritten(order));
  }

  #settled(order: LiveOrder, answer: Answer, outcome: SettleOutcome): void {
    this.#close(order);
    if (outcome.result === 'stale') {
      this.#parts.log.error({ order: order.orderId, attempt: order.attempt }, 'A settlement found its order gone.');
      order.end({ status: 'error', fault: new Fault('settlement_uncertain').withOrder(order.orderId) });
      return;
    }
    this.#parts.funds.update(order.row.accountId, outcome.funds);
    const paid = outcome.writtenOff === 0n ? answer : this.#afterWriteOff(order, answer, outcome);
    order.end({ status: 'done', answer: paid });
    if (order.resultStored && !order.bodyFirst) {
      this.#parts.keeper.keep(order.row.accountId, storedResult(order, paid));
    }
  }

  /** The answer with what was charged in the end; a body that came first is written again to say so. */
  #afterWriteOff(order: LiveOrder, answer: Answer, outcome: Extract<SettleOutcome, { result: 'settled' }>): Answer {
    const writtenOff = outcome.writtenOff.toString();
    this.#parts.log.warn({ order: order.orderId, writtenOff }, 'Part of a charge was written off.');
    const paid = { ...answer, receipt: { ...answer.receipt, charged: outcome.charged } };
    if (order.bodyFirst) void this.#parts.keeper.store(storedResult(order, paid));
    return paid;
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

function storedResult(order: LiveOrder, answer: Answer): StoredResult {
  return { orderId: order.orderId, kind: order.kind, model: order.listing.id, createdAtMs: order.createdAtMs, answer };
}
