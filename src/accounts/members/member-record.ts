/** Describes the tables of members and their sessions. */
import { accountRoles, type ConsoleMember, type MemberSession, operatorRoles, signInMethods } from '#access/member.ts';
import { codec } from '#storage/database/codec.ts';
import { int, oneOf, sentence, text, textOrNull } from '#storage/database/values.ts';

/** The members. */
export const { from: memberFrom, some: memberColumns } = codec<ConsoleMember>({
  id: text,
  email: text,
  accountId: textOrNull,
  role: oneOf([...accountRoles, ...operatorRoles]),
  passwordHash: textOrNull,
  createdAtMs: int,
});

/** Their sessions. */
export const { from: memberSessionFrom, some: memberSessionColumns } = codec<MemberSession>({
  id: text,
  memberId: text,
  method: oneOf(signInMethods),
  openedAtMs: int,
  seenAtMs: int,
  address: text,
  agent: sentence(200),
});
