/**
 * Stores results that are too large for their settlement, in two ways. A promised result is fsynced before its order is
 * done, however long the disk takes. For the others nobody waits: they are written in the background, in groups and
 * without an fsync each; what exceeds the backlog, fails or finds the disk nearly full is given up, and the order says
 * so. docs/understand/lifecycle.md.
 */
import { type Clock, pause, type Timer, waitAtMost } from '#base/clock.ts';
import type { DiskState } from '#base/disk-space.ts';
import { FairShare } from '#base/fair-share.ts';
import type { JournalPort } from '#base/journal.ts';
import type { Log } from '#base/log.ts';
import type { ResultStore, ResultUnits } from './ports.ts';
import type { EncodedResult } from './result.ts';

/** How many results may wait, of all accounts: a disk that is slower than the pods must not fill the memory. */
const BACKLOG_MAX = 2_000;
const BACKLOG_BYTES_MAX = 64 * 1024 * 1024;
/** Results that are written in parallel and recorded in one commit. */
const RESULTS_PER_COMMIT = 64;
/** How long results gather: a commit for each would slow down the commits that somebody waits for. */
export const RESULTS_GATHERING_MS = 200;
const RETRY_MS = 250;

interface KeeperOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: JournalPort<ResultUnits>;
  readonly results: ResultStore;
  readonly disk: DiskState;
}

interface PendingResult {
  readonly accountId: string;
  readonly result: EncodedResult;
}

/** Stores results, before their settlement or after it. */
export class ResultKeeper {
  readonly #options: KeeperOptions;
  readonly #pending: PendingResult[] = [];
  readonly #count = new FairShare(BACKLOG_MAX);
  readonly #bytes = new FairShare(BACKLOG_BYTES_MAX);
  #timer: Timer | null = null;
  #working: Promise<void> | null = null;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Stores a promised result; a full disk delays it but loses nothing. Never rejects. */
  async store(result: EncodedResult): Promise<void> {
    for (;;) {
      try {
        return await this.#options.results.put(result);
      } catch (error) {
        this.#options.log.error({ order: result.orderId, err: error }, 'A result could not be stored; trying again.');
        await pause(this.#options.clock, RETRY_MS);
      }
    }
  }

  /** Queues the result of a settled order, whose row says `promised`, to be stored in the background. */
  keep(accountId: string, result: EncodedResult): void {
    const { log, disk } = this.#options;
    const hasRoom = this.#count.roomFor(accountId) >= 1 && this.#bytes.roomFor(accountId) >= result.bytes;
    if (disk.low || !hasRoom) {
      const cause = disk.low
        ? 'the disk is nearly full or does not answer'
        : 'too many of its account wait for the disk';
      log.warn({ order: result.orderId, cause }, 'A result was not stored.');
      void this.#giveUp({ accountId, result });
      return;
    }
    this.#pending.push({ accountId, result });
    this.#count.add(accountId, 1);
    this.#bytes.add(accountId, result.bytes);
    this.#timer ??= this.#options.clock.after(RESULTS_GATHERING_MS, () => {
      void this.#work();
    });
  }

  /**
   * Resolves when every queued result is stored or given up, or after `limitMs`: the rest was promised to no caller.
   */
  async close(limitMs: number): Promise<void> {
    await waitAtMost(this.#options.clock, limitMs, this.#work());
  }

  /** Runs once at a time: a result that comes meanwhile is included, or sets its own timer. */
  #work(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    this.#working ??= this.#storeAll().finally(() => {
      this.#working = null;
    });
    return this.#working;
  }

  async #storeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, RESULTS_PER_COMMIT);
      // First the texts are written, then they are all recorded in one commit.
      const stored = await Promise.all(batch.map((each) => this.#put(each)));
      await Promise.all(batch.map((each, index) => (stored[index] ? this.#record(each) : this.#giveUp(each))));
      for (const { accountId, result } of batch) {
        this.#count.add(accountId, -1);
        this.#bytes.add(accountId, -result.bytes);
      }
    }
  }

  /** Whether the text was written. */
  async #put({ result }: PendingResult): Promise<boolean> {
    try {
      await this.#options.results.putLightly(result);
      return true;
    } catch (error) {
      this.#options.log.error({ order: result.orderId, err: error }, 'A result could not be stored.');
      return false;
    }
  }

  /** A result that was deleted meanwhile must not come back. */
  async #record({ accountId, result: { orderId, bytes } }: PendingResult): Promise<void> {
    try {
      const outcome = await this.#options.journal.write({ kind: 'result-stored', orderId, accountId, bytes });
      if (outcome.result === 'stale') await this.#options.results.delete(orderId);
    } catch (error) {
      this.#options.log.error({ order: orderId, err: error }, 'The row of a stored result could not be written.');
    }
  }

  async #giveUp({ accountId, result: { orderId } }: PendingResult): Promise<void> {
    try {
      await this.#options.journal.write({ kind: 'result-removed', orderId, accountId });
    } catch (error) {
      this.#options.log.error({ order: orderId, err: error }, 'The row of a lost result could not be written.');
    }
  }
}
