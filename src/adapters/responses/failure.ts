/** Errors within a stream: clients of this shape decide by `code` whether to retry. Spec 6.3. */
import type { Fault } from '#base/fault.ts';

const CODES: Readonly<Record<number, string>> = {
  400: 'invalid_prompt',
  402: 'insufficient_quota',
  408: 'order_expired',
  409: 'order_canceled',
  429: 'rate_limit_exceeded',
};

/** The `error` of a failed response. */
export function responseFailure({ status, message }: Fault) {
  return { code: CODES[status] ?? 'server_error', message };
}
