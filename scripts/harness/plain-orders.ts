/** Orders of callers that wait for the answer, or leave at any moment. */
import { between, chance } from './chance.ts';
import type { Leaving } from './client.ts';
import type { Lane } from './lane.ts';
import type { OrderRequest, Wishes } from './requests.ts';

const LEAVES = 1 / 6;

/** Sends one order. */
export async function sendPlain(lane: Lane, wishes: Wishes = {}, allowed: readonly string[] = []): Promise<void> {
  const request = lane.draw(wishes);
  await lane.client.order(lane.caller, request, { lane: lane.name, leaving: drawLeaving(lane, request), allowed });
}

/** When the caller leaves; null when it stays, as most do. */
export function drawLeaving({ random }: Pick<Lane, 'random'>, { stream }: OrderRequest): Leaving | null {
  if (!chance(random, LEAVES)) return null;
  if (stream && chance(random, 1 / 2)) return { afterPieces: between(random, 1, 4) };
  return { afterMs: between(random, 0, 800) };
}
