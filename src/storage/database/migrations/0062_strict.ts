/** Keys and batches for which misspelt names are refused. */
import type { Migration } from './migration.ts';

/** Adds the columns. */
export const strictColumns: Migration = {
  id: '0062_strict',
  statements: () => [
    'ALTER TABLE api_keys ADD COLUMN strict SMALLINT NOT NULL DEFAULT 0',
    'ALTER TABLE batches ADD COLUMN strict SMALLINT NOT NULL DEFAULT 0',
  ],
};
