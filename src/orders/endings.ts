/**
 * Writes how a run ended, settled or failed, and notifies the caller after the commit. A write that can never be applied
 * is given up: the caller learns that the charge is uncertain. Nothing that is thrown on the way leaves an order open.
 * docs/understand/lifecycle.md.
 */
import { Fault } from '#base/fault.ts';
import { fitsRow } from '#results/result.ts';
import type { AttemptSlot } from './attempt-slot.ts';
import { observed, tellSettled, tellUnanswered, timesOf } from './ended-order.ts';
import type { LiveOrder } from './live-order.ts';
import type { OrderServiceParts } from './order-parts.ts';
import type { AttemptCounts } from './ports.ts';
import { type Settlement, settlementOf, settleUnitOf } from './settlement.ts';
import type { Stop } from './stops.ts';
import type { Funds, ReleaseOutcome, SettleOutcome } from './units.ts';

/** How long a caller waits for a settlement that does not commit. */
const SETTLEMENT_PATIENCE_MS = 10_000;

/** Ends orders whose runs are over. */
export class Endings {
  readonly #options: OrderServiceParts;
  /** Orders whose end is written but not yet committed, oldest first. */
  readonly #settling = new Map<LiveOrder, number>();

  constructor(options: OrderServiceParts) {
    this.#options = options;
  }

  /** Reports an uncertain charge to callers whose settlement does not commit in time; the settlement goes on. */
  review(): void {
    const overdueMs = this.#options.clock.monotonicMs() - SETTLEMENT_PATIENCE_MS;
    for (const [order, sinceMs] of this.#settling) {
      if (sinceMs > overdueMs) return;
      this.#uncertain(order);
    }
  }

