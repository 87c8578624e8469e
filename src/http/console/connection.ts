/**
 * Where a request of the settings and the console may come from: over TLS, as a trusted proxy says, or from a browser on
 * this machine. A change must also come from a page of this gateway. That the name of the host is one of this machine
 * keeps out a site that has its own name resolve to it.
 */
import type { Request } from 'express';
import { Fault } from '#base/fault.ts';
import { isLoopback } from '#base/loopback.ts';

/** Throws needs_tls unless the connection may carry a session; `insecure` allows every one. */
export function assertMayCarrySession(request: Request, insecure: boolean): void {
  if (!insecure && !request.secure && !isLocal(request)) throw new Fault('needs_tls');
}

/**
 * Throws forged_request when a browser says that the request comes from another site. What is no browser may say
 * nothing: it has no session but its own.
 */
export function assertOwnPage(request: Request): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isOwn = origin === undefined ? site === undefined || isOwnSite(site) : isOwnOrigin(origin, request);
  if (!isOwn) throw new Fault('forged_request');
}

function isLocal({ socket, headers }: Request): boolean {
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/i, '');
  const host = URL.parse(`http://${headers.host}`)?.hostname ?? '';
  return isLoopback(peer) && isLoopback(host.replace(/^\[|\]$/g, ''));
}

function isOwnSite(site: string | string[]): boolean {
  return site === 'same-origin' || site === 'none';
}

/** A page that came without TLS may have been changed on its way: it is no page of a gateway with TLS. */
function isOwnOrigin(origin: string, request: Request): boolean {
  const url = URL.parse(origin);
  if (!url || url.host !== URL.parse(`${url.protocol}//${request.host}`)?.host) return false;
  return url.protocol === 'https:' || !request.secure;
}
