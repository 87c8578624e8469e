/**
 * How one transaction changes the counts of batches, added up here and written once before the commit, so that a
 * thousand lines that end together cost one update.
 */
import type { OrderStatus } from '#orders/order.ts';
import { inOrder } from './in-order.ts';
import { type Operation, shape } from './operations.ts';

const COUNTS = ['active', 'completed', 'failed', 'expired', 'canceled', 'placed'] as const;
const INCREASE = shape({ act: 'increase', table: 'batches', key: ['id'], columns: COUNTS });

type Change = Record<(typeof COUNTS)[number], number>;

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

  /** Lines were written to the files of their batch. `lost`: completed ones that turned out to have failed. */
  placed(batchId: string, lines: number, lost: number): void {
    const change = this.#of(batchId);
    change.placed += lines;
    change.completed -= lost;
    change.failed += lost;
  }

  /** Writes the changes. */
  *writes(): Generator<Operation> {
    const rows = inOrder(this.#changes).map(([id, change]) => [...COUNTS.map((count) => change[count]), id]);
    if (rows.length > 0) yield { shape: INCREASE, rows };
  }

  #of(batchId: string): Change {
    const known = this.#changes.get(batchId);
    if (known) return known;
    const change = { active: 0, completed: 0, failed: 0, expired: 0, canceled: 0, placed: 0 };
    this.#changes.set(batchId, change);
    return change;
  }
}
