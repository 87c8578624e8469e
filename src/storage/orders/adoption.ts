/** What a gateway finds of another one that died, and of its own: live orders and active batches by their boot epoch. */
import { ACTIVE_STATUSES } from '#batches/batch.ts';
import type { GatewayId } from '#cluster/messages.ts';
import type { Database } from '../database/database.ts';
import type { Row } from '../database/values.ts';
import { batchFrom } from '../records/batch.ts';
import { orderFrom } from '../records/order.ts';
import { readable } from '../records/readable.ts';
import { liveIdsOf, pagesOf } from './live.ts';

const PAGE_ROWS = 500;

/** Reads of live orders and active batches by gateway. */
export type AdoptionStore = ReturnType<typeof createAdoptionStore>;

/** The reads over `db`. */
export function createAdoptionStore(db: Database) {
  const { knex } = db;
  return {
    /**
     * Live orders of a gateway in pages of at most 500, oldest first; custom ids are left out. Orders that `isHere` has
     * are left out too. It is asked before the rows are read: an order that ended in between is not live any more.
     */
    async *liveOrders(gateway: GatewayId, isHere: (orderId: string) => boolean = () => false) {
      for (const ids of pagesOf(await liveIdsOf(db, gateway), PAGE_ROWS)) {
        const missing = ids.filter((id) => !isHere(id));
        if (missing.length === 0) continue;
        const rows: Row[] = await knex('orders').whereIn('id', missing).where({ boot_epoch: gateway }).orderBy('id');
        const live = rows.filter(({ status }) => status === 'queued' || status === 'executing');
        const { read, unreadable } = readable(live, (row) => ({ ...orderFrom(row), customId: null }));
        yield { orders: read, unreadable };
      }
    },

    /** Its active batches, oldest first, without those that `isHere` has. */
    async activeBatches(gateway: GatewayId, isHere: (batchId: string) => boolean = () => false) {
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
      const { read, unreadable } = readable(rows, batchFrom);
      return { batches: read, unreadable };
    },

    /** Whether it may still store a result that it promised: it was neither declared dead, nor has it left. */
    async isServing(gateway: GatewayId) {
      const own = { name: `gateway:${gateway}`, holder: String(gateway) };
      return (await knex('leases').where(own).first('name')) !== undefined;
    },
  };
}
