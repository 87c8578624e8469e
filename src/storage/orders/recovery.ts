/**
 * Crash recovery at a start, of the orders of earlier boots. Callers that were connected are gone: their orders end,
 * uncharged. Those that outlive their callers return to the book. Nothing is settled from memory. docs/understand/lifecycle.md.
 *
 * `orders/adopting.ts` decides the same for a gateway that died beside others, by units of the journal; a test holds the
 * two together. This way stays because it is a start's: it needs no journal, which would try again for ever where a start
 * should end with a sentence; it repairs a sum of holds that is wrong; and on SQLite 100,000 orders take it 2.1 s of
 * processor time, and the units 2.9.
 */
import type { Knex } from 'knex';
import type { Clock } from '#base/clock.ts';
import { catalogue } from '#base/fault.ts';
import { ACTIVE_STATUSES } from '#batches/batch.ts';
import type { OrderRow } from '#orders/order.ts';
import type { Database } from '../database/database.ts';
import { type Dialect, LIVE } from '../database/dialects/dialect.ts';
import { writing } from '../database/transaction.ts';
import { int, type Row, text } from '../database/values.ts';
import { OrderDays, sortOf } from '../journal/order-days.ts';
import { orderRowFor, TELL_SQL } from '../journal/outbox.ts';
import { rowStatement } from '../journal/row-statements.ts';
import { checkFence, type Fence } from '../leases/fence.ts';
import { orderFrom } from '../records/order.ts';
import { readable } from '../records/readable.ts';
import { liveIds, pagesOf } from './live.ts';

const STEP_ROWS = 500;
const REASON = { error: 'gateway_restarted', error_message: catalogue.gateway_restarted.message, result_state: 'none' };

/** What recovery did. */
export interface Recovered {
  /** How many orders ended because their caller is gone. */
  readonly ended: number;
  /** How many are queued now and belong to this boot: they must return to the book. */
  readonly returned: number;
}

/** What recovery is made of. */
export interface RecoveryOptions {
  readonly bootEpoch: number;
  readonly clock: Clock;
  /** Of the lease or boot epoch under which this gateway starts. */
  readonly fence?: Fence | null;
}

/**
 * Ends or requeues the live orders of boots before `bootEpoch`, in bounded transactions, and makes every account's
 * `held` the sum of its holds, and every key's. Call it before the gateway takes orders; a second call changes nothing. Throws LeaseLost
 * when another gateway has taken over, whose orders would look like those of an earlier boot.
 */
export async function recover(db: Database, options: RecoveryOptions): Promise<Recovered> {
  const { bootEpoch, fence = null } = options;
  const nowMs = options.clock.nowMs();
  const recovered = { ended: 0, returned: 0 };
  for (;;) {
    const ids = await liveIds(db, bootEpoch);
    if (ids.length === 0) break;
    for (const page of pagesOf(ids, STEP_ROWS)) {
      const { ended, returned } = await writing(db, async (trx) => {
        await checkFence(trx, fence);
        return recoverPage(trx, db.dialect, { ids: page, bootEpoch, nowMs });
      });
      recovered.ended += ended;
      recovered.returned += returned;
    }
  }
  await takeBatches(db, options);
  await rebuildHolds(db, fence);
  await rebuildBudgetHolds(db, fence);
  return recovered;
}

/** Batches go on in their files: the gateway that wrote them has ended, or is fenced off. */
async function takeBatches(db: Database, { bootEpoch, fence = null }: RecoveryOptions): Promise<void> {
  await writing(db, async (trx) => {
    await checkFence(trx, fence);
    const active = trx('batches').whereIn('status', [...ACTIVE_STATUSES]);
    await active.where('boot_epoch', '<', bootEpoch).update({ boot_epoch: bootEpoch });
  });
}

