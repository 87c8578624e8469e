/** When the first token of a settled order came: null for orders of before, and for those without output. */
import type { Migration } from './migration.ts';

/** Adds the column. */
export const firstOutput: Migration = {
  id: '0074_first_output',
  statements: () => ['ALTER TABLE usage_records ADD COLUMN first_output_at_ms BIGINT NULL'],
};
