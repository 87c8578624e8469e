/** Converts rows of members and sessions. */
import { accountRoles, type ConsoleMember, type MemberSession, operatorRoles, signInMethods } from '#access/member.ts';
import { int, oneOf, type Row, text, textOrNull } from '#storage/database/values.ts';

const roles = [...accountRoles, ...operatorRoles];

export function memberFrom(row: Row): ConsoleMember {
  return {
    id: text(row.id),
    email: text(row.email),
    accountId: textOrNull(row.account_id),
    role: oneOf(roles, row.role),
    passwordHash: textOrNull(row.password_hash),
    createdAtMs: int(row.created_at_ms),
  };
}

export function memberSessionFrom(row: Row): MemberSession {
  return {
    id: text(row.id),
    memberId: text(row.member_id),
    method: oneOf(signInMethods, row.method),
    openedAtMs: int(row.opened_at_ms),
    seenAtMs: int(row.seen_at_ms),
    address: text(row.address),
    agent: text(row.agent),
  };
}
