/** Which gateway has an order or a batch. */
import { reachColumns } from '#base/reach.ts';
import { ACTIVE_STATUSES } from '#batches/batch.ts';
import type { Homes } from '#cluster/ports.ts';
import type { Database } from '../database/database.ts';
import { LIVE } from '../database/dialects/dialect.ts';
import { int, type Row, text } from '../database/values.ts';

/** The homes over `db`, where a cluster serves it. */
export function createHomes({ knex }: Database): Homes {
  return {
    async ofOrders(reach, orderIds) {
      const live = knex('orders')
        .whereIn('id', [...orderIds])
        .whereRaw(LIVE);
      const rows: Row[] = await live.where(reachColumns(reach)).select('id', 'boot_epoch');
      return new Map(rows.map(({ id, boot_epoch }) => [text(id), int(boot_epoch)]));
    },

    async ofBatch(batchId) {
      const active = knex('batches').whereIn('status', [...ACTIVE_STATUSES]);
      const row: Row | undefined = await active.where({ id: batchId }).first('boot_epoch');
      return row ? int(row.boot_epoch) : null;
    },
  };
}
