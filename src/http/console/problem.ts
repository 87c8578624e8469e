/** A fault as a problem document, and the headers that every answer of these routes has. RFC 9457. */
import { type Fault, publicCode } from '#base/fault.ts';
import { STATUS_CODES } from '#base/node-http.ts';
import type { JsonReply } from '#contract/reply.ts';
import type { FaultPlace } from '../faults.ts';

/** Against being framed, guessed at, embedded or kept. */
export const GUARDS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The reply for a fault. */
export function problemReply(fault: Fault, { requestId }: FaultPlace): JsonReply {
  const { status, code, message, param, retryAfterS } = fault;
  return {
    status,
    headers: {
      ...fault.headers,
      'content-type': 'application/problem+json',
      ...(retryAfterS === null ? {} : { 'retry-after': String(retryAfterS) }),
    },
    json: {
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      detail: message,
      code: publicCode(code),
      param,
      request_id: requestId,
    },
  };
}
