/**
 * Signing in with the identity provider: from a visit that this browser began to a session. The provider says who
 * somebody is; which member that is, and in which role, is decided here by the configuration. Decision 44.
 */

import type { SignInPlace } from '#access/member.ts';
import { type MemberPlace, readEmail } from '#access/member.ts';
import { Fault } from '#base/fault.ts';
import type { Attempts } from './attempts.ts';
import type { IdentityProvider, IdentityProviderSettings, ProviderClaims, Visit } from './identity-provider.ts';
import type { IdentityStore, VouchedPerson } from './identity-store.ts';
import { hashSecret, newSecret } from './secrets.ts';
import type { OpenedSession, Sessions } from './sessions.ts';

/** Where the provider leads back to, at the address at which the gateway is asked. */
export const ANSWER_PATH = '/settings/sign-in/provider';

/** A browser that came back from the provider. */
export interface ProviderAnswer {
  /** What followed `?`. */
  readonly parameters: string;
  readonly attempt: string | null;
  readonly place: SignInPlace;
}

/** Sends browsers to the provider and opens sessions of those that come back. */
export class Identities {
  readonly #provider: IdentityProvider;
  readonly #store: IdentityStore;
  readonly #attempts: Attempts;
  readonly #sessions: Sessions;

  constructor(
    provider: IdentityProvider,
    parts: { readonly store: IdentityStore; readonly attempts: Attempts; readonly sessions: Sessions },
  ) {
    this.#provider = provider;
    this.#store = parts.store;
    this.#attempts = parts.attempts;
    this.#sessions = parts.sessions;
  }

  /** Where to send the browser, and the secret that it keeps meanwhile. Throws Fault unavailable. */
  async begin(origin: string, returnTo: string | null): Promise<{ readonly url: string; readonly attempt: string }> {
    const { url, visit } = await this.#provider.begin(`${origin}${ANSWER_PATH}`);
    const attempt = newSecret();
    await this.#attempts.begin('visit-provider', attempt, { ...visit, returnTo });
    return { url, attempt };
  }

  /** Throws Fault sign_in_failed, identity_refused and unavailable. */
  async open(answer: ProviderAnswer): Promise<OpenedSession & { readonly returnTo: string | null }> {
    const expected = await this.#attempts.take('visit-provider', answer.attempt);
    if (!expected)
      throw new Fault('sign_in_failed', { message: 'This browser has not begun to sign in, or took too long.' });
    const { returnTo, ...visit } = expected as unknown as Visit & { readonly returnTo: string | null };
    const identity = identityOf(await this.#provider.finish(visit, answer.parameters), this.#provider.settings);
    const { cookie, session } = this.#sessions.begin('provider', answer.place);
    return { signedIn: await this.#store.open(identity, session), cookie, returnTo };
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
