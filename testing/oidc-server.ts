/**
 * An identity provider for tests: `oidc-provider`, which the OpenID Foundation has certified, on a port of its own. It
 * knows every person that a test names, and asks for any password. Its pages work in a browser, and `signInAt` does what a browser
 * would.
 */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import Provider from 'oidc-provider';
import { listening } from './listening.ts';

const HOUR_S = 3600;

export const OIDC_CLIENT = 'sluice';
export const OIDC_SECRET = 'a-secret-that-only-the-two-of-them-know';

/** What the provider says of somebody. */
export type Person = Readonly<Record<string, unknown>>;

/** The provider. */
export interface OidcServer {
  /** Its issuer. */
  readonly url: string;
  /** People by the login that they type, which is also their `sub`; a test may add some at any time. */
  readonly people: Map<string, Person>;
  /** Registers where it may lead back to, exactly. */
  register(...redirectUris: readonly string[]): void;
  /** With `true` every answer is 503, until `false`. */
  fail(isDown: boolean): void;
  close(): Promise<void>;
}

/** Starts it. */
export async function startOidcServer(): Promise<OidcServer> {
  const people = new Map<string, Person>();
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  let answer: RequestListener = (_, response) => response.writeHead(404).end();
  let down = false;
  const server = createServer((request, response) => {
    if (down) response.writeHead(503).end();
    else answer(request, response);
  });
  const { url, close } = await listening(server);
  const register = (...redirectUris: readonly string[]) => {
    const provider = new Provider(url, {
      clients: [{ client_id: OIDC_CLIENT, client_secret: OIDC_SECRET, redirect_uris: redirectUris }],
      scopes: ['openid', 'email', 'profile'],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      cookies: { keys: ['for tests'] },
      jwks: { keys: [{ ...key, use: 'sig', alg: 'RS256', kid: 'test' }] },
      ttl: {
        AccessToken: HOUR_S,
        AuthorizationCode: 60,
        Grant: HOUR_S,
        IdToken: HOUR_S,
        Interaction: HOUR_S,
        Session: HOUR_S,
      },
      findAccount: async (_, id) =>
        people.has(id) ? { accountId: id, claims: async () => ({ sub: id, ...people.get(id) }) } : undefined,
    });
    answer = provider.callback();
  };
  register();
  return {
    url,
    people,
    register,
    fail: (isDown) => {
      down = isDown;
    },
    close,
  };
}

/**
 * Signs in at the provider as a browser would, from the page that the gateway named, and agrees to everything. Resolves
 * with the address to which the provider leads back, or that of its page of an error.
 */
export async function signInAt(url: string, login: string): Promise<URL> {
  const own = new URL(url).origin;
  const cookies = new Map<string, string>();
  let next = new URL(url);
  let form: URLSearchParams | null = null;
  for (let steps = 0; steps < 20; steps++) {
    const response = await fetch(next, {
      method: form ? 'POST' : 'GET',
      body: form,
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const html = await response.text();
    const location = response.headers.get('location');
    if (location === null) {
      const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1];
      if (response.status !== 200 || action === undefined) return next;
      next = new URL(action, next);
      form = new URLSearchParams({ login, password: 'any' });
      for (const [, name = '', value = ''] of html.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g))
        form.set(name, value);
    } else {
      next = new URL(location, next);
      form = null;
      if (next.origin !== own) return next;
    }
  }
  throw new Error(`the provider led nowhere in twenty steps, last to ${next}`);
}
