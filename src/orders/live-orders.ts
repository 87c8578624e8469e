/** The orders of an order service that have not ended. */
import type { Clock } from '#base/clock.ts';
import type { LiveOrder } from './live-order.ts';

/** Live orders by id. */
export class LiveOrders extends Map<string, LiveOrder> {
  #onEmpty: (() => void) | null = null;

  /**
   * The account's order; null for any other. One whose first write is under way counts: its row may be read before the
   * order service knows of the commit.
   */
  ofAccount(accountId: string, orderId: string): LiveOrder | null {
    const order = this.get(orderId);
    return order && order.row.accountId === accountId && order.phase !== 'opening' ? order : null;
  }

  override delete(orderId: string): boolean {
    const deleted = super.delete(orderId);
    if (this.size === 0) this.#onEmpty?.();
    return deleted;
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
