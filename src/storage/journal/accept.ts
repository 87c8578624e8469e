/** Taking an order, and running a queued one: the two places where a hold is asked for. */
import assert from 'node:assert';
import { catalogue } from '#base/fault.ts';
import type {
  AcceptOutcome,
  AcceptUnit,
  Admission,
  AdmitOutcome,
  AdmitUnit,
  IdempotencyRow,
} from '#orders/journal-port.ts';
import type { OrderRow } from '#orders/order.ts';
import { customIdText } from '../custom-id.ts';
import { idempotencyFrom } from '../idempotency-record.ts';
import { INSERT_ORDER, orderParams } from '../order-record.ts';
import { price } from '../values.ts';
import { sortOf } from './order-days.ts';
import { dropBodyAndKey, readOrder } from './order-state.ts';
import { first, run, type Statement, type Steps } from './steps.ts';
import type { Context } from './units.ts';

const UNFUNDED = { error: 'insufficient_balance', errorMessage: catalogue.insufficient_balance.message } as const;

/**
 * Writes the order as it is from now on, with its Idempotency-Key, its line and its kept input; or nothing, when the key
 * or the line is taken.
 */
export function* accept(unit: AcceptUnit, context: Context): Steps<AcceptOutcome> {
  const { order, admission, idempotency, body, requestLog } = unit;
  assert(order.outlives || (!idempotency && !body), 'only an order that outlives its caller keeps a key or a body');
  if (context.again) {
    const earlier = yield* acceptedBefore(unit, context);
    if (earlier) return earlier;
  }
  const holder = idempotency && (yield* liveHolder(idempotency));
  if (holder) return { result: 'key-taken', existing: holder };
  if (unit.line !== null && !(yield* takeLine(order, unit.line)))
    return (yield* acceptedBefore(unit, context)) ?? { result: 'line-refused' };

  const answer = admission ? context.till.hold(order.accountId, admission.hold) : 'queued';
  const house = admission !== null && context.till.isHouse(order.accountId);
  yield run(INSERT_ORDER, ...orderParams(rowAfter(order, admission, answer, house)));
  context.batchCounts.began(order.batchId);
  if (answer === 'unfunded') {
    context.orderDays.count(sortOf(order), 'error');
    context.batchCounts.ended(order.batchId, 'error');
  } else {
    if (idempotency) yield* takeKey(idempotency);
    if (requestLog) yield* logRequest(order, requestLog);
    if (body) yield run('INSERT INTO order_bodies (order_id, body) VALUES (?, ?)', order.id, JSON.stringify(body));
  }
  return answer === 'queued' ? { result: answer } : { result: answer, funds: context.till.funds(order.accountId) };
}

/** False when the batch takes no lines any more, or has this one. */
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
    JSON.stringify(log.body),
    log.expiresAtMs,
  );
}

/** What this unit answered when it was applied before; null when it was not. */
function* acceptedBefore({ order, admission }: AcceptUnit, { till }: Context): Steps<AcceptOutcome | null> {
  const state = yield* readOrder(order.id);
  if (!state) return null;
  if (!admission) return { result: 'queued' };
  const funds = till.funds(order.accountId);
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
    levelAtExecution: admission.levelAtExecution,
    levelSeq: admission.levelSeq,
    priceCap: admission.priceCap,
    restedSeq: admission.restedSeq,
    pod: admission.pod,
    hold: house ? 0n : admission.hold,
  } as const;
  if (answer !== 'unfunded') return admitted;
  return { ...admitted, ...UNFUNDED, status: 'error', finishedAtMs: admission.atMs, hold: 0n, resultState: 'none' };
}

/** The row that holds this key now; null when it is free. A row past its time is removed. */
function* liveHolder(wanted: IdempotencyRow): Steps<IdempotencyRow | null> {
  const { accountId, endpoint, key } = wanted;
  const found = yield* first(
    'SELECT * FROM idempotency_keys WHERE account_id = ? AND endpoint = ? AND idempotency_key = ?',
    accountId,
    endpoint,
    key,
  );
  // Its own row means that this unit is a repetition; inserting the order again says so.
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
 * Lets a queued order run when its hold is granted; ends it when money is missing; leaves it queued when it must wait.
 * The row is read only where it does not simply run: its update says by itself that it was still queued.
 */
export function* admit(unit: AdmitUnit, { till, orderDays, batchCounts }: Context): Steps<AdmitOutcome> {
  const { orderId, accountId, admission } = unit;
  const answer = till.hold(accountId, admission.hold);
  if (answer === 'executing') {
    const hold = till.isHouse(accountId) ? 0n : admission.hold;
    const { changes } = yield markExecuting(orderId, admission, hold);
    if (changes === 1) return { result: 'executing', funds: till.funds(accountId) };
    till.release(accountId, hold);
  }
  const funds = till.funds(accountId);
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
    if (state.outlives) yield* dropBodyAndKey(orderId);
  }
  return { result: answer, funds };
}

/** Changes one row, or none where the order does not wait any more. */
function markExecuting(orderId: string, admission: Admission, hold: bigint): Statement {
  return run(
    `UPDATE orders SET status = 'executing', attempt = ?, admitted_at_ms = ?, pod = ?, level_at_execution = ?,
       level_seq = ?, price_cap = ?, rested_seq = ?, hold = ?
     WHERE id = ? AND status = 'queued' AND attempt < ?`,
    admission.attempt,
    admission.atMs,
    admission.pod,
    price(admission.levelAtExecution),
    admission.levelSeq,
    price(admission.priceCap),
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
