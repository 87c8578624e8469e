/** Takes an order, and admits a queued one: the only two places where a hold is requested. */
import assert from 'node:assert';
import { catalogue } from '#base/fault.ts';
import type { OrderRow } from '#orders/order.ts';
import type {
  AcceptOutcome,
  AcceptUnit,
  Admission,
  AdmitOutcome,
  AdmitUnit,
  HoldRefusal,
  IdempotencyRow,
} from '#orders/units.ts';
import { type NewRow, price } from '../database/values.ts';
import { customId as customIdKind, orderRecord } from '../records/order.ts';
import type { Context, UnitKind } from './context.ts';
import type { IdempotencyKeys } from './idempotency-keys.ts';
import { shape } from './operations.ts';
import { sortOf } from './order-days.ts';
import { endUncharged, type OrderState, orderRun, orderState } from './order-state.ts';
import type { Picture } from './picture.ts';
import { tellBudget, tellOrder, wantKeyToTell } from './webhooks.ts';

/** How an order ends that is refused its hold for good. */
const REFUSED = {
  unfunded: { error: 'insufficient_balance', errorMessage: catalogue.insufficient_balance.message },
  'key-spent': { error: 'key_budget_exceeded', errorMessage: catalogue.key_budget_exceeded.message },
} as const;
const LOG_REQUEST = shape({
  act: 'insert',
  table: 'request_logs',
  columns: ['order_id', 'account_id', 'body', 'expires_at_ms'],
});

const TAG = shape({ act: 'insert', table: 'order_tags', columns: ['account_id', 'tag', 'created_at_ms', 'order_id'] });

/**
 * Writes the order in its new status, with its Idempotency-Key, its line and its kept input; or nothing, when the key
 * or the line is taken, or when the market that admitted it has another owner by now.
 */
