/**
 * Answers that stay the same for as long as the process lives, because they are read from the configuration: rendered
 * once, kept by readers for a while, and asked for again by their tag (RFC 9110, 8.8.3).
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Headers, OpenHandler } from './call.ts';

/** How long a reader may go on with what it has: a new configuration is seen at most this much later. */
const MAX_AGE_S = 60;

/** A handler that answers `json`, or 304 to a reader that has it already. */
export function lastingReply(json: unknown): OpenHandler {
  const raw = JSON.stringify(json);
  const etag = `"${createHash('sha256').update(raw).digest('base64url').slice(0, 22)}"`;
  const headers: Headers = { 'cache-control': `public, max-age=${MAX_AGE_S}`, etag };
  const whole = { ...headers, 'content-type': 'application/json' };
  return (call) => (names(call.headers, etag) ? { status: 304, headers } : { status: 200, headers: whole, raw });
}

/** Whether If-None-Match names this tag; the comparison is the weak one. */
function names({ 'if-none-match': tags }: IncomingHttpHeaders, etag: string): boolean {
  if (tags === undefined) return false;
  return tags.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}
