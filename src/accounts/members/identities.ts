/**
 * Signing in with the identity provider: from a visit that this browser began to a session. The provider says who
 * somebody is; which member that is, and in which role, is decided here by the configuration. Decision 44.
 */

import type { SignedIn, SignInPlace } from '#access/member.ts';
import { type MemberPlace, readEmail } from '#access/member.ts';
import { Fault } from '#base/fault.ts';
import type { Attempts } from './attempts.ts';
import type { IdentityProvider, IdentityProviderSettings, ProviderClaims, Visit } from './identity-provider.ts';
import type { NewMemberSession } from './ports.ts';
import { hashSecret, newSecret } from './secrets.ts';
import type { OpenedSession, Sessions } from './sessions.ts';

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

/** The storage of identities. */
export interface IdentityStore {
  /**
   * Opens a session of the member with this e-mail, in one transaction with what that changes: its role, or that it is
   * a member at all. Throws Fault identity_refused.
   */
  open(identity: VouchedPerson, session: NewMemberSession): Promise<SignedIn>;
}

/** What identities need. */
export interface IdentitiesOptions {
  readonly provider: IdentityProvider;
  readonly store: IdentityStore;
  readonly attempts: Attempts;
  readonly sessions: Sessions;
}

/** A browser that came back from the provider. */
export interface ProviderAnswer {
  /** What followed `?`. */
  readonly parameters: string;
  readonly attempt: string | null;
  readonly place: SignInPlace;
}

/** Sends browsers to the provider and opens sessions of those that come back. */
export class Identities {
  readonly #options: IdentitiesOptions;

  constructor(options: IdentitiesOptions) {
    this.#options = options;
  }

  /** Where to send the browser, and the secret that it keeps meanwhile. Throws Fault unavailable. */
  async begin(origin: string, returnTo: string | null): Promise<{ readonly url: string; readonly attempt: string }> {
    const { provider, attempts } = this.#options;
    const { url, visit } = await provider.begin(`${origin}${ANSWER_PATH}`);
    const attempt = newSecret();
    await attempts.begin('visit-provider', attempt, { ...visit, returnTo });
    return { url, attempt };
  }

  /** Throws Fault sign_in_failed, identity_refused and unavailable. */
  async open(answer: ProviderAnswer): Promise<OpenedSession & { readonly returnTo: string | null }> {
    const { provider, store, attempts, sessions } = this.#options;
    const expected = await attempts.take('visit-provider', answer.attempt);
    if (!expected)
      throw new Fault('sign_in_failed', { message: 'This browser has not begun to sign in, or took too long.' });
    const { returnTo, ...visit } = expected as unknown as Visit & { readonly returnTo: string | null };
    const identity = identityOf(await provider.finish(visit, answer.parameters), provider.settings);
    const { cookie, session } = sessions.begin('provider', answer.place);
    return { signedIn: await store.open(identity, session), cookie, returnTo };
  }
}

/** Who the claims say it is. Throws Fault identity_refused with a sentence for people. */
export function identityOf(claims: ProviderClaims, settings: IdentityProviderSettings): VouchedPerson {
  const { name, issuer } = settings;
  const { email, email_verified: verified, sub } = claims;
  if (typeof email !== 'string' || verified !== true)
    throw refused(`${name} has not verified an e-mail address of yours, so it does not say which member you are.`);
  return { email: readEmail(email), subjectHash: hashSecret(`${issuer} ${sub}`), place: placeOf(claims, settings) };
}

function placeOf(claims: ProviderClaims, { name, roleClaim, places }: IdentityProviderSettings): MemberPlace | null {
  if (roleClaim === null) return null;
  const values = valuesOf(claims, roleClaim);
  const fitting = [...places].find(([value]) => values.includes(value));
  if (fitting) return fitting[1];
  throw refused(`Nothing that ${name} says of you under ${roleClaim} has a role here. Ask whoever runs this gateway.`);
}

/** The values of a claim by its name, or by a path with dots where there is no claim of that name. */
function valuesOf(claims: ProviderClaims, name: string): readonly unknown[] {
  const step = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  const found = Object.hasOwn(claims, name) ? claims[name] : name.split('.').reduce(step, claims);
  return Array.isArray(found) ? found : [found];
}

function refused(message: string): Fault {
  return new Fault('identity_refused', { message });
}
