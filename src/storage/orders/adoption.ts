/** What a gateway finds of another one that died, and of its own: live orders and active batches by their boot epoch. */
import { ACTIVE_STATUSES, type BatchRow } from '#batches/batch.ts';
import type { GatewayId } from '#cluster/messages.ts';
import type { OrderRow } from '#orders/order.ts';
import type { SetApart } from '#orders/ports.ts';
import type { Database } from '../database/database.ts';
import { type Row, text } from '../database/values.ts';
import { batchFrom } from '../records/batch.ts';
import { orderFrom } from '../records/order.ts';
import { liveIdsOf, pagesOf } from './live.ts';

const PAGE_ROWS = 500;

/** Some live orders, oldest first, and those whose rows cannot be read. */
export interface LivePage {
  readonly orders: readonly OrderRow[];
  readonly unreadable: readonly SetApart[];
}

/** Reads of live orders and active batches by gateway. */
export interface AdoptionStore {
  /**
   * Live orders of a gateway in pages of at most 500, oldest first; custom ids are left out. Orders that `isHere` has are
   * left out too. It is asked before the rows are read: an order that ended in between is not live any more.
   */
  liveOrders(gateway: GatewayId, isHere?: (orderId: string) => boolean): AsyncGenerator<LivePage>;
  /** Its active batches, oldest first, without those that `isHere` has. */
  activeBatches(gateway: GatewayId, isHere?: (batchId: string) => boolean): Promise<BatchRow[]>;
  /** Whether it may still store a result that it promised: it was neither declared dead, nor has it left. */
  isServing(gateway: GatewayId): Promise<boolean>;
}

/** The reads over `db`. */
export function createAdoptionStore(db: Database): AdoptionStore {
  const { knex } = db;
  return {
    async *liveOrders(gateway, isHere = () => false) {
      for (const ids of pagesOf(await liveIdsOf(db, gateway), PAGE_ROWS)) {
        const missing = ids.filter((id) => !isHere(id));
        if (missing.length === 0) continue;
        const rows: Row[] = await knex('orders').whereIn('id', missing).where({ boot_epoch: gateway }).orderBy('id');
        yield pageFrom(rows.filter(isLive));
      }
    },

    async activeBatches(gateway, isHere = () => false) {
      const active = () =>
        knex('batches')
          .whereIn('status', [...ACTIVE_STATUSES])
          .where({ boot_epoch: gateway });
      const ids: string[] = await active().pluck('id');
      const rows: Row[] = await active()
        .whereIn(
          'id',
          ids.filter((id) => !isHere(id)),
        )
        .orderBy('id');
      return rows.map(batchFrom);
    },

    async isServing(gateway) {
      const own = { name: `gateway:${gateway}`, holder: String(gateway) };
      return (await knex('leases').where(own).first('name')) !== undefined;
    },
  };
}

function pageFrom(rows: readonly Row[]): LivePage {
  const orders: OrderRow[] = [];
  const unreadable: SetApart[] = [];
  for (const row of rows) {
    try {
      orders.push({ ...orderFrom(row), customId: null });
    } catch (error) {
      unreadable.push({ id: text(row.id), error });
    }
  }
  return { orders, unreadable };
}

function isLive({ status }: Row): boolean {
  return status === 'queued' || status === 'executing';
}
