/** The daily and hourly totals of the orders that end in one transaction. */
import type { OrderRow, OrderStatus } from '#orders/order.ts';
import { dayOf, hourOf } from '../database/periods.ts';
import { bit } from '../database/values.ts';
import { type Operation, upsert } from './operations.ts';
import { Sums } from './sums.ts';

/** By what an order is counted. None of it ever changes. */
export interface OrderSort {
  readonly accountId: string;
  readonly createdAtMs: number;
  readonly model: string;
  readonly kind: string;
  readonly inBatch: boolean;
  readonly market: boolean;
}

/** The sort by which `order` is counted. */
export function sortOf(order: OrderRow): OrderSort {
  const { accountId, createdAtMs, model, kind, batchId, limit } = order;
  return { accountId, createdAtMs, model, kind, inBatch: batchId !== null, market: limit !== null };
}

const HOURS = shapeOf('hour');
const DAYS = shapeOf('day');
const NANO_PER_USD = 1_000_000_000n;

/** The totals that a transaction adds to. */
export class OrderDays {
  readonly #hours = new Sums(HOURS);
  readonly #days = new Sums(DAYS);

  /** Counts an order that ends as `status`. `charged` is what was debited. */
  count(sort: OrderSort, status: OrderStatus, { charged = 0n, atBid = 0n }: Cost = {}): void {
    const { accountId, createdAtMs } = sort;
    const names = [sort.model, sort.kind, status, bit(sort.inBatch), bit(sort.market)];
    const amounts = [1, charged, atBid / NANO_PER_USD, atBid % NANO_PER_USD];
    this.#hours.add([accountId, hourOf(createdAtMs), ...names], amounts);
    this.#days.add([accountId, dayOf(createdAtMs), ...names], amounts);
  }

  /** Writes the totals. */
  *writes(): Generator<Operation> {
    yield* this.#hours.writes();
    yield* this.#days.writes();
  }
}

interface Cost {
  readonly charged?: bigint;
  readonly atBid?: bigint;
}

function shapeOf(unit: 'hour' | 'day') {
  const key = ['account_id', unit, 'model', 'kind', 'status', 'in_batch', 'market'];
  return upsert('add', `order_${unit}s`, key, ['orders', 'charged', 'at_bid_usd', 'at_bid_nano']);
}
