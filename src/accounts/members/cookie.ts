/**
 * The cookie of a session, and that of an attempt to sign in. Over TLS a name begins with `__Host-`: browsers then refuse it without Secure, with a Domain, or
 * from another host, so that no neighbouring site can plant one. They refuse that name altogether without TLS, so a
 * plain connection, which only the same machine may use by default, has a name of its own; neither is ever read where
 * the other belongs. Decision 43.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { ATTEMPT_MS_MAX } from './attempts.ts';
import { SESSION_MS_MAX } from './sessions.ts';

/** What each cookie is for: the name after the prefix, and whether a visit from another site brings it. */
const COOKIES = {
  session: { name: 'sluice-session', sameSite: 'Lax', maxAgeMs: SESSION_MS_MAX },
  attempt: { name: 'sluice-attempt', sameSite: 'Strict', maxAgeMs: ATTEMPT_MS_MAX },
} as const;

type Cookie = keyof typeof COOKIES;

/**
 * The value of a cookie; null when none was sent on this kind of connection. Of two cookies with one name the first
 * counts.
 */
export function cookieIn({ cookie = '' }: IncomingHttpHeaders, secure: boolean, which: Cookie = 'session') {
  const prefix = `${nameOf(which, secure)}=`;
  const found = cookie.split(';').find((pair) => pair.trimStart().startsWith(prefix));
  return found === undefined ? null : found.trim().slice(prefix.length);
}

/** The value of Set-Cookie for a new secret. */
export function cookieFor(secret: string, secure: boolean, which: Cookie = 'session'): string {
  return written(which, secret, COOKIES[which].maxAgeMs / 1000, secure);
}

/** The value of Set-Cookie that removes the cookie of the session. */
export function noCookie(secure: boolean): string {
  return written('session', '', 0, secure);
}

function written(which: Cookie, value: string, maxAgeS: number, secure: boolean): string {
  const { sameSite } = COOKIES[which];
  const parts = [
    `${nameOf(which, secure)}=${value}`,
    'Path=/',
    'HttpOnly',
    `SameSite=${sameSite}`,
    `Max-Age=${maxAgeS}`,
  ];
  return [...parts, ...(secure ? ['Secure'] : [])].join('; ');
}

function nameOf(which: Cookie, secure: boolean): string {
  return secure ? `__Host-${COOKIES[which].name}` : COOKIES[which].name;
}
