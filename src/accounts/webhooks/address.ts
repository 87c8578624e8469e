/**
 * Where webhooks may go. A member who sets up an endpoint makes the gateway send requests, so an endpoint must not be a way
 * into the operator's network: https only, and public addresses only, unless the operator names the host. The addresses
 * of a name are looked at for every connection (`sender.ts`), because they may change after a check.
 */
import { BlockList, isIP } from 'node:net';

/** IPv4 that is not one host of the public internet, by RFC 6890 and its successors. */
const NOT_PUBLIC_IPV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
];
/** IPv6: only global unicast is public. Addresses that embed an IPv4 address are outside that range, or listed here. */
const GLOBAL_IPV6 = '2000::/3';
const NOT_PUBLIC_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const notPublic4 = listOf(NOT_PUBLIC_IPV4, 'ipv4');
const global6 = listOf([GLOBAL_IPV6], 'ipv6');
const notPublic6 = listOf(NOT_PUBLIC_IPV6, 'ipv6');

/** Endings of names that are not of the public DNS. `.internal` has the metadata of clouds. */
const LOCAL_NAMES = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|home\.arpa|test|invalid|onion)$/;
const URL_LENGTH_MAX = 2000;

/** Whether an address is one host of the public internet. */
export function isPublic(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !notPublic4.check(address, 'ipv4');
  return version === 6 && global6.check(address, 'ipv6') && !notPublic6.check(address, 'ipv6');
}

/** Hosts that the operator allows, whatever their address, and without TLS: `name` or `name:port`. */
export type AllowedHosts = readonly string[];

/** Whether the operator allows the host of this address. */
export function isAllowed({ hostname, port, protocol }: URL, allow: AllowedHosts): boolean {
  const name = bare(hostname);
  const own = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return allow.includes(name) || allow.includes(`${name}:${own}`);
}

/** Why messages may not be sent to `text`, a sentence; null when they may, as far as can be said without asking DNS. */
export function refusalOf(text: string, allow: AllowedHosts): string | null {
  const url = URL.canParse(text) && text.length <= URL_LENGTH_MAX ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol)) return 'This is not an https:// address.';
  if (url.username !== '' || url.password !== '') return 'An address with a user or a password is not taken.';
  if (isAllowed(url, allow)) return null;
  const name = bare(url.hostname).replace(/\.$/, '');
  const isOfTheNet = isIP(name) === 0 ? name.includes('.') && !LOCAL_NAMES.test(name) : isPublic(name);
  if (!isOfTheNet) return `${name.slice(0, 80)} is not a host of the public internet. ${allowing(url)}`;
  return url.protocol === 'https:' ? null : 'Only https:// is taken: messages must not be read on the way.';
}

/** How it is tried on one's own machine. */
function allowing({ host }: URL): string {
  return host.length > 80
    ? 'The operator of the gateway can name it in webhooks.allow.'
    : `The operator of the gateway can allow it: webhooks: {allow: ["${host}"]}`;
}

/** The host without the brackets of an IPv6 address. */
export function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function listOf(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
