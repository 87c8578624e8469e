/** Repricing queued orders, many at once. Spec 4.6. */
import { priceFromUsd, priceToUsd } from '#base/money.ts';
import type { AccountHandlers } from '#contract/handlers.ts';
import type { OrderPort, RepriceCode, RepricedOrder } from '#orders/order-port.ts';

const REASONS: Readonly<Record<RepriceCode, string>> = {
  not_queued: 'You have no queued order with this id.',
  price_locked: 'The order has a price lock, which fixes its price.',
  too_large: 'The balance does not cover the most that the order could cost at this price.',
  max_charge_too_low: 'At this price max_charge_usd of the order does not cover its input and one output token.',
  fixed_price_model: 'The model of this order has fixed prices.',
  unavailable: 'The market could not reprice the order now. It is still queued: try again.',
};

/** repriceOrders. The limit is rounded down to whole nano-dollars; ids are case-insensitive, each counts once. */
export function repriceHandlers({
  orders,
}: {
  readonly orders: Pick<OrderPort, 'reprice'>;
}): AccountHandlers<'repriceOrders'> {
  return {
    async repriceOrders({ principal, body: { ids, price_limit } }) {
      const limit = priceFromUsd(price_limit);
      const unique = [...new Set(ids.map((id) => id.toLowerCase()))];
      const repriced = await orders.reprice(principal.account.id, unique, limit);
      return {
        status: 200,
        json: {
          object: 'list',
          price_limit: priceToUsd(limit),
          changed: repriced.filter(({ refusal }) => refusal === null).length,
          data: repriced.map(repricedObject),
        },
      };
    },
  };
}

function repricedObject({ orderId: id, refusal: code }: RepricedOrder) {
  return { id, changed: code === null, code, reason: code && REASONS[code] };
}
