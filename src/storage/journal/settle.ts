/** The end of a run: charged and done, failed, or back to the book. Each names the attempt it belongs to. */
import assert from 'node:assert';
import type { FailUnit, Funds, ReleaseOutcome, RequeueUnit, SettleOutcome, SettleUnit } from '#orders/journal-port.ts';
import { withCharge } from '#orders/results.ts';
import { bit, money, price } from '../values.ts';
import type { OrderSort } from './order-days.ts';
import { dropBody, dropBodyAndKey, type OrderState, readOrder } from './order-state.ts';
import { enterResult, extendKey, keepBody } from './results.ts';
import { first, run, type Statement, type Steps } from './steps.ts';
import type { Till } from './till.ts';
import type { Context } from './units.ts';

/** Usage row, entry, debit, hold released and `done`. What the balance cannot cover is written off. */
export function* settle(unit: SettleUnit, context: Context): Steps<SettleOutcome> {
  const { till, orderDays, batchCounts, modelTokens } = context;
  const { orderId, accountId, running } = unit;
  const { changes } = yield markDone(unit);
  if (changes === 0) return yield* settledBefore(unit, till.funds(accountId));
  const { charged, house } = till.debit(accountId, running.hold, unit.charge);
  const writtenOff = unit.charge - charged;
  yield insertUsage(unit, charged, writtenOff);
  yield insertEntry(unit, 'charge', -charged);
  // The house owes nothing: what a probe costs is paid in at the same moment, so entries still sum to the balance.
  if (house) yield insertEntry(unit, 'top_up', charged);
  else modelTokens.count(unit, charged);
  till.countUsage(accountId, unit.model, unit.finishedAtMs, charged);
  orderDays.count(sortOfRunning(unit), 'done', { charged, atBid: unit.atBid });
  batchCounts.ended(running.batchId, 'done');
  if (unit.resultExpiresAtMs !== null) yield* enterBody(unit, till, charged);
  if (running.outlives) yield* dropBody(orderId);
  return { result: 'settled', charged, writtenOff, funds: till.funds(accountId) };
}

function sortOfRunning({ accountId, model, running }: SettleUnit): OrderSort {
  const { createdAtMs, kind, batchId, market } = running;
  return { accountId, createdAtMs, model, kind, inBatch: batchId !== null, market };
}

/** A repeated settlement answers with what it did; the late finish of an abandoned attempt is stale. */
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

/** A body that is kept from now on, here or in the result store; a key of the order lives as long as it does. */
function* enterBody(unit: SettleUnit, till: Till, charged: bigint): Steps<void> {
  const { accountId, orderId, finishedAtMs, resultBytes, resultExpiresAtMs: expiresAtMs } = unit;
  if (resultBytes === null || expiresAtMs === null) return;
  let bytes = resultBytes;
  if (unit.resultBody !== null) {
    const body = charged === unit.charge ? unit.resultBody : withCharge(unit.resultBody, charged);
    yield* keepBody(orderId, body);
    bytes = Buffer.byteLength(body);
  }
  yield* enterResult(till, { accountId, finishedAtMs, orderId, bytes, expiresAtMs });
  if (unit.running.outlives) yield* extendKey(orderId, expiresAtMs);
}

/** Changes one row, or none where the order does not run this attempt, or holds something else than the desk knows. */
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
    price(unit.levelAtExecution),
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

/** `error`, uncharged. The key is free again, the kept input gone. */
export function* fail(unit: FailUnit, { till, orderDays, batchCounts }: Context): Steps<ReleaseOutcome> {
  const { orderId, accountId, attempt } = unit;
  const state = yield* readOrder(orderId);
  if (!isRunning(state, attempt)) return releasedBefore(state, attempt, 'error', till.funds(accountId));
  till.release(accountId, state.hold);
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
  if (state.outlives) yield* dropBodyAndKey(orderId);
  return { result: 'released', funds: till.funds(accountId) };
}

/** Queued again, as if never admitted, but for the attempts and failures it has behind it. */
export function* requeue(unit: RequeueUnit, { till }: Context): Steps<ReleaseOutcome> {
  const { orderId, accountId, attempt } = unit;
  const state = yield* readOrder(orderId);
  if (!isRunning(state, attempt)) return releasedBefore(state, attempt, 'queued', till.funds(accountId));
  till.release(accountId, state.hold);
  yield run(
    `UPDATE orders SET status = 'queued', admitted_at_ms = NULL, level_at_execution = NULL, level_seq = NULL,
       pod = NULL, hold = 0, expires_at_ms = ?, failures = ?
     WHERE id = ? AND status = 'executing' AND attempt = ?`,
    unit.expiresAtMs,
    unit.failures,
    orderId,
    attempt,
  );
  return { result: 'released', funds: till.funds(accountId) };
}

function releasedBefore(
  state: OrderState | null,
  attempt: number,
  status: 'error' | 'queued',
  funds: Funds,
): ReleaseOutcome {
  const mine = state?.status === status && state.attempt === attempt;
  return mine ? { result: 'released', funds } : { result: 'stale' };
}
