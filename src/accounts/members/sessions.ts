/**
 * Signing in and the life of a session. A session always begins with a new secret, so that nobody can plant one; it ends
 * 12 hours after its last request, 7 days after it began, when it is revoked, and with its member. Every failure to sign
 * in is the same fault: a wrong password looks like an unknown address. Each change is one transaction with its row
 * in the change log.
 */
import type { Knex } from 'knex';
import type { MemberSession, SignedIn, SignInMethod, SignInPlace } from '#access/member.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { newest } from '#storage/database/keyset.ts';
import { writing } from '#storage/database/transaction.ts';
import { type Row, text } from '#storage/database/values.ts';
import { LoggedStore } from '../change-log.ts';
import { memberColumns, memberFrom, memberSessionColumns, memberSessionFrom } from './member-store.ts';
import { Passwords } from './passwords.ts';
import { hashSecret, isSecret, newSecret } from './secrets.ts';

/** A session without a request for so long has ended. */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** A session ends this long after it began, in any case. */
export const SESSION_MS_MAX = 7 * DAY_MS;
/** How exactly it is known when a session was last used: one write a minute, not one a request. */
const SEEN_MS = MINUTE_MS;
/** How long after signing in a session may add ways of signing in, which outlast it. */
const FRESH_MS = HOUR_MS;
/** How many sessions a member may have open: the oldest end when another is opened. */
export const SESSIONS_PER_MEMBER = 20;

/** A session and the cookie that the browser gets, only this once. */
export interface OpenedSession {
  readonly signedIn: SignedIn;
  readonly cookie: string;
}

/**
 * Uses up what a session is opened with, in the transaction that opens it at this time, and returns the id of its member;
 * null for none.
 */
type Proof = (trx: Knex.Transaction, openedAtMs: number) => Promise<string | null>;

/** Opens, finds and ends sessions. */
export class Sessions extends LoggedStore {
  readonly #passwords = new Passwords();

  /** Opens a session with the token of a one-time link. Throws Fault sign_in_failed. */
  async openByLink(token: string, place: SignInPlace): Promise<OpenedSession> {
    if (!isSecret(token)) throw new Fault('sign_in_failed');
    return this.open('link', place, (trx, nowMs) => takeLink(trx, hashSecret(token), nowMs));
  }

  /** Whether this browser has or had a session of the member with this e-mail, also one that nobody used for long. */
  async isKnownBrowser(email: string, cookie: string | null): Promise<boolean> {
    if (cookie === null || !isSecret(cookie)) return false;
    const row: Row | undefined = await this.parts.db
      .knex('member_sessions')
      .join('members', 'members.id', 'member_sessions.member_id')
      .where({ hash: hashSecret(cookie), email })
      .first('members.id');
    return row !== undefined;
  }

  /** Opens a session with a password. Throws Fault sign_in_failed, and unavailable when too many try at once. */
  async openByPassword(email: string, password: string, place: SignInPlace): Promise<OpenedSession> {
    const row: Row | undefined = await this.parts.db.knex('members').where({ email }).first();
    const member = row ? memberFrom(row) : null;
    const isRight = await this.#passwords.verify(member?.passwordHash ?? null, password);
    if (!member || !isRight) throw new Fault('sign_in_failed');
    return this.open('password', place, async (trx) => {
      // No row is found if the member or its password has changed meanwhile.
      const same = trx('members').where({ id: member.id, password_hash: member.passwordHash });
      return (await same.update({ role: trx.ref('role') })) === 0 ? null : member.id;
    });
  }

  /**
   * Sets the password of a member; all its other sessions end, and its link. A password that exists must be given, unless a
   * link opened the session within the hour.
   * Throws Fault invalid_request (a bad password), sign_in_failed (the current one is missing or wrong, or see
   * assertMayAdd), not_signed_in (the session was ended meanwhile), unavailable.
   */
  async setPassword(signedIn: SignedIn, password: string, current: string | null): Promise<void> {
    const { member, session } = signedIn;
    if (password.toLowerCase() === member.email)
      throw invalidRequest('password', 'password must not be the e-mail address.');
    if (member.passwordHash === null) this.assertMayAdd(signedIn);
    const mayReplace = session.method === 'link' && this.#isFresh(session);
    if (
      member.passwordHash !== null &&
      !mayReplace &&
      !(await this.#passwords.verify(member.passwordHash, current ?? ''))
    )
      throw new Fault('sign_in_failed', { param: 'current_password', message: 'This is not your current password.' });
    const hash = await this.#passwords.hash(password);
    await writing(this.parts.db, async (trx) => {
      await lockSession(trx, signedIn);
      await trx('members').where({ id: member.id }).update({ password_hash: hash });
      await trx('member_sessions').where({ member_id: member.id }).whereNot({ id: session.id }).delete();
      await trx('member_links').where({ member_id: member.id }).delete();
      const change = { before: { has_password: member.passwordHash !== null }, after: { has_password: true } };
      await this.changes.log(trx, member, { what: 'password.set', subject: member.id, ...change });
    });
  }

  /** The member behind this cookie. Throws Fault not_signed_in. */
  async find(cookie: string | null): Promise<SignedIn> {
    const session = cookie !== null && isSecret(cookie) ? await this.#openSession(hashSecret(cookie)) : null;
    const row: Row | undefined =
      session && (await this.parts.db.knex('members').where({ id: session.memberId }).first());
    if (!session || !row) throw new Fault('not_signed_in');
    const nowMs = this.parts.clock.nowMs();
    const { id, seenAtMs } = session;
    if (nowMs - seenAtMs >= SEEN_MS)
      await writing(this.parts.db, (trx) => trx('member_sessions').where({ id }).update({ seen_at_ms: nowMs }));
    return { member: memberFrom(row), session };
  }

  /** The session with this hash; null when there is none, or it has ended. */
  async #openSession(hash: string): Promise<MemberSession | null> {
    const row: Row | undefined = await this.parts.db.knex('member_sessions').where({ hash }).first();
    const session = row ? memberSessionFrom(row) : null;
    const { seenAfterMs, openedAfterMs } = boundsAt(this.parts.clock.nowMs());
    return session && session.seenAtMs > seenAfterMs && session.openedAtMs > openedAfterMs ? session : null;
  }

