/** Listing, reading, repricing and cancelling orders. Spec 2.1, 2.2, 4.6. */

import { priceFromUsd, priceToUsd } from '#base/money.ts';
import type { Reach } from '#base/reach.ts';
import type { AccountHandlers } from '#contract/call.ts';
import { cursorPage, idBefore } from '#contract/cursor-page.ts';
import type { QueryOf } from '#contract/operation.ts';
import type { Listings } from '#market/listing.ts';
import type { ExchangePort } from '#market/ports.ts';
import type { OrderRow } from '#orders/order.ts';
import type { OrderPort, RepriceCode } from '#orders/order-port.ts';
import type { OrderFilter, OrderStore } from '#orders/ports.ts';
import { NO_ORDER_TOTALS, noSuchOrder, orderCounts, orderIdOf, orderObject, orderTotals } from './order-object.ts';

/** What the handlers of orders need. */
export interface OrdersOptions {
  readonly orders: Pick<OrderPort, 'cancel'>;
  readonly store: Pick<OrderStore, 'find' | 'list' | 'totals' | 'counts'>;
  readonly exchange: Pick<ExchangePort, 'positions'>;
  readonly listings: Listings;
}

/** listOrders, getOrder and cancelOrder. Malformed, unknown and foreign ids are 404. */
export function ordersHandlers(options: OrdersOptions): AccountHandlers<'listOrders' | 'getOrder' | 'cancelOrder'> {
  const { orders, store, exchange, listings } = options;
  return {
    async listOrders({ principal, query }) {
      const { include, limit } = query;
      const filter = filterOf(principal.reach, query, listings);
      const scope = `orders ${JSON.stringify(filter)}`;
      const after = idBefore(scope, query.cursor);
      const [rows, totals, counts] = await Promise.all([
        store.list(filter, { limit: limit + 1, after }),
        include?.has('totals') && after === null ? store.totals(filter) : null,
        include?.has('counts') ? store.counts(filter) : null,
      ]);
      const { page, more } = cursorPage(rows, { limit, scope }, ({ id }) => [id]);
      const positions = await positionsOf(page, exchange);
      return {
        status: 200,
        json: {
          object: 'list',
          data: page.map((row) => orderObject(row, positions.get(row.id) ?? null, include)),
          ...more,
          ...(totals ? orderTotals(totals) : NO_ORDER_TOTALS),
          counts: counts && orderCounts(counts),
        },
      };
    },

    async getOrder(call) {
      const { include } = call.query;
      const row = await store.find(call.principal.reach, orderIdOf(call));
      if (!row) throw noSuchOrder();
      const positions = await positionsOf([row], exchange);
      return { status: 200, json: orderObject(row, positions.get(row.id) ?? null, include) };
    },

    async cancelOrder(call) {
      const id = orderIdOf(call);
      await orders.cancel(call.principal.reach, id);
      return { status: 200, json: { id, status: 'canceled' } };
    },
  };
}

function filterOf(reach: Reach, query: QueryOf<'listOrders'>, listings: Listings): OrderFilter {
  const { status: statuses } = query;
  return {
    ...reach,
    statuses: statuses && [...statuses],
    model: listings.named(query.model)?.id ?? null,
    kind: query.kind,
    batchId: query.batch,
    idPrefix: query.id,
    fromMs: query.from,
    toMs: query.to,
    // The cursors of lists without it stay as they were.
    ...(query.tag === null ? {} : { tag: query.tag }),
  };
}

/** Positions in the book, one query per market. A fixed-price order, known by its missing limit, has none. */
async function positionsOf(
  rows: readonly OrderRow[],
  exchange: Pick<ExchangePort, 'positions'>,
): Promise<Map<string, number>> {
  const positions = new Map<string, number>();
  const waiting = rows.filter((row) => row.status === 'queued' && row.limit !== null);
  const byModel = Map.groupBy(waiting, (row) => row.model);
  await Promise.all(
    Array.from(byModel, async ([model, queued]) => {
      const ids = queued.map((row) => row.id);
      const places = await exchange.positions(model, ids);
      ids.forEach((id, index) => {
        const place = places[index] ?? null;
        if (place !== null) positions.set(id, place);
      });
    }),
  );
  return positions;
}

const REASONS: Readonly<Record<RepriceCode, string>> = {
  not_queued: 'You have no queued order with this id.',
  price_locked: 'The order has a price lock, which fixes its price.',
  too_large: 'The balance does not cover the most that the order could cost at this price.',
  max_charge_too_low: 'At this price max_charge_usd of the order does not cover its input and one output token.',
  fixed_price_model: 'The model of this order has fixed prices.',
  unavailable: 'The market could not reprice the order now. It is still queued: try again.',
};

/** repriceOrders. The limit is rounded down to whole nano-dollars; ids are case-insensitive, each counts once. */
export function repriceHandlers(orders: Pick<OrderPort, 'reprice'>): AccountHandlers<'repriceOrders'> {
  return {
    async repriceOrders({ principal, body: { ids, price_limit } }) {
      const limit = priceFromUsd(price_limit);
      const unique = [...new Set(ids.map((id) => id.toLowerCase()))];
      const repriced = await orders.reprice(principal.reach, unique, limit);
      return {
        status: 200,
        json: {
          object: 'list',
          price_limit: priceToUsd(limit),
          changed: repriced.filter(({ refusal }) => refusal === null).length,
          data: repriced.map(({ orderId: id, refusal: code }) => ({
            id,
            changed: code === null,
            code,
            reason: code && REASONS[code],
          })),
        },
      };
    },
  };
}
