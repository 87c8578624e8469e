/** `orders.max_charge`: the most that the order may be charged, in nano-dollars; null for no bound. */
import type { Migration } from './migration.ts';

export const maxCharge: Migration = {
  id: '0057_max_charge',
  statements: () => ['ALTER TABLE orders ADD COLUMN max_charge BIGINT NULL'],
};
