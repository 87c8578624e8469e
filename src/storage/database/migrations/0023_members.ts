/**
 * Who may sign in: members, their one-time links and sessions, and the log of what they change.
 *
 * - `members.account_id` is null for members of the operator; `email` is in lower case.
 * - Links and sessions are found by the hash of their secret. A member has one link at a time.
 * - Rows of `audit_log` are only added. It names people and accounts as they were, and keeps no reference to them.
 */
import type { Migration } from './migration.ts';

export const members: Migration = {
  id: '0023_members',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS members (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      email VARCHAR(254) NOT NULL,
      account_id VARCHAR(64) NULL,
      role VARCHAR(16) NOT NULL,
      password_hash VARCHAR(255) NULL,
      created_at_ms BIGINT NOT NULL
    ) ${dialect.wideTable}`,
    'CREATE UNIQUE INDEX members_by_email ON members (email)',
    'CREATE INDEX members_by_account ON members (account_id, email)',
    `CREATE TABLE IF NOT EXISTS member_links (
      member_id VARCHAR(64) NOT NULL PRIMARY KEY,
      hash VARCHAR(64) NOT NULL,
      expires_at_ms BIGINT NOT NULL
    ) ${dialect.clusteredTable}`,
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
    ) ${dialect.clusteredTable}`,
    'CREATE UNIQUE INDEX member_sessions_by_hash ON member_sessions (hash)',
    'CREATE INDEX member_sessions_by_member ON member_sessions (member_id, opened_at_ms)',
    `CREATE TABLE IF NOT EXISTS audit_log (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      at_ms BIGINT NOT NULL,
      account_id VARCHAR(64) NULL,
      who VARCHAR(254) NOT NULL,
      what VARCHAR(64) NOT NULL,
      subject VARCHAR(255) NOT NULL,
      before_json TEXT NULL,
      after_json TEXT NULL
    ) ${dialect.wideTable}`,
    'CREATE INDEX audit_log_by_account ON audit_log (account_id, id)',
  ],
};
