/** The orders of an order service that have not ended. */

import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { type Reach, reaches } from '#base/reach.ts';
import type { LiveOrder } from './live-order.ts';
import type { FollowedOrder } from './order-stream.ts';

/** Live orders by id. */
export class LiveOrders extends Map<string, LiveOrder> {
  #onEmpty: (() => void) | null = null;
  readonly #byAccount = new Map<string, Set<LiveOrder>>();

  /**
   * The order, if it is within reach; null for any other. One whose first write is under way counts: its row may be read before the
   * order service knows of the commit.
   */
  within(reach: Reach, orderId: string): LiveOrder | null {
    const order = this.get(orderId);
    return order && reaches(reach, order.row) && order.phase !== 'opening' ? order : null;
  }

  /**
   * The same, once its caller has been answered. Repricing answers with the new price, so an order whose caller waits for
   * its own answer cannot be repriced.
   */
  answered(reach: Reach, orderId: string): LiveOrder | null {
    const order = this.within(reach, orderId);
    return order?.opening === null ? order : null;
  }

  /** Follows an order: see `FollowPort`. */
  follow(reach: Reach, orderId: string): FollowedOrder | null {
    const order = this.within(reach, orderId);
    if (!order?.followable || order.opening) return null;
    const { kind, createdAtMs, promptEstimate, listing, stream } = order;
    // It ended for its callers, and may still be written.
    const message = 'The end of this order is being written.';
    if (!stream) throw new Fault('result_pending', { message, retryAfterS: 1 });
    return stream.follow({ orderId, kind, model: listing.id, createdAtMs, promptEstimate });
  }

  /** All orders of the account. */
  allOf(accountId: string): Iterable<LiveOrder> {
    return this.#byAccount.get(accountId) ?? [];
  }

  /** How many of each model are queued, and how many run: a millisecond for ten thousand orders. */
  countsByModel(): Map<string, { queued: number; executing: number }> {
    const counts = new Map<string, { queued: number; executing: number }>();
    for (const { listing, phase } of this.values()) {
      const own = counts.get(listing.id) ?? { queued: 0, executing: 0 };
      counts.set(listing.id, own);
      if (phase === 'queued') own.queued++;
      else own.executing++;
    }
    return counts;
  }

  override set(orderId: string, order: LiveOrder): this {
    const { accountId } = order.row;
    const own = this.#byAccount.get(accountId);
    if (own) own.add(order);
    else this.#byAccount.set(accountId, new Set([order]));
    return super.set(orderId, order);
  }

  override delete(orderId: string): boolean {
    const order = this.get(orderId);
    if (!order) return false;
    const { accountId } = order.row;
    const own = this.#byAccount.get(accountId);
    own?.delete(order);
    if (own?.size === 0) this.#byAccount.delete(accountId);
    super.delete(orderId);
    if (this.size === 0) this.#onEmpty?.();
    return true;
  }

  /** Resolves when there is none, and after `limitMs` at the latest. One call at a time. */
  emptyWithin(clock: Clock, limitMs: number): Promise<void> {
    if (this.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = clock.after(limitMs, resolve);
      this.#onEmpty = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}
