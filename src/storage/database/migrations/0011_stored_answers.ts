/**
 * The bodies of small results, one row each, written by the transaction that settles the order and deleted by the one
 * that says that nothing is kept. A table of their own: whoever lists orders or counts results never reads past a body.
 * Larger results are files, and so are all that were stored before this table was.
 */
import type { Migration } from './migration.ts';

export const storedAnswers: Migration = {
  id: '0011_stored_answers',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS stored_answers (
      order_id VARCHAR(36) NOT NULL PRIMARY KEY,
      body LONGTEXT NOT NULL
    ) ${dialect.wideTable}`,
  ],
};
