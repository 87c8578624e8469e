/**
 * What several gateways on one database need to know of each other's work.
 *
 * - `batches.boot_epoch`: the gateway that runs a batch, as `orders.boot_epoch` says it of an order; 0 for older ones.
 * - `orders.quote_seq`: the number of the quote that a lock relied on: with several clocks, times do not tell it.
 */
import type { Migration } from './migration.ts';

export const cluster: Migration = {
  id: '0021_cluster',
  statements: () => [
    'ALTER TABLE batches ADD COLUMN boot_epoch BIGINT NOT NULL DEFAULT 0',
    'ALTER TABLE orders ADD COLUMN quote_seq BIGINT NULL',
  ],
};
