/** Reads of orders for the operator, by primary key and by the unique index of settlements. */
import type { OperatorOrders, OrderSettlement } from '#orders/ports.ts';
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

function settlementFrom(row: Row): OrderSettlement {
  return {
    atMs: int(row.created_at_ms),
    promptTokens: int(row.prompt_tokens),
    cachedTokens: int(row.cached_tokens),
    outputTokens: int(row.output_tokens),
    price: int(row.level_at_execution),
    charged: money(row.charged),
    refunded: money(row.refunded),
    writtenOff: money(row.written_off),
    atBid: money(row.at_bid),
    estimated: flag(row.estimated),
  };
}
