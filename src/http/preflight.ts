/** The question that a browser asks before it sends a request with a key to another origin (CORS preflight). */
import { Fault } from '#base/fault.ts';
import type { Reply } from '#handlers/call.ts';

const HEADERS_TAKEN = [
  'authorization',
  'x-api-key',
  'content-type',
  'idempotency-key',
  'x-price-limit',
  'x-max-price',
  'x-expires-after',
  'x-request-id',
  'anthropic-version',
  'anthropic-beta',
  'anthropic-dangerous-direct-browser-access',
  'x-stainless-arch',
  'x-stainless-lang',
  'x-stainless-os',
  'x-stainless-package-version',
  'x-stainless-retry-count',
  'x-stainless-runtime',
  'x-stainless-runtime-version',
  'x-stainless-timeout',
  'x-stainless-helper-method',
].join(', ');

/** The answer for a path that takes these methods. Throws not_found when there are none. */
export function preflightReply(methods: readonly string[]): Reply {
  if (methods.length === 0) throw new Fault('not_found');
  const allowed = methods.join(', ');
  return {
    status: 204,
    headers: {
      allow: `${allowed}, OPTIONS`,
      'access-control-allow-methods': allowed,
      'access-control-allow-headers': HEADERS_TAKEN,
      'access-control-max-age': '86400',
    },
  };
}
