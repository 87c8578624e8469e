/**
 * Orders and batches of other gateways: whoever asks any gateway gets the answer of the one that has the order. Orders
 * of this gateway are found in memory as ever; only for others is the database asked whose they are. An order that no
 * gateway has at the moment, because its gateway ended and is being followed, is unavailable for a second.
 */
import type { PriceNano } from '#base/money.ts';
import type { OrderPort, RepriceCode, RepricedOrder } from '#orders/order-port.ts';
import { CONFIRMATION_MS } from '#orders/repricing.ts';
import type { GatewayId } from '../messages.ts';
import { type Calls, unreachable } from '../peers/calls.ts';
import type { Homes } from '../ports.ts';

/** The other side answers by its own deadlines; they end before this. */
const ANSWER_MS = CONFIRMATION_MS + 1_000;

/** What forwarding needs. */
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
  const forwarded = new ForwardedOrders(options);
  options.calls.handle('order.cancel', async (params) => {
    const { accountId, orderId } = params as CancelParams;
    await forwarded.cancelHere(accountId, orderId);
  });
  options.calls.handle('order.reprice', (params) => {
    const { accountId, orderIds, limit } = params as RepriceParams;
    return forwarded.repriceHere(accountId, orderIds, limit);
  });
  return forwarded;
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

class ForwardedOrders implements Pick<OrderPort, 'cancel' | 'reprice'> {
  readonly #options: OrderForwarding;

  constructor(options: OrderForwarding) {
    this.#options = options;
  }

  async cancel(accountId: string, orderId: string): Promise<void> {
    const { self, calls } = this.#options;
    const home = (await this.#homesOf(accountId, [orderId])).get(orderId);
    const params: CancelParams = { accountId, orderId };
    if (home === undefined || home === self) await this.#cancelIn(home, params);
    else await calls.call(home, 'order.cancel', params, ANSWER_MS);
  }

  async cancelHere(accountId: string, orderId: string): Promise<void> {
    const home = (await this.#homesOf(accountId, [orderId])).get(orderId);
    await this.#cancelIn(home, { accountId, orderId });
  }

  /** Throws unavailable for a live order that is not in memory here: it is about to be, here or elsewhere. */
  async #cancelIn(home: GatewayId | undefined, { accountId, orderId }: CancelParams): Promise<void> {
    if (home !== undefined && !this.#options.isHere(orderId)) throw unreachable(home);
    await this.#options.orders.cancel(accountId, orderId);
  }

  async reprice(accountId: string, orderIds: readonly string[], limit: PriceNano): Promise<RepricedOrder[]> {
    const { self } = this.#options;
    const homes = await this.#homesOf(accountId, orderIds);
    const parts = [...Map.groupBy(orderIds, (orderId) => homes.get(orderId) ?? self)];
    if (parts.length <= 1 && (parts[0]?.[0] ?? self) === self)
      return this.#repriceIn(homes, accountId, orderIds, limit);
    const answers = await Promise.allSettled(
      parts.map(([home, ids]) =>
        home === self
          ? this.#repriceIn(homes, accountId, ids, limit)
          : this.#repriceAt(home, { accountId, orderIds: ids, limit }),
      ),
    );
    if (answers.every(({ status }) => status === 'rejected')) throw (answers[0] as PromiseRejectedResult).reason;
    const refusals = new Map<string, RepriceCode | null>();
    for (const answer of answers)
      if (answer.status === 'fulfilled')
        for (const { orderId, refusal } of answer.value) refusals.set(orderId, refusal);
    return orderIds.map((orderId) => ({
      orderId,
      // A part that failed has no answers.
      refusal: refusals.has(orderId) ? (refusals.get(orderId) ?? null) : 'unavailable',
    }));
  }

  /** Those that live elsewhere by now are unavailable: a call is not passed on twice. */
  async repriceHere(accountId: string, orderIds: readonly string[], limit: PriceNano): Promise<RepricedOrder[]> {
    return this.#repriceIn(await this.#homesOf(accountId, orderIds), accountId, orderIds, limit);
  }

  async #repriceIn(
    homes: ReadonlyMap<string, GatewayId>,
    accountId: string,
    orderIds: readonly string[],
    limit: PriceNano,
  ): Promise<RepricedOrder[]> {
    const { orders, isHere } = this.#options;
    const lost = new Set(orderIds.filter((orderId) => homes.has(orderId) && !isHere(orderId)));
    const own = orderIds.filter((orderId) => !lost.has(orderId));
    const answers = own.length > 0 || lost.size === 0 ? await orders.reprice(accountId, own, limit) : [];
    const byId = new Map(answers.map((answer) => [answer.orderId, answer]));
    return orderIds.map((orderId) => byId.get(orderId) ?? { orderId, refusal: 'unavailable' });
  }

  async #repriceAt(home: GatewayId, params: RepriceParams): Promise<RepricedOrder[]> {
    return (await this.#options.calls.call(home, 'order.reprice', params, ANSWER_MS)) as RepricedOrder[];
  }

  /** The gateways of live orders that are not in memory here. */
  async #homesOf(accountId: string, orderIds: readonly string[]): Promise<ReadonlyMap<string, GatewayId>> {
    const strange = orderIds.filter((orderId) => !this.#options.isHere(orderId));
    return strange.length === 0 ? new Map() : this.#options.homes.ofOrders(accountId, strange);
  }
}

interface BatchForwarding extends Forwarding {
  /** The batches of this gateway. */
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
