/** Orders that an earlier process, or another gateway, left behind: what becomes of them here. */
import { tariffFromId } from '#ledger/tariff.ts';
import type { Listings } from '#market/listing.ts';
import { LiveOrder, type LiveOrderEvents } from './live-order.ts';
import type { OrderRow } from './order.ts';
import { keptInput } from './packed-input.ts';
import type { RequestTrace } from './request.ts';

/** Why an earlier process's order can no longer run: its model takes none, or its batch recorded other prices. */
export type OrphanCode = 'model_not_found' | 'prices_changed';

/**
 * The live order of a row that an earlier process left queued, or why it can no longer run. Its input is read back when
 * it runs: from a file for those in `kept`, else from its row. A line runs only at the prices that its batch recorded;
 * the configuration is read only at the start, so no later check is needed. An order outside any batch keeps the prices
 * it was submitted with.
 */
export function returningOrder(
  row: OrderRow,
  {
    listings,
    events,
    kept,
    trace,
  }: { listings: Listings; events: LiveOrderEvents; kept: ReadonlySet<string>; trace?: RequestTrace | undefined },
): LiveOrder | OrphanCode {
  const listing = listings.find(row.model);
  if (!listing || listing.preview) return 'model_not_found';
  if (row.batchId !== null && row.tariffId !== listing.tariff.id) return 'prices_changed';
  const tariff = tariffFromId(row.tariffId);
  const input = kept.has(row.id) ? keptInput() : null;
  return new LiveOrder({ row, listing, tariff, generation: null, input, events, trace });
}
