/**
 * How one transaction changes the counts of batches, added up here and written once before the commit, so that a
 * thousand lines that end together cost one update.
 */
import type { OrderStatus } from '#orders/order.ts';
import { run, type Steps } from './steps.ts';

interface Change {
  active: number;
  completed: number;
  failed: number;
  expired: number;
  canceled: number;
}

/** The counts that a transaction changes. An order outside any batch (`null`) is not counted. */
export class BatchCountChanges {
  readonly #changes = new Map<string, Change>();

  /** A line became an order. */
  began(batchId: string | null): void {
    if (batchId !== null) this.#of(batchId).active++;
  }

  /** A line's order ended as `status`. */
  ended(batchId: string | null, status: OrderStatus): void {
    if (batchId === null) return;
    this.#of(batchId).active--;
    if (status === 'done') this.#of(batchId).completed++;
    else this.failed(batchId, status);
  }

  /** A line failed. */
  failed(batchId: string, status: OrderStatus): void {
    const change = this.#of(batchId);
    change.failed++;
    if (status === 'expired' || status === 'canceled') change[status]++;
  }

  /** Writes the changes. */
  *write(): Steps<void> {
    for (const [batchId, { active, completed, failed, expired, canceled }] of this.#changes) {
      yield run(
        `UPDATE batches SET active = active + ?, completed = completed + ?, failed = failed + ?,
           expired = expired + ?, canceled = canceled + ?
         WHERE id = ?`,
        active,
        completed,
        failed,
        expired,
        canceled,
        batchId,
      );
    }
  }

  #of(batchId: string): Change {
    const known = this.#changes.get(batchId);
    if (known) return known;
    const change = { active: 0, completed: 0, failed: 0, expired: 0, canceled: 0 };
    this.#changes.set(batchId, change);
    return change;
  }
}
