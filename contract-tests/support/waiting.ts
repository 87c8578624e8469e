/**
 * Waiting for what happens outside the test's own thread of control: sockets, commits, other processes' answers. It
 * watches a condition and gives up loudly; it never asserts how long anything took.
 */
import { setTimeout as pause } from 'node:timers/promises';

/** Far longer than anything takes, on however busy a machine. */
const GIVE_UP_MS = 60_000;

/** Resolves once `condition` holds. Fails naming `what` when it does not within a minute. */
export async function eventually(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`Waited in vain for ${what}.`);
    await pause(1);
  }
}

/** Takes steps until the promise settles; gives up loudly when it does not within a minute. */
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