async function recoverPage(
  trx: Knex.Transaction,
  dialect: Dialect,
  { ids: page, bootEpoch, nowMs }: { ids: readonly string[]; bootEpoch: number; nowMs: number },
): Promise<Recovered> {
  // Locked, so that a gateway that should be gone and still commits an order either comes first or finds it ended.
  const live = trx('orders').whereIn('id', page).whereRaw(LIVE).where('boot_epoch', '<', bootEpoch);
  const rows: Row[] = await live.forUpdate();
  // The others stay as they are, and become this boot's: it sets them apart when it picks up what is its own.
  const orders = readable(rows, orderFrom).read;
  const ids = (which: (order: OrderRow) => boolean): string[] => orders.filter(which).map(({ id }) => id);
  const gone = (status: string) => ids((order) => !order.outlives && order.status === status);
  const still = (status: string, which: readonly string[]) =>
    trx('orders')
      .whereIn('id', [...which])
      .where({ status })
      .where('boot_epoch', '<', bootEpoch);

  await still('queued', gone('queued')).update({ ...REASON, status: 'canceled', finished_at_ms: nowMs, hold: 0 });
  await still('executing', gone('executing')).update({ ...REASON, status: 'error', finished_at_ms: nowMs, hold: 0 });
  await tellGone(
    trx,
    orders.filter((order) => !order.outlives),
    nowMs,
  );
  await trx('idempotency_keys')
    .whereIn('order_id', [...gone('queued'), ...gone('executing')])
    .delete();
  const returning = ids((order) => order.outlives && order.status === 'executing');
  await still('executing', returning).update(requeued(trx, nowMs));
  await trx('orders')
    .whereIn(
      'id',
      rows.map(({ id }) => text(id)),
    )
    .update({ boot_epoch: bootEpoch });
  const ended = orders.filter((order) => !order.outlives);
  await countEnded(trx, dialect, ended);
  return { ended: ended.length, returned: orders.length - ended.length };
}

/** Notifies webhooks of them, as the journal does for all others; before their keys are freed. */
async function tellGone(trx: Knex.Transaction, orders: readonly OrderRow[], nowMs: number): Promise<void> {
  const accountIds = [...new Set(orders.map(({ accountId }) => accountId))];
  const listening: Row[] = await trx('accounts').whereIn('id', accountIds).where('webhooks', '>', 0);
  if (listening.length === 0) return;
  const wants = new Map(listening.map((row) => [text(row.id), int(row.webhooks)]));
  const ids = orders.filter(({ accountId }) => wants.has(accountId)).map(({ id }) => id);
  const keyed = new Set(await trx('idempotency_keys').whereIn('order_id', ids).pluck('order_id'));
  for (const order of orders) {
    const end = { status: order.status === 'queued' ? 'canceled' : 'error', error: REASON.error } as const;
    const told = { ...order, ...end, finishedAtMs: nowMs, charged: 0n };
    const row = orderRowFor(wants.get(order.accountId) ?? 0, told, () => keyed.has(order.id));
    if (row) await trx.raw(TELL_SQL, row as string[]);
  }
}

/** Counts what ended here in the totals; the journal does this for all other ends. */
async function countEnded(trx: Knex.Transaction, dialect: Dialect, ended: readonly OrderRow[]): Promise<void> {
  const orderDays = new OrderDays();
  for (const order of ended) orderDays.count(sortOf(order), order.status === 'queued' ? 'canceled' : 'error');
  for (const { shape, rows } of orderDays.writes()) {
    const sql = rowStatement(dialect, shape);
    for (const row of rows)
      await trx.raw(
        sql,
        row.map((value) => (typeof value === 'bigint' ? value.toString() : value)),
      );
  }
}

/**
 * Queued again, with its attempts. The time spent executing is added to its wait; a line waits until its batch expires.
 */
function requeued(trx: Knex.Transaction, nowMs: number) {
  return {
    status: 'queued',
    expires_at_ms: trx.raw(
      'expires_at_ms + CASE WHEN batch_id IS NULL AND admitted_at_ms < ? THEN ? - admitted_at_ms ELSE 0 END',
      [nowMs, nowMs],
    ),
    // MySQL assigns from left to right, so this is cleared after the line above has read it.
    admitted_at_ms: null,
    level_at_execution: null,
    level_seq: null,
    pod: null,
    hold: 0,
  };
}

async function rebuildHolds(db: Database, fence: Fence | null): Promise<void> {
  for (let after = ''; ; ) {
    const last = await writing(db, async (trx) => {
      await checkFence(trx, fence);
      const ids: string[] = await trx('accounts').where('id', '>', after).orderBy('id').limit(STEP_ROWS).pluck('id');
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

/** The same for the budgets of keys. Few hold anything, as nothing runs when this is called. */
async function rebuildBudgetHolds(db: Database, fence: Fence | null): Promise<void> {
  await writing(db, async (trx) => {
    await checkFence(trx, fence);
    const sum = trx('orders')
      .whereRaw(LIVE)
      .where({ status: 'executing' })
      .whereRaw('orders.account_id = api_keys.account_id AND orders.key_id = api_keys.id')
      .whereRaw('orders.budget_from_ms = api_keys.budget_from_ms')
      .select(trx.raw('COALESCE(SUM(hold), 0)'));
    await trx('api_keys').where('budget_held', '<>', 0).update({ budget_held: sum });
  });
}
