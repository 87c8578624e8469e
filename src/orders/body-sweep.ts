/**
 * Deletes bodies that are kept too long or are too much: those whose time has come, and the oldest of an account above
 * its cap, whether they are results or files. Bounded steps, so that a million bodies due at once delay nobody. Spec 8.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { KeptBody, Shelf, StorageIndex } from './ports.ts';

/** How often is looked; also the longest that a body stays after its time. A read refuses it to the millisecond. */
export const SWEEP_MS = 60_000;
const STEP = 100;

/** What the sweep needs. */
export interface SweepParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Every kind of body that counts. */
  readonly shelves: readonly Shelf[];
  readonly storage: StorageIndex;
  /** What one account may keep, in bytes. */
  readonly storedBytesMax: number;
}

/** A body, and where it is let go. */
interface Standing {
  readonly shelf: Shelf;
  readonly body: KeptBody;
}

/** Sweeps until it is closed. */
export class BodySweep {
  readonly #parts: SweepParts;
  #timer: Timer | null = null;
  #closed = false;

  constructor(parts: SweepParts) {
    this.#parts = parts;
    this.#schedule();
  }

  /** Sweeps everything that is due now. Rejects when the database or the disk does; what was swept stays swept. */
  async sweep(): Promise<void> {
    const { shelves, storage, storedBytesMax, clock } = this.#parts;
    const nowMs = clock.nowMs();
    for (const shelf of shelves) {
      await this.#repeat(async () => remove(standingOn(shelf, await shelf.expired(nowMs, STEP))));
    }
    await this.#repeat(async () => this.#evictFrom(await storage.overfull(storedBytesMax, STEP)));
  }

  /** Ends with the step under way, which waits for the journal at the longest. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #schedule(): void {
    this.#timer = this.#parts.clock.after(SWEEP_MS, () => {
      this.sweep()
        .catch((error) => {
          if (!this.#closed) this.#parts.log.error({ err: error }, 'Bodies could not be swept; trying later.');
        })
        .finally(() => {
          if (!this.#closed) this.#schedule();
        });
    });
  }

  /** Repeats a step while it finds something. */
  async #repeat(step: () => Promise<number>): Promise<void> {
    while (!this.#closed && (await step()) > 0);
  }

  async #evictFrom(accounts: readonly { accountId: string; bytes: number }[]): Promise<number> {
    let evicted = 0;
    for (const { accountId, bytes } of accounts) {
      const kinds = this.#parts.shelves.map(async (shelf) => standingOn(shelf, await shelf.oldest(accountId, STEP)));
      const oldest = (await Promise.all(kinds)).flat().sort((one, other) => one.body.sinceMs - other.body.sinceMs);
      // Beyond a step there may be an older one that was not read.
      evicted += await remove(firstOf(oldest.slice(0, STEP), bytes - this.#parts.storedBytesMax));
    }
    return evicted;
  }
}

function standingOn(shelf: Shelf, bodies: readonly KeptBody[]): Standing[] {
  return bodies.map((body) => ({ shelf, body }));
}

async function remove(standing: readonly Standing[]): Promise<number> {
  await Promise.all(standing.map(({ shelf, body }) => shelf.remove(body)));
  return standing.length;
}

/** The first bodies that together make up `excess`. */
function firstOf(standing: readonly Standing[], excess: number): Standing[] {
  let bytes = 0;
  const count = standing.findIndex(({ body }) => {
    bytes += body.bytes;
    return bytes >= excess;
  });
  return count < 0 ? [...standing] : standing.slice(0, count + 1);
}
