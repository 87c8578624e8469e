/**
 * The session store over a database. A member has a bounded number of sessions: the oldest end when another is opened,
 * and rows of those that ended by themselves go then, too.
 */
import type { Knex } from 'knex';
import type { ConsoleMember, MemberSession, SignedIn } from '#access/member.ts';
import type { Database, OperatorOptions } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { int, type Row, text } from '#storage/database/values.ts';
import { ChangeLog } from '../change-log.ts';
import { memberFrom, memberSessionColumns, memberSessionFrom } from './member-record.ts';

/** How many sessions a member may have open. */
export const SESSIONS_PER_MEMBER = 20;

/** A session to be opened, with the hash of its cookie. */
export interface NewMemberSession extends Omit<MemberSession, 'memberId' | 'seenAtMs'> {
  readonly hash: string;
  /** The hash of the cookie that came with the request: that session ends, whoever opened it. */
  readonly replaces: string | null;
}

/** Times before which a session counts as ended. */
export interface SessionBounds {
  readonly seenAfterMs: number;
  readonly openedAfterMs: number;
}

/** Sessions, and what opens them. Each change and its row in the change log are one transaction. */
export class SessionStore {
  readonly #db: Database;
  readonly #changes: ChangeLog;

  constructor(parts: OperatorOptions) {
    this.#db = parts.db;
    this.#changes = new ChangeLog(parts);
  }

  /** The member with this e-mail; null for none. */
  async memberByEmail(email: string): Promise<ConsoleMember | null> {
    const row: Row | undefined = await this.#db.knex('members').where({ email }).first();
    return row ? memberFrom(row) : null;
  }

  /** Uses up the link with this hash and opens the session; null when there is no such link, or it ended or was used. */
  async openByLink(linkHash: string, opened: NewMemberSession): Promise<SignedIn | null> {
    return writing(this.#db, async (trx) => {
      // Whoever moves the end of the link has it: a second one finds none that is still to end.
      const live = trx('member_links').where({ hash: linkHash }).where('expires_at_ms', '>', opened.openedAtMs);
      if ((await live.update({ expires_at_ms: 0 })) === 0) return null;
      const link: Row = await trx('member_links').where({ hash: linkHash }).first();
      await trx('member_links').where({ hash: linkHash }).delete();
      return insertSession({ trx, changes: this.#changes }, text(link.member_id), opened);
    });
  }

  /** Opens the session of a member who typed the password of this hash; null when the member or the password is gone. */
  async openByPassword({ id, passwordHash }: ConsoleMember, opened: NewMemberSession): Promise<SignedIn | null> {
    return writing(this.#db, async (trx) => {
      const same = trx('members').where({ id, password_hash: passwordHash });
      if ((await same.update({ role: trx.ref('role') })) === 0) return null;
      return insertSession({ trx, changes: this.#changes }, id, opened);
    });
  }

  /** Sets the password; all other sessions of the member end, and its link. */
  async setPassword({ member, session }: SignedIn, passwordHash: string): Promise<void> {
    await writing(this.#db, async (trx) => {
      await trx('members').where({ id: member.id }).update({ password_hash: passwordHash });
      await trx('member_sessions').where({ member_id: member.id }).whereNot({ id: session.id }).delete();
      await trx('member_links').where({ member_id: member.id }).delete();
      const before = { has_password: member.passwordHash !== null };
      const after = { has_password: true };
      await this.#changes.log(trx, member, { what: 'password.set', subject: member.id, before, after });
    });
  }

  /** Whether the member with this e-mail has or had a session with this hash, as long as it is remembered. */
  async hadSession(email: string, hash: string): Promise<boolean> {
    const row: Row | undefined = await this.#db
      .knex('member_sessions')
      .join('members', 'members.id', 'member_sessions.member_id')
      .where({ hash, email })
      .first('members.id');
    return row !== undefined;
  }

  /** The session with this hash, within the bounds and not revoked, and its member; null for none. */
  async find(hash: string, { seenAfterMs, openedAfterMs }: SessionBounds): Promise<SignedIn | null> {
    const { knex } = this.#db;
    const session: Row | undefined = await knex('member_sessions').where({ hash }).first();
    if (!session || int(session.seen_at_ms) <= seenAfterMs || int(session.opened_at_ms) <= openedAfterMs) return null;
    const row: Row | undefined = await knex('members')
      .where({ id: text(session.member_id) })
      .first();
    return row ? { member: memberFrom(row), session: memberSessionFrom(session) } : null;
  }

  /** The sessions of a member within the bounds, the newest first. */
  async list(memberId: string, { seenAfterMs, openedAfterMs }: SessionBounds): Promise<MemberSession[]> {
    const rows: Row[] = await this.#db
      .knex('member_sessions')
      .where({ member_id: memberId })
      .where('seen_at_ms', '>', seenAfterMs)
      .where('opened_at_ms', '>', openedAfterMs)
      .orderBy([
        { column: 'opened_at_ms', order: 'desc' },
        { column: 'id', order: 'desc' },
      ]);
    return rows.map(memberSessionFrom);
  }

  /** Notes that the session is in use. */
  async touch(id: string, nowMs: number): Promise<void> {
    await writing(this.#db, (trx) => trx('member_sessions').where({ id }).update({ seen_at_ms: nowMs }));
  }

  /** Ends a session of this member; false when it has no such session. */
  async end({ member }: SignedIn, id: string): Promise<boolean> {
    return writing(this.#db, async (trx) => {
      const mine = () => trx('member_sessions').where({ id, member_id: member.id });
      if ((await mine().update({ method: trx.ref('method') })) === 0) return false;
      const { method, address } = memberSessionFrom(await mine().first());
      await mine().delete();
      await this.#changes.log(trx, member, {
        what: 'session.end',
        subject: id,
        before: { method, address },
        after: null,
      });
      return true;
    });
  }
}

/** Opens a session of this member, in the transaction that uses up what it was opened with; null for no such member. */
export async function insertSession(
  { trx, changes }: { readonly trx: Knex.Transaction; readonly changes: ChangeLog },
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
