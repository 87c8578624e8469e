/** Reads of batches and their lines. They are written through the journal. Spec 4.8. */

import type { Knex } from 'knex';
import type { Reach } from '#base/reach.ts';
import {
  ACTIVE_STATUSES,
  type BatchRecord,
  type BatchStore,
  type EndedLine,
  isActive,
  type LineFailure,
} from '#batches/batch.ts';
import type { BatchFiles } from '#batches/file.ts';
import { isTerminal, type OrderRow } from '#orders/order.ts';
import type { Database } from '../database/database.ts';
import { flag, int, oneOf, type Row, text, textOrNull } from '../database/values.ts';
import { batchFrom } from '../records/batch.ts';
import { customId, orderFrom } from '../records/order.ts';
import { RowReader } from '../records/readable.ts';

/** The batches over `db`, and which files they use. */
export function createBatchStore(db: Database): BatchStore & BatchFiles {
  const { knex } = db;
  const reader = new RowReader(db, 'batches', recordFrom);
  const orders = new RowReader(db, 'orders', orderFrom);
  const active = () => knex('batches').whereIn('status', [...ACTIVE_STATUSES]);
  const find = async (reach: Reach, batchId: string): Promise<BatchRecord | null> => {
    const row: Row | undefined = await recordsOf(knex, reach).where('batches.id', batchId).first();
    return row ? reader.one(row) : null;
  };
  return {
    find,

    async list(reach, { limit, after }) {
      const begin = after !== null && (await find(reach, after)) ? after : null;
      return reader.page(limit, (last) => {
        const query = recordsOf(knex, reach).orderBy('batches.id', 'desc').limit(limit);
        const before = last ? text(last.id) : begin;
        return before === null ? query : query.where('batches.id', '<', before);
      });
    },

    async activeOf(accountId) {
      return active().where({ account_id: accountId }).pluck('id');
    },

    async keyHasBudget(keyId) {
      const row: Row | undefined = await knex('api_keys').where({ id: keyId }).whereNotNull('budget').first('id');
      return row !== undefined;
    },

    async inputsAmong(fileIds) {
      return new Set(
        await active()
          .whereIn('input_file_id', [...fileIds])
          .pluck('input_file_id'),
      );
    },

    async outputsAmong(fileIds) {
      const rows: Row[] = await active()
        .where((either) => either.whereIn('output_file_id', [...fileIds]).orWhereIn('error_file_id', [...fileIds]))
        .select('output_file_id', 'error_file_id');
      const written = new Set(rows.flatMap((row) => [text(row.output_file_id), text(row.error_file_id)]));
      return new Set(fileIds.filter((id) => written.has(id)));
    },

    async recordedLines(batchId) {
      const rows: Row[] = await knex('batch_lines')
        .where({ batch_id: batchId })
        .orderBy('line')
        .select('line', 'order_id', 'placed');
      return rows.map((row) => ({
        line: int(row.line),
        orderId: textOrNull(row.order_id),
        placed: row.placed !== null,
      }));
    },

    async endedLines(batchId, lines) {
      const rows: Row[] = await knex('batch_lines')
        .where({ batch_id: batchId })
        .whereIn('line', [...lines])
        .orderBy('line');
      const ids = rows.flatMap((row) => textOrNull(row.order_id) ?? []);
      const read = orders.some(await knex('orders').whereIn('id', ids));
      const byId = new Map(read.map((order) => [order.id, order]));
      return rows.flatMap((row) => endedLine(row, byId) ?? []);
    },
  };
}

function recordsOf(knex: Knex, { accountId, keyId }: Reach): Knex.QueryBuilder {
  return knex('batches')
    .leftJoin('files', (join) =>
      join.on('files.account_id', 'batches.account_id').andOn('files.id', 'batches.output_file_id'),
    )
    .where({ 'batches.account_id': accountId, ...(keyId === null ? {} : { 'batches.key_id': keyId }) })
    .select('batches.*', 'files.content_gone');
}

function recordFrom(row: Row): BatchRecord {
  const batch = batchFrom(row);
  const hadOutput = !isActive(batch) && batch.sizes.outputBytes > 0;
  return { ...batch, outputGone: hadOutput && (row.content_gone === null || flag(row.content_gone)) };
}

/** Null for a line whose order has not ended. */
function endedLine(row: Row, orders: ReadonlyMap<string, OrderRow>): EndedLine | null {
  const place = { line: int(row.line), customId: customId(row.custom_id) };
  const orderId = textOrNull(row.order_id);
  if (orderId === null) return { ...place, order: null, failure: failureFrom(row) };
  const order = orders.get(orderId);
  return order && isTerminal(order.status)
    ? { ...place, order, failure: null, warning: textOrNull(row.error_message) }
    : null;
}

const failureStatus = oneOf(['error', 'canceled', 'expired']);

function failureFrom(row: Row): LineFailure {
  return {
    status: failureStatus(row.status),
    code: text(row.error),
    message: text(row.error_message),
  };
}