  /** The order ends in an error, uncharged. */
  fail(order: LiveOrder, stop: Stop): void {
    const { slot } = order;
    order.moveTo('finishing');
    this.#settling.set(order, this.#options.clock.monotonicMs());
    this.#releaseEarly(slot);
    const ended = () => {
      slot?.release('finished');
      this.#close(order);
      order.end({ status: 'error', fault: stop.fault.withOrder(order.orderId) });
    };
    failOrder(this.#options, order, stop).then(ended, (error) => this.#giveUp(order, slot, error));
  }

  /** Writes that the order is queued again. It may join its queue, by `rejoin`, when its slot has been given back. */
  requeue(order: LiveOrder, rejoin: () => void): void {
    const { accountId } = order.row;
    const { orderId, attempt, expiresAtMs, failures, slot } = order;
    order.moveTo('finishing');
    this.#releaseEarly(slot);
    const isFree = !slot?.held;
    const requeued = (outcome: ReleaseOutcome) => {
      if (outcome.result !== 'released') {
        this.#giveUp(order, slot, 'its row was not executing');
        return;
      }
      slot?.release('finished');
      learnFunds(this.#options, order, outcome.funds);
      if (!isFree) this.guard(order, rejoin);
    };
    const unit = { kind: 'requeue', orderId, accountId, attempt, expiresAtMs, failures } as const;
    Promise.try(() => this.#options.journal.write(unit)).then(requeued, (error) => this.#giveUp(order, slot, error));
    if (isFree) rejoin();
  }

  /**
   * Runs a step of an order. Anything it throws is logged and ends the order uncharged: no caller of this could do
   * either.
   */
  guard(order: LiveOrder, step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#break(order, error);
    }
  }

  #break(order: LiveOrder, error: unknown): void {
    this.#options.log.error({ order: order.orderId, err: error }, 'The gateway failed an order.');
    const fault = new Fault('internal_error', { cause: error });
    if (order.phase !== 'ended') this.fail(order, { error: 'internal_error', fault });
  }

  #releaseEarly(slot: AttemptSlot | null): void {
    if (!this.#options.releaseAfterCommit) slot?.release('finished');
  }

  /**
   * What the run produced is charged. Its slot is given back once that is written, and not while a promised result is
   * being stored: until then its row is executing, and no pod has more of these than slots.
   */
  settle(order: LiveOrder, counts: AttemptCounts): void {
    order.moveTo('finishing');
    const finishedAtMs = this.#options.clock.nowMs();
    const settlement = settlementOf(order, counts, finishedAtMs);
    const { result } = settlement;
    this.#settling.set(order, this.#options.clock.monotonicMs());
    // `done` promises that the result exists.
    if (result && order.resultFirst && !fitsRow(result)) {
      this.#options.keeper.store(result).then(
        () => this.guard(order, () => this.#writeSettlement(order, settlement)),
        (error) => this.#break(order, error),
      );
    } else {
      this.#writeSettlement(order, settlement);
    }
  }

  #writeSettlement(order: LiveOrder, settlement: Settlement): void {
    const { slot } = order;
    const settled = (outcome: SettleOutcome) => {
      slot?.release('finished');
      try {
        this.#settled(order, settlement, outcome);
      } catch (error) {
        this.#options.log.error({ order: order.orderId, err: error }, 'What follows a settlement failed.');
        this.#uncertain(order);
      }
    };
    const unit = settleUnitOf(order, settlement);
    Promise.try(() => this.#options.journal.write(unit)).then(settled, (error) => this.#giveUp(order, slot, error));
    this.#releaseEarly(slot);
  }

  #settled(order: LiveOrder, settlement: Settlement, outcome: SettleOutcome): void {
    const { log } = this.#options;
    this.#close(order);
    if (outcome.result === 'stale') {
      log.error({ order: order.orderId, attempt: order.attempt }, 'A settlement found its order gone.');
      this.#uncertain(order);
      return;
    }
    if (!order.row.house) observed(log, order, () => this.#options.settled?.(timesOf(order, settlement.answer)));
    learnFunds(this.#options, order, outcome.funds);
    const { charged, writtenOff } = outcome;
    tellSettled(this.#options, order, settlement, outcome);
    if (writtenOff !== 0n) {
      const { accountId: account, maxCharge = null } = order.row;
      const amounts = { writtenOff: writtenOff.toString(), maxCharge: maxCharge?.toString() };
      log.warn({ order: order.orderId, account, ...amounts }, 'Part of a charge was written off.');
    }
    const { answer, result } = settlement;
    order.end({ status: 'done', answer: { ...answer, receipt: { ...answer.receipt, charged } } });
    if (result && !fitsRow(result) && !order.resultFirst) this.#options.keeper.keep(order.row.accountId, result);
  }

  #close(order: LiveOrder, written?: Promise<void>): void {
    this.#settling.delete(order);
    this.#options.forget(order, written);
  }

  #uncertain(order: LiveOrder, cause?: unknown): void {
    order.end({ status: 'error', fault: new Fault('settlement_uncertain', { cause }).withOrder(order.orderId) });
  }

  /**
   * A write that can never be applied: the caller is notified, and the hold is released if the row still has it. A row
   * that refuses that too is left to the operator.
   */
  #giveUp(order: LiveOrder, slot: AttemptSlot | null, cause: unknown): void {
    const { log, sendCommand } = this.#options;
    const { orderId } = order;
    log.error({ order: orderId, err: cause }, 'An order could not be written.');
    sendCommand({ type: 'withdraw', model: order.listing.id, order: orderId, expired: false });
    const written = failOrder(this.#options, order, BROKEN);
    this.#close(order, written);
    this.#uncertain(order, cause);
    written.catch(() => {}).finally(() => slot?.release('finished'));
  }
}

const BROKEN: Stop = { error: 'internal_error', fault: new Fault('internal_error') };

/**
 * Writes that an order ends in an error, uncharged: while this attempt runs, or while the order is queued before or after
 * it. Rejects with what the journal throws; then the row is as it was.
 */
export async function failOrder(
  parts: OrderServiceParts,
  order: LiveOrder,
  { error, fault }: Stop,
  attempt = order.attempt,
): Promise<void> {
  const { journal, clock } = parts;
  const { accountId } = order.row;
  const atMs = clock.nowMs();
  const end = { orderId: order.orderId, accountId, finishedAtMs: atMs, error, errorMessage: fault.message };
  const outcome = await journal.write({ kind: 'fail', attempt, ...end });
  const ran = outcome.result === 'released';
  if (ran) learnFunds(parts, order, outcome.funds);
  else if ((await journal.write({ kind: 'close', status: 'error', ...end })).result !== 'changed') return;
  tellUnanswered(parts, order, { status: 'error', error, atMs, ran });
}

/** What a write reports about account and key. Later writes say it again, so that a failure costs no order its end. */
function learnFunds({ funds: book, log }: OrderServiceParts, order: LiveOrder, funds: Funds): void {
  const { accountId } = order.row;
  try {
    book.update(accountId, funds);
    book.waits.freed(order);
  } catch (error) {
    log.error({ account: accountId, err: error }, 'The balance of an account could not be taken in.');
  }
}
