/**
 * Room for the state of a quote. With 500 accounts it is larger than the 64 KiB that a TEXT of MySQL holds, and a quote
 * that cannot be recorded is not published.
 */
import type { Migration } from './migration.ts';

export const quoteStateSize: Migration = {
  id: '0018_quote_state_size',
  statements: (dialect) => dialect.widenText('quote_states', 'state'),
};
