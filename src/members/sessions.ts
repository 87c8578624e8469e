/**
 * Signing in and the life of a session. A session always begins with a new secret, so that nobody can plant one; it ends
 * 12 hours after its last request, 7 days after it began, when it is revoked, and with its member. Every failure to sign
 * in is the same fault: nothing tells a wrong password from an unknown address.
 */
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { Passwords } from './passwords.ts';
import type { MemberSession, SessionBounds, SessionStore, SignedIn, SignInMethod } from './ports.ts';
import { hashSecret, isSecret, newSecret } from './secrets.ts';

/** A session without a request for so long has ended. */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** A session has ended so long after it began, whatever came. */
export const SESSION_MS_MAX = 7 * DAY_MS;
/** How exactly it is known when a session was last used: one write a minute, not one a request. */
const SEEN_MS = MINUTE_MS;
/** How long a session that a link opened may replace a password that nobody remembers. */
const LINK_FRESH_MS = HOUR_MS;
const AGENT_CHARACTERS_MAX = 200;

/** Where a sign-in comes from. */
export interface SignInPlace {
  readonly address: string;
  /** The User-Agent, '' for none. */
  readonly agent: string;
  /** The cookie that came with it: its session ends; null for none. */
  readonly cookie: string | null;
}

/** A session and the cookie that the browser gets, only this once. */
export interface OpenedSession {
  readonly signedIn: SignedIn;
  readonly cookie: string;
}

/** What sessions need. */
export interface SessionsOptions {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** Opens, finds and ends sessions. */
export class Sessions {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #ids: IdSource;
  readonly #passwords = new Passwords();

  constructor({ store, clock, ids }: SessionsOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#ids = ids;
  }

  /** Opens a session with the token of a one-time link. Throws Fault sign_in_failed. */
  async openByLink(token: string, place: SignInPlace): Promise<OpenedSession> {
    if (!isSecret(token)) throw new Fault('sign_in_failed');
    const cookie = newSecret();
    const signedIn = await this.#store.openByLink(hashSecret(token), this.#newSession('link', cookie, place));
    if (!signedIn) throw new Fault('sign_in_failed');
    return { signedIn, cookie };
  }

  /** Opens a session with a password. Throws Fault sign_in_failed, and unavailable when too many try at once. */
  async openByPassword(email: string, password: string, place: SignInPlace): Promise<OpenedSession> {
    const member = await this.#store.memberByEmail(email);
    const isRight = await this.#passwords.verify(member?.passwordHash ?? null, password);
    const cookie = newSecret();
    const signedIn =
      member && isRight ? await this.#store.openByPassword(member, this.#newSession('password', cookie, place)) : null;
    if (!signedIn) throw new Fault('sign_in_failed');
    return { signedIn, cookie };
  }

  /**
   * Sets the password of a member. One that exists must be given, unless a link opened the session within the hour.
   * Throws Fault invalid_request (a bad password), sign_in_failed (the current one is missing or wrong), unavailable.
   */
  async setPassword(signedIn: SignedIn, password: string, current: string | null): Promise<void> {
    const { member, session } = signedIn;
    if (password.toLowerCase() === member.email)
      throw new Fault('invalid_request', { param: 'password', message: 'password must not be the e-mail address.' });
    const isFresh = session.method === 'link' && this.#clock.nowMs() - session.openedAtMs < LINK_FRESH_MS;
    if (member.passwordHash !== null && !isFresh && !(await this.#passwords.verify(member.passwordHash, current ?? '')))
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

  #newSession(method: SignInMethod, cookie: string, { address, agent, cookie: replaced }: SignInPlace) {
    return {
      id: this.#ids.uuid(),
      hash: hashSecret(cookie),
      method,
      openedAtMs: this.#clock.nowMs(),
      address,
      agent: agent.slice(0, AGENT_CHARACTERS_MAX),
      replaces: replaced !== null && isSecret(replaced) ? hashSecret(replaced) : null,
    };
  }
}

function boundsAt(nowMs: number): SessionBounds {
  return { seenAfterMs: nowMs - SESSION_IDLE_MS, openedAfterMs: nowMs - SESSION_MS_MAX };
}
