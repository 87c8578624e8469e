/**
 * The identity provider of a gateway (OpenID Connect), by a library that the first visit loads. A visit uses the
 * authorization code with PKCE, a state and a nonce; the ID token's signature is checked, too. What the provider says is
 * asked of it by the gateway itself, so a browser can change nothing of it.
 */
import type { Configuration, IDToken, UserInfoResponse } from 'openid-client';
import type { MemberPlace } from '#access/member.ts';
import { Fault } from '#base/fault.ts';

/** `console.oidc`. */
export interface IdentityProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What people call it. */
  readonly name: string;
  /** What is asked for, with a space between. */
  readonly scope: string;
  /** Whether its e-mails count although it does not say that they are verified. */
  readonly trustsEmail: boolean;
  /** The claim whose values have places, such as `groups` or `realm_access.roles`; null: members keep their roles. */
  readonly roleClaim: string | null;
  /** Roles by the value of that claim; the first match counts. */
  readonly places: ReadonlyMap<string, MemberPlace>;
}

/** What the browser must bring back from the provider. */
export interface Visit {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

/** What the provider says about the person who signed in there. */
export type ProviderClaims = Readonly<Record<string, unknown>> & { readonly sub: string };

type Library = typeof import('openid-client');

const TIMEOUT_S = 10;
const RETRY_AFTER_S = 5;

/** The provider with these settings. */
export class IdentityProvider {
  readonly settings: IdentityProviderSettings;
  #connected: ReturnType<typeof connect> | null = null;

  constructor(settings: IdentityProviderSettings) {
    this.settings = settings;
  }

  /** Where to send the browser, and what must come back. Throws Fault unavailable. */
  async begin(redirectUri: string): Promise<{ readonly url: string; readonly visit: Visit }> {
    const [library, configuration] = await this.#connect();
    const { randomState, randomNonce, randomPKCECodeVerifier } = library;
    const visit = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier(), redirectUri };
    const url = library.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.settings.scope,
      state: visit.state,
      nonce: visit.nonce,
      code_challenge: await library.calculatePKCECodeChallenge(visit.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, visit };
  }

  /**
   * What it says about the person who comes back with these parameters (a query without `?`). Throws Fault
   * sign_in_failed for what does not belong to the visit, and unavailable.
   */
  async finish(visit: Visit, parameters: string): Promise<ProviderClaims> {
    const [library, configuration] = await this.#connect();
    const address = new URL(visit.redirectUri);
    address.search = parameters;
    try {
      return await claimsFrom(library, configuration, visit, address);
    } catch (cause) {
      throw refusalOf(library, this.settings, cause);
    }
  }

  #connect(): ReturnType<typeof connect> {
    // A provider that could not be discovered is tried again by the next visit.
    this.#connected ??= connect(this.settings).catch((cause) => {
      this.#connected = null;
      throw unavailable(this.settings, cause);
    });
    return this.#connected;
  }
}

async function connect({ issuer, clientId, clientSecret }: IdentityProviderSettings) {
  const library = await import('openid-client');
  // Only an address of this machine may be without TLS; the configuration takes no other.
  const execute = issuer.startsWith('http:') ? [library.allowInsecureRequests] : [];
  const asked = { execute, timeout: TIMEOUT_S };
  const discovered = await library.discovery(new URL(issuer), clientId, undefined, library.None(), asked);
  const server = discovered.serverMetadata();
  // The standard's default is basic where a provider does not say.
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const { ClientSecretBasic, ClientSecretPost } = library;
  const authentication = methods.includes('client_secret_basic') ? ClientSecretBasic : ClientSecretPost;
  const configuration = new library.Configuration(server, clientId, undefined, authentication(clientSecret));
  configuration.timeout = TIMEOUT_S;
  for (const extend of [...execute, library.enableNonRepudiationChecks]) extend(configuration);
  return [library, configuration] as const;
}

/** Many providers say who somebody is only at their userinfo endpoint; what the ID token says counts more. */
async function claimsFrom(
  library: Library,
  configuration: Configuration,
  { state, nonce, verifier }: Visit,
  address: URL,
): Promise<ProviderClaims> {
  const tokens = await library.authorizationCodeGrant(configuration, address, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const token: IDToken | undefined = tokens.claims();
  if (!token) throw new Error('the provider sent no ID token');
  const more: Partial<UserInfoResponse> = configuration.serverMetadata().userinfo_endpoint
    ? await library.fetchUserInfo(configuration, tokens.access_token, token.sub)
    : {};
  return { ...more, ...token };
}

function refusalOf(library: Library, settings: IdentityProviderSettings, cause: unknown): Fault {
  if (cause instanceof library.AuthorizationResponseError) {
    const said = /^[a-z_]{1,60}$/.test(cause.error) ? ` It says: ${cause.error}.` : '';
    return new Fault('sign_in_failed', { message: `${settings.name} did not sign you in.${said}`, cause });
  }
  if (isOutOfReach(cause)) return unavailable(settings, cause);
  return new Fault('sign_in_failed', {
    message: 'This is not the answer to what this browser began last. Sign in again.',
    cause,
  });
}

/** No connection, no answer in time, or an error of the provider's own. */
function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (Reflect.get(error, 'code') === 'OAUTH_TIMEOUT' || error.message === 'fetch failed') return true;
  const { cause } = error;
  return cause instanceof Response ? cause.status >= 500 : cause instanceof Error && isOutOfReach(cause);
}

function unavailable({ name }: IdentityProviderSettings, cause: unknown): Fault {
  const message = `${name} does not answer. Try again shortly, or sign in another way.`;
  return new Fault('unavailable', { message, retryAfterS: RETRY_AFTER_S, cause });
}
