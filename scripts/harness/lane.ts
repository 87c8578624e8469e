/** A lane is one client that does one kind of thing over and over, until the run is over. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, seededRandom } from '#base/random.ts';
import { between } from './chance.ts';
import type { Caller, Client } from './client.ts';
import type { Ledger } from './ledger.ts';
import { drawRequest, type OrderRequest, type Wishes } from './requests.ts';

/** The surroundings of all lanes. */
export interface Field {
  readonly client: Client;
  readonly ledger: Ledger;
  readonly seed: number;
  /** What the requests of all lanes have in common. */
  readonly wishes?: Wishes;
  /** Multiplies every pause of the lanes; 1 by default. */
  readonly pace?: number;
  /** True once nothing new may be begun; what was begun is brought to its end. */
  isOver(): boolean;
}

/** One lane. */
export interface Lane extends Field {
  readonly name: string;
  readonly random: Random;
  readonly caller: Caller;
  /** Waits up to twice `meanMs`, at a pace of 1. */
  pause(meanMs: number): Promise<void>;
  /** Draws a request. */
  draw(wishes?: Wishes): OrderRequest;
}

/** As much of a lane as a single request needs. */
export type Asker = Pick<Lane, 'client' | 'ledger' | 'caller' | 'name'>;

/** Lanes that do the same. */
export interface Lanes {
  readonly name: string;
  readonly count: number;
  readonly caller: Caller;
  /** Between one thing and the next: a random time up to twice this. */
  readonly pauseMs: number;
  readonly once: (lane: Lane) => Promise<unknown>;
}

/** Runs all of them until the run is over; resolves when what was begun has ended. */
export async function runLanes(field: Field, all: readonly Lanes[]): Promise<void> {
  await Promise.all(
    all.flatMap((lanes) => Array.from({ length: lanes.count }, (_, index) => runLane(field, lanes, index))),
  );
}

async function runLane(field: Field, { name, caller, pauseMs, once }: Lanes, index: number): Promise<void> {
  const random = seededRandom(seedOf(field.seed, `${name} ${index}`));
  const { pace = 1 } = field;
  const pause = (meanMs: number) => sleep(between(random, 0, 2 * meanMs * pace));
  const draw = (wishes: Wishes = {}) => drawRequest(random, { ...field.wishes, ...wishes });
  const lane: Lane = { ...field, name, random, caller, pause, draw };
  while (!field.isOver()) {
    await once(lane).catch((error: unknown) => field.ledger.found(`${name}: ${(error as Error).stack}`));
    if (pauseMs > 0) await pause(pauseMs);
  }
}

/** A seed of its own for each lane, so that a new lane does not change the draws of the others. */
function seedOf(seed: number, name: string): number {
  let mixed = seed >>> 0;
  for (const character of name) mixed = Math.imul(mixed ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return mixed;
}