export const accept: UnitKind<AcceptUnit, AcceptOutcome> = {
  want({ order, admission, line, idempotency }, { picture, again }) {
    if (admission) picture.epochs.want(admission);
    if (admission?.budgetKey !== undefined) picture.keyBudgets.want(admission.budgetKey);
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
      if (!takeLine(order, { line, warning: unit.lineWarning }, picture)) return { result: 'line-refused' };
    }
    const granted = admission ? grant(picture, order.accountId, admission) : QUEUED;
    const { answer } = granted;
    picture.orders.add(orderRecord(order));
    for (const tag of order.tags ?? []) picture.write(TAG, [order.accountId, tag, order.createdAtMs, order.id]);
    if (admission) picture.orders.change(changesOf(admission, granted), order.id);
    picture.batchCounts.began(order.batchId);
    if (admission && isRefused(answer)) {
      const end = { status: 'error', error: REFUSED[answer].error, finishedAtMs: admission.atMs } as const;
      tellOrder(picture, { ...order, ...end, charged: 0n, outlives: order.outlives || idempotency !== null });
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
function takeLine(
  { id, batchId, customId }: OrderRow,
  { line, warning }: { readonly line: number; readonly warning: string | null },
  { batches, lines }: Picture,
): boolean {
  if (batches.find(batchId)?.status !== 'validating' || lines.find(batchId, line)) return false;
  const taken = { batch_id: batchId, line, custom_id: customIdKind.bind(customId ?? ''), order_id: id };
  lines.add({ ...taken, error_message: warning });
  return true;
}

/** The outcome of this unit when it was applied before; null when it was not. */
function acceptedBefore({ order, admission }: AcceptUnit, picture: Picture): AcceptOutcome | null {
  const state = orderState(picture, order.id);
  if (!state) return null;
  if (!admission) return { result: 'queued' };
  const funds = picture.balances.funds(order.accountId);
  if (state.attempt === 0) return { result: waitsFor(picture, admission), funds };
  return { result: refusalOf(state) ?? 'executing', funds };
}

/**
 * What a queued order that was refused its hold waits for, by the money as it is now: its row does not say. If both have
 * changed since, either answer is reviewed within a second.
 */
function waitsFor({ keyBudgets }: Picture, { budgetKey, atMs, hold }: Admission): 'parked' | 'key-held' {
  if (budgetKey === undefined) return 'parked';
  return keyBudgets.answer(budgetKey, atMs, hold) === 'free' ? 'parked' : 'key-held';
}

/** The answer to an admission, and what its row says about the hold. */
interface Granted {
  readonly answer: 'queued' | 'executing' | HoldRefusal;
  readonly hold: bigint;
  /** The period of the budget that the order counts in; null where it counts in none. */
  readonly budgetFromMs: number | null;
}

const QUEUED: Granted = { answer: 'queued', hold: 0n, budgetFromMs: null };

/** Sets the hold aside, of the account's money and of the key's budget; or neither. */
function grant(picture: Picture, accountId: string, admission: Admission): Granted {
  const { balances, keyBudgets } = picture;
  const { budgetKey, atMs, hold } = admission;
  const ofKey = budgetKey === undefined ? 'free' : keyBudgets.answer(budgetKey, atMs, hold);
  if (ofKey === 'spent' && budgetKey !== undefined) tellBudget(picture, accountId, budgetKey, atMs);
  if (ofKey !== 'free') return { ...QUEUED, answer: ofKey === 'held' ? 'key-held' : 'key-spent' };
  const answer = balances.hold(accountId, hold);
  if (answer !== 'executing') return { ...QUEUED, answer };
  const budgetFromMs = budgetKey === undefined ? null : keyBudgets.hold(budgetKey, atMs, hold);
  return { answer, hold: balances.isHouse(accountId) ? 0n : hold, budgetFromMs };
}

function isRefused(answer: Granted['answer']): answer is keyof typeof REFUSED {
  return Object.hasOwn(REFUSED, answer);
}

/** How an order was refused its hold; null when it was not. */
function refusalOf({ error }: OrderState): keyof typeof REFUSED | null {
  if (error === REFUSED.unfunded.error) return 'unfunded';
  return error === REFUSED['key-spent'].error ? 'key-spent' : null;
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
    if (admission.budgetKey !== undefined) picture.keyBudgets.want(admission.budgetKey);
    picture.orders.expect({ status: 'queued', attempt: admission.attempt - 1 }, orderId);
  },

  wantMore({ orderId: id, accountId }, { picture }) {
    wantKeyToTell(picture, { id, accountId, outlives: false });
  },

  apply(unit, { picture }: Context) {
    const { orderId, accountId, admission } = unit;
    const { balances, orders } = picture;
    const run = orderRun(picture, orderId);
    if (run?.status !== 'queued' || run.attempt >= admission.attempt) return admittedBefore(unit, picture);
    if (picture.epochs.areStale(admission)) return { result: 'stale-epoch' };
    const granted = grant(picture, accountId, admission);
    const { answer } = granted;
    const funds = balances.funds(accountId);
    if (answer === 'queued') throw new Error('an admission is always answered');
    if (answer === 'executing') {
      orders.change(changesOf(admission, granted), orderId);
      return { result: answer, funds };
    }
    const state = orderState(picture, orderId);
    assert(state, `order ${orderId} is queued`);
    if (isRefused(answer)) {
      orders.change(changesOf(admission, granted), orderId);
      const end = { status: 'error', error: REFUSED[answer].error, finishedAtMs: admission.atMs } as const;
      endUncharged(picture, orderId, state, end);
    }
    return { result: answer, funds };
  },
};

/** The outcome for an order that is not queued, or not before this attempt. */
function admittedBefore({ orderId, accountId, admission }: AdmitUnit, picture: Picture): AdmitOutcome {
  const funds = picture.balances.funds(accountId);
  const state = orderState(picture, orderId);
  if (state?.attempt !== admission.attempt) return { result: 'gone' };
  if (state.status === 'executing') return { result: 'executing', funds };
  const refusal = refusalOf(state);
  return refusal ? { result: refusal, funds } : { result: 'gone' };
}

/** What an admission with this answer changes in the row of its order. One that must wait gets its place in the book. */
function changesOf(admission: Admission, { answer, hold, budgetFromMs }: Granted): NewRow {
  if (answer === 'parked' || answer === 'key-held') return { rested_seq: admission.restedSeq };
  const admitted = {
    status: 'executing',
    attempt: admission.attempt,
    admitted_at_ms: admission.atMs,
    pod: admission.pod,
    level_at_execution: price.bind(admission.price),
    level_seq: admission.levelSeq,
    price_cap: price.bind(admission.price),
    rested_seq: admission.restedSeq,
    hold,
    ...(budgetFromMs === null ? {} : { budget_from_ms: budgetFromMs }),
  };
  if (!isRefused(answer)) return admitted;
  const { error, errorMessage } = REFUSED[answer];
  const ended = { status: 'error', finished_at_ms: admission.atMs, result_state: 'none' };
  return { ...admitted, ...ended, error, error_message: errorMessage };
}
