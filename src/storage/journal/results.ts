/**
 * Units of results: which are stored, how large they are, and what every account stores in all. A small one is a row of
 * `stored_answers`, written with the settlement (`settle.ts`) and deleted with the unit. A larger one is a blob, written before its unit and
 * deleted after it: a row never promises a blob that is missing.
 */
import type { PlainOutcome } from '#base/journal.ts';
import type { ResultRemovedUnit, ResultStoredUnit } from '#results/ports.ts';
import { int } from '../database/values.ts';
import type { UnitKind } from './context.ts';
import { wantOrder } from './order-state.ts';
import type { Picture } from './picture.ts';

/** Adds a result that exists, and counts it. */
export function addResult(
  { balances, results }: Picture,
  result: { accountId: string; finishedAtMs: number; orderId: string; bytes: number; expiresAtMs: number },
): void {
  const { accountId, finishedAtMs, orderId, bytes, expiresAtMs } = result;
  const key = { account_id: accountId, finished_at_ms: finishedAtMs, order_id: orderId };
  results.add({ ...key, bytes, expires_at_ms: expiresAtMs });
  balances.keep(accountId, bytes);
}

/** A result that was deleted meanwhile stays deleted: `stale`, and its writer must delete the blob. */
export const resultStored: UnitKind<ResultStoredUnit, PlainOutcome> = {
  want: wantOrder,

  apply({ orderId, accountId, bytes }, { picture }) {
    const order = picture.orders.find(orderId);
    if (order?.result_state === 'stored') return { result: 'changed' };
    if (order?.status !== 'done' || order.result_state !== 'promised') return { result: 'stale' };
    picture.orders.change({ result_state: 'stored' }, orderId);
    const [finishedAtMs, expiresAtMs] = [int(order.finished_at_ms), int(order.result_expires_at_ms)];
    addResult(picture, { accountId, finishedAtMs, orderId, bytes, expiresAtMs });
    return { result: 'changed' };
  },
};

/** Nothing is stored for a finished order any more; also for one whose result never was. `stale` for any other. */
export const resultRemoved: UnitKind<ResultRemovedUnit, PlainOutcome> = {
  want: wantOrder,

  wantMore({ orderId, accountId }, { picture }) {
    const order = picture.orders.find(orderId);
    if (order?.result_state === 'stored') picture.results.want(accountId, int(order.finished_at_ms), orderId);
  },

  apply({ orderId, accountId }, { picture }) {
    const order = picture.orders.find(orderId);
    if (order?.result_state === 'deleted') return { result: 'changed' };
    if (order?.status !== 'done' || order.result_state === 'none') return { result: 'stale' };
    picture.orders.change({ result_state: 'deleted' }, orderId);
    if (order.result_state === 'promised') return { result: 'changed' };
    const place = [accountId, int(order.finished_at_ms), orderId] as const;
    const entered = picture.results.find(...place);
    picture.results.remove(...place);
    picture.answers.remove(orderId);
    if (entered) picture.balances.keep(accountId, -int(entered.bytes));
    return { result: 'changed' };
  },
};
