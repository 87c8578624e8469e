/**
 * What HTTP asks of a server and Node leaves to it: one host to a request, which decides with every proxy in between what
 * is asked for, and leave to send a body only where the version knows of it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Fault } from '#base/fault.ts';

/** Throws invalid_request unless there is one Host header; HTTP/1.0 may do without. RFC 9112, 3.2. */
export function assertOneHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  let hosts = 0;
  for (let name = 0; name < rawHeaders.length; name += 2) {
    if (rawHeaders[name]?.length === 4 && rawHeaders[name]?.toLowerCase() === 'host') hosts++;
  }
  if (hosts === 1 || (hosts === 0 && httpVersion !== '1.1')) return;
  throw new Fault('invalid_request', { param: 'host', message: 'A request has exactly one Host header.' });
}

/** Lets a client send that waits for leave to. HTTP/1.0 knows no such answer and would take it for the reply. RFC 9110, 10.1.1. */
export function giveLeaveToSend({ headers, httpVersion }: IncomingMessage, response: ServerResponse): void {
  if (headers.expect !== undefined && httpVersion === '1.1') response.writeContinue();
}
