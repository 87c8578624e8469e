/**
 * What the adopter of a dead gateway finds of it. The gateway can commit nothing any more, so only the adopter changes
 * these rows while they are read.
 */
import { ACTIVE_STATUSES, type BatchRow } from '#batches/batch.ts';
import type { GatewayId } from '#cluster/messages.ts';
import type { OrderRow } from '#orders/order.ts';
import type { Database } from '../database/database.ts';
import type { Row } from '../database/values.ts';
import { batchFrom } from '../records/batch.ts';
import { orderFrom } from '../records/order.ts';
import { liveIdsOf, pagesOf } from './live.ts';

const PAGE_ROWS = 500;

/** Reads for adoption. */
export interface AdoptionStore {
  /** Live orders of a gateway in pages of at most 500, oldest first; custom ids are left out. */
  liveOrders(gateway: GatewayId): AsyncGenerator<readonly OrderRow[]>;
  /** Its active batches, oldest first. */
  activeBatches(gateway: GatewayId): Promise<BatchRow[]>;
  /** Whether it may still store a result that it promised: it was neither declared dead, nor has it left. */
  isServing(gateway: GatewayId): Promise<boolean>;
}

/** The reads of adoption over `db`, where a cluster serves it. */
export function createAdoptionStore(db: Database): AdoptionStore {
  const { knex } = db;
  return {
    async *liveOrders(gateway) {
      for (const page of pagesOf(await liveIdsOf(db, gateway), PAGE_ROWS)) {
        const rows: Row[] = await knex('orders').whereIn('id', page).orderBy('id');
        const own = rows.map(orderFrom).filter((order) => order.bootEpoch === gateway && isLive(order));
        if (own.length > 0) yield own.map((order) => ({ ...order, customId: null }));
      }
    },

    async activeBatches(gateway) {
      const active = knex('batches').whereIn('status', [...ACTIVE_STATUSES]);
      const rows: Row[] = await active.where({ boot_epoch: gateway }).orderBy('id');
      return rows.map(batchFrom);
    },

    async isServing(gateway) {
      const own = { name: `gateway:${gateway}`, holder: String(gateway) };
      return (await knex('leases').where(own).first('name')) !== undefined;
    },
  };
}

function isLive({ status }: OrderRow): boolean {
  return status === 'queued' || status === 'executing';
}
