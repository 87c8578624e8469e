/** Waits for a server that was started a moment ago. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something answers. Throws after a minute: a server in Python takes ten seconds, more on a busy machine. */
export async function untilOpen(url: string): Promise<void> {
  for (let tries = 0; tries < 1500; tries++) {
    const response = await fetch(url).catch(() => null);
    await response?.body?.cancel();
    if (response) return;
    await sleep(40);
  }
  throw new Error(`Nothing answers at ${url}.`);
}
