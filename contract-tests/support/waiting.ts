/**
 * Waits for what happens outside the test's own control flow: sockets, commits, answers of other processes. It polls a
 * condition and fails when it gives up; it never asserts a duration.
 */
import { setTimeout as pause } from 'node:timers/promises';

/** Far longer than anything takes, even on a busy machine. */
export const GIVE_UP_MS = 60_000;

/** Resolves once `condition` holds. Fails with `what` when that takes more than a minute. */
export async function eventually(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`Gave up waiting for ${what}.`);
    await pause(1);
  }
}

/** Repeats `step` until the promise settles; fails when that takes more than a minute. */
export async function whilePending<Result>(promise: Promise<Result>, step: () => Promise<void>): Promise<Result> {
  let pending = true;
  const settle = () => {
    pending = false;
  };
  promise.then(settle, settle);
  await eventually(async () => {
    if (pending) await step();
    return !pending;
  }, 'something that does not end while time passes');
  return promise;
}
