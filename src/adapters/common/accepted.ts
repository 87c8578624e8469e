/** The response to a detached request: the address of its result, and whether it will be stored. Spec 2.9. */
import type { LaxJson } from '#base/sent-json.ts';
import type { components } from '#generated/types.ts';
import type { AcceptedOrder } from '#orders/order-port.ts';

/** The body of the 202. `warning` is present only when nothing will be stored. */
export function acceptedOrder(order: AcceptedOrder): LaxJson<components['schemas']['AcceptedOrder']> {
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
          warning: 'The answer will not be stored and cannot be collected: the request or the account stores none.',
        }),
  };
}
