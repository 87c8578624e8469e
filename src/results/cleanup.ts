/**
 * Retention cleanup: deletes expired results and files, and evicts the oldest of an account above its storage cap. It
 * works in bounded steps, so that a million items that expire at once delay nobody. What a kill left without an owner
 * is deleted by `storage/cleanup`. Spec 8.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { JournalPort } from '#base/journal.ts';
import type { Log } from '#base/log.ts';
import type { Overfull, ResultStore, ResultUnits, Retained, RetainedItem, RetentionIndex } from './ports.ts';

/** The interval; also the longest that an item stays after its expiry. Reads refuse it to the millisecond. */
export const CLEANUP_MS = 60_000;
const STEP = 100;

interface CleanupOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Every kind of item that counts towards the cap. */
  readonly retained: readonly Retained[];
  readonly overfull: Overfull;
  /** How many bytes one account may keep. */
  readonly storedBytesMax: () => number;
  /** Whether this gateway does it now: of several, one does. Always when absent. */
  readonly mayRun?: (() => boolean) | undefined;
}

/** An item, and the kind that deletes it. */
interface Due {
  readonly retained: Retained;
  readonly item: RetainedItem;
}

/** Cleans up periodically until it is closed. */
export class RetentionCleanup {
  readonly #options: CleanupOptions;
  #timer: Timer | null = null;
  #closed = false;

  constructor(options: CleanupOptions) {
    this.#options = options;
    this.#schedule();
  }

  /** Deletes everything that is due now. Rejects when the database or the disk fails; what is deleted stays deleted. */
  async cleanUp(): Promise<void> {
    const { retained, overfull, storedBytesMax, clock, mayRun } = this.#options;
    if (mayRun?.() === false) return;
    const nowMs = clock.nowMs();
    for (const kind of retained) {
      await this.#repeat(async () => remove(dueOf(kind, await kind.expired(nowMs, STEP))));
    }
    await this.#repeat(async () => this.#evictFrom(await overfull(storedBytesMax(), STEP)));
  }

  /** The step under way still finishes; it waits for the journal at most. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #schedule(): void {
    this.#timer = this.#options.clock.after(CLEANUP_MS, () => {
      this.cleanUp()
        .catch((error) => {
          if (this.#closed) return;
          this.#options.log.error({ err: error }, 'Results and files could not be deleted; trying later.');
        })
        .finally(() => {
          if (!this.#closed) this.#schedule();
        });
    });
  }

  /** Repeats a step while it deletes items that the step before did not: one that stays listed would be next for ever. */
  async #repeat(step: () => Promise<readonly string[]>): Promise<void> {
    let before = new Set<string>();
    while (!this.#closed) {
      const deleted = await step();
      if (deleted.every((id) => before.has(id))) return;
      before = new Set(deleted);
    }
  }

  async #evictFrom(accounts: readonly { accountId: string; bytes: number }[]): Promise<readonly string[]> {
    const evicted: string[] = [];
    for (const { accountId, bytes } of accounts) {
      const kinds = this.#options.retained.map(async (kind) => dueOf(kind, await kind.oldest(accountId, STEP)));
      const oldest = (await Promise.all(kinds)).flat().sort((one, other) => one.item.sinceMs - other.item.sinceMs);
      // Items beyond STEP may be newer than items of another kind that were not read yet.
      evicted.push(...(await remove(firstOf(oldest.slice(0, STEP), bytes - this.#options.storedBytesMax()))));
    }
    return evicted;
  }
}

function dueOf(retained: Retained, items: readonly RetainedItem[]): Due[] {
  return items.map((item) => ({ retained, item }));
}

/** Deletes the items; their ids. */
async function remove(due: readonly Due[]): Promise<string[]> {
  await Promise.all(due.map(({ retained, item }) => retained.remove(item)));
  return due.map(({ item }) => item.id);
}

/** The first items that together make up `excess`. */
function firstOf(due: readonly Due[], excess: number): Due[] {
  let bytes = 0;
  const count = due.findIndex(({ item }) => {
    bytes += item.bytes;
    return bytes >= excess;
  });
  return count < 0 ? [...due] : due.slice(0, count + 1);
}

/** Results as the cleanup sees them. The row first says that one is gone; then its blob is deleted. */
export function retainedResults(options: {
  readonly index: RetentionIndex;
  readonly journal: Pick<JournalPort<ResultUnits>, 'write'>;
  readonly results: Pick<ResultStore, 'delete'>;
}): Retained {
  const { index, journal, results } = options;
  return {
    expired: (nowMs, limit) => index.expired(nowMs, limit),
    oldest: (accountId, limit) => index.oldest(accountId, limit),
    async remove({ id: orderId, accountId }) {
      await journal.write({ kind: 'result-removed', orderId, accountId });
      await results.delete(orderId);
    },
  };
}
