/**
 * Deletes results that are kept too long or are too much: those whose time has come, and the oldest of an account above
 * its cap. The row says first that a body is gone; then the body goes. Bounded
 * steps, so that a million results due at once delay nobody. Spec 8.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { JournalPort } from './journal-port.ts';
import type { KeptResult, ResultIndex, ResultStore } from './ports.ts';

/** How often is looked; also the longest that a result stays after its time. A read refuses it to the millisecond. */
export const SWEEP_MS = 60_000;
const STEP = 100;

/** What the sweep needs. */
export interface SweepParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: Pick<JournalPort, 'write'>;
  readonly index: ResultIndex;
  readonly results: Pick<ResultStore, 'delete'>;
  /** What one account may keep, in bytes. */
  readonly storedBytesMax: number;
}

/** Sweeps until it is closed. */
export class ResultSweep {
  readonly #parts: SweepParts;
  #timer: Timer | null = null;
  #closed = false;

  constructor(parts: SweepParts) {
    this.#parts = parts;
    this.#schedule();
  }

  /** Sweeps everything that is due now. Rejects when the database or the disk does; what was swept stays swept. */
  async sweep(): Promise<void> {
    const { index, clock } = this.#parts;
    const nowMs = clock.nowMs();
    await this.#repeat(async () => this.#remove(await index.expired(nowMs, STEP)));
    await this.#repeat(async () => this.#evictFrom(await index.overfull(this.#parts.storedBytesMax, STEP)));
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
          if (!this.#closed) this.#parts.log.error({ err: error }, 'Results could not be swept; trying later.');
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
      const excess = bytes - this.#parts.storedBytesMax;
      evicted += await this.#remove(oldestOf(await this.#parts.index.oldest(accountId, STEP), excess));
    }
    return evicted;
  }

  async #remove(kept: readonly KeptResult[]): Promise<number> {
    const { journal, results } = this.#parts;
    await Promise.all(
      kept.map(async ({ orderId, accountId }) => {
        await journal.write({ kind: 'result-removed', orderId, accountId });
        await results.delete(orderId);
      }),
    );
    return kept.length;
  }
}

/** The first results that together make up `excess`. */
function oldestOf(results: readonly KeptResult[], excess: number): KeptResult[] {
  let bytes = 0;
  const count = results.findIndex((result) => {
    bytes += result.bytes;
    return bytes >= excess;
  });
  return count < 0 ? [...results] : results.slice(0, count + 1);
}
