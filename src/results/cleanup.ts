/**
 * Retention cleanup: deletes expired results and files, and evicts from accounts above their cap (`eviction.ts`). It
 * works in bounded steps, so that a million items that expire at once delay nobody. What a kill left without an owner
 * is deleted by `storage/cleanup`. Spec 8.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { JournalPort } from '#base/journal.ts';
import type { Log } from '#base/log.ts';
import { type Eviction, remove } from './eviction.ts';
import type { ResultStore, ResultUnits, Retained, RetentionIndex } from './ports.ts';

/** The interval; also the longest that an item stays after its expiry. Reads refuse it to the millisecond. */
export const CLEANUP_MS = 60_000;
const STEP = 100;

interface CleanupOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Every kind of item that expires. */
  readonly retained: readonly Retained[];
  readonly eviction: Pick<Eviction, 'step'>;
  /** Whether this gateway does the work now: only one gateway of a cluster does it. Always true when absent. */
  readonly mayRun?: (() => boolean) | undefined;
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
    const { retained, eviction, clock, mayRun } = this.#options;
    if (mayRun?.() === false) return;
    const nowMs = clock.nowMs();
    for (const kind of retained) {
      await this.#repeat(async () => {
        const items = await kind.expired(nowMs, STEP);
        await remove(items.map((item) => ({ retained: kind, item })));
        return items.map(({ id }) => id);
      });
    }
    await this.#repeat(() => eviction.step(() => this.#closed));
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

  /** Repeats a step while it returns ids that the step before did not: an item that stays listed would be next for ever. */
  async #repeat(step: () => Promise<readonly string[]>): Promise<void> {
    let before = new Set<string>();
    while (!this.#closed) {
      const deleted = await step();
      if (deleted.every((id) => before.has(id))) return;
      before = new Set(deleted);
    }
  }
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
    newest: (accountId, page) => index.newest(accountId, page),
    async remove({ id: orderId, accountId }) {
      await journal.write({ kind: 'result-removed', orderId, accountId });
      await results.delete(orderId);
    },
  };
}
