/**
 * The session store over a database. A member has a bounded number of sessions: the oldest end when another is opened,
 * and rows of those that ended by themselves go then, too.
 */
import type { Knex } from 'knex';
import type { SignedIn } from '#access/member.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { int, type Row, text } from '#storage/database/values.ts';
import { type ChangeLogger, changeLogger } from '../change-log.ts';
import { memberFrom, memberSessionColumns, memberSessionFrom } from './member-record.ts';
import type { NewMemberSession, SessionStore } from './ports.ts';

/** How many sessions a member may have open. */
export const SESSIONS_PER_MEMBER = 20;

/** The store. */
export function createSessionStore(options: OperatorOptions): SessionStore {
  const { db } = options;
  const { knex } = db;
  const changes = changeLogger(options);
  const insert = (trx: Knex.Transaction, memberId: string, opened: NewMemberSession) =>
    insertSession({ trx, changes }, memberId, opened);

  return {
    async memberByEmail(email) {
      const row: Row | undefined = await knex('members').where({ email }).first();
      return row ? memberFrom(row) : null;
    },

    async openByLink(hash, opened) {
      return writing(db, async (trx) => {
        // Whoever moves the end of the link has it: a second one finds none that is still to end.
        const live = trx('member_links').where({ hash }).where('expires_at_ms', '>', opened.openedAtMs);
        if ((await live.update({ expires_at_ms: 0 })) === 0) return null;
        const link: Row = await trx('member_links').where({ hash }).first();
        await trx('member_links').where({ hash }).delete();
        return insert(trx, text(link.member_id), opened);
      });
    },

    async openByPassword({ id, passwordHash }, opened) {
      return writing(db, async (trx) => {
        const same = trx('members').where({ id, password_hash: passwordHash });
        return (await same.update({ role: trx.ref('role') })) === 0 ? null : insert(trx, id, opened);
      });
    },

    async setPassword({ member, session }, passwordHash) {
      await writing(db, async (trx) => {
        await trx('members').where({ id: member.id }).update({ password_hash: passwordHash });
        await trx('member_sessions').where({ member_id: member.id }).whereNot({ id: session.id }).delete();
        await trx('member_links').where({ member_id: member.id }).delete();
        const before = { has_password: member.passwordHash !== null };
        const after = { has_password: true };
        await changes.log(trx, member, { what: 'password.set', subject: member.id, before, after });
      });
    },

    async hadSession(email, hash) {
      const row: Row | undefined = await knex('member_sessions')
        .join('members', 'members.id', 'member_sessions.member_id')
        .where({ hash, email })
        .first('members.id');
      return row !== undefined;
    },

    async find(hash, { seenAfterMs, openedAfterMs }) {
      const session: Row | undefined = await knex('member_sessions').where({ hash }).first();
      if (!session || int(session.seen_at_ms) <= seenAfterMs || int(session.opened_at_ms) <= openedAfterMs) return null;
      const row: Row | undefined = await knex('members')
        .where({ id: text(session.member_id) })
        .first();
      return row ? { member: memberFrom(row), session: memberSessionFrom(session) } : null;
    },

    async list(memberId, { seenAfterMs, openedAfterMs }) {
      const rows: Row[] = await knex('member_sessions')
        .where({ member_id: memberId })
        .where('seen_at_ms', '>', seenAfterMs)
        .where('opened_at_ms', '>', openedAfterMs)
        .orderBy([
          { column: 'opened_at_ms', order: 'desc' },
          { column: 'id', order: 'desc' },
        ]);
      return rows.map(memberSessionFrom);
    },

    async touch(id, nowMs) {
      await writing(db, (trx) => trx('member_sessions').where({ id }).update({ seen_at_ms: nowMs }));
    },

    async end({ member }, id) {
      return writing(db, async (trx) => {
        const mine = () => trx('member_sessions').where({ id, member_id: member.id });
        if ((await mine().update({ method: trx.ref('method') })) === 0) return false;
        const { method, address } = memberSessionFrom(await mine().first());
        await mine().delete();
        await changes.log(trx, member, { what: 'session.end', subject: id, before: { method, address }, after: null });
        return true;
      });
    },
  };
}

/** Opens a session of this member, in the transaction that uses up what it was opened with; null for no such member. */
export async function insertSession(
  { trx, changes }: { readonly trx: Knex.Transaction; readonly changes: ChangeLogger },
  memberId: string,
  opened: NewMemberSession,
): Promise<SignedIn | null> {
  const row: Row | undefined = await trx('members').where({ id: memberId }).first();
  if (!row) return null;
  const member = memberFrom(row);
  const { hash, replaces, ...session } = opened;
  if (replaces !== null) await trx('member_sessions').where({ hash: replaces }).delete();
  const made = { ...session, memberId, seenAtMs: session.openedAtMs };
  await trx('member_sessions').insert({ ...memberSessionColumns(made), hash });
  await deleteOldest(trx, memberId);
  const { id, method, address } = made;
  await changes.log(trx, member, { what: 'session.open', subject: id, before: null, after: { method, address } });
  return { member, session: made };
}

async function deleteOldest(trx: Knex.Transaction, memberId: string): Promise<void> {
  const kept: string[] = await trx('member_sessions')
    .where({ member_id: memberId })
    .orderBy('opened_at_ms', 'desc')
    .orderBy('id', 'desc')
    .limit(SESSIONS_PER_MEMBER)
    .pluck('id');
  await trx('member_sessions').where({ member_id: memberId }).whereNotIn('id', kept).delete();
}
