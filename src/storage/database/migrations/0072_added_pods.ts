/** Pods that an operator added while a gateway ran. `settings` is JSON; `api_key` is what the pod asks for, null for nothing. */
import type { Migration } from './migration.ts';

/** Adds the table. */
export const addedPods: Migration = {
  id: '0072_added_pods',
  statements: ({ clusteredTable, longText }) => [
    `CREATE TABLE IF NOT EXISTS added_pods (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      settings ${longText} NOT NULL,
      api_key ${longText} NULL
    ) ${clusteredTable}`,
  ],
};
