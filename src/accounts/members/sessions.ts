/**
 * Signing in and the life of a session. A session always begins with a new secret, so that nobody can plant one; it ends
 * 12 hours after its last request, 7 days after it began, when it is revoked, and with its member. Every failure to sign
 * in is the same fault: nothing tells a wrong password from an unknown address.
 */
import type { MemberSession, SignedIn, SignInMethod, SignInPlace } from '#access/member.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { Passwords } from './passwords.ts';
import { hashSecret, isSecret, newSecret } from './secrets.ts';
import type { NewMemberSession, SessionBounds, SessionStore } from './session-store.ts';

/** A session without a request for so long has ended. */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** A session has ended so long after it began, whatever came. */
export const SESSION_MS_MAX = 7 * DAY_MS;
/** How exactly it is known when a session was last used: one write a minute, not one a request. */
const SEEN_MS = MINUTE_MS;
/** How long after signing in a session may add ways of signing in, which outlast it. */
const FRESH_MS = HOUR_MS;
const AGENT_CHARACTERS_MAX = 200;

/** A session and the cookie that the browser gets, only this once. */
export interface OpenedSession {
  readonly signedIn: SignedIn;
  readonly cookie: string;
}

/** A session that is still to be opened. */
interface BegunSession {
  readonly cookie: string;
  readonly session: NewMemberSession;
}

/** Opens, finds and ends sessions. */
export class Sessions {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #ids: IdSource;
  readonly #passwords = new Passwords();

  constructor({ store, clock, ids }: { readonly store: SessionStore; readonly clock: Clock; readonly ids: IdSource }) {
    this.#store = store;
    this.#clock = clock;
    this.#ids = ids;
  }

  /** Opens a session with the token of a one-time link. Throws Fault sign_in_failed. */
  async openByLink(token: string, place: SignInPlace): Promise<OpenedSession> {
    if (!isSecret(token)) throw new Fault('sign_in_failed');
    const { cookie, session } = this.begin('link', place);
    const signedIn = await this.#store.openByLink(hashSecret(token), session);
    if (!signedIn) throw new Fault('sign_in_failed');
    return { signedIn, cookie };
  }

  /** Whether this browser has or had a session of the member with this e-mail, also one that nobody used for long. */
  async isKnownBrowser(email: string, cookie: string | null): Promise<boolean> {
    return cookie !== null && isSecret(cookie) && (await this.#store.hadSession(email, hashSecret(cookie)));
  }

  /** Opens a session with a password. Throws Fault sign_in_failed, and unavailable when too many try at once. */
  async openByPassword(email: string, password: string, place: SignInPlace): Promise<OpenedSession> {
    const member = await this.#store.memberByEmail(email);
    const isRight = await this.#passwords.verify(member?.passwordHash ?? null, password);
    const { cookie, session } = this.begin('password', place);
    const signedIn = member && isRight ? await this.#store.openByPassword(member, session) : null;
    if (!signedIn) throw new Fault('sign_in_failed');
    return { signedIn, cookie };
  }

  /**
   * Sets the password of a member. One that exists must be given, unless a link opened the session within the hour.
   * Throws Fault invalid_request (a bad password), sign_in_failed (the current one is missing or wrong, or see
   * assertMayAdd), unavailable.
   */
  async setPassword(signedIn: SignedIn, password: string, current: string | null): Promise<void> {
    const { member, session } = signedIn;
    if (password.toLowerCase() === member.email)
      throw new Fault('invalid_request', { param: 'password', message: 'password must not be the e-mail address.' });
    if (member.passwordHash === null) this.assertMayAdd(signedIn);
    const mayReplace = session.method === 'link' && this.#isFresh(session);
    if (
      member.passwordHash !== null &&
      !mayReplace &&
      !(await this.#passwords.verify(member.passwordHash, current ?? ''))
    )
      throw new Fault('sign_in_failed', { param: 'current_password', message: 'This is not your current password.' });
    await this.#store.setPassword(signedIn, await this.#passwords.hash(password));
  }

  /** The member behind this cookie. Throws Fault not_signed_in. */
  async find(cookie: string | null): Promise<SignedIn> {
    if (cookie === null || !isSecret(cookie)) throw new Fault('not_signed_in');
    const nowMs = this.#clock.nowMs();
    const signedIn = await this.#store.find(hashSecret(cookie), boundsAt(nowMs));
    if (!signedIn) throw new Fault('not_signed_in');
    if (nowMs - signedIn.session.seenAtMs >= SEEN_MS) await this.#store.touch(signedIn.session.id, nowMs);
    return signedIn;
  }

  /** The open sessions of a member, the newest first. */
  list(memberId: string): Promise<MemberSession[]> {
    return this.#store.list(memberId, boundsAt(this.#clock.nowMs()));
  }

  /** Ends a session of the same member. Throws Fault not_found. */
  async end(signedIn: SignedIn, id: string): Promise<void> {
    if (await this.#store.end(signedIn, id)) return;
    throw new Fault('not_found', { message: 'You have no open session with this id.' });
  }

  /**
   * Throws Fault sign_in_failed when the member signed in over an hour ago: who finds a browser open must not be able to
   * come back for ever. Not where a link was the only way in, which cannot be gone again.
   */
  assertMayAdd({ member, session }: SignedIn): void {
    const isOnlyWay = session.method === 'link' && member.passwordHash === null;
    if (isOnlyWay || this.#isFresh(session)) return;
    throw new Fault('sign_in_failed', { message: 'You signed in over an hour ago. Sign in again to do this.' });
  }

  #isFresh({ openedAtMs }: MemberSession): boolean {
    return this.#clock.nowMs() - openedAtMs < FRESH_MS;
  }

  /** A session that is still to be opened, always with a secret of its own, and the cookie for it. */
  begin(method: SignInMethod, { address, agent, cookie: replaced }: SignInPlace): BegunSession {
    const cookie = newSecret();
    const session = {
      id: this.#ids.uuid(),
      hash: hashSecret(cookie),
      method,
      openedAtMs: this.#clock.nowMs(),
      address,
      agent: agent.slice(0, AGENT_CHARACTERS_MAX),
      replaces: replaced !== null && isSecret(replaced) ? hashSecret(replaced) : null,
    };
    return { cookie, session };
  }
}

function boundsAt(nowMs: number): SessionBounds {
  return { seenAfterMs: nowMs - SESSION_IDLE_MS, openedAfterMs: nowMs - SESSION_MS_MAX };
}
