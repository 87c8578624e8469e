/**
 * What HTTP requires of a server and Node does not do: refuse a request without exactly one valid Host header, with an
 * X-Forwarded-Host that could not be one, with two Authorization headers or with a body coded for the transfer in other than
 * chunks, because proxies could read it differently, and send 100 Continue only to HTTP versions that know it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIPv6 } from 'node:net';
import { invalidRequest } from '#base/fault.ts';

/**
 * Throws invalid_request unless there is one valid Host header (HTTP/1.0 may do without), no invalid X-Forwarded-Host, at
 * most one Authorization header, and no transfer coding besides chunked. RFC 9112, 3.2 and 6.1; RFC 9110, 5.3.
 */
export function assertUnambiguous(request: IncomingMessage): void {
  const hosts = headersNamed('host', request);
  if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1')) {
    throw invalidRequest('host', 'A request must have exactly one Host header.');
  }
  const invalid = invalidHost(request);
  if (invalid !== null) {
    throw invalidRequest(
      invalid.toLowerCase(),
      `The ${invalid} header must be a name or an address, with or without a port.`,
    );
  }
  if (headersNamed('authorization', request) > 1) {
    throw invalidRequest('authorization', 'A request must not have two Authorization headers.');
  }
  if ((request.headers['transfer-encoding'] ?? 'chunked').trim().toLowerCase() !== 'chunked') {
    throw invalidRequest(
      'transfer-encoding',
      'The only supported Transfer-Encoding is chunked; compress with Content-Encoding.',
    );
  }
}

/** `uri-host [ ":" port ]` of RFC 9110, 7.2, which may be empty. Browsers and this gateway know no IPvFuture. */
const HOST = /^(?:\[([\da-f:.]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/**
 * The header that names the host of the request and is invalid; null if both are valid. A chain of proxies makes a
 * list.
 */
export function invalidHost({ headers }: IncomingMessage): 'Host' | 'X-Forwarded-Host' | null {
  if (!isHost(headers.host ?? '')) return 'Host';
  const forwarded = String(headers['x-forwarded-host'] ?? '').split(',');
  return forwarded.every((host) => isHost(host.trim())) ? null : 'X-Forwarded-Host';
}

/** Whether a proxy says that it forwarded the request; one that is not trusted may say so too. */
export function saysForwarded({ headers }: IncomingMessage): boolean {
  return headers['x-forwarded-for'] !== undefined || headers['x-forwarded-proto'] !== undefined;
}

function isHost(value: string): boolean {
  const [matched, bracketed] = HOST.exec(value) ?? [];
  return matched !== undefined && (bracketed === undefined || isIPv6(bracketed));
}

function headersNamed(wanted: string, { rawHeaders }: IncomingMessage): number {
  let found = 0;
  for (let name = 0; name < rawHeaders.length; name += 2) {
    if (rawHeaders[name]?.length === wanted.length && rawHeaders[name]?.toLowerCase() === wanted) found++;
  }
  return found;
}

/** Sends 100 Continue to a client that waits for it; HTTP/1.0 would take it for the response. RFC 9110, 10.1.1. */
export function sendContinue({ headers, httpVersion }: IncomingMessage, response: ServerResponse): void {
  if (headers.expect === undefined || httpVersion !== '1.1') return;
  response.writeContinue();
  // From now on the body comes, as that of a caller who did not ask.
  delete headers.expect;
}

/** Where load balancers ask. */
export const HEALTH = '/healthz';
