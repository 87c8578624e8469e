/** `orders.deadline_ms`: when an order is to have started whose bid the market chooses; null for any other. */
import type { Migration } from './migration.ts';

export const deadlines: Migration = {
  id: '0058_deadlines',
  statements: () => ['ALTER TABLE orders ADD COLUMN deadline_ms BIGINT NULL'],
};
