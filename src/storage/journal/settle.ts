/** Units that end a run: settled, failed, or requeued. Each names the attempt to which it belongs. */
import assert from 'node:assert';
import type { FailUnit, Funds, ReleaseOutcome, RequeueUnit, SettleOutcome, SettleUnit } from '#orders/units.ts';
import { withCharge } from '#results/result.ts';
import { bit, money, price } from '../database/values.ts';
import type { BalanceBatch } from './balance-batch.ts';
import type { Context } from './context.ts';
import type { OrderSort } from './order-days.ts';
import { dropBody, dropBodyAndKey, type OrderState, readOrder } from './order-state.ts';
import { addResult, extendKey, keepRow } from './results.ts';
import { first, run, type Statement, type Steps } from './steps.ts';

/** Usage record, ledger entry, debit, hold released and `done`. What the balance cannot cover is written off. */
export function* settle(unit: SettleUnit, context: Context): Steps<SettleOutcome> {
  const { balances, orderDays, batchCounts, modelTokens } = context;
  const { orderId, accountId, running } = unit;
  const { changes } = yield markDone(unit);
  if (changes === 0) return yield* settledBefore(unit, balances.funds(accountId));
  const { charged, house } = balances.debit(accountId, running.hold, unit.charge);
  const writtenOff = unit.charge - charged;
  yield insertUsage(unit, charged, writtenOff);
  yield insertEntry(unit, 'charge', -charged);
  // The house owes nothing: the cost of a probe is topped up at the same moment, so entries still sum to the balance.
  if (house) yield insertEntry(unit, 'top_up', charged);
  else modelTokens.count(unit, charged);
  balances.countUsage(accountId, unit.model, unit.finishedAtMs, charged);
  orderDays.count(sortOfRunning(unit), 'done', { charged, atBid: unit.atBid });
  batchCounts.ended(running.batchId, 'done');
  if (unit.resultExpiresAtMs !== null) yield* keepResult(unit, balances, charged);
  if (running.outlives) yield* dropBody(orderId);
  return { result: 'settled', charged, writtenOff, funds: balances.funds(accountId) };
}

function sortOfRunning({ accountId, model, running }: SettleUnit): OrderSort {
  const { createdAtMs, kind, batchId, market } = running;
  return { accountId, createdAtMs, model, kind, inBatch: batchId !== null, market };
}

/** A repeated settlement returns what it did before; the late settlement of an abandoned attempt is stale. */
function* settledBefore(unit: SettleUnit, funds: Funds): Steps<SettleOutcome> {
  const { orderId, attempt, running } = unit;
  const state = yield* readOrder(orderId);
  if (state?.attempt !== attempt) return { result: 'stale' };
  assert(state.status !== 'executing', `order ${orderId} does not hold ${running.hold}`);
  if (state.status !== 'done') return { result: 'stale' };
  const usage = yield* first('SELECT charged, written_off FROM usage_records WHERE order_id = ?', orderId);
  assert(usage, `order ${orderId} is done without a usage row`);
  return { result: 'settled', charged: money(usage.charged), writtenOff: money(usage.written_off), funds };
}

function isRunning(state: OrderState | null, attempt: number): state is OrderState {
  return state !== null && state.status === 'executing' && state.attempt === attempt;
}

/** Records a result that is stored from now on, here or in the result store, and extends the order's key. */
function* keepResult(unit: SettleUnit, balances: BalanceBatch, charged: bigint): Steps<void> {
  const { accountId, orderId, finishedAtMs, resultBytes, resultExpiresAtMs: expiresAtMs } = unit;
  if (resultBytes === null || expiresAtMs === null) return;
  let bytes = resultBytes;
  if (unit.resultText !== null) {
    const text = charged === unit.charge ? unit.resultText : withCharge(unit.resultText, charged);
    yield* keepRow(orderId, text);
    bytes = Buffer.byteLength(text);
  }
  yield* addResult(balances, { accountId, finishedAtMs, orderId, bytes, expiresAtMs });
  if (unit.running.outlives) yield* extendKey(orderId, expiresAtMs);
}

