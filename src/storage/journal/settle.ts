/** Units that end a run: settled, failed, or requeued. Each names the attempt to which it belongs. */
import assert from 'node:assert';
import type { NanoUsd } from '#base/money.ts';
import { DAY_MS } from '#base/time.ts';
import type { FailUnit, Funds, ReleaseOutcome, RequeueUnit, SettleOutcome, SettleUnit } from '#orders/units.ts';
import { bit, type NewRow, price, type Value } from '../database/values.ts';
import type { UnitKind } from './context.ts';
import { shape } from './operations.ts';
import type { OrderSort } from './order-days.ts';
import {
  endUncharged,
  isRunning,
  type OrderRun,
  type OrderState,
  orderRun,
  orderState,
  releaseHold,
  wantBudget,
  wantKeyOf,
  wantOrder,
} from './order-state.ts';
import type { Picture } from './picture.ts';
import { addResult } from './results.ts';
import { tellBudget, tellOrder, wantKeyToTell } from './webhooks.ts';

const INSERT_USAGE = shape({
  act: 'insert',
  table: 'usage_records',
  columns: [
    ...['order_id', 'account_id', 'model', 'created_at_ms', 'prompt_tokens', 'cached_tokens', 'output_tokens'],
    ...['level_at_execution', 'charged', 'refunded', 'written_off', 'at_bid', 'estimated', 'pricing', 'key_id'],
    'first_output_at_ms',
  ],
});
const INSERT_TAG = shape({
  act: 'insert',
  table: 'usage_tags',
  columns: ['account_id', 'tag', 'created_at_ms', 'order_id'],
});
const INSERT_ENTRY = shape({
  act: 'insert',
  table: 'entries',
  columns: ['account_id', 'unique_key', 'id', 'kind', 'amount', 'order_id', 'created_at_ms'],
});

/** Usage record, ledger entry, debit, hold released and `done`. What balance, budget or its own bound does not cover is written off. */
export const settle: UnitKind<SettleUnit, SettleOutcome> = {
  want({ orderId, keyId, budgeted, attempt, running, resultExpiresAtMs }, { picture }) {
    // Only the row says in which period the order was admitted.
    if (budgeted && keyId !== null) {
      picture.orders.want(orderId);
      picture.keyBudgets.want(keyId);
    } else {
      picture.orders.expect({ status: 'executing', attempt, hold: running.hold }, orderId);
    }
    if (running.outlives && resultExpiresAtMs !== null) picture.keys.wantOf(orderId);
  },

  wantMore({ orderId, accountId, running }, { picture }) {
    if (picture.orders.find(orderId)?.status === 'done') picture.charges.want(orderId);
    wantKeyToTell(picture, { id: orderId, accountId, outlives: running.outlives });
  },

  apply(unit, { picture }) {
    const { balances, orderDays, batchCounts, modelTokens } = picture;
    const { orderId, accountId, attempt, running } = unit;
    const state = orderRun(picture, orderId);
    if (!isRunning(state, attempt)) return settledBefore(unit, state, picture, balances.funds(accountId));
    assert(state.hold === running.hold, `order ${orderId} does not hold ${running.hold}`);
    const { charged, house } = debit(unit, state, picture);
    const writtenOff = unit.charge - charged;
    picture.orders.change(done(unit), orderId);
    picture.charges.add(orderId, { charged, writtenOff });
    picture.write(INSERT_USAGE, usageOf(unit, charged, writtenOff));
    for (const tag of running.tags ?? []) picture.write(INSERT_TAG, [accountId, tag, unit.finishedAtMs, orderId]);
    picture.write(INSERT_ENTRY, entryOf(unit, 'charge', -charged));
    // The house owes nothing: the cost of a probe is topped up at the same moment, so entries still sum to the balance.
    if (house) picture.write(INSERT_ENTRY, entryOf(unit, 'top_up', charged));
    else modelTokens.count(unit, charged);
    balances.countUsage(unit, charged);
    orderDays.count(sortOfRunning(unit), 'done', { charged, atBid: unit.atBid });
    batchCounts.ended(running.batchId, 'done');
    keepResult(unit, picture);
    tellOrder(picture, toldOf(unit, charged));
    if (running.outlives) picture.bodies.remove(orderId);
    return { result: 'settled', charged, writtenOff, funds: balances.funds(accountId) };
  },
};

/** The debit of the account, which the budget of the key is charged with, too. */
function debit(
  { accountId, keyId, charge: due, maxCharge = null, finishedAtMs, running: { hold } }: SettleUnit,
  { budgetFromMs: fromMs }: OrderRun,
  picture: Picture,
): { charged: NanoUsd; house: boolean } {
  const { balances, keyBudgets } = picture;
  const charge = maxCharge !== null && maxCharge < due ? maxCharge : due;
  if (keyId === null || fromMs === null) return balances.debit(accountId, hold, charge);
  const order = { keyId, fromMs, hold };
  const cover = keyBudgets.coverOf(order);
  const debited = balances.debit(accountId, hold, cover !== null && cover < charge ? cover : charge);
  keyBudgets.spend(order, debited.charged);
  if (keyBudgets.isSpent(keyId)) tellBudget(picture, accountId, keyId, finishedAtMs);
  return debited;
}

function sortOfRunning({ accountId, model, running }: SettleUnit): OrderSort {
  const { createdAtMs, kind, batchId, market } = running;
  return { accountId, createdAtMs, model, kind, inBatch: batchId !== null, market };
}

