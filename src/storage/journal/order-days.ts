/**
 * The daily and hourly totals of the orders that end in one transaction, added up here and written once before the
 * commit, so that a transaction costs two updates per sort of order and not two per order.
 */
import type { OrderRow, OrderStatus } from '#orders/order.ts';
import { bit } from '../database/values.ts';
import { dayOf, hourOf } from '../statistics/periods.ts';
import { run, type Steps } from './steps.ts';

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
  *write(): Steps<void> {
    const days = new Map<string, Sum>();
    for (const sum of this.#hours.values()) {
      yield* add(HOURS, sum);
      addTo(days, { ...sum, number: dayOf(sum.sort.createdAtMs) });
    }
    for (const sum of days.values()) yield* add(DAYS, sum);
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

const HOURS = statementsOf('hour');
const DAYS = statementsOf('day');

function statementsOf(unit: 'hour' | 'day') {
  return {
    update: `UPDATE order_${unit}s SET orders = orders + ?, charged = charged + CAST(? AS SIGNED),
       at_bid_usd = at_bid_usd + CAST(? AS SIGNED), at_bid_nano = at_bid_nano + CAST(? AS SIGNED)
     WHERE account_id = ? AND ${unit} = ? AND model = ? AND kind = ? AND status = ? AND in_batch = ? AND market = ?`,
    insert: `INSERT INTO order_${unit}s
       (account_id, ${unit}, model, kind, status, in_batch, market, orders, charged, at_bid_usd, at_bid_nano)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  };
}

const NANO_PER_USD = 1_000_000_000n;

/** Only the journal inserts these rows, one transaction at a time; a refund only updates existing ones. */
function* add({ update, insert }: typeof HOURS, sum: Sum): Steps<void> {
  const { number, sort, status, orders, charged, atBid } = sum;
  const key = [sort.accountId, number, sort.model, sort.kind, status, bit(sort.inBatch), bit(sort.market)] as const;
  const amounts = [orders, charged, atBid / NANO_PER_USD, atBid % NANO_PER_USD] as const;
  const { changes } = yield run(update, ...amounts, ...key);
  if (changes === 0) yield run(insert, ...key, ...amounts);
}
