/** The answer to a detached request: where its result will be, and whether it will be kept at all. Spec 2.9. */
import type { AcceptedOrder } from '#orders/order-port.ts';
import type { JsonObject } from '#orders/request.ts';

/** The body of the 202. `warning` is there only when nothing will be stored. */
export function acceptedOrder(order: AcceptedOrder): JsonObject {
  return {
    id: order.orderId,
    object: 'order',
    status: 'queued',
    expires_at: new Date(order.expiresAtMs).toISOString(),
    result_url: `/v1/orders/${order.orderId}/result`,
    result_stored: order.resultStored,
    result_retention_days: order.retentionDays,
    ...(order.resultStored
      ? {}
      : {
          warning:
            'The answer will not be stored, so there will be nothing to collect: the request or the account keeps none.',
        }),
  };
}
