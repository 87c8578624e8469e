/**
 * All that the orders of one gateway have in one market, for an owner of the market that does not know them: one that has
 * just taken it over, or has lost sight of this gateway for a moment.
 */
import type { HeldSlot, Rest } from '#market/ports.ts';
import type { AttemptSlot } from './attempt-slot.ts';
import { type LiveOrder, restCommand } from './live-order.ts';

/** What waits in a market, and what holds its slots. */
export interface Standing {
  /** By rested seq; those that never rested are last. */
  readonly rests: readonly Rest[];
  readonly holds: readonly HeldSlot[];
}

/** The standing of those of `orders` that are of this model. One that ends without running has none, or waits for money. */
export function standingOf(orders: Iterable<LiveOrder>, model: string): Standing {
  const rests: Rest[] = [];
  const holds: HeldSlot[] = [];
  for (const order of orders) {
    if (order.listing.id !== model) continue;
    if (order.slot?.held) holds.push(heldSlot(order, order.slot));
    else if (order.phase === 'queued' ? !order.heldBack : order.phase === 'opening' && order.opening)
      rests.push(restCommand(order));
  }
  return { rests: rests.sort((one, two) => seqOf(one) - seqOf(two)), holds };
}

function heldSlot(order: LiveOrder, { attempt, pod }: AttemptSlot): HeldSlot {
  const { orderId, bid, listing, row } = order;
  const { accountId: account, house } = row;
  const restedSeq = order.restedSeq ?? 0;
  return { model: listing.id, order: orderId, account, attempt, pod, bid, restedSeq, house };
}

function seqOf({ restedSeq }: Rest): number {
  return restedSeq ?? Number.MAX_SAFE_INTEGER;
}