/**
 * Changes one row, or none when the order does not run this attempt, or has another hold than the order service knows.
 */
function markDone({ orderId, attempt, running, finishedAtMs, resultBytes, resultExpiresAtMs }: SettleUnit): Statement {
  return run(
    resultBytes === null ? MARK_DONE : MARK_DONE_AND_STORED,
    finishedAtMs,
    resultExpiresAtMs,
    orderId,
    attempt,
    running.hold,
  );
}

const MARK_DONE = `UPDATE orders SET status = 'done', finished_at_ms = ?, hold = 0, result_expires_at_ms = ?
   WHERE id = ? AND status = 'executing' AND attempt = ? AND hold = CAST(? AS SIGNED)`;
const MARK_DONE_AND_STORED = MARK_DONE.replace('hold = 0,', "hold = 0, result_state = 'stored',");

function insertUsage(unit: SettleUnit, charged: bigint, writtenOff: bigint): Statement {
  const { tokens } = unit;
  return run(
    `INSERT INTO usage_records (order_id, account_id, model, created_at_ms, prompt_tokens, cached_tokens, output_tokens,
       level_at_execution, charged, refunded, written_off, at_bid, estimated, pricing)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?)`,
    unit.orderId,
    unit.accountId,
    unit.model,
    unit.finishedAtMs,
    tokens.uncached + tokens.cached,
    tokens.cached,
    tokens.output,
    price(unit.price),
    charged,
    writtenOff,
    unit.atBid,
    bit(unit.estimated),
    unit.pricing,
  );
}

function insertEntry(unit: SettleUnit, kind: 'charge' | 'top_up', amount: bigint): Statement {
  return run(
    `INSERT INTO entries (account_id, unique_key, id, kind, amount, order_id, reason, created_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, NULL, ?)`,
    unit.accountId,
    kind === 'charge' ? `charge:${unit.orderId}` : `house:${unit.orderId}`,
    unit.orderId,
    kind,
    amount,
    unit.orderId,
    unit.finishedAtMs,
  );
}

/** The order ends as `error`, uncharged; its key is free and its kept input deleted. */
export function* fail(unit: FailUnit, { balances, orderDays, batchCounts }: Context): Steps<ReleaseOutcome> {
  const { orderId, accountId, attempt } = unit;
  const state = yield* readOrder(orderId);
  const wasReleased = state?.status === 'error' && state.attempt === attempt;
  if (!isRunning(state, attempt)) return releasedBefore(wasReleased, balances.funds(accountId));
  balances.release(accountId, state.hold);
  yield run(
    `UPDATE orders SET status = 'error', finished_at_ms = ?, error = ?, error_message = ?, hold = 0,
       result_state = 'none'
     WHERE id = ? AND status = 'executing' AND attempt = ?`,
    unit.finishedAtMs,
    unit.error,
    unit.errorMessage,
    orderId,
    attempt,
  );
  orderDays.count(state, 'error');
  batchCounts.ended(state.batchId, 'error');
  yield* dropBodyAndKey(orderId, state);
  return { result: 'released', funds: balances.funds(accountId) };
}

/** Queued again, as if never admitted, except for its counts of attempts and failures. */
export function* requeue(unit: RequeueUnit, { balances, again }: Context): Steps<ReleaseOutcome> {
  const { orderId, accountId, attempt } = unit;
  const state = yield* readOrder(orderId);
  if (!isRunning(state, attempt)) return releasedBefore(hasReturned(state, attempt, again), balances.funds(accountId));
  balances.release(accountId, state.hold);
  yield run(
    `UPDATE orders SET status = 'queued', admitted_at_ms = NULL, level_at_execution = NULL, level_seq = NULL,
       pod = NULL, hold = 0, expires_at_ms = ?, failures = ?
     WHERE id = ? AND status = 'executing' AND attempt = ?`,
    unit.expiresAtMs,
    unit.failures,
    orderId,
    attempt,
  );
  return { result: 'released', funds: balances.funds(accountId) };
}

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