function toldOf({ orderId: id, accountId, model, finishedAtMs, running }: SettleUnit, charged: NanoUsd) {
  return { ...running, id, accountId, model, finishedAtMs, charged, status: 'done', error: null } as const;
}

/** A repeated settlement returns what it did before; the late settlement of an abandoned attempt is stale. */
function settledBefore(
  { orderId, attempt }: SettleUnit,
  state: OrderRun | null,
  { charges }: Picture,
  funds: Funds,
): SettleOutcome {
  if (state?.attempt !== attempt || state.status !== 'done') return { result: 'stale' };
  const charge = charges.find(orderId);
  assert(charge, `order ${orderId} is done without a usage row`);
  return { result: 'settled', ...charge, funds };
}

function done({ finishedAtMs, resultBytes, resultExpiresAtMs }: SettleUnit): NewRow {
  const row = { status: 'done', finished_at_ms: finishedAtMs, hold: 0, result_expires_at_ms: resultExpiresAtMs };
  return resultBytes === null ? row : { ...row, result_state: 'stored' };
}

/** Records a result that is stored from now on, here or in the result store, and extends the order's key. */
function keepResult(unit: SettleUnit, picture: Picture): void {
  const { accountId, orderId, finishedAtMs, resultBytes, resultExpiresAtMs: expiresAtMs } = unit;
  if (resultBytes === null || expiresAtMs === null) return;
  if (unit.resultText !== null) picture.answers.add({ order_id: orderId, body: unit.resultText });
  addResult(picture, { accountId, finishedAtMs, orderId, bytes: resultBytes, expiresAtMs });
  // A key lives as long as the result of its order, and at least a day.
  if (unit.running.outlives)
    picture.keys.extend(orderId, ({ createdAtMs }) => Math.max(createdAtMs + DAY_MS, expiresAtMs));
}

function usageOf(unit: SettleUnit, charged: bigint, writtenOff: bigint): Value[] {
  const { tokens } = unit;
  return [
    ...[unit.orderId, unit.accountId, unit.model, unit.finishedAtMs],
    ...[tokens.uncached + tokens.cached, tokens.cached, tokens.output],
    ...[price.bind(unit.price), charged, 0, writtenOff, unit.atBid, bit(unit.estimated), unit.pricing, unit.keyId],
    unit.firstOutputAtMs ?? null,
  ];
}

function entryOf(unit: SettleUnit, kind: 'charge' | 'top_up', amount: bigint): Value[] {
  const { accountId, orderId, finishedAtMs } = unit;
  const key = kind === 'charge' ? `charge:${orderId}` : `house:${orderId}`;
  return [accountId, key, orderId, kind, amount, orderId, finishedAtMs];
}

/** The order ends as `error`, uncharged; its key is free and its kept input deleted. */
export const fail: UnitKind<FailUnit, ReleaseOutcome> = {
  want: wantOrder,

  wantMore({ orderId }, { picture }) {
    wantBudget(picture, orderId);
    wantKeyOf(picture, orderId);
  },

  apply(unit, { picture }) {
    const { orderId, accountId, attempt, finishedAtMs, error, errorMessage } = unit;
    const { balances, orders } = picture;
    const state = orderState(picture, orderId);
    const wasReleased = state?.status === 'error' && state.attempt === attempt;
    if (!isRunning(state, attempt)) return releasedBefore(wasReleased, balances.funds(accountId));
    releaseHold(picture, state);
    const ended = { status: 'error', finished_at_ms: finishedAtMs, error, error_message: errorMessage };
    orders.change({ ...ended, hold: 0, result_state: 'none' }, orderId);
    endUncharged(picture, orderId, state, { status: 'error', error, finishedAtMs });
    return { result: 'released', funds: balances.funds(accountId) };
  },
};

/** Queued again, as if never admitted, except for its counts of attempts and failures. */
export const requeue: UnitKind<RequeueUnit, ReleaseOutcome> = {
  want: wantOrder,

  wantMore({ orderId }, { picture }) {
    wantBudget(picture, orderId);
  },

  apply(unit, { picture, again }) {
    const { orderId, accountId, attempt, expiresAtMs, failures } = unit;
    const { balances, orders } = picture;
    const state = orderState(picture, orderId);
    if (!isRunning(state, attempt))
      return releasedBefore(hasReturned(state, attempt, again), balances.funds(accountId));
    releaseHold(picture, state);
    const never = { admitted_at_ms: null, level_at_execution: null, level_seq: null, pod: null, hold: 0 };
    orders.change({ status: 'queued', ...never, expires_at_ms: expiresAtMs, failures }, orderId);
    return { result: 'released', funds: balances.funds(accountId) };
  },
};

/**
 * Whether this attempt's requeue was applied before. On a retry the transaction may already hold the next admission, or
 * the end of the wait, which are written as soon as the order is back in the book.
 */
function hasReturned(state: OrderState | null, attempt: number, again: boolean): boolean {
  if (state?.attempt !== attempt) return again && state !== null && state.attempt > attempt;
  return state.status === 'queued' || (again && (state.status === 'canceled' || state.status === 'expired'));
}

function releasedBefore(wasReleased: boolean, funds: Funds): ReleaseOutcome {
  return wasReleased ? { result: 'released', funds } : { result: 'stale' };
}
