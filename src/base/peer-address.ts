/** Where gateways reach each other: `host:port`. */
import { isIP, isIPv6 } from 'node:net';

/** A host, an IP address without brackets or a name, and a port; port 0 asks the system for a free one. */
export interface PeerAddress {
  readonly host: string;
  readonly port: number;
}

/** How gateways reach each other, and the secret that shows that they belong together. */
export interface PeerSettings extends PeerAddress {
  /** Where to listen: an IP address, or null for all of them, and a port; another one where the address is forwarded. */
  readonly bind: { readonly host: string | null; readonly port: number };
  /** Known only to the gateways of the database; at least 32 characters. */
  readonly secret: string;
}

/** The address in `text`, such as `10.0.0.7:9100`, `[fd00::7]:9100` or `sluice-1.internal:9100`; null for none. */
export function parsePeerAddress(text: string): PeerAddress | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)):(\d{1,5})$/i.exec(text);
  const [, bracketed, plain, digits] = match ?? [];
  const port = Number(digits);
  if (!match || port > 65_535 || text.length > ADDRESS_LENGTH_MAX) return null;
  if (bracketed !== undefined) return isIPv6(bracketed) ? { host: bracketed, port } : null;
  if (plain === undefined || (/^[\d.]+$/.test(plain) && isIP(plain) === 0)) return null;
  return { host: plain, port };
}

/** The column of the table of leases is no longer. */
const ADDRESS_LENGTH_MAX = 255;

/** The same as text, with brackets around an IPv6 address. */
export function formatPeerAddress({ host, port }: PeerAddress): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Whether the Host header names this machine: no site whose own name leads here has a page that may ask. */
export function namesLoopback(header: string | undefined): boolean {
  const host = URL.parse(`http://${header}`)?.hostname ?? '';
  return isLoopback(host.replace(/^\[|\]$/g, ''));
}

/** Whether only this machine can reach `host`: a name or an address as in a configuration or a Host header. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
