/**
 * Orders and batches of other gateways: any gateway gives the answer of the one that has the order. Orders
 * of this gateway are found in memory as ever; only for others is the database asked whose they are. An order that no
 * gateway has at the moment, because its gateway ended and is being followed, is unavailable for a second.
 */

import type { PriceNano } from '#base/money.ts';
import { type Reach, wholeAccount } from '#base/reach.ts';
import type { OrderPort, RepricedOrder } from '#orders/order-port.ts';
import { CONFIRMATION_MS } from '#orders/repricing.ts';
import type { GatewayId } from '../messages.ts';
import { type Calls, unreachable } from '../peers/calls.ts';
import type { Homes } from '../ports.ts';

/** The other side answers by its own deadlines; they end before this. */
const ANSWER_MS = CONFIRMATION_MS + 1_000;

interface Forwarding {
  readonly self: GatewayId;
  readonly homes: Homes;
  readonly calls: Pick<Calls, 'call' | 'handle'>;
}

interface OrderForwarding extends Forwarding {
  /** The order service of this gateway. */
  readonly orders: Pick<OrderPort, 'cancel' | 'reprice'>;
  /** Whether it has the order in memory. */
  readonly isHere: (orderId: string) => boolean;
}

/** Cancels and reprices orders of all gateways; call once, because it also answers the others. */
export function forwardedOrders(options: OrderForwarding): Pick<OrderPort, 'cancel' | 'reprice'> {
  const { self, homes, calls, orders, isHere } = options;
  /** The gateways of live orders that are not in memory here. */
  const homesOf = async (reach: Reach, orderIds: readonly string[]): Promise<ReadonlyMap<string, GatewayId>> => {
    const strange = orderIds.filter((orderId) => !isHere(orderId));
    return strange.length === 0 ? new Map() : homes.ofOrders(reach, strange);
  };
  /** Throws unavailable for a live order that is not in memory here: it is about to be, here or elsewhere. */
  const cancelIn = async (home: GatewayId | undefined, reach: Reach, orderId: string) => {
    if (home !== undefined && !isHere(orderId)) throw unreachable(home);
    await orders.cancel(reach, orderId);
  };
  const homeOf = async (reach: Reach, orderId: string) => (await homesOf(reach, [orderId])).get(orderId);
  /** Orders that have moved on to another gateway by now are unavailable: a call is not forwarded twice. */
  const repriceIn = async (
    elsewhere: ReadonlyMap<string, GatewayId>,
    reach: Reach,
    { orderIds, limit }: Omit<RepriceParams, 'accountId'>,
  ) => {
    const lost = new Set(orderIds.filter((orderId) => elsewhere.has(orderId) && !isHere(orderId)));
    const own = orderIds.filter((orderId) => !lost.has(orderId));
    const answers = own.length > 0 || lost.size === 0 ? await orders.reprice(reach, own, limit) : [];
    return inOrder(orderIds, answers);
  };
  calls.handle('order.cancel', async (params) => {
    const { accountId, orderId } = params as CancelParams;
    const reach = wholeAccount(accountId);
    await cancelIn(await homeOf(reach, orderId), reach, orderId);
  });
  calls.handle('order.reprice', async (params) => {
    const { accountId, ...asked } = params as RepriceParams;
    const reach = wholeAccount(accountId);
    return repriceIn(await homesOf(reach, asked.orderIds), reach, asked);
  });
  return {
    async cancel(reach, orderId) {
      const params: CancelParams = { accountId: reach.accountId, orderId };
      const home = await homeOf(reach, orderId);
      if (home === undefined || home === self) await cancelIn(home, reach, orderId);
      else await calls.call(home, 'order.cancel', params, ANSWER_MS);
    },
    async reprice(reach, orderIds, limit) {
      const elsewhere = await homesOf(reach, orderIds);
      const parts = Map.groupBy(orderIds, (orderId) => elsewhere.get(orderId) ?? self);
      if (parts.size === 0) return orders.reprice(reach, orderIds, limit);
      const answers = await Promise.allSettled(
        [...parts].map(async ([home, ids]) => {
          const params: RepriceParams = { accountId: reach.accountId, orderIds: ids, limit };
          if (home === self) return repriceIn(elsewhere, reach, params);
          return (await calls.call(home, 'order.reprice', params, ANSWER_MS)) as RepricedOrder[];
        }),
      );
      if (answers.every(({ status }) => status === 'rejected')) throw (answers[0] as PromiseRejectedResult).reason;
      // A part that failed has no answers.
      const answered = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      return inOrder(orderIds, answered);
    },
  };
}

/** The gateway that asks has seen in the rows of the orders that its caller reaches them. */
interface CancelParams {
  readonly accountId: string;
  readonly orderId: string;
}

/** The same. */
interface RepriceParams {
  readonly accountId: string;
  readonly orderIds: readonly string[];
  readonly limit: PriceNano;
}

/** One answer for each order; those without one are unavailable. */
function inOrder(orderIds: readonly string[], answers: readonly RepricedOrder[]): RepricedOrder[] {
  const byId = new Map(answers.map((answer) => [answer.orderId, answer]));
  return orderIds.map((orderId) => byId.get(orderId) ?? { orderId, refusal: 'unavailable' });
}

interface BatchForwarding extends Forwarding {
  readonly batches: {
    cancel(accountId: string, batchId: string): Promise<void>;
    isRunning(batchId: string): boolean;
  };
}

/** Cancels batches of all gateways, and knows which of them run; call once, because it also answers the others. */
export function forwardedBatches({ self, homes, calls, batches }: BatchForwarding): {
  cancel(accountId: string, batchId: string): Promise<void>;
  /** By its row: its gateway need not be reachable. */
  isRunning(batchId: string): Promise<boolean>;
} {
  const homeOf = async (batchId: string) => (batches.isRunning(batchId) ? null : homes.ofBatch(batchId));
  /** An active batch that does not run here is about to, here or elsewhere. */
  const cancelIn = async (home: GatewayId | null, accountId: string, batchId: string) => {
    if (home !== null && !batches.isRunning(batchId)) throw unreachable(home);
    await batches.cancel(accountId, batchId);
  };
  calls.handle('batch.cancel', async (params) => {
    const { accountId, batchId } = params as { readonly accountId: string; readonly batchId: string };
    await cancelIn(await homeOf(batchId), accountId, batchId);
  });
  return {
    async cancel(accountId, batchId) {
      const home = await homeOf(batchId);
      if (home === null || home === self) await cancelIn(home, accountId, batchId);
      else await calls.call(home, 'batch.cancel', { accountId, batchId }, ANSWER_MS);
    },
    async isRunning(batchId) {
      return batches.isRunning(batchId) || (await homes.ofBatch(batchId)) !== null;
    },
  };
}
