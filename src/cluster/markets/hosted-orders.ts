/** The orders in one market with the gateways that they belong to, as its owner knows them. */
import type { GatewayId } from '../messages.ts';

/** An order that waits, or holds a slot. */
export interface HostedOrder {
  readonly id: string;
  readonly gateway: GatewayId;
  readonly slot: { readonly attempt: number; readonly pod: string } | null;
}

/** Orders by id and by gateway. */
export class HostedOrders {
  readonly #orders = new Map<string, HostedOrder>();
  readonly #byGateway = new Map<GatewayId, Set<string>>();

  /** The gateways that have any. */
  get gateways(): GatewayId[] {
    return [...this.#byGateway.keys()];
  }

  get(id: string): HostedOrder | null {
    return this.#orders.get(id) ?? null;
  }

  of(gateway: GatewayId): HostedOrder[] {
    return [...(this.#byGateway.get(gateway) ?? [])].flatMap((id) => this.get(id) ?? []);
  }

  /** Adds an order, or says anew what it has and whose it is. */
  set(order: HostedOrder): void {
    const known = this.get(order.id);
    if (known && known.gateway !== order.gateway) this.delete(order.id);
    this.#orders.set(order.id, order);
    const own = this.#byGateway.get(order.gateway);
    if (own) own.add(order.id);
    else this.#byGateway.set(order.gateway, new Set([order.id]));
  }

  delete(id: string): void {
    const known = this.get(id);
    if (!known) return;
    this.#orders.delete(id);
    const own = this.#byGateway.get(known.gateway);
    own?.delete(id);
    if (own?.size === 0) this.#byGateway.delete(known.gateway);
  }
}
