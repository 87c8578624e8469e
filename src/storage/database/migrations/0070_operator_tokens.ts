/** Tokens of the operator, for scripts. `hash` is that of the secret. `scopes` is a list in JSON. */
import type { Migration } from './migration.ts';

/** Adds the table. */
export const operatorTokens: Migration = {
  id: '0070_operator_tokens',
  statements: ({ clusteredTable }) => [
    `CREATE TABLE IF NOT EXISTS operator_tokens (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      name VARCHAR(64) NOT NULL UNIQUE,
      hash VARCHAR(64) NOT NULL UNIQUE,
      scopes VARCHAR(64) NOT NULL,
      expires_at_ms BIGINT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      revoked_at_ms BIGINT NULL
    ) ${clusteredTable}`,
  ],
};
