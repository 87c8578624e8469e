/**
 * Passkeys: adding one to a member, and signing in with one. The gateway asks, the browser has an authenticator sign the
 * question, and the answer counts once, soon, and from the same browser at the same origin. Decision 44.
 */

import type { SignedIn, SignInPlace } from '#access/member.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import type { Attempts } from './attempts.ts';
import { checkCreated, checkSigned, creationQuestion, handleOf, requestQuestion, type Site } from './authenticators.ts';
import type { Passkey, PasskeyStore } from './passkey-store.ts';
import { newChallenge, newSecret } from './secrets.ts';
import type { OpenedSession, Sessions } from './sessions.ts';

/** What a browser sends of an authenticator's answer, as far as it is looked at before it is checked. */
export interface Credential {
  readonly id: string;
  readonly response: { readonly userHandle?: string | null };
}

/** Who adds a passkey: a member in one browser. */
export interface Adding {
  readonly signedIn: SignedIn;
  /** The secret of the session. */
  readonly cookie: string;
  readonly site: Site;
}

/** An answer to the question for signing in. */
export interface PasskeyAnswer {
  readonly credential: Credential;
  /** Whose passkey it must be; null for anybody's. */
  readonly email: string | null;
  /** The secret that the browser got with the question; null for none. */
  readonly attempt: string | null;
  readonly site: Site;
  readonly place: SignInPlace;
}

interface PasskeyParts {
  readonly store: PasskeyStore;
  readonly attempts: Attempts;
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** Adds, lists, renames, removes and checks passkeys. */
export class Passkeys {
  readonly #parts: PasskeyParts;

  constructor(parts: PasskeyParts) {
    this.#parts = parts;
  }

  list(memberId: string): Promise<Passkey[]> {
    return this.#parts.store.list(memberId);
  }

  /** What to ask an authenticator for a new passkey. Throws Fault sign_in_failed, see `Sessions.assertMayAdd`. */
  async askForNew({ signedIn, cookie, site }: Adding): Promise<object> {
    const { store, attempts, sessions } = this.#parts;
    sessions.assertMayAdd(signedIn);
    const { id, email } = signedIn.member;
    const known = (await store.list(id)).filter(({ host }) => host === site.host);
    const challenge = newChallenge();
    await attempts.begin('add-passkey', cookie, { challenge });
    const knownIds = known.map(({ credentialId }) => credentialId);
    return creationQuestion({ challenge, site }, { id, email, knownIds });
  }

  /** Adds the passkey that answers the question. Throws Fault invalid_request. */
  async add({ signedIn, cookie, site }: Adding, credential: unknown, name: string): Promise<Passkey> {
    const { store, attempts, clock, ids } = this.#parts;
    const expected = await attempts.take('add-passkey', cookie);
    const made = await checkCreated(credential, { challenge: String(expected?.challenge ?? ''), site }).catch(
      (cause) => {
        throw new Fault('invalid_request', {
          param: 'credential',
          message: 'This passkey does not answer what this browser was asked last. Try again.',
          cause,
        });
      },
    );
    const passkey = {
      id: ids.uuid(),
      memberId: signedIn.member.id,
      ...made,
      host: site.host,
      name,
      createdAtMs: clock.nowMs(),
      usedAtMs: null,
    };
    await store.add(signedIn, passkey);
    return passkey;
  }

  /** Throws Fault not_found. */
  async rename(signedIn: SignedIn, id: string, name: string): Promise<Passkey> {
    const renamed = await this.#parts.store.rename(signedIn, id, name);
    if (!renamed) throw notFound();
    return renamed;
  }

  /** Throws Fault not_found. */
  async remove(signedIn: SignedIn, id: string): Promise<void> {
    if (!(await this.#parts.store.remove(signedIn, id))) throw notFound();
  }

  /** What to ask an authenticator to sign somebody in, whoever it is, and the secret that the browser keeps for it. */
  async ask(site: Site): Promise<{ readonly question: object; readonly attempt: string }> {
    const [challenge, attempt] = [newChallenge(), newSecret()];
    await this.#parts.attempts.begin('use-passkey', attempt, { challenge });
    return { question: requestQuestion({ challenge, site }), attempt };
  }

  /** Opens a session with a passkey. Throws Fault sign_in_failed, which does not say why. */
  async open({ credential, email, attempt, site, place }: PasskeyAnswer): Promise<OpenedSession> {
    const { store, attempts, sessions } = this.#parts;
    const expected = await attempts.take('use-passkey', attempt);
    const found = expected && (await store.find(credential.id));
    if (!found || (email !== null && email !== found.email)) throw failed();
    const { passkey } = found;
    if (credential.response.userHandle !== handleOf(passkey.memberId)) throw failed();
    const asked = { challenge: String(expected.challenge), site };
    const counter = await checkSigned(credential, passkey, asked).catch((cause) => {
      throw failed(cause);
    });
    // Authenticators that do not count always say 0.
    if ((counter > 0 || passkey.counter > 0) && counter <= passkey.counter) {
      await store.noteCopy(passkey, counter);
      throw failed();
    }
    const { cookie, session } = sessions.begin('passkey', place);
    const signedIn = await store.open(passkey, counter, session);
    if (!signedIn) throw failed();
    return { signedIn, cookie };
  }
}

function notFound(): Fault {
  return new Fault('not_found', { message: 'You have no passkey with this id.' });
}

function failed(cause?: unknown): Fault {
  return new Fault('sign_in_failed', {
    message: 'This passkey did not work. Try again, or sign in another way.',
    cause,
  });
}
