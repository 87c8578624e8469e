/** The addresses from which a key may be used: IPv4 and IPv6 addresses, and networks in CIDR notation. */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { invalidRequest } from '#base/fault.ts';

/** How many entries a key may have. */
export const ADDRESSES_MAX = 50;

/** The lists by the entries that they were made of, which stay the same object while a key is cached. */
const lists = new WeakMap<readonly string[], BlockList>();

/** Whether a caller at `address` may use a key with these entries. An unknown address may not. */
export function isAllowedFrom(entries: readonly string[], address: string | undefined): boolean {
  const bare = bareAddress(address);
  return bare !== null && listOf(entries).check(bare, isIPv4(bare) ? 'ipv4' : 'ipv6');
}

/**
 * The address of a caller without zone and port; null if the text is no address, as a caller may have written it. Some
 * proxies add the port: `203.0.113.7:4711`, `[2001:db8::7]:4711`.
 */
export function bareAddress(address: string | undefined): string | null {
  const [, v6, v4] = WITH_PORT.exec(address ?? '') ?? [];
  // The zone of a link-local address (`fe80::1%eth0`) names an interface of this machine.
  const [bare = ''] = (v6 ?? v4 ?? address ?? '').split('%');
  return isIP(bare) === 0 ? null : bare;
}

/** In brackets, or IPv4 with a port. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/;

function listOf(entries: readonly string[]): BlockList {
  const known = lists.get(entries);
  if (known) return known;
  const list = new BlockList();
  for (const entry of entries) add(list, entry);
  lists.set(entries, list);
  return list;
}

/**
 * The entries as they are stored: without spaces and repetitions. Throws Fault invalid_request for none, for more than
 * `ADDRESSES_MAX`, and for one that is neither an address nor a network.
 */
export function readAddresses(typed: readonly string[]): string[] {
  const entries = [...new Set(typed.map((entry) => entry.trim()))];
  if (entries.length === 0) throw invalidRequest('addresses', 'A list of addresses must have one entry at least.');
  if (entries.length > ADDRESSES_MAX)
    throw invalidRequest('addresses', `A key may have ${ADDRESSES_MAX} addresses at most; a network counts as one.`);
  const list = new BlockList();
  for (const entry of entries) {
    if (add(list, entry)) continue;
    const text = JSON.stringify(entry.slice(0, ENTRY_LENGTH_MAX));
    throw invalidRequest(
      'addresses',
      `${text} is neither an address nor a network; write 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48.`,
    );
  }
  return entries;
}

/** An IPv6 address with its longest prefix has 43 characters; one that ends as IPv4 a few more. */
const ENTRY_LENGTH_MAX = 49;
const NETWORK = /^([\d.]+|[\da-f:.]+)(?:\/(\d{1,3}))?$/i;

/** Adds nothing and returns false if the text is neither an address nor a network. */
function add(list: BlockList, entry: string): boolean {
  const [, address = '', prefix] = NETWORK.exec(entry) ?? [];
  const family = isIP(address);
  if (family === 0 || entry.length > ENTRY_LENGTH_MAX) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  if (prefix === undefined) list.addAddress(address, type);
  else if (Number(prefix) > (family === 4 ? 32 : 128)) return false;
  else list.addSubnet(address, Number(prefix), type);
  return true;
}
