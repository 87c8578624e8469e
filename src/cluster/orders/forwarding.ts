/**
 * Orders and batches of other gateways: whoever asks any gateway gets the answer of the one that has the order. Orders
 * of this gateway are found in memory as ever; only for others is the database asked whose they are. An order that no
 * gateway has at the moment, because its gateway ended and is being followed, is unavailable for a second.
 */
import type { PriceNano } from '#base/money.ts';
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
  const homesOf = async (accountId: string, orderIds: readonly string[]): Promise<ReadonlyMap<string, GatewayId>> => {
    const strange = orderIds.filter((orderId) => !isHere(orderId));
    return strange.length === 0 ? new Map() : homes.ofOrders(accountId, strange);
  };
  /** Throws unavailable for a live order that is not in memory here: it is about to be, here or elsewhere. */
  const cancelIn = async (home: GatewayId | undefined, { accountId, orderId }: CancelParams) => {
    if (home !== undefined && !isHere(orderId)) throw unreachable(home);
    await orders.cancel(accountId, orderId);
  };
  const homeOf = async ({ accountId, orderId }: CancelParams) => (await homesOf(accountId, [orderId])).get(orderId);
  /** Those that live elsewhere by now are unavailable: a call is not passed on twice. */
  const repriceIn = async (
    elsewhere: ReadonlyMap<string, GatewayId>,
    { accountId, orderIds, limit }: RepriceParams,
  ) => {
    const lost = new Set(orderIds.filter((orderId) => elsewhere.has(orderId) && !isHere(orderId)));
    const own = orderIds.filter((orderId) => !lost.has(orderId));
    const answers = own.length > 0 || lost.size === 0 ? await orders.reprice(accountId, own, limit) : [];
    return inOrder(orderIds, answers);
  };
  calls.handle('order.cancel', async (params) => {
    const asked = params as CancelParams;
    await cancelIn(await homeOf(asked), asked);
  });
  calls.handle('order.reprice', async (params) => {
    const asked = params as RepriceParams;
    return repriceIn(await homesOf(asked.accountId, asked.orderIds), asked);
  });
  return {
    async cancel(accountId, orderId) {
      const params: CancelParams = { accountId, orderId };
      const home = await homeOf(params);
      if (home === undefined || home === self) await cancelIn(home, params);
      else await calls.call(home, 'order.cancel', params, ANSWER_MS);
    },
    async reprice(accountId, orderIds, limit) {
      const elsewhere = await homesOf(accountId, orderIds);
      const parts = Map.groupBy(orderIds, (orderId) => elsewhere.get(orderId) ?? self);
      if (parts.size === 0) return orders.reprice(accountId, orderIds, limit);
      const answers = await Promise.allSettled(
        [...parts].map(async ([home, ids]) => {
          const params: RepriceParams = { accountId, orderIds: ids, limit };
          if (home === self) return repriceIn(elsewhere, params);
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

interface CancelParams {
  readonly accountId: string;
  readonly orderId: string;
}

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
