/**
 * Passkeys: adding one to a member, and signing in with one. The gateway asks, the browser has an authenticator sign the
 * question, and the answer counts once, soon, and from the same browser at the same origin. `webauthn.ts` checks challenge,
 * origin and signature. Decision 44.
 */
import type { Knex } from 'knex';
import type { SignedIn, SignInPlace } from '#access/member.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import { described, type ObjectOf } from '#storage/database/codec.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { int, intOrNull, name, type Row, text } from '#storage/database/values.ts';
import { LoggedStore } from '../change-log.ts';
import type { Attempts } from './attempts.ts';
import { memberFrom } from './member-store.ts';
import { hashSecret, newChallenge, newSecret } from './secrets.ts';
import { lockSession, type OpenedSession, type Sessions } from './sessions.ts';
import { checkCreated, checkSigned, creationQuestion, handleOf, requestQuestion, type Site } from './webauthn.ts';

/** How many passkeys a member may have. */
export const PASSKEYS_PER_MEMBER = 20;

const passkeys = described({
  id: text,
  memberId: text,
  /** As the browser names it, in base64url. */
  credentialId: text,
  /** COSE, in base64url. */
  publicKey: text,
  /** What the authenticator counted at its last use; 0 for ever where it does not count. */
  counter: int,
  /** The host that it is bound to. */
  host: name(255),
  /** What its member calls it. */
  name: text,
  createdAtMs: int,
  usedAtMs: intOrNull,
});

/** A stored passkey: what the authenticator's signatures are checked with. None of it is secret. */
export type Passkey = ObjectOf<typeof passkeys>;

/** The part of an authenticator's answer that is read before the answer is verified. */
export interface Credential {
  readonly id: string;
  readonly response: { readonly userHandle?: string | null };
}

/** The member, in one browser, that adds a passkey. */
export interface Adding {
  readonly signedIn: SignedIn;
  /** The secret of the session. */
  readonly cookie: string;
  readonly site: Site;
}

/** An answer to the question for signing in. */
export interface PasskeyAnswer {
  readonly credential: Credential;
  /** The member to whom the passkey must belong; null for any member. */
  readonly email: string | null;
  /** The secret that the browser got with the question; null for none. */
  readonly attempt: string | null;
  readonly site: Site;
  readonly place: SignInPlace;
}

/** What ways to sign in have in common. */
export interface SignInParts {
  readonly attempts: Attempts;
  readonly sessions: Sessions;
}

/** Adds, lists, renames, removes and checks passkeys. Each change is one transaction with its row in the change log. */
export class Passkeys extends LoggedStore {
  readonly #signIn: SignInParts;

  constructor(parts: OperatorOptions, signIn: SignInParts) {
    super(parts);
    this.#signIn = signIn;
  }

  /** The passkeys of a member, the oldest first. */
  async list(memberId: string): Promise<Passkey[]> {
    return (await this.parts.db.knex('member_passkeys').where({ member_id: memberId }).orderBy('id')).map(
      passkeys.from,
    );
  }

  /** What to ask an authenticator for a new passkey. Throws Fault sign_in_failed, see `Sessions.assertMayAdd`. */
  async askForNew({ signedIn, cookie, site }: Adding): Promise<object> {
    this.#signIn.sessions.assertMayAdd(signedIn);
    const { id, email } = signedIn.member;
    const known = (await this.list(id)).filter(({ host }) => host === site.host);
    const challenge = newChallenge();
    await this.#signIn.attempts.begin('add-passkey', cookie, { challenge });
    const knownIds = known.map(({ credentialId }) => credentialId);
    return creationQuestion({ challenge, site }, { id, email, knownIds });
  }

  /** Adds the passkey that answers the question. Throws Fault invalid_request, also for one that is known, or too many. */
  async add({ signedIn, cookie, site }: Adding, credential: unknown, name: string): Promise<Passkey> {
    const expected = await this.#signIn.attempts.take('add-passkey', cookie);
    const made = await checkCreated(credential, { challenge: String(expected?.challenge ?? ''), site }).catch(
      (cause) => {
        throw new Fault('invalid_request', {
          param: 'credential',
          message: 'This passkey does not answer what this browser was asked last. Try again.',
          cause,
        });
      },
    );
    const { member } = signedIn;
    const passkey = {
      id: this.parts.ids.uuid(),
      memberId: member.id,
      ...made,
      host: site.host,
      name,
      createdAtMs: this.parts.clock.nowMs(),
      usedAtMs: null,
    };
    await writing(this.parts.db, async (trx) => {
      // Two that add at once wait for each other.
      await lockSession(trx, signedIn);
      await assertRoom(trx, passkey);
      const hash = { credential_hash: hashSecret(passkey.credentialId) };
      await trx('member_passkeys').insert({ ...passkeys.some(passkey), ...hash });
      const change = { before: null, after: shown(passkey) };
      await this.changes.log(trx, member, { what: 'passkey.add', subject: passkey.id, ...change });
    });
    return passkey;
  }

