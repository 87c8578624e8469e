/**
 * More ways to sign in: passkeys, and what browsers have begun and not finished.
 *
 * - A passkey is found by the hash of its credential id, which may be longer than an index takes. `host` is the name that
 *   it is bound to; it works nowhere else.
 * - `sign_in_attempts` has the question that a browser was asked, by the hash of its cookie. A row is used once.
 */
import type { Migration } from './migration.ts';

export const signIn: Migration = {
  id: '0032_sign_in',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS member_passkeys (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      member_id VARCHAR(64) NOT NULL,
      credential_hash VARCHAR(64) NOT NULL,
      credential_id TEXT NOT NULL,
      public_key TEXT NOT NULL,
      counter BIGINT NOT NULL,
      host VARCHAR(255) NOT NULL,
      name VARCHAR(100) NOT NULL,
      created_at_ms BIGINT NOT NULL,
      used_at_ms BIGINT NULL
    ) ${dialect.wideTable}`,
    'CREATE UNIQUE INDEX member_passkeys_by_credential ON member_passkeys (credential_hash)',
    'CREATE INDEX member_passkeys_by_member ON member_passkeys (member_id, id)',
    `CREATE TABLE IF NOT EXISTS sign_in_attempts (
      hash VARCHAR(64) NOT NULL PRIMARY KEY,
      expected TEXT NOT NULL,
      expires_at_ms BIGINT NOT NULL
    ) ${dialect.wideTable}`,
    'CREATE INDEX sign_in_attempts_by_end ON sign_in_attempts (expires_at_ms)',
  ],
};
