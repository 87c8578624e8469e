/** Waiting in tests for what has no event to wait for. */
import { setTimeout as pause } from 'node:timers/promises';

/** Asks every few milliseconds until the condition holds; a test that waits in vain is ended by the runner. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(10);
}
