/** Takes an order, and admits a queued one: the only two places where a hold is requested. */
import assert from 'node:assert';
import { catalogue } from '#base/fault.ts';
import type { OrderRow } from '#orders/order.ts';
import type { AcceptOutcome, AcceptUnit, Admission, AdmitOutcome, AdmitUnit, IdempotencyRow } from '#orders/units.ts';
import { customIdText } from '../batches/custom-id.ts';
import { price } from '../database/values.ts';
import { idempotencyFrom } from '../orders/idempotency-record.ts';
import { INSERT_ORDER, orderParams } from '../orders/record.ts';
import type { Context } from './context.ts';
import { sortOf } from './order-days.ts';
import { dropBodyAndKey, readOrder } from './order-state.ts';
import { first, run, type Statement, type Steps } from './steps.ts';

const UNFUNDED = { error: 'insufficient_balance', errorMessage: catalogue.insufficient_balance.message } as const;

/**
 * Writes the order in its new status, with its Idempotency-Key, its line and its kept input; or nothing, when the key
 * or the line is taken.
 */
export function* accept(unit: AcceptUnit, context: Context): Steps<AcceptOutcome> {
  const { order, admission, idempotency, body, requestLog } = unit;
  assert(order.outlives || !body, 'only an order that outlives its caller keeps a body');
  if (context.again) {
    const earlier = yield* acceptedBefore(unit, context);
    if (earlier) return earlier;
  }
  const holder = idempotency && (yield* liveHolder(idempotency));
  if (holder) return { result: 'key-taken', existing: holder };
  if (unit.line !== null && !(yield* takeLine(order, unit.line)))
    return (yield* acceptedBefore(unit, context)) ?? { result: 'line-refused' };

  const answer = admission ? context.balances.hold(order.accountId, admission.hold) : 'queued';
  const house = admission !== null && context.balances.isHouse(order.accountId);
  yield run(INSERT_ORDER, ...orderParams(rowAfter(order, admission, answer, house)));
  context.batchCounts.began(order.batchId);
  if (answer === 'unfunded') {
    context.orderDays.count(sortOf(order), 'error');
    context.batchCounts.ended(order.batchId, 'error');
  } else {
    if (idempotency) yield* takeKey(idempotency);
    if (requestLog) yield* logRequest(order, requestLog);
    if (body) yield run('INSERT INTO order_bodies (order_id, body) VALUES (?, ?)', order.id, body);
  }
  return answer === 'queued' ? { result: answer } : { result: answer, funds: context.balances.funds(order.accountId) };
}

/** False when the batch takes no more lines, or has this one. */
function* takeLine({ id, batchId, customId }: OrderRow, line: number): Steps<boolean> {
  const { changes } = yield run(
    `INSERT INTO batch_lines (batch_id, line, custom_id, order_id)
     SELECT id, ?, ?, ? FROM batches
     WHERE id = ? AND status = 'validating'
       AND NOT EXISTS (SELECT 1 FROM batch_lines WHERE batch_id = ? AND line = ?)`,
    line,
    customIdText(customId ?? ''),
    id,
    batchId,
    batchId,
    line,
  );
  return changes === 1;
}

function* logRequest(order: OrderRow, log: NonNullable<AcceptUnit['requestLog']>): Steps<void> {
  yield run(
    'INSERT INTO request_logs (order_id, account_id, body, expires_at_ms) VALUES (?, ?, ?, ?)',
    order.id,
    order.accountId,
    log.body,
    log.expiresAtMs,
  );
}

/** The outcome of this unit when it was applied before; null when it was not. */
function* acceptedBefore({ order, admission }: AcceptUnit, { balances }: Context): Steps<AcceptOutcome | null> {
  const state = yield* readOrder(order.id);
  if (!state) return null;
  if (!admission) return { result: 'queued' };
  const funds = balances.funds(order.accountId);
  if (state.attempt === 0) return { result: 'parked', funds };
  return { result: state.error === UNFUNDED.error ? 'unfunded' : 'executing', funds };
}

