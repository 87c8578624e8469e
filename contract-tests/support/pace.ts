/** How time passes in contract tests. */
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

/** How far time moves at once. */
export const STEP_MS = 1000;
/** How far it may move at once while nothing is sent, so that no socket needs its time. */
export const IDLE_STEP_MS = 10_000;
/** How far time moves while a commit may begin: well under the second after which the journal counts as stalled. */
export const CHUNK_MS = 250;
/** Real time for sockets after each step of the clock. */
const SETTLE_MS = 8;
/** Turns of the event loop after that: a request and its answer need some of them, however long each takes. */
const SETTLE_TURNS = 20;
/** How far time moves while the gateway is behind. */
export const RETRY_MS = 50;

/** Resolves when sockets have had their time after a step of the clock. */
export async function settled(): Promise<void> {
  await pause(SETTLE_MS);
  for (let turns = 0; turns < SETTLE_TURNS; turns++) await turn();
}
