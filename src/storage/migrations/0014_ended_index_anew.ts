/**
 * `orders_ended` with a condition that costs nothing to check. Every order is held against it when it is inserted and
 * twice when it ends; SQLite compares a status with two words as it goes, and for a list of four it builds a table in memory
 * each time, which was a seventh of what an order cost the journal.
 */
import type { Migration } from '../migrate.ts';

export const endedIndexAnew: Migration = {
  id: '0014_ended_index_anew',
  statements: (dialect) => dialect.endedIndexAnew,
};
