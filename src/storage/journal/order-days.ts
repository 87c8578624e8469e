/**
 * The daily and hourly totals of the orders that end in one transaction, added up here and written once before the commit, so that
 * a batch costs two updates for each sort of order and not two for each order.
 */
import type { OrderRow, OrderStatus } from '#orders/order.ts';
import { dayOf, hourOf } from '../days.ts';
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

/** What the orders of one sort that were created in one day or hour come to. */
interface Sum {
  readonly unit: Unit;
  readonly number: number;
  readonly sort: OrderSort;
  readonly status: OrderStatus;
  orders: number;
  charged: bigint;
  atBidUsd: bigint;
  atBidNano: bigint;
}

type Unit = 'day' | 'hour';

/** How `order` is counted. */
export function sortOf(order: OrderRow): OrderSort {
  const { accountId, createdAtMs, model, kind, batchId, priceLimit } = order;
  return { accountId, createdAtMs, model, kind, inBatch: batchId !== null, market: priceLimit !== null };
}

const NANO_PER_USD = 1_000_000_000n;

/** The totals that a transaction adds to. */
export class OrderDays {
  readonly #sums = new Map<string, Sum>();

  /** Counts an order that ends as `status`, once. `charged` is what was debited. */
  count(sort: OrderSort, status: OrderStatus, cost: { charged?: bigint; atBid?: bigint } = {}): void {
    const { accountId, createdAtMs, model, kind, inBatch, market } = sort;
    const name = `${accountId}\n${model}\n${kind}\n${status}\n${inBatch}\n${market}`;
    this.#add('day', dayOf(createdAtMs), { name, sort, status, cost });
    this.#add('hour', hourOf(createdAtMs), { name, sort, status, cost });
  }

  #add(unit: Unit, number: number, counted: Counted): void {
    const { name, sort, status, cost } = counted;
    const key = `${unit} ${number} ${name}`;
    let sum = this.#sums.get(key);
    if (!sum) {
      sum = { unit, number, sort, status, orders: 0, charged: 0n, atBidUsd: 0n, atBidNano: 0n };
      this.#sums.set(key, sum);
    }
    const { charged = 0n, atBid = 0n } = cost;
    sum.orders++;
    sum.charged += charged;
    sum.atBidUsd += atBid / NANO_PER_USD;
    sum.atBidNano += atBid % NANO_PER_USD;
  }

  /** Writes what was counted. */
  *write(): Steps<void> {
    for (const sum of this.#sums.values()) yield* add(sum);
  }
}

interface Counted {
  readonly name: string;
  readonly sort: OrderSort;
  readonly status: OrderStatus;
  readonly cost: { readonly charged?: bigint; readonly atBid?: bigint };
}

/** Only the journal inserts these rows, one transaction at a time; a refund changes one that is there. */
function* add({ unit, number, sort, status, orders, charged, atBidUsd, atBidNano }: Sum): Steps<void> {
  const key = [sort.accountId, number, sort.model, sort.kind, status] as const;
  const flags = [bit(sort.inBatch), bit(sort.market)] as const;
  const { changes } = yield* run(
    `UPDATE order_${unit}s SET orders = orders + ?, charged = charged + CAST(? AS SIGNED),
       at_bid_usd = at_bid_usd + CAST(? AS SIGNED), at_bid_nano = at_bid_nano + CAST(? AS SIGNED)
     WHERE account_id = ? AND ${unit} = ? AND model = ? AND kind = ? AND status = ? AND in_batch = ? AND market = ?`,
    orders,
    charged,
    atBidUsd,
    atBidNano,
    ...key,
    ...flags,
  );
  if (changes > 0) return;
  yield* run(
    `INSERT INTO order_${unit}s
       (account_id, ${unit}, model, kind, status, in_batch, market, orders, charged, at_bid_usd, at_bid_nano)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...key,
    ...flags,
    orders,
    charged,
    atBidUsd,
    atBidNano,
  );
}
