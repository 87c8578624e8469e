/**
 * The daily totals of the orders that end in one transaction, added up here and written once before the commit, so that
 * a batch costs one update for each sort of order and not one for each order.
 */
import type { OrderRow, OrderStatus } from '#orders/order.ts';
import { dayOf } from '../days.ts';
import { bit } from '../values.ts';
import { run, type Steps } from './steps.ts';

/** What an order is counted by. None of it changes in its life. */
export interface OrderSort {
  readonly accountId: string;
  readonly createdAtMs: number;
  readonly model: string;
  readonly kind: string;
  readonly inBatch: boolean;
  readonly market: boolean;
}

interface DayOrders {
  readonly sort: OrderSort;
  readonly status: OrderStatus;
  orders: number;
  charged: bigint;
  atBidUsd: bigint;
  atBidNano: bigint;
}

/** How `order` is counted. */
export function sortOf(order: OrderRow): OrderSort {
  const { accountId, createdAtMs, model, kind, batchId, priceLimit } = order;
  return { accountId, createdAtMs, model, kind, inBatch: batchId !== null, market: priceLimit !== null };
}

const NANO_PER_USD = 1_000_000_000n;

/** The totals that a transaction adds to. */
export class OrderDays {
  readonly #totals = new Map<string, DayOrders>();

  /** Counts an order that ends as `status`, once. `charged` is what was debited. */
  count(sort: OrderSort, status: OrderStatus, { charged = 0n, atBid = 0n } = {}): void {
    const { accountId, createdAtMs, model, kind, inBatch, market } = sort;
    const key = `${accountId}\n${dayOf(createdAtMs)}\n${model}\n${kind}\n${status}\n${inBatch}\n${market}`;
    let total = this.#totals.get(key);
    if (!total) {
      total = { sort, status, orders: 0, charged: 0n, atBidUsd: 0n, atBidNano: 0n };
      this.#totals.set(key, total);
    }
    total.orders++;
    total.charged += charged;
    total.atBidUsd += atBid / NANO_PER_USD;
    total.atBidNano += atBid % NANO_PER_USD;
  }

  /** Writes what was counted. */
  *write(): Steps<void> {
    for (const total of this.#totals.values()) yield* add(total);
  }
}

/** Only the journal inserts these rows, one transaction at a time; a refund changes one that is there. */
function* add({ sort, status, orders, charged, atBidUsd, atBidNano }: DayOrders): Steps<void> {
  const key = [sort.accountId, dayOf(sort.createdAtMs), sort.model, sort.kind, status] as const;
  const flags = [bit(sort.inBatch), bit(sort.market)] as const;
  const { changes } = yield* run(
    `UPDATE order_days SET orders = orders + ?, charged = charged + CAST(? AS SIGNED),
       at_bid_usd = at_bid_usd + CAST(? AS SIGNED), at_bid_nano = at_bid_nano + CAST(? AS SIGNED)
     WHERE account_id = ? AND day = ? AND model = ? AND kind = ? AND status = ? AND in_batch = ? AND market = ?`,
    orders,
    charged,
    atBidUsd,
    atBidNano,
    ...key,
    ...flags,
  );
  if (changes > 0) return;
  yield* run(
    `INSERT INTO order_days
       (account_id, day, model, kind, status, in_batch, market, orders, charged, at_bid_usd, at_bid_nano)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...key,
    ...flags,
    orders,
    charged,
    atBidUsd,
    atBidNano,
  );
}
