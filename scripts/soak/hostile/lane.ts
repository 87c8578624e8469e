/** What every lane of a hostile soak has: a lane is one client that does one kind of thing over and over. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, seededRandom } from '#base/random.ts';
import { between } from './chance.ts';
import type { Caller, Client } from './client.ts';
import type { Ledger } from './ledger.ts';

/** The surroundings of all lanes. */
export interface Field {
  readonly client: Client;
  readonly ledger: Ledger;
  readonly seed: number;
  /** True once nothing new may be begun; what was begun is brought to its end. */
  isOver(): boolean;
}

/** One lane. */
export interface Lane extends Field {
  readonly name: string;
  readonly random: Random;
  readonly caller: Caller;
  /** Waits up to twice `meanMs`. */
  pause(meanMs: number): Promise<void>;
}

/** Runs `once` in `count` lanes until the soak is over; resolves when all have ended. */
export async function runLanes(
  field: Field,
  { name, count, caller, pauseMs }: { name: string; count: number; caller: Caller; pauseMs: number },
  once: (lane: Lane) => Promise<void>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const random = seededRandom(seedOf(field.seed, `${name} ${index}`));
      const pause = (meanMs: number) => sleep(between(random, 0, 2 * meanMs));
      const lane: Lane = { ...field, name, random, caller, pause, isOver: () => field.isOver() };
      while (!field.isOver()) {
        await once(lane).catch((error: unknown) => field.ledger.found(`${name}: ${(error as Error).stack}`));
        await pause(pauseMs);
      }
    }),
  );
}

/** A seed of its own for each lane, so that a new lane does not change the draws of the others. */
function seedOf(seed: number, name: string): number {
  let mixed = seed >>> 0;
  for (const character of name) mixed = Math.imul(mixed ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return mixed;
}
