/**
 * The hash chains of levels and quotes: `hash` of each row follows from that of the row before it. It is null in rows of
 * before, which are in no chain; the first row after them begins one.
 */
import type { Migration } from './migration.ts';

export const priceChains: Migration = {
  id: '0055_price_chains',
  statements: () => [
    'ALTER TABLE levels ADD COLUMN hash VARCHAR(43) NULL',
    'ALTER TABLE quotes ADD COLUMN hash VARCHAR(43) NULL',
  ],
};
