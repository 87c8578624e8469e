/** Takes an order, and admits a queued one: the only two places where a hold is requested. */
import assert from 'node:assert';
import { catalogue } from '#base/fault.ts';
import type { OrderRow } from '#orders/order.ts';
import type { AcceptOutcome, AcceptUnit, Admission, AdmitOutcome, AdmitUnit, IdempotencyRow } from '#orders/units.ts';
import { customIdText } from '../batches/custom-id.ts';
import { type NewRow, price } from '../database/values.ts';
import { orderRecord } from '../orders/record.ts';
import type { Context, UnitKind } from './context.ts';
import type { IdempotencyKeys } from './idempotency-keys.ts';
import { shape } from './operations.ts';
import { sortOf } from './order-days.ts';
import { endUncharged, orderRun, orderState } from './order-state.ts';
import type { Picture } from './picture.ts';

const UNFUNDED = { error: 'insufficient_balance', errorMessage: catalogue.insufficient_balance.message } as const;
const LOG_REQUEST = shape({
  act: 'insert',
  table: 'request_logs',
  columns: ['order_id', 'account_id', 'body', 'expires_at_ms'],
});

/**
 * Writes the order in its new status, with its Idempotency-Key, its line and its kept input; or nothing, when the key
 * or the line is taken, or when the market that admitted it has another owner by now.
 */
export const accept: UnitKind<AcceptUnit, AcceptOutcome> = {
  want({ order, admission, line, idempotency }, { picture, again }) {
    if (admission) picture.epochs.want(admission);
    if (again) picture.orders.want(order.id);
    if (idempotency) picture.keys.want(idempotency);
    if (line === null) return;
    picture.batches.want(order.batchId);
    picture.lines.want(order.batchId, line);
  },

  wantMore({ order, line }, { picture }) {
    if (line !== null && hasLine(order, line, picture)) picture.orders.want(order.id);
  },

  apply(unit, context) {
    const { order, admission, idempotency, body, requestLog, line } = unit;
    const { picture, again } = context;
    assert(order.outlives || !body, 'only an order that outlives its caller keeps a body');
    const earlier = again ? acceptedBefore(unit, picture) : null;
    if (earlier) return earlier;
    if (admission && picture.epochs.areStale(admission)) return { result: 'stale-epoch' };
    const holder = idempotency && liveHolder(idempotency, picture.keys);
    if (holder) return { result: 'key-taken', existing: holder };
    if (line !== null) {
      if (hasLine(order, line, picture)) return acceptedBefore(unit, picture) ?? { result: 'line-refused' };
      if (!takeLine(order, line, picture)) return { result: 'line-refused' };
    }
    const answer = admission ? picture.balances.hold(order.accountId, admission.hold) : 'queued';
    const house = admission !== null && picture.balances.isHouse(order.accountId);
    picture.orders.add(orderRecord(rowAfter(order, admission, answer, house)));
    picture.batchCounts.began(order.batchId);
    if (answer === 'unfunded') {
      picture.orderDays.count(sortOf(order), 'error');
      picture.batchCounts.ended(order.batchId, 'error');
    } else {
      if (idempotency) picture.keys.add(idempotency);
      if (requestLog) picture.write(LOG_REQUEST, [order.id, order.accountId, requestLog.body, requestLog.expiresAtMs]);
      if (body) picture.bodies.add({ order_id: order.id, body });
    }
    if (answer === 'queued') return { result: answer };
    return { result: answer, funds: picture.balances.funds(order.accountId) };
  },
};

/** Whether the line is this order already. */
function hasLine({ id, batchId }: OrderRow, line: number, { lines }: Picture): boolean {
  return lines.find(batchId, line)?.order_id === id;
}

/** False when the batch takes no more lines, or has this one. */
function takeLine({ id, batchId, customId }: OrderRow, line: number, { batches, lines }: Picture): boolean {
  if (batches.find(batchId)?.status !== 'validating' || lines.find(batchId, line)) return false;
  lines.add({ batch_id: batchId, line, custom_id: customIdText(customId ?? ''), order_id: id });
  return true;
}

/** The outcome of this unit when it was applied before; null when it was not. */
function acceptedBefore({ order, admission }: AcceptUnit, picture: Picture): AcceptOutcome | null {
  const state = orderState(picture, order.id);
  if (!state) return null;
  if (!admission) return { result: 'queued' };
  const funds = picture.balances.funds(order.accountId);
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
function liveHolder(wanted: IdempotencyRow, keys: IdempotencyKeys): IdempotencyRow | null {
  const holder = keys.find(wanted);
  // Its own row means that this unit was applied before; adding the key again will show that.
  if (!holder || holder.orderId === wanted.orderId) return null;
  if (holder.expiresAtMs > wanted.createdAtMs) return holder;
  keys.free(holder.orderId);
  return null;
}

/**
 * Runs a queued order if its hold is granted; ends it when money is missing; leaves it queued when it must wait, or when
 * its market has another owner by now.
 */
export const admit: UnitKind<AdmitUnit, AdmitOutcome> = {
  want({ orderId, admission }, { picture }) {
    picture.epochs.want(admission);
    picture.orders.expect({ status: 'queued', attempt: admission.attempt - 1 }, orderId);
  },

  apply(unit, { picture }: Context) {
    const { orderId, accountId, admission } = unit;
    const { balances, orders } = picture;
    const run = orderRun(picture, orderId);
    if (run?.status !== 'queued' || run.attempt >= admission.attempt) return admittedBefore(unit, picture);
    if (picture.epochs.areStale(admission)) return { result: 'stale-epoch' };
    const answer = balances.hold(accountId, admission.hold);
    if (answer === 'executing') {
      orders.change(executing(admission, balances.isHouse(accountId) ? 0n : admission.hold), orderId);
      return { result: answer, funds: balances.funds(accountId) };
    }
    const state = orderState(picture, orderId);
    assert(state, `order ${orderId} is queued`);
    if (answer === 'unfunded') {
      orders.change({ ...executing(admission, 0n), ...unfunded(admission) }, orderId);
      endUncharged(picture, orderId, state, 'error');
    }
    return { result: answer, funds: balances.funds(accountId) };
  },
};

/** The outcome for an order that is not queued, or not before this attempt. */
function admittedBefore({ orderId, accountId, admission }: AdmitUnit, picture: Picture): AdmitOutcome {
  const funds = picture.balances.funds(accountId);
  const state = orderState(picture, orderId);
  if (state?.attempt !== admission.attempt) return { result: 'gone' };
  if (state.status === 'executing') return { result: 'executing', funds };
  return state.error === UNFUNDED.error ? { result: 'unfunded', funds } : { result: 'gone' };
}

function executing(admission: Admission, hold: bigint): NewRow {
  return {
    status: 'executing',
    attempt: admission.attempt,
    admitted_at_ms: admission.atMs,
    pod: admission.pod,
    level_at_execution: price(admission.price),
    level_seq: admission.levelSeq,
    price_cap: price(admission.price),
    rested_seq: admission.restedSeq,
    hold,
  };
}

function unfunded({ atMs }: Admission): NewRow {
  return {
    status: 'error',
    finished_at_ms: atMs,
    error: UNFUNDED.error,
    error_message: UNFUNDED.errorMessage,
    result_state: 'none',
  };
}