  /** Throws Fault not_found. */
  async rename({ member }: SignedIn, id: string, name: string): Promise<Passkey> {
    return writing(this.parts.db, async (trx) => {
      const before = await lockedPasskey(trx, member.id, id);
      const after = { ...before, name };
      await trx('member_passkeys').where({ id }).update({ name });
      const change = { before: shown(before), after: shown(after) };
      await this.changes.log(trx, member, { what: 'passkey.rename', subject: id, ...change });
      return after;
    });
  }

  /** Throws Fault not_found. */
  async remove({ member }: SignedIn, id: string): Promise<void> {
    await writing(this.parts.db, async (trx) => {
      const before = await lockedPasskey(trx, member.id, id);
      await trx('member_passkeys').where({ id }).delete();
      await this.changes.log(trx, member, { what: 'passkey.remove', subject: id, before: shown(before), after: null });
    });
  }

  /** What to ask an authenticator to sign any member in, and the secret that the browser keeps for it. */
  async ask(site: Site): Promise<{ readonly question: object; readonly attempt: string }> {
    const [challenge, attempt] = [newChallenge(), newSecret()];
    await this.#signIn.attempts.begin('use-passkey', attempt, { challenge });
    return { question: requestQuestion({ challenge, site }), attempt };
  }

  /** Opens a session with a passkey. Throws Fault sign_in_failed, which does not say why. */
  async open({ credential, email, attempt, site, place }: PasskeyAnswer): Promise<OpenedSession> {
    const expected = await this.#signIn.attempts.take('use-passkey', attempt);
    const found = expected && (await this.#findPasskey(credential.id));
    if (!found || (email !== null && email !== found.email)) throw failed();
    const { passkey } = found;
    if (credential.response.userHandle !== handleOf(passkey.memberId)) throw failed();
    const asked = { challenge: String(expected.challenge), site };
    const counter = await checkSigned(credential, passkey, asked).catch((cause) => {
      throw failed(cause);
    });
    // Authenticators that do not count always say 0.
    if ((counter > 0 || passkey.counter > 0) && counter <= passkey.counter) {
      await this.#noteCopy(passkey, counter);
      throw failed();
    }
    const prove = async (trx: Knex.Transaction, usedAtMs: number) => {
      // No row is found if the passkey was used or removed meanwhile.
      const same = trx('member_passkeys').where({ id: passkey.id, counter: passkey.counter });
      return (await same.update({ counter, used_at_ms: usedAtMs })) === 0 ? null : passkey.memberId;
    };
    return this.#signIn.sessions.open('passkey', place, prove, failed);
  }

  /** The passkey with this credential and the e-mail of its member; null for none. */
  async #findPasskey(credentialId: string): Promise<{ readonly passkey: Passkey; readonly email: string } | null> {
    const row: Row | undefined = await this.parts.db
      .knex('member_passkeys')
      .join('members', 'members.id', 'member_passkeys.member_id')
      .where({ credential_hash: hashSecret(credentialId) })
      .first('member_passkeys.*', 'members.email');
    return row ? { passkey: passkeys.from(row), email: text(row.email) } : null;
  }

  /** Logs a signature that is right and whose counter has not moved on: the passkey has been copied. */
  async #noteCopy({ id, memberId, counter }: Passkey, sent: number): Promise<void> {
    await writing(this.parts.db, async (trx) => {
      const row: Row | undefined = await trx('members').where({ id: memberId }).forUpdate().first();
      if (!row) return;
      const [before, after] = [{ counter }, { counter: sent }];
      await this.changes.log(trx, memberFrom(row), { what: 'passkey.copied', subject: id, before, after });
    });
  }
}

async function assertRoom(trx: Knex.Transaction, { memberId, credentialId }: Passkey): Promise<void> {
  const refuse = (message: string) => invalidRequest('credential', message);
  const known: Row | undefined = await trx('member_passkeys')
    .where({ credential_hash: hashSecret(credentialId) })
    .first('id');
  if (known) throw refuse('This passkey is known already.');
  const there: Row = await trx('member_passkeys').where({ member_id: memberId }).first(trx.raw('COUNT(*) AS number'));
  if (int(there.number) >= PASSKEYS_PER_MEMBER)
    throw refuse(`You have ${PASSKEYS_PER_MEMBER} passkeys already; remove one first.`);
}

async function lockedPasskey(trx: Knex.Transaction, memberId: string, id: string): Promise<Passkey> {
  const row: Row | undefined = await trx('member_passkeys').where({ id, member_id: memberId }).forUpdate().first();
  if (!row) throw new Fault('not_found', { message: 'You have no passkey with this id.' });
  return passkeys.from(row);
}

/** What the log says about a passkey. */
function shown({ name, host }: Passkey): object {
  return { name, host };
}

function failed(cause?: unknown): Fault {
  return new Fault('sign_in_failed', {
    message: 'This passkey did not work. Try again, or sign in another way.',
    cause,
  });
}
