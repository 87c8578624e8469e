/** A manual clock for real sockets, which need real time. */
import assert from 'node:assert/strict';
import type { ManualClock } from './manual-clock.ts';

/** What has a clock, and moves it a little by `step`. */
interface World {
  readonly clock: ManualClock;
  step(): Promise<void>;
}

/** Far below every timeout between gateways: what has arrived is read before one can run out. */
const STEP_MS_MAX = 20;

/**
 * Steps for real sockets, which need real time: the clock runs five times as fast as the machine's. It stands still while
 * this process does, as on a busy machine: a silence that nobody could have broken must not end a session.
 */
export function faster(clock: ManualClock): () => Promise<void> {
  let lastMs = performance.now();
  return async () => {
    const passedMs = Math.floor((performance.now() - lastMs) * 5);
    lastMs += passedMs / 5;
    await clock.advance(Math.min(passedMs, STEP_MS_MAX));
  };
}

const MINUTE_MS = 60_000;

/** Moves the clock of a world until `holds`; fails after a minute of its time. */
export async function until(world: World, what: string, holds: () => boolean) {
  const sinceMs = world.clock.nowMs();
  while (!holds()) {
    assert.ok(world.clock.nowMs() - sinceMs < MINUTE_MS, `not seen: ${what}`);
    await world.step();
  }
}
