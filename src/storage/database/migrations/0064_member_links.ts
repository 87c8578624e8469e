/**
 * Which members have signed in, since only the operator may make links for those, and when it last did. Of before it is
 * known only by what a sign-in leaves: a link is used up, and there are sessions and ways to come back.
 */
import type { Migration } from './migration.ts';

const LEFT_BY_SIGN_IN = ['member_sessions', 'member_passkeys', 'member_identities'];

/** Adds the columns. */
export const memberLinks: Migration = {
  id: '0064_member_links',
  statements: () => [
    'ALTER TABLE members ADD COLUMN joined_at_ms BIGINT NULL',
    'ALTER TABLE members ADD COLUMN link_made_at_ms BIGINT NULL',
    `UPDATE members SET joined_at_ms = created_at_ms
       WHERE joined_at_ms IS NULL AND (password_hash IS NOT NULL
         OR id NOT IN (SELECT member_id FROM member_links)
         ${LEFT_BY_SIGN_IN.map((table) => `OR id IN (SELECT member_id FROM ${table})`).join(' ')})`,
  ],
};
