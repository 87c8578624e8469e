/**
 * Units of results: which are stored, how large they are, and what every account stores in all. A small one is a row of
 * `stored_answers`, written and deleted in the same transaction. A larger one is a blob, written before its unit and
 * deleted after it: a row never promises a blob that is missing.
 */
import type { PlainOutcome } from '#base/journal.ts';
import { DAY_MS } from '#base/time.ts';
import type { ResultRemovedUnit, ResultStoredUnit } from '#results/units.ts';
import { int, type Row } from '../database/values.ts';
import type { BalanceBatch } from './balance-batch.ts';
import type { Context } from './context.ts';
import { first, run, type Steps } from './steps.ts';

/** Adds a result that exists, and counts it. */
export function* addResult(
  balances: BalanceBatch,
  result: { accountId: string; finishedAtMs: number; orderId: string; bytes: number; expiresAtMs: number },
): Steps<void> {
  const { accountId, finishedAtMs, orderId, bytes, expiresAtMs } = result;
  yield run(
    'INSERT INTO results (account_id, finished_at_ms, order_id, bytes, expires_at_ms) VALUES (?, ?, ?, ?, ?)',
    accountId,
    finishedAtMs,
    orderId,
    bytes,
    expiresAtMs,
  );
  balances.keep(accountId, bytes);
}

/** Stores a small result as a row. */
export function* keepRow(orderId: string, text: string): Steps<void> {
  yield run('INSERT INTO stored_answers (order_id, body) VALUES (?, ?)', orderId, text);
}

/** A key lives as long as the result of its order, and at least a day. */
export function* extendKey(orderId: string, resultExpiresAtMs: number): Steps<void> {
  yield run(
    `UPDATE idempotency_keys SET expires_at_ms =
       CASE WHEN created_at_ms + ${DAY_MS} > ? THEN created_at_ms + ${DAY_MS} ELSE ? END
     WHERE order_id = ?`,
    resultExpiresAtMs,
    resultExpiresAtMs,
    orderId,
  );
}

/** A result that was deleted meanwhile stays deleted: `stale`, and its writer must delete the blob. */
export function* resultStored(
  { orderId, accountId, bytes }: ResultStoredUnit,
  { balances }: Context,
): Steps<PlainOutcome> {
  const order = yield* readResult(orderId);
  if (order?.result_state === 'stored') return { result: 'changed' };
  if (order?.status !== 'done' || order.result_state !== 'promised') return { result: 'stale' };
  yield run("UPDATE orders SET result_state = 'stored' WHERE id = ?", orderId);
  const [finishedAtMs, expiresAtMs] = [int(order.finished_at_ms), int(order.result_expires_at_ms)];
  yield* addResult(balances, { accountId, finishedAtMs, orderId, bytes, expiresAtMs });
  return { result: 'changed' };
}

/** Nothing is stored for a finished order any more; also for one whose result never was. `stale` for any other. */
export function* resultRemoved({ orderId, accountId }: ResultRemovedUnit, { balances }: Context): Steps<PlainOutcome> {
  const order = yield* readResult(orderId);
  if (order?.result_state === 'deleted') return { result: 'changed' };
  if (order?.status !== 'done' || order.result_state === 'none') return { result: 'stale' };
  yield run("UPDATE orders SET result_state = 'deleted' WHERE id = ?", orderId);
  if (order.result_state === 'promised') return { result: 'changed' };

  const place = [accountId, int(order.finished_at_ms), orderId] as const;
  const WHERE = 'WHERE account_id = ? AND finished_at_ms = ? AND order_id = ?';
  const entered = yield* first(`SELECT bytes FROM results ${WHERE}`, ...place);
  yield run(`DELETE FROM results ${WHERE}`, ...place);
  yield run('DELETE FROM stored_answers WHERE order_id = ?', orderId);
  if (entered) balances.keep(accountId, -int(entered.bytes));
  return { result: 'changed' };
}

function* readResult(orderId: string): Steps<Row | null> {
  return yield* first(
    'SELECT status, result_state, finished_at_ms, result_expires_at_ms FROM orders WHERE id = ?',
    orderId,
  );
}