function rowAfter(
  order: OrderRow,
  admission: Admission | null,
  answer: 'queued' | 'executing' | 'parked' | 'unfunded',
  house: boolean,
): OrderRow {
  if (!admission) return order;
  if (answer === 'parked') return { ...order, restedSeq: admission.restedSeq };
  const admitted = {
    ...order,
    status: 'executing',
    attempt: admission.attempt,
    admittedAtMs: admission.atMs,
    price: admission.price,
    levelSeq: admission.levelSeq,
    firstPrice: order.firstPrice ?? admission.price,
    restedSeq: admission.restedSeq,
    pod: admission.pod,
    hold: house ? 0n : admission.hold,
  } as const;
  if (answer !== 'unfunded') return admitted;
  return { ...admitted, ...UNFUNDED, status: 'error', finishedAtMs: admission.atMs, hold: 0n, resultState: 'none' };
}

/** The row that holds this key now; null when the key is free. An expired row is deleted. */
function* liveHolder(wanted: IdempotencyRow): Steps<IdempotencyRow | null> {
  const { accountId, endpoint, key } = wanted;
  const found = yield* first(
    'SELECT * FROM idempotency_keys WHERE account_id = ? AND endpoint = ? AND idempotency_key = ?',
    accountId,
    endpoint,
    key,
  );
  // Its own row means that this unit was applied before; the insert of the order will show that.
  if (!found || found.order_id === wanted.orderId) return null;
  const holder = idempotencyFrom(found);
  if (holder.expiresAtMs > wanted.createdAtMs) return holder;
  yield run(
    'DELETE FROM idempotency_keys WHERE account_id = ? AND endpoint = ? AND idempotency_key = ?',
    accountId,
    endpoint,
    key,
  );
  return null;
}

function* takeKey(row: IdempotencyRow): Steps<void> {
  yield run(
    `INSERT INTO idempotency_keys
     (account_id, endpoint, idempotency_key, order_id, fingerprint, created_at_ms, expires_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    row.accountId,
    row.endpoint,
    row.key,
    row.orderId,
    row.fingerprint,
    row.createdAtMs,
    row.expiresAtMs,
  );
}

/**
 * Runs a queued order if its hold is granted; ends it when money is missing; leaves it queued when it must wait. The
 * row is read only where the order does not simply run: the update itself checks that it was still queued.
 */
export function* admit(unit: AdmitUnit, { balances, orderDays, batchCounts }: Context): Steps<AdmitOutcome> {
  const { orderId, accountId, admission } = unit;
  const answer = balances.hold(accountId, admission.hold);
  if (answer === 'executing') {
    const hold = balances.isHouse(accountId) ? 0n : admission.hold;
    const { changes } = yield markExecuting(orderId, admission, hold);
    if (changes === 1) return { result: 'executing', funds: balances.funds(accountId) };
    balances.release(accountId, hold);
  }
  const funds = balances.funds(accountId);
  const state = yield* readOrder(orderId);
  if (!state) return { result: 'gone' };
  if (state.status !== 'queued') {
    if (state.attempt !== admission.attempt) return { result: 'gone' };
    if (state.status === 'executing') return { result: 'executing', funds };
    return state.error === UNFUNDED.error ? { result: 'unfunded', funds } : { result: 'gone' };
  }
  if (state.attempt >= admission.attempt) return { result: 'gone' };
  assert.notEqual(answer, 'executing', `order ${orderId} changed under its own lock`);
  if (answer === 'unfunded') {
    yield markExecuting(orderId, admission, 0n);
    yield* markUnfunded(orderId, admission);
    orderDays.count(state, 'error');
    batchCounts.ended(state.batchId, 'error');
    yield* dropBodyAndKey(orderId, state);
  }
  return { result: answer, funds };
}

/** Changes one row, or none when the order is no longer queued. */
function markExecuting(orderId: string, admission: Admission, hold: bigint): Statement {
  return run(
    `UPDATE orders SET status = 'executing', attempt = ?, admitted_at_ms = ?, pod = ?, level_at_execution = ?,
       level_seq = ?, price_cap = COALESCE(price_cap, ?), rested_seq = ?, hold = ?
     WHERE id = ? AND status = 'queued' AND attempt < ?`,
    admission.attempt,
    admission.atMs,
    admission.pod,
    price(admission.price),
    admission.levelSeq,
    price(admission.price),
    admission.restedSeq,
    hold,
    orderId,
    admission.attempt,
  );
}

function* markUnfunded(orderId: string, admission: Admission): Steps<void> {
  yield run(
    `UPDATE orders SET status = 'error', finished_at_ms = ?, error = ?, error_message = ?, result_state = 'none'
     WHERE id = ? AND status = 'executing' AND attempt = ?`,
    admission.atMs,
    UNFUNDED.error,
    UNFUNDED.errorMessage,
    orderId,
    admission.attempt,
  );
}
