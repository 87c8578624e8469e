/**
 * The secrets of signing in: the token of a one-time link and the cookie of a session. Both are 256 bits of chance,
 * shown once and stored as a hash, so that a reader of the database can use neither. The CSRF token is computed from
 * the cookie and stored nowhere: it belongs to that session alone and ends with it.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { secretText } from '#base/id.ts';

const LENGTH = 43;
const SECRET = /^[0-9A-Za-z]{43}$/;

/** A new unpredictable secret: 43 base62 characters. */
export function newSecret(): string {
  return secretText(LENGTH);
}

/** A new unpredictable challenge for an authenticator, in base64url as browsers write it. */
export function newChallenge(): string {
  return Buffer.from(newSecret()).toString('base64url');
}

/** Whether `text` has the form of a secret; if not, it need not be looked up. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

/** The SHA-256 of a secret in hex, by which it is stored and looked up. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

/** The CSRF token of the session with this cookie. */
export function csrfTokenOf(cookie: string): string {
  return hash('sha256', `csrf ${cookie}`, 'base64url');
}

/** Whether `token` is the CSRF token of the session with this cookie; takes as long for any token. */
export function isCsrfToken(token: string, cookie: string): boolean {
  const [sent, expected] = [token, csrfTokenOf(cookie)].map((text) => hash('sha256', text, 'buffer'));
  return sent !== undefined && expected !== undefined && timingSafeEqual(sent, expected);
}
