/** An order, and the aggregates of a list of orders, on the wire. Spec 2.1, 2.2. */
import { Fault } from '#base/fault.ts';
import { isUuid } from '#base/id.ts';
import { nanoToUsd, priceToUsd } from '#base/money.ts';
import { iso, isoOrNull } from '#base/time.ts';
import type { JsonOf } from '#contract/reply.ts';
import { wirePrices } from '#ledger/receipt.ts';
import { tariffFromId } from '#ledger/tariff.ts';
import type { OrderUsage, OrderWithUsage } from '#orders/order.ts';
import type { OrderStore, OrderTotals } from '#orders/ports.ts';

/** The fields that `include` adds to an order. */
type Include = ReadonlySet<string> | null;

/** The order with the fields that `include` adds. `position` is its place in the book from 1, null without one. */
export function orderObject(row: OrderWithUsage, position: number | null, include: Include): JsonOf<'getOrder'> {
  return {
    id: row.id,
    status: row.status,
    bid: priceToUsd(row.bid),
    kind: row.kind,
    model: row.model,
    created_at: iso(row.createdAtMs),
    admitted_at: isoOrNull(row.admittedAtMs),
    finished_at: isoOrNull(row.finishedAtMs),
    expires_at: iso(row.expiresAtMs),
    level_at_execution: row.price === null ? null : priceToUsd(row.price),
    queue_position: position,
    error: row.error,
    strategy: row.deadlineMs == null ? undefined : strategyObject(row, row.deadlineMs),
    tags: row.tags ?? undefined,
    usage: include?.has('usage') ? row.usage && usageObject(row.usage) : undefined,
    usage_estimated: (include?.has('usage') && row.usage?.estimated) || undefined,
    ...(include?.has('pricing') ? pricingFields(row) : NO_PRICING),
    ...(include?.has('storage') ? storageFields(row) : NO_STORAGE),
    batch_id: include?.has('batch') ? row.batchId : undefined,
    custom_id: include?.has('batch') ? row.customId : undefined,
  };
}

/**
 * The totals of a list. The two figures at bid cover market orders only: null when the set has orders but no market
 * orders, 0 when it is empty. Spec 4.6.
 */
export function orderTotals(totals: OrderTotals) {
  const speaksOfBids = totals.marketOrders > 0 || totals.orders === 0;
  return {
    total_orders: totals.orders,
    total_failed: totals.failed,
    total_charged_usd: nanoToUsd(totals.charged),
    total_at_bid_usd: speaksOfBids ? nanoToUsd(totals.atBid) : null,
    total_saved_usd: speaksOfBids ? nanoToUsd(totals.saved) : null,
  };
}

/** The totals of later pages, and of a list without totals. */
export const NO_ORDER_TOTALS: Readonly<Record<keyof ReturnType<typeof orderTotals>, null>> = {
  total_orders: null,
  total_failed: null,
  total_charged_usd: null,
  total_at_bid_usd: null,
  total_saved_usd: null,
};

/** The counts of a list. */
export function orderCounts({ queued, executing, oldestQueuedAtMs }: Awaited<ReturnType<OrderStore['counts']>>) {
  return { queued, executing, oldest_queued_at: isoOrNull(oldestQueuedAtMs) };
}

function strategyObject({ bid, limit }: OrderWithUsage, deadlineMs: number) {
  const most = limit ?? bid;
  return { kind: 'deadline', deadline: iso(deadlineMs), price_limit: priceToUsd(most), at_limit: bid >= most };
}

function usageObject(usage: OrderUsage) {
  return {
    prompt_tokens: usage.promptTokens,
    cached_tokens: usage.cachedTokens,
    output_tokens: usage.outputTokens,
    charged_usd: nanoToUsd(usage.charged),
  };
}

/** Groups that are not asked for: without keys, because pages of hundreds of orders are written faster so. */
const NO_PRICING = {} as Readonly<Record<keyof ReturnType<typeof pricingFields>, undefined>>;
const NO_STORAGE = {} as Readonly<Record<keyof ReturnType<typeof storageFields>, undefined>>;

function pricingFields(row: OrderWithUsage) {
  const tariff = tariffFromId(row.tariffId);
  return {
    price_lock: row.priceLock,
    pricing: tariff.type,
    max_charge_usd: row.maxCharge == null ? null : nanoToUsd(row.maxCharge),
    usd_per_million: tariff.type === 'fixed' ? wirePrices(tariff) : undefined,
  };
}

function storageFields(row: OrderWithUsage) {
  const stored = row.resultState === 'stored';
  return { result_stored: stored, result_expires_at: stored ? isoOrNull(row.resultExpiresAtMs) : null };
}

/** An id of 1970, which no order has or will have. */
const NO_ORDER = '00000000-0000-7000-8000-000000000000';

/** The id in lower case; NO_ORDER for a malformed one, so that its refusal takes as long as that of any other. Spec 4.6. */
export function orderIdOf({ params }: { readonly params: { readonly id: string } }): string {
  const id = params.id.toLowerCase();
  return isUuid(id) ? id : NO_ORDER;
}

/** The fault for an order that does not exist or is not the caller's. */
export function noSuchOrder(): Fault {
  return new Fault('not_found', { message: 'You have no order with this id.' });
}

/** The same for the operator, who sees the orders of all. */
export function noOrder(): Fault {
  return new Fault('not_found', { message: 'There is no order with this id.' });
}
