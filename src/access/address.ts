/** Identifies callers without a key by address: an IPv4 address, or the /64 network of an IPv6 address. */
import { isIPv6 } from 'node:net';

/**
 * The subject under which an address is counted. A subscriber usually has a whole IPv6 /64, so counting single
 * addresses would limit nobody. An IPv4 address mapped into IPv6 counts as the IPv4 address.
 */
export function addressSubject(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const [bare = ''] = address.split('%');
  return isIPv6(bare) ? `${network64(bare)}::/64` : bare;
}

function network64(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    // An IPv4 suffix counts as two groups and never reaches the first four.
    const tailGroups = tail === '' ? [] : tail.split(':');
    const written = groups.length + tailGroups.length + (tail.includes('.') ? 1 : 0);
    groups.push(...Array.from({ length: 8 - written }, () => '0'), ...tailGroups);
  }
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
