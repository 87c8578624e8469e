/**
 * Stored results: which bodies are kept, how large they are, and what every account keeps in all. A small body is a row
 * that comes and goes with what is said of it. A larger one is a file, written before the unit that says so and deleted
 * after the unit that says so: a row never promises what is not there.
 */
import type { PlainOutcome, ResultRemovedUnit, ResultStoredUnit } from '#orders/journal-port.ts';
import { DAY_MS } from '../days.ts';
import { int, type Row } from '../values.ts';
import { first, run, type Steps } from './steps.ts';
import type { Till } from './till.ts';
import type { Context } from './units.ts';

/** Enters a body that is there, and counts it. */
export function* enterResult(
  till: Till,
  body: { accountId: string; finishedAtMs: number; orderId: string; bytes: number; expiresAtMs: number },
): Steps<void> {
  const { accountId, finishedAtMs, orderId, bytes, expiresAtMs } = body;
  yield run(
    'INSERT INTO results (account_id, finished_at_ms, order_id, bytes, expires_at_ms) VALUES (?, ?, ?, ?, ?)',
    accountId,
    finishedAtMs,
    orderId,
    bytes,
    expiresAtMs,
  );
  till.keep(accountId, bytes);
}

/** Keeps a small body as a row. */
export function* keepBody(orderId: string, body: string): Steps<void> {
  yield run('INSERT INTO stored_answers (order_id, body) VALUES (?, ?)', orderId, body);
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

/** A result that was deleted meanwhile stays deleted: `stale`, and the body is for its writer to remove. */
export function* resultStored({ orderId, accountId, bytes }: ResultStoredUnit, { till }: Context): Steps<PlainOutcome> {
  const order = yield* readResult(orderId);
  if (order?.result_state === 'stored') return { result: 'changed' };
  if (order?.status !== 'done' || order.result_state !== 'promised') return { result: 'stale' };
  yield run("UPDATE orders SET result_state = 'stored' WHERE id = ?", orderId);
  const [finishedAtMs, expiresAtMs] = [int(order.finished_at_ms), int(order.result_expires_at_ms)];
  yield* enterResult(till, { accountId, finishedAtMs, orderId, bytes, expiresAtMs });
  return { result: 'changed' };
}

/** Nothing is kept for a finished order any more; also one whose body was never stored. `stale` for any other. */
export function* resultRemoved({ orderId, accountId }: ResultRemovedUnit, { till }: Context): Steps<PlainOutcome> {
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
  if (entered) till.keep(accountId, -int(entered.bytes));
  return { result: 'changed' };
}

function* readResult(orderId: string): Steps<Row | null> {
  return yield* first(
    'SELECT status, result_state, finished_at_ms, result_expires_at_ms FROM orders WHERE id = ?',
    orderId,
  );
}