  /** The open sessions of a member, the newest first. */
  async list(memberId: string): Promise<MemberSession[]> {
    const { seenAfterMs, openedAfterMs } = boundsAt(this.parts.clock.nowMs());
    const rows: Row[] = await newestOf(this.parts.db.knex, memberId)
      .where('seen_at_ms', '>', seenAfterMs)
      .where('opened_at_ms', '>', openedAfterMs);
    return rows.map(memberSessionFrom);
  }

  /** Ends a session of the same member. Throws Fault not_found. */
  async end({ member }: SignedIn, id: string): Promise<void> {
    await writing(this.parts.db, async (trx) => {
      const mine = () => trx('member_sessions').where({ id, member_id: member.id });
      if ((await mine().update({ method: trx.ref('method') })) === 0)
        throw new Fault('not_found', { message: 'You have no open session with this id.' });
      const { method, address } = memberSessionFrom(await mine().first());
      await mine().delete();
      const change = { before: { method, address }, after: null };
      await this.changes.log(trx, member, { what: 'session.end', subject: id, ...change });
    });
  }

  /**
   * Throws Fault sign_in_failed when the member signed in over an hour ago: a person who finds an open browser must not
   * gain lasting access. Not where a link was the only way in, which cannot be gone again.
   */
  assertMayAdd({ member, session }: SignedIn): void {
    const isOnlyWay = session.method === 'link' && member.passwordHash === null;
    if (isOnlyWay || this.#isFresh(session)) return;
    throw new Fault('sign_in_failed', { message: 'You signed in over an hour ago. Sign in again to do this.' });
  }

  #isFresh({ openedAtMs }: MemberSession): boolean {
    return this.parts.clock.nowMs() - openedAtMs < FRESH_MS;
  }

  /** Opens a session, always with a secret of its own. Throws what `refuse` makes when there is no proof, or no member. */
  async open(
    method: SignInMethod,
    { address, agent, cookie: replaced }: SignInPlace,
    prove: Proof,
    refuse = () => new Fault('sign_in_failed'),
  ): Promise<OpenedSession> {
    const cookie = newSecret();
    const openedAtMs = this.parts.clock.nowMs();
    const begun = { id: this.parts.ids.uuid(), method, openedAtMs, seenAtMs: openedAtMs, address, agent };
    const signedIn = await writing(this.parts.db, async (trx): Promise<SignedIn | null> => {
      const memberId = await prove(trx, openedAtMs);
      const row: Row | undefined = await trx('members').where({ id: memberId }).first();
      if (!row) return null;
      // The session of the request's cookie ends, whichever member opened it.
      if (replaced !== null && isSecret(replaced))
        await trx('member_sessions')
          .where({ hash: hashSecret(replaced) })
          .delete();
      const [member, session] = [memberFrom(row), { ...begun, memberId: text(row.id) }];
      // The invitation is used up, whatever opened the session. Its link must not open another one.
      await trx('member_links').where({ member_id: member.id }).delete();
      if (member.joinedAtMs === null)
        await trx('members')
          .where({ id: member.id })
          .update(memberColumns({ joinedAtMs: openedAtMs }));
      await trx('member_sessions').insert({ ...memberSessionColumns(session), hash: hashSecret(cookie) });
      const kept: string[] = await newestOf(trx, session.memberId).limit(SESSIONS_PER_MEMBER).pluck('id');
      await trx('member_sessions').where({ member_id: session.memberId }).whereNotIn('id', kept).delete();
      const change = { before: null, after: { method, address } };
      await this.changes.log(trx, member, { what: 'session.open', subject: session.id, ...change });
      return { member, session };
    });
    if (!signedIn) throw refuse();
    return { signedIn, cookie };
  }
}

/**
 * Locks a member who changes how it signs in. Throws Fault not_signed_in when its session ended since the request came:
 * a member who was signed out leaves nothing to sign in with.
 */
export async function lockSession(trx: Knex.Transaction, { member, session }: SignedIn): Promise<void> {
  const there = await trx('members').where({ id: member.id }).forUpdate().first('id');
  const open = there && (await trx('member_sessions').where({ id: session.id }).first('id'));
  if (!open) throw new Fault('not_signed_in');
}

/** Uses up the one-time link with this hash, and returns its member; null when there is none, or it ended or was used. */
async function takeLink(trx: Knex.Transaction, hash: string, nowMs: number): Promise<string | null> {
  // The first transaction that moves the end of the link has it: a second one finds none that is still to end.
  const live = trx('member_links').where({ hash }).where('expires_at_ms', '>', nowMs);
  if ((await live.update({ expires_at_ms: 0 })) === 0) return null;
  const link: Row = await trx('member_links').where({ hash }).first();
  await trx('member_links').where({ hash }).delete();
  return text(link.member_id);
}

/** Times before which a session counts as ended. */
function boundsAt(nowMs: number) {
  return { seenAfterMs: nowMs - SESSION_IDLE_MS, openedAfterMs: nowMs - SESSION_MS_MAX };
}

function newestOf(knex: Knex, memberId: string): Knex.QueryBuilder {
  return newest(knex('member_sessions').where({ member_id: memberId }), ['opened_at_ms', 'id']);
}
