/** CORS: what a page of another site may send and read, and the preflight by which its browser asks. */
import { Fault } from '#base/fault.ts';
import type { Reply } from '#contract/reply.ts';

/** Allowed whether or not the browser asks for them. */
const HEADERS = [
  'authorization',
  'x-api-key',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'traceparent',
  'tracestate',
  'user-agent',
  'x-client-request-id',
  'x-dry-run',
  'x-expires-after',
  'x-max-charge-usd',
  'x-deadline',
  'x-max-price',
  'x-price-limit',
  'x-request-id',
];

/**
 * The headers that official clients add about themselves, more of them in each release. `*` would allow all but
 * `Authorization`, yet older browsers do not know it, and it lets a page send what a proxy in front may trust, such as
 * `X-Forwarded-For`.
 */
const FAMILY = /^(?:anthropic|openai|x-stainless)-[a-z\d-]{1,64}$/;
/** Far more than any client sends. */
const FAMILY_HEADERS_MAX = 50;

/**
 * The reply for a path with these methods. `askedHeaders` is the browser's `Access-Control-Request-Headers`. Throws
 * not_found when there are no methods.
 */
export function preflightReply(methods: readonly string[], askedHeaders = ''): Reply {
  if (methods.length === 0) throw new Fault('not_found');
  const allowed = methods.join(', ');
  const asked = askedHeaders.toLowerCase().split(',');
  const family = asked.map((name) => name.trim()).filter((name) => FAMILY.test(name));
  return {
    status: 204,
    headers: {
      allow: `${allowed}, OPTIONS`,
      'access-control-allow-methods': allowed,
      'access-control-allow-headers': [...HEADERS, ...family.slice(0, FAMILY_HEADERS_MAX)].join(', '),
      'access-control-max-age': '86400',
    },
  };
}

/** Keys are sent in headers, never in cookies, so any web page may read what its key allows. */
export const ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': [
    'x-service-order-id',
    'idempotent-replayed',
    'deprecation',
    'sunset',
    'x-request-id',
    'request-id',
    'retry-after',
    'x-should-retry',
    'etag',
    'x-price-valid-until',
    'x-price-window-seconds',
    'content-disposition',
  ].join(', '),
};
