/**
 * Replies with an ETag: a client that sends it back as If-None-Match gets 304 without a body while the response is
 * the same (RFC 9110, 8.8.3). The tag is a hash of the content, so that two contents never share one; it is weak,
 * because the response may be compressed on its way.
 */
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '#base/clock.ts';
import { type EmptyReply, type Headers, type RawReply, type Rendered, rendered } from '#contract/reply.ts';

/** How long a response about levels may be cached: levels move once a second. */
export const LEVEL_AGE_S = 1;
/**
 * How long a response that only the configuration changes may be cached: callers see a change this much later at most.
 */
export const CONFIGURED_AGE_S = 60;

/** JSON text and how long it may be cached; `headers` are sent with 304 too. */
interface TaggedContent<Json> {
  readonly raw: Rendered<Json>;
  readonly maxAgeS: number;
  readonly headers?: Headers;
  /** Of `raw`, by `tagOf`; computed when absent. */
  readonly etag?: string;
  /** As in RawReply. */
  readonly shared?: boolean;
  readonly release?: () => void;
}

/** The content with its tag, or 304 for a client that has it already. */
export type ConditionalReply<Json> = (RawReply<Rendered<Json>> & { readonly status: 200 }) | EmptyReply<304>;

/** The reply to a request with these headers: 200, or 304 for a client that has the content already. */
export function conditionalReply<Json>(
  requestHeaders: IncomingHttpHeaders,
  content: TaggedContent<Json>,
): ConditionalReply<Json> {
  const { raw, maxAgeS, headers, shared, release } = content;
  const etag = content.etag ?? tagOf(raw);
  const cacheHeaders = { ...headers, 'cache-control': `public, max-age=${maxAgeS}`, etag };
  if (matches(requestHeaders, etag)) {
    release?.();
    return { status: 304, headers: cacheHeaders };
  }
  return { status: 200, headers: { ...cacheHeaders, 'content-type': 'application/json' }, raw, shared, release };
}

/** A weak ETag. */
export function tagOf(raw: string | Uint8Array): string {
  return `W/"${hash('sha1', raw, 'base64url')}"`;
}

/** Whether If-None-Match names this tag, by the weak comparison. */
function matches({ 'if-none-match': tags }: IncomingHttpHeaders, etag: string): boolean {
  if (tags === undefined) return false;
  const known = ['*', opaquePart(etag)];
  return tags.split(',').some((tag) => known.includes(opaquePart(tag.trim())));
}

function opaquePart(tag: string): string {
  return tag.replace(/^W\//, '');
}

/** Of statistics, which are the same for everyone and change with every probe and charge. */
export const statisticsCaching: Headers = { 'cache-control': 'public, max-age=10' };

interface SharedAnswer<Json> {
  readonly bytes: Rendered<Json>;
  readonly etag: string;
  readonly untilMs: number;
}

/**
 * Answers that are the same for everyone, by name. Each is built once, however many ask, and shared until it is too old. The
 * caller keeps the number of names bounded: it only names what is in the configuration.
 */
export class SharedAnswers<Json> {
  readonly #clock: Clock;
  readonly #ageS: number;
  readonly #answers = new Map<string, SharedAnswer<Json>>();
  /** At most one for each name, which all that ask meanwhile wait for. */
  readonly #building = new Map<string, Promise<SharedAnswer<Json>>>();

  /** An answer is built again `ageS` seconds after the last one. */
  constructor(clock: Clock, ageS: number) {
    this.#clock = clock;
    this.#ageS = ageS;
  }

  /**
   * The answer of this name, which `build` returns as JSON. Rejects with what `build` throws; the next request
   * makes it try again.
   */
  async reply(headers: IncomingHttpHeaders, name: string, build: () => Promise<Json>): Promise<ConditionalReply<Json>> {
    const kept = this.#answers.get(name);
    const leftMs = kept ? kept.untilMs - this.#clock.monotonicMs() : 0;
    const answer = kept && leftMs > 0 ? kept : await this.#build(name, build);
    const maxAgeS = Math.max(1, Math.ceil((answer.untilMs - this.#clock.monotonicMs()) / 1000));
    return conditionalReply(headers, { raw: answer.bytes, etag: answer.etag, maxAgeS, shared: true });
  }

  #build(name: string, build: () => Promise<Json>): Promise<SharedAnswer<Json>> {
    const building = this.#building.get(name);
    if (building) return building;
    const untilMs = this.#clock.monotonicMs() + this.#ageS * 1000;
    const begun = build()
      .then((json) => {
        const bytes = Buffer.from(rendered(json)) as Uint8Array as Rendered<Json>;
        const answer = { bytes, etag: tagOf(bytes), untilMs };
        this.#answers.set(name, answer);
        return answer;
      })
      .finally(() => this.#building.delete(name));
    this.#building.set(name, begun);
    return begun;
  }
}
