/**
 * Signing in with the identity provider: from a visit that this browser began to a session. The provider says who
 * somebody is; which member that is, and in which role, is decided here by the configuration, at each sign-in, so that what
 * is taken away there is gone here with the next one. It never moves somebody to another account. Decision 44.
 */
import type { Knex } from 'knex';
import { type ConsoleMember, type MemberPlace, readEmail, type SignInPlace } from '#access/member.ts';
import { Fault } from '#base/fault.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { takeTurn } from '#storage/database/transaction.ts';
import { type Row, text } from '#storage/database/values.ts';
import { lockAccount } from '#storage/records/account.ts';
import { LoggedStore } from '../change-log.ts';
import type { IdentityProvider, IdentityProviderSettings, ProviderClaims, Visit } from './identity-provider.ts';
import { assertRoom, memberColumns, memberFrom, newMember, shownMember } from './member-store.ts';
import type { SignInParts } from './passkeys.ts';
import { hashSecret, newSecret } from './secrets.ts';
import type { OpenedSession } from './sessions.ts';

/** Where the provider leads back to, at the address at which the gateway is asked. */
export const ANSWER_PATH = '/settings/sign-in/provider';

/** Somebody whom the provider vouches for. */
export interface VouchedPerson {
  readonly email: string;
  /** A hash of who it is at the provider, which stays when the e-mail goes to somebody else. */
  readonly subjectHash: string;
  /** Where the configuration puts it; null: where it is a member already. */
  readonly place: MemberPlace | null;
}

/** Sends browsers to the provider and opens sessions of those that come back. */
export class Identities extends LoggedStore {
  readonly #signIn: SignInParts & { readonly provider: IdentityProvider };

  constructor(parts: OperatorOptions, signIn: SignInParts & { readonly provider: IdentityProvider }) {
    super(parts);
    this.#signIn = signIn;
  }

  /** Where to send the browser, and the secret that it keeps meanwhile. Throws Fault unavailable. */
  async begin(origin: string, returnTo: string | null): Promise<{ readonly url: string; readonly attempt: string }> {
    const { url, visit } = await this.#signIn.provider.begin(`${origin}${ANSWER_PATH}`);
    const attempt = newSecret();
    await this.#signIn.attempts.begin('visit-provider', attempt, { ...visit, returnTo });
    return { url, attempt };
  }

  /**
   * Opens a session of a browser that came back from the provider with these parameters, which followed `?`. Throws Fault
   * sign_in_failed, identity_refused and unavailable.
   */
  async open(
    parameters: string,
    attempt: string | null,
    place: SignInPlace,
  ): Promise<OpenedSession & { readonly returnTo: string | null }> {
    const expected = await this.#signIn.attempts.take('visit-provider', attempt);
    if (!expected)
      throw new Fault('sign_in_failed', { message: 'This browser has not begun to sign in, or took too long.' });
    const { returnTo, ...visit } = expected as unknown as Visit & { readonly returnTo: string | null };
    const identity = identityOf(await this.#signIn.provider.finish(visit, parameters), this.#signIn.provider.settings);
    const opened = await this.#signIn.sessions.open('provider', place, (trx) => this.#memberOf(trx, identity));
    return { ...opened, returnTo };
  }

  /**
   * The id of the member with this e-mail, in one transaction with what a sign-in changes: its role, or that it is a member
   * at all. Throws Fault identity_refused.
   */
  async #memberOf(trx: Knex.Transaction, { email, subjectHash, place }: VouchedPerson): Promise<string> {
    await takeTurn(trx, 'members');
    const row: Row | undefined = await trx('members').where({ email }).first();
    const known = row ? memberFrom(row) : null;
    if (known && place && known.accountId !== place.accountId)
      throw refused(`${email} is a member elsewhere here; an address belongs to one account, or to the operator.`);
    const member = place ? await (known ? this.#changeRole(trx, known, place) : this.#join(trx, email, place)) : known;
    if (!member) throw refused(`${email} is no member here. Ask for an invitation.`);
    if (await keepIdentity(trx, member.id, subjectHash)) return member.id;
    throw refused(`${email} belonged to somebody else when it signed in here last. Ask for a new invitation.`);
  }

  async #join(trx: Knex.Transaction, email: string, place: MemberPlace): Promise<ConsoleMember> {
    const { clock, ids } = this.parts;
    if (place.accountId !== null) await assertAccount(trx, place.accountId);
    await assertRoom(trx, place.accountId);
    const made = newMember(email, place, { id: ids.uuid(), nowMs: clock.nowMs() });
    await trx('members').insert(memberColumns(made));
    const change = { before: null, after: shownMember(made) };
    await this.changes.log(trx, made, { what: 'member.join', subject: made.id, ...change });
    return made;
  }

  async #changeRole(trx: Knex.Transaction, known: ConsoleMember, { role }: MemberPlace): Promise<ConsoleMember> {
    if (known.role === role) return known;
    const changed = { ...known, role };
    await trx('members').where({ id: known.id }).update({ role });
    const change = { before: shownMember(known), after: shownMember(changed) };
    await this.changes.log(trx, changed, { what: 'member.role', subject: known.id, ...change });
    return changed;
  }
}

/** The person that the claims identify. Throws Fault identity_refused with a sentence for people. */
export function identityOf(claims: ProviderClaims, settings: IdentityProviderSettings): VouchedPerson {
  const { name, issuer, trustsEmail } = settings;
  const { email, email_verified: verified, sub } = claims;
  // Cognito sends a text. An e-mail that the provider calls unverified never counts.
  const isVerified = verified === undefined ? trustsEmail : verified === true || verified === 'true';
  if (typeof email !== 'string' || !isVerified)
    throw refused(`${name} has not verified an e-mail address of yours, so it does not say which member you are.`);
  return { email: readEmail(email), subjectHash: hashSecret(`${issuer} ${sub}`), place: placeOf(claims, settings) };
}

function placeOf(claims: ProviderClaims, { name, roleClaim, places }: IdentityProviderSettings): MemberPlace | null {
  if (roleClaim === null) return null;
  const values = valuesOf(claims, roleClaim);
  const fitting = [...places].find(([value]) => values.includes(value));
  if (fitting) return fitting[1];
  throw refused(
    `Nothing that ${name} says of you under ${roleClaim} has a role here. Ask the operator of this gateway.`,
  );
}

/** The values of a claim by its name, or by a path with dots where there is no claim of that name. */
function valuesOf(claims: ProviderClaims, name: string): readonly unknown[] {
  const step = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  const found = Object.hasOwn(claims, name) ? claims[name] : name.split('.').reduce(step, claims);
  return Array.isArray(found) ? found : [found];
}

/** Keeps who the member is at the provider; false when that was somebody else. */
async function keepIdentity(trx: Knex.Transaction, memberId: string, subjectHash: VouchedPerson['subjectHash']) {
  const row: Row | undefined = await trx('member_identities').where({ member_id: memberId }).first();
  if (row) return text(row.subject_hash) === subjectHash;
  await trx('member_identities').insert({ member_id: memberId, subject_hash: subjectHash });
  return true;
}

async function assertAccount(trx: Knex.Transaction, id: string): Promise<void> {
  try {
    await lockAccount(trx, id);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'not_found') throw error;
    throw refused('Your role belongs to an account that does not exist here. Tell the operator of this gateway.');
  }
}

function refused(message: string): Fault {
  return new Fault('identity_refused', { message });
}
