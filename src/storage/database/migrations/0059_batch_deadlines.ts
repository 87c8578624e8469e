/** `batches.deadline_ms`: when every line of a batch is to have started whose lines the market bids for; null for any other. */
import type { Migration } from './migration.ts';

export const batchDeadlines: Migration = {
  id: '0059_batch_deadlines',
  statements: () => ['ALTER TABLE batches ADD COLUMN deadline_ms BIGINT NULL'],
};
