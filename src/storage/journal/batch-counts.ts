/** How one transaction changes the counts of batches: a thousand lines that end together cost one update. */
import type { OrderStatus } from '#orders/order.ts';
import { shape } from './operations.ts';
import { Sums } from './sums.ts';

const COUNTS = ['active', 'completed', 'failed', 'expired', 'canceled', 'placed'] as const;
const INCREASE = shape({ act: 'increase', table: 'batches', key: ['id'], columns: COUNTS });

/** The counts that a transaction changes. An order outside any batch (`null`) is not counted. */
export class BatchCountChanges extends Sums {
  constructor() {
    super(INCREASE);
  }

  /** A line became an order. */
  began(batchId: string | null): void {
    if (batchId !== null) this.#change(batchId, { active: 1 });
  }

  /** A line's order ended as `status`. */
  ended(batchId: string | null, status: OrderStatus): void {
    if (batchId === null) return;
    this.#change(batchId, { active: -1, completed: Number(status === 'done') });
    if (status !== 'done') this.failed(batchId, status);
  }

  /** A line failed. */
  failed(batchId: string, status: OrderStatus): void {
    const [expired, canceled] = [Number(status === 'expired'), Number(status === 'canceled')];
    this.#change(batchId, { failed: 1, expired, canceled });
  }

  /** Lines were written to the files of their batch. `lost`: completed ones that turned out to have failed. */
  placed(batchId: string, lines: number, lost: number): void {
    this.#change(batchId, { placed: lines, completed: -lost, failed: lost });
  }

  #change(batchId: string, change: Partial<Record<(typeof COUNTS)[number], number>>): void {
    this.add(
      [batchId],
      COUNTS.map((count) => change[count] ?? 0),
    );
  }
}
