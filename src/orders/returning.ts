/** Orders that outlived an earlier process, as the desk takes them up again. docs/lifecycle.md. */
import { tariffFromId } from '#ledger/tariff.ts';
import type { Listings } from '#market/listing.ts';
import { LiveOrder } from './live-order.ts';
import type { OrderRow } from './order.ts';

/** Why such an order can run no more: its model takes no orders, or its batch knew other prices. */
export type OrphanCode = 'model_not_found' | 'prices_changed';

/**
 * The order of a row that is queued, without its input, which is read back when it runs; or why it can run no more. A
 * line runs only at the prices its batch knew, and the configuration is read at a start alone, so no later moment needs
 * to look. An order outside any batch keeps the prices it was submitted with.
 */
export function returningOrder(row: OrderRow, listings: Listings): LiveOrder | OrphanCode {
  const listing = listings.find(row.model);
  if (!listing || listing.preview) return 'model_not_found';
  if (row.batchId !== null && row.tariffId !== listing.tariff.id) return 'prices_changed';
  const tariff = tariffFromId(row.tariffId);
  return new LiveOrder({ row, listing, tariff, generation: null, callerEvents: { left: () => {} } });
}
