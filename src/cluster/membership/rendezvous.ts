/**
 * Which of several gateways does something that only one should do: the same answer on all, without asking
 * anybody. `lease-keeper.ts` takes the leases of markets by it.
 */
import { HASH_START, hashOf } from '#base/random.ts';
import type { GatewayId } from '../messages.ts';

/**
 * The gateway with the highest hash of name and number (rendezvous hashing): when one comes or goes, only what it gets or
 * had moves. Null without any.
 */
export function preferredFor(name: string, gateways: Iterable<GatewayId>): GatewayId | null {
  let best: { readonly id: GatewayId; readonly rank: number } | null = null;
  for (const id of gateways) {
    const rank = rankOf(name, id);
    if (!best || rank > best.rank || (rank === best.rank && id < best.id)) best = { id, rank };
  }
  return best?.id ?? null;
}

/** Mixed at the end, so that ids next to each other differ everywhere. */
function rankOf(name: string, id: GatewayId): number {
  let hash = hashOf(name, HASH_START ^ id);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
