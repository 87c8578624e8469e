/**
 * Answers with a tag: a reader that sends it back as If-None-Match gets 304 and no body while the answer is still the
 * same (RFC 9110, 8.8.3). The tag is drawn from the bytes, so it can never name two answers.
 */
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Headers, Reply } from './call.ts';

/** How long what is told of a level may be kept: levels move once a second. */
export const LEVEL_AGE_S = 1;

/** JSON text, rendered, and for how long its readers may keep it; `headers` are its own, and go with 304 too. */
export interface TaggedAnswer {
  readonly raw: string | Uint8Array;
  readonly maxAgeS: number;
  readonly headers?: Headers;
  /** As in a reply. */
  readonly release?: () => void;
}

/** The reply to a call with these headers: 200, or 304 to a reader that has it already. */
export function conditionalReply(asked: IncomingHttpHeaders, answer: TaggedAnswer): Reply {
  const { raw, maxAgeS, headers, release } = answer;
  const etag = tagOf(raw);
  const standing = { ...headers, 'cache-control': `public, max-age=${maxAgeS}`, etag };
  if (names(asked, etag)) {
    release?.();
    return { status: 304, headers: standing };
  }
  const reply = { status: 200, headers: { ...standing, 'content-type': 'application/json' }, raw };
  return release ? { ...reply, release } : reply;
}

/** A strong tag. */
function tagOf(raw: string | Uint8Array): string {
  return `"${hash('sha1', raw, 'base64url')}"`;
}

/** Whether If-None-Match names this tag; the comparison is the weak one. */
function names({ 'if-none-match': tags }: IncomingHttpHeaders, etag: string): boolean {
  if (tags === undefined) return false;
  return tags.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}
