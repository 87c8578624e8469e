/** An order on the wire as the members of its account see it: more than a key is told, and nothing of the operator's. */
import { nanoToUsd, priceToUsd } from '#base/money.ts';
import { wirePrices } from '#ledger/receipt.ts';
import { tariffFromId } from '#ledger/tariff.ts';
import type { OrderRow } from '#orders/order.ts';
import type { OperatorOrders, OrderSettlement } from '#orders/ports.ts';
import { settlementObject, timelineOf } from './operator-order.ts';
import { noSuchOrder, orderIdOf } from './order-id.ts';

/** The order with the id in a path. Throws Fault not_found for malformed, unknown and foreign ids. */
export async function orderOfAccount(
  params: { readonly id: string },
  accountId: string,
  store: OperatorOrders,
): Promise<{ readonly order: OrderRow; readonly settlement: OrderSettlement | null }> {
  const found = await store.find(orderIdOf({ params }));
  if (found?.order.accountId !== accountId) throw noSuchOrder();
  return found;
}

/** What is shown beside the order itself. Weights and prices are those of the tariff that it was submitted under. */
export function orderDetails(order: OrderRow, settlement: OrderSettlement | null) {
  const tariff = tariffFromId(order.tariffId);
  return {
    key_id: order.keyId,
    price_limit: order.limit === null ? null : priceToUsd(order.limit),
    attempts: order.attempt,
    error_message: order.errorMessage,
    hold_usd: nanoToUsd(order.hold),
    tariff: { pricing: tariff.type, ...wirePrices(tariff) },
    timeline: timelineOf(order, settlement),
    settlement: settlement && settlementObject(settlement),
  };
}
