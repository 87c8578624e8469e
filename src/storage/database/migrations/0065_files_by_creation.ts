/**
 * Files in the order of their creation. The ids of what a batch writes are made with the batch, so ids are not in this
 * order. The indexes keep their names and serve what they served: the list, the list of one purpose or key, and the
 * eviction of an account's oldest files.
 */
import type { Migration } from './migration.ts';

const INDEXES = [
  ['files_by_account', 'account_id, created_at_ms, id'],
  ['files_by_purpose', 'account_id, purpose, created_at_ms, id'],
  ['files_by_key', 'account_id, key_id, created_at_ms, id'],
  ['files_by_age', 'account_id, content_gone, created_at_ms, id'],
] as const;

/** Replaces the indexes. */
export const filesByCreation: Migration = {
  id: '0065_files_by_creation',
  statements: ({ name }) => {
    if (name === 'sqlite') {
      return INDEXES.flatMap(([index, columns]) => [
        `DROP INDEX IF EXISTS ${index}`,
        `CREATE INDEX ${index} ON files (${columns})`,
      ]);
    }
    const replaced = INDEXES.flatMap(([index, columns]) => [`DROP INDEX ${index}`, `ADD INDEX ${index} (${columns})`]);
    return [`ALTER TABLE files ${replaced.join(', ')}`];
  },
};
