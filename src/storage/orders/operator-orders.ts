/** Reads of orders for the operator, by primary key and by the unique index of settlements. */
import type { OperatorOrders, OrderSettlement } from '#orders/ports.ts';
import { codec, column } from '../database/codec.ts';
import type { Database } from '../database/database.ts';
import { flag, int, money, type Row } from '../database/values.ts';
import { orderFrom } from '../records/order.ts';

/** The operator's orders over `db`. */
export function createOperatorOrders({ knex }: Database): OperatorOrders {
  return {
    async find(id) {
      const row: Row | undefined = await knex('orders').where({ id }).first();
      if (!row) return null;
      const usage: Row | undefined = await knex('usage_records').where({ order_id: id }).first();
      return { order: orderFrom(row), settlement: usage ? settlementFrom(usage) : null };
    },
  };
}

const { from: settlementFrom } = codec<OrderSettlement>({
  atMs: column('created_at_ms', int),
  promptTokens: int,
  cachedTokens: int,
  outputTokens: int,
  price: column('level_at_execution', int),
  charged: money,
  refunded: money,
  writtenOff: money,
  atBid: money,
  estimated: flag,
});
