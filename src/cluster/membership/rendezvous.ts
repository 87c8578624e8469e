/** Which of several gateways does something that only one should do: the same answer on all, without asking anybody. */
import { createHash } from 'node:crypto';
import type { GatewayId } from '../messages.ts';

/**
 * The gateway with the highest hash of name and number (rendezvous hashing): when one joins or goes, only what is its
 * own moves. Null without any.
 */
export function preferredFor(name: string, gateways: Iterable<GatewayId>): GatewayId | null {
  let best: { readonly id: GatewayId; readonly score: string } | null = null;
  for (const id of gateways) {
    const score = createHash('sha256').update(`${id}\n${name}`).digest('hex');
    if (!best || score > best.score) best = { id, score };
  }
  return best?.id ?? null;
}
