/** The end of a run: charged and done, failed, or back to the book. Each names the attempt it belongs to. */
import assert from 'node:assert';
import type { FailUnit, ReleaseOutcome, RequeueUnit, SettleOutcome, SettleUnit } from '#orders/journal-port.ts';
import { withCharge } from '#orders/results.ts';
import { bit, money, price } from '../values.ts';
import { dropBody, dropBodyAndKey, type OrderState, readOrder } from './order-state.ts';
import { enterResult, extendKey, keepBody } from './results.ts';
import { first, run, type Steps } from './steps.ts';
import type { Till } from './till.ts';
import type { Context } from './units.ts';

/** Usage row, entry, debit, hold released and `done`. What the balance cannot cover is written off. */
export function* settle(unit: SettleUnit, context: Context): Steps<SettleOutcome> {
  const { till, orderDays, batchCounts, modelTokens } = context;
  const { orderId, accountId } = unit;
  const state = yield* readOrder(orderId);
  if (!isRunning(state, unit.attempt)) return yield* settledBefore(unit, state, till.funds(accountId));
  const { charged, house } = till.debit(accountId, state.hold, unit.charge);
  const writtenOff = unit.charge - charged;
  yield* markDone(unit);
  yield* insertUsage(unit, charged, writtenOff);
  yield* insertEntry(unit, 'charge', -charged);
  // The house owes nothing: what a probe costs is paid in at the same moment, so entries still sum to the balance.
  if (house) yield* insertEntry(unit, 'top_up', charged);
  else modelTokens.count(unit, charged);
  till.countUsage(accountId, unit.model, unit.finishedAtMs, charged);
  orderDays.count(state, 'done', { charged, atBid: unit.atBid });
  batchCounts.ended(state.batchId, 'done');
  yield* enterBody(unit, state, { till, charged });
  yield* dropBody(orderId, state.outlives);
  return { result: 'settled', charged, writtenOff, funds: till.funds(accountId) };
}

function isRunning(state: OrderState | null, attempt: number): state is OrderState {
  return state !== null && state.status === 'executing' && state.attempt === attempt;
}

/** A repeated settlement answers with what it did; the late finish of an abandoned attempt is stale. */
function* settledBefore(
  unit: SettleUnit,
  state: OrderState | null,
  funds: { balance: bigint; held: bigint },
): Steps<SettleOutcome> {
  if (state?.status !== 'done' || state.attempt !== unit.attempt) return { result: 'stale' };
  const usage = yield* first('SELECT charged, written_off FROM usage_records WHERE order_id = ?', unit.orderId);
  assert(usage, `order ${unit.orderId} is done without a usage row`);
  return { result: 'settled', charged: money(usage.charged), writtenOff: money(usage.written_off), funds };
}

/** A body that is kept from now on, here or in the result store; a key of the order lives as long as it does. */
function* enterBody(
  unit: SettleUnit,
  { outlives }: OrderState,
  { till, charged }: { till: Till; charged: bigint },
): Steps<void> {
  const { accountId, orderId, finishedAtMs, resultBytes, resultExpiresAtMs: expiresAtMs } = unit;
  if (resultBytes === null || expiresAtMs === null) return;
  let bytes = resultBytes;
  if (unit.resultBody !== null) {
    const body = charged === unit.charge ? unit.resultBody : withCharge(unit.resultBody, charged);
    yield* keepBody(orderId, body);
    bytes = Buffer.byteLength(body);
  }
  yield* enterResult(till, { accountId, finishedAtMs, orderId, bytes, expiresAtMs });
  if (outlives) yield* extendKey(orderId, expiresAtMs);
}

function* markDone({ orderId, attempt, finishedAtMs, resultBytes, resultExpiresAtMs }: SettleUnit): Steps<void> {
  const { changes } = yield* run(
    resultBytes === null
      ? `UPDATE orders SET status = 'done', finished_at_ms = ?, hold = 0, result_expires_at_ms = ?
         WHERE id = ? AND status = 'executing' AND attempt = ?`
      : `UPDATE orders SET status = 'done', finished_at_ms = ?, hold = 0, result_expires_at_ms = ?,
           result_state = 'stored'
         WHERE id = ? AND status = 'executing' AND attempt = ?`,
    finishedAtMs,
    resultExpiresAtMs,
    orderId,
    attempt,
  );
  assert.equal(changes, 1, `order ${orderId} changed under its own lock`);
}

function* insertUsage(unit: SettleUnit, charged: bigint, writtenOff: bigint): Steps<void> {
  const { tokens } = unit;
  yield* run(
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

function* insertEntry(unit: SettleUnit, kind: 'charge' | 'top_up', amount: bigint): Steps<void> {
  yield* run(
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
  yield* run(
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
  yield* dropBodyAndKey(orderId, state.outlives);
  return { result: 'released', funds: till.funds(accountId) };
}

/** Queued again, as if never admitted, but for the attempts and failures it has behind it. */
export function* requeue(unit: RequeueUnit, { till }: Context): Steps<ReleaseOutcome> {
  const { orderId, accountId, attempt } = unit;
  const state = yield* readOrder(orderId);
  if (!isRunning(state, attempt)) return releasedBefore(state, attempt, 'queued', till.funds(accountId));
  till.release(accountId, state.hold);
  yield* run(
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
  funds: { balance: bigint; held: bigint },
): ReleaseOutcome {
  const mine = state?.status === status && state.attempt === attempt;
  return mine ? { result: 'released', funds } : { result: 'stale' };
}
