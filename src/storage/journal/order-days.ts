/**
 * The daily and hourly totals of the orders that end in one transaction, added up here and written once before the
 * commit, so that a transaction costs two updates per sort of order and not two per order.
 */
import type { OrderRow, OrderStatus } from '#orders/order.ts';
import { dayOf, hourOf } from '../database/periods.ts';
import { bit, type Value } from '../database/values.ts';
import { inOrder } from './in-order.ts';
import { type Operation, shape } from './operations.ts';

/** By what an order is counted. None of it ever changes. */
export interface OrderSort {
  readonly accountId: string;
  readonly createdAtMs: number;
  readonly model: string;
  readonly kind: string;
  readonly inBatch: boolean;
  readonly market: boolean;
}

/** The totals of the orders of one sort that were created in one hour or day. */
interface Sum {
  /** The number of the hour or day since 1970. */
  readonly number: number;
  readonly sort: OrderSort;
  readonly status: OrderStatus;
  orders: number;
  charged: bigint;
  atBid: bigint;
}

/** The sort by which `order` is counted. */
export function sortOf(order: OrderRow): OrderSort {
  const { accountId, createdAtMs, model, kind, batchId, limit } = order;
  return { accountId, createdAtMs, model, kind, inBatch: batchId !== null, market: limit !== null };
}

/** The totals that a transaction adds to. */
export class OrderDays {
  readonly #hours = new Map<string, Sum>();

  /** Counts an order that ends as `status`. `charged` is what was debited. */
  count(sort: OrderSort, status: OrderStatus, { charged = 0n, atBid = 0n }: Cost = {}): void {
    addTo(this.#hours, { number: hourOf(sort.createdAtMs), sort, status, orders: 1, charged, atBid });
  }

  /** Writes the totals. */
  *writes(): Generator<Operation> {
    if (this.#hours.size === 0) return;
    const days = new Map<string, Sum>();
    for (const sum of this.#hours.values()) addTo(days, { ...sum, number: dayOf(sum.sort.createdAtMs) });
    yield { shape: HOURS, rows: inOrder(this.#hours).map(valuesOf) };
    yield { shape: DAYS, rows: inOrder(days).map(valuesOf) };
  }
}

interface Cost {
  readonly charged?: bigint;
  readonly atBid?: bigint;
}

function addTo(sums: Map<string, Sum>, more: Sum): void {
  const { accountId, model, kind, inBatch, market } = more.sort;
  const key = `${more.number}\n${accountId}\n${model}\n${kind}\n${more.status}\n${inBatch}\n${market}`;
  const sum = sums.get(key);
  if (!sum) {
    sums.set(key, more);
    return;
  }
  sum.orders += more.orders;
  sum.charged += more.charged;
  sum.atBid += more.atBid;
}

const HOURS = shapeOf('hour');
const DAYS = shapeOf('day');

function shapeOf(unit: 'hour' | 'day') {
  const key = ['account_id', unit, 'model', 'kind', 'status', 'in_batch', 'market'];
  const columns = [...key, 'orders', 'charged', 'at_bid_usd', 'at_bid_nano'];
  return shape({ act: 'add', table: `order_${unit}s`, key, columns });
}

const NANO_PER_USD = 1_000_000_000n;

function valuesOf([, { number, sort, status, orders, charged, atBid }]: [string, Sum]): Value[] {
  return [
    ...[sort.accountId, number, sort.model, sort.kind, status, bit(sort.inBatch), bit(sort.market)],
    ...[orders, charged, atBid / NANO_PER_USD, atBid % NANO_PER_USD],
  ];
}
