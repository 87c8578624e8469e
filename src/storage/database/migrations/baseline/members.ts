/**
 * Members: the people who sign in, and what they changed.
 *
 * - `members`: `account_id` is null for members of the operator; `email` is in lower case. `held_invitations` are for
 *   addresses that are members elsewhere; nobody signs in through one.
 * - Links, sessions and attempts are found by the hash of their secret. A member has one link at a time, and an attempt
 *   is used once: it is the question that a browser was asked.
 * - `member_passkeys`: found by the hash of the credential id, which may be longer than an index allows. A passkey works
 *   on no other `host`.
 * - `member_identities`: the hash of issuer and subject at the identity provider. An address that the provider gives to
 *   another person must not open the first one's account.
 * - `audit_log`: rows are only added. It has the names of people and accounts at that time, and refers to no row.
 */
import type { Dialect } from '../../dialects/dialect.ts';

/** The statements that create these tables. */
export function memberTables(dialect: Dialect): readonly string[] {
  return [...people(dialect), ...sessions(dialect), ...waysToSignIn(dialect), ...auditLog(dialect)];
}

function people({ wideTable }: Dialect): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS members (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      email VARCHAR(254) NOT NULL,
      account_id VARCHAR(64) NULL,
      role VARCHAR(16) NOT NULL,
      password_hash VARCHAR(255) NULL,
      created_at_ms BIGINT NOT NULL
    ) ${wideTable}`,
    'CREATE UNIQUE INDEX members_by_email ON members (email)',
    'CREATE INDEX members_by_account ON members (account_id, email)',
    `CREATE TABLE IF NOT EXISTS held_invitations (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      email VARCHAR(254) NOT NULL,
      account_id VARCHAR(64) NOT NULL,
      role VARCHAR(16) NOT NULL,
      created_at_ms BIGINT NOT NULL
    ) ${wideTable}`,
    'CREATE UNIQUE INDEX held_invitations_by_account ON held_invitations (account_id, email)',
  ];
}

function sessions({ clusteredTable }: Dialect): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS member_links (
      member_id VARCHAR(64) NOT NULL PRIMARY KEY,
      hash VARCHAR(64) NOT NULL,
      expires_at_ms BIGINT NOT NULL
    ) ${clusteredTable}`,
    'CREATE UNIQUE INDEX member_links_by_hash ON member_links (hash)',
    `CREATE TABLE IF NOT EXISTS member_sessions (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      hash VARCHAR(64) NOT NULL,
      member_id VARCHAR(64) NOT NULL,
      method VARCHAR(16) NOT NULL,
      address VARCHAR(64) NOT NULL,
      agent VARCHAR(255) NOT NULL,
      opened_at_ms BIGINT NOT NULL,
      seen_at_ms BIGINT NOT NULL
    ) ${clusteredTable}`,
    'CREATE UNIQUE INDEX member_sessions_by_hash ON member_sessions (hash)',
    'CREATE INDEX member_sessions_by_member ON member_sessions (member_id, opened_at_ms)',
  ];
}

function waysToSignIn({ clusteredTable, wideTable }: Dialect): readonly string[] {
  return [
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
    ) ${wideTable}`,
    'CREATE UNIQUE INDEX member_passkeys_by_credential ON member_passkeys (credential_hash)',
    'CREATE INDEX member_passkeys_by_member ON member_passkeys (member_id, id)',
    `CREATE TABLE IF NOT EXISTS member_identities (
      member_id VARCHAR(64) NOT NULL PRIMARY KEY,
      subject_hash VARCHAR(64) NOT NULL
    ) ${clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS sign_in_attempts (
      hash VARCHAR(64) NOT NULL PRIMARY KEY,
      expected TEXT NOT NULL,
      expires_at_ms BIGINT NOT NULL
    ) ${wideTable}`,
    'CREATE INDEX sign_in_attempts_by_end ON sign_in_attempts (expires_at_ms)',
  ];
}

function auditLog({ wideTable }: Dialect): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS audit_log (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      at_ms BIGINT NOT NULL,
      account_id VARCHAR(64) NULL,
      who VARCHAR(254) NOT NULL,
      what VARCHAR(64) NOT NULL,
      subject VARCHAR(255) NOT NULL,
      before_json TEXT NULL,
      after_json TEXT NULL
    ) ${wideTable}`,
    'CREATE INDEX audit_log_by_account ON audit_log (account_id, id)',
  ];
}
