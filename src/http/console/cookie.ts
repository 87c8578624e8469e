/**
 * The session cookie. Over TLS its name begins with `__Host-`: browsers then refuse it without Secure, with a Domain, or
 * from another host, so that no neighbouring site can plant one. They refuse that name altogether without TLS, so a
 * plain connection, which only the same machine may use by default, has a name of its own; neither is ever read where
 * the other belongs. Decision 43.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { SESSION_MS_MAX } from '#members/sessions.ts';

/** The cookie of a session; null when none was sent on this kind of connection. Of two with one name the first counts. */
export function cookieIn({ cookie = '' }: IncomingHttpHeaders, secure: boolean): string | null {
  const prefix = `${nameOf(secure)}=`;
  const found = cookie.split(';').find((pair) => pair.trimStart().startsWith(prefix));
  return found === undefined ? null : found.trim().slice(prefix.length);
}

/** The value of Set-Cookie for a new session. */
export function cookieFor(secret: string, secure: boolean): string {
  return written(secret, SESSION_MS_MAX / 1000, secure);
}

/** The value of Set-Cookie that removes the cookie. */
export function noCookie(secure: boolean): string {
  return written('', 0, secure);
}

function written(value: string, maxAgeS: number, secure: boolean): string {
  const parts = [`${nameOf(secure)}=${value}`, 'Path=/', 'HttpOnly', 'SameSite=Lax', `Max-Age=${maxAgeS}`];
  return [...parts, ...(secure ? ['Secure'] : [])].join('; ');
}

function nameOf(secure: boolean): string {
  return secure ? '__Host-sluice-session' : 'sluice-session';
}
