/**
 * What a start does with the orders of the boots before it. Callers that were connected are gone: their orders end,
 * uncharged. Orders that outlive their callers return to the book. Nothing is settled from memory. docs/lifecycle.md.
 */
import type { Knex } from 'knex';
import type { Clock } from '#base/clock.ts';
import { catalogue } from '#base/fault.ts';
import type { OrderRow } from '#orders/order.ts';
import type { Database } from './database.ts';
import { LIVE } from './dialects/dialect.ts';
import { OrderDays, sortOf } from './journal/order-days.ts';
import { runAsync } from './journal/steps.ts';
import { orderFrom } from './order-record.ts';
import { createOrderStore } from './orders.ts';
import { writing } from './transaction.ts';
import { int, type Row } from './values.ts';

const BATCH = 500;
const REASON = { error: 'gateway_restarted', error_message: catalogue.gateway_restarted.message, result_state: 'none' };

/** What a start found. */
export interface Recovered {
  /** Orders that were ended because their caller is gone. */
  readonly ended: number;
  /** Every live order now, all queued, oldest first: they must return to the book. */
  readonly orders: readonly OrderRow[];
}

/** The number of this boot: one more than the one before, durable before it is told. */
export async function nextBootEpoch(db: Database): Promise<number> {
  return writing(db, async (trx) => {
    const changed = await trx('counters').where({ name: 'boot' }).increment('value', 1);
    if (changed === 0) await trx('counters').insert({ name: 'boot', value: 1 });
    const row: Row = await trx('counters').where({ name: 'boot' }).first('value');
    return int(row.value);
  });
}

/**
 * Ends or returns the live orders of boots before `bootEpoch`, in bounded transactions, and makes every account's
 * `held` the sum of its holds. To be called before the gateway takes orders; calling it again changes nothing.
 */
export async function recover(db: Database, options: { bootEpoch: number; clock: Clock }): Promise<Recovered> {
  const nowMs = options.clock.nowMs();
  let ended = 0;
  for (;;) {
    const batch = await writing(db, (trx) => recoverBatch(trx, options.bootEpoch, nowMs));
    if (batch.found === 0) break;
    ended += batch.ended;
  }
  await rebuildHolds(db);
  return { ended, orders: await createOrderStore(db).live() };
}

async function recoverBatch(
  trx: Knex.Transaction,
  bootEpoch: number,
  nowMs: number,
): Promise<{ found: number; ended: number }> {
  await lockCounter(trx);
  const rows: Row[] = await trx('orders').whereRaw(LIVE).where('boot_epoch', '<', bootEpoch).limit(BATCH);
  const orders = rows.map(orderFrom);
  const ids = (which: (order: OrderRow) => boolean): string[] => orders.filter(which).map(({ id }) => id);
  const gone = (status: string) => ids((order) => !order.outlives && order.status === status);

  await trx('orders')
    .whereIn('id', gone('queued'))
    .update({ ...REASON, status: 'canceled', finished_at_ms: nowMs, hold: 0 });
  await trx('orders')
    .whereIn('id', gone('executing'))
    .update({ ...REASON, status: 'error', finished_at_ms: nowMs, hold: 0 });
  await requeue(
    trx,
    ids((order) => order.outlives && order.status === 'executing'),
    nowMs,
  );
  await trx('orders')
    .whereIn(
      'id',
      ids(() => true),
    )
    .update({ boot_epoch: bootEpoch });
  const ended = orders.filter((order) => !order.outlives);
  await countEnded(trx, ended);
  return { found: orders.length, ended: ended.length };
}

/** The journal does this for all other ends. */
async function countEnded(trx: Knex.Transaction, ended: readonly OrderRow[]): Promise<void> {
  const orderDays = new OrderDays();
  for (const order of ended) orderDays.count(sortOf(order), order.status === 'queued' ? 'canceled' : 'error');
  await runAsync(orderDays.write(), async ({ sql, params }) => {
    const bound = params.map((value) => (typeof value === 'bigint' ? value.toString() : value));
    const reply = await trx.raw(sql, bound);
    return { changes: Number(Array.isArray(reply) ? reply[0].affectedRows : reply.changes), rows: [] };
  });
}

/**
 * Back to the queue with the attempts it had, and with the time that it spent executing added to its wait; a line waits
 * until its batch's deadline.
 */
async function requeue(trx: Knex.Transaction, ids: readonly string[], nowMs: number): Promise<void> {
  await trx('orders')
    .whereIn('id', [...ids])
    .update({
      status: 'queued',
      expires_at_ms: trx.raw(
        'expires_at_ms + CASE WHEN batch_id IS NULL AND admitted_at_ms < ? THEN ? - admitted_at_ms ELSE 0 END',
        [nowMs, nowMs],
      ),
      // MySQL assigns from left to right, so what the line above reads is cleared after it.
      admitted_at_ms: null,
      level_at_execution: null,
      level_seq: null,
      pod: null,
      hold: 0,
    });
}

async function rebuildHolds(db: Database): Promise<void> {
  for (let after = ''; ; ) {
    const last = await writing(db, async (trx) => {
      await lockCounter(trx);
      const ids: string[] = await trx('accounts').where('id', '>', after).orderBy('id').limit(BATCH).pluck('id');
      const sum = trx('orders')
        .whereRaw(LIVE)
        .where({ status: 'executing' })
        .whereRaw('orders.account_id = accounts.id')
        .select(trx.raw('COALESCE(SUM(hold), 0)'));
      await trx('accounts').whereIn('id', ids).update({ held: sum });
      return ids.at(-1);
    });
    if (last === undefined) return;
    after = last;
  }
}

/** Takes the write lock before anything is read. */
async function lockCounter(trx: Knex.Transaction): Promise<void> {
  await trx('counters').where({ name: 'boot' }).increment('value', 0);
}
