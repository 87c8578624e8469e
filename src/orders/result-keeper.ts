/**
 * Brings answers to the blob store, in two ways. One that was promised is there before its order is done, however long
 * the disk takes. For the others nobody waits: they are written in the background, some at a time, without bringing each
 * to the disk, and what does not fit the backlog or fails is given up, and the order says so. Design: stored.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { JournalPort } from './journal-port.ts';
import type { StoredResult } from './order-port.ts';
import type { ResultStore } from './ports.ts';
import { encodeResult } from './results.ts';

/** Answers that may wait; a disk that is slower than the pods must not fill the memory. */
const BACKLOG_MAX = 2_000;
const BACKLOG_CHARACTERS_MAX = 64 * 1024 * 1024;
/** Bodies that are written at the same time and entered in one commit. */
const TOGETHER = 64;
/** How long answers gather: a commit of their own for each would slow down those that somebody waits for. */
export const GATHERING_MS = 200;
const RETRY_MS = 250;

/** What the keeper needs. */
export interface KeeperParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: JournalPort;
  readonly results: ResultStore;
}

interface Waiting {
  readonly accountId: string;
  readonly result: StoredResult;
}

/** Stores answers, before their settlement or after it. */
export class ResultKeeper {
  readonly #parts: KeeperParts;
  readonly #waiting: Waiting[] = [];
  #characters = 0;
  #timer: Timer | null = null;
  #working: Promise<void> | null = null;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** Stores a promised answer and tells its size; a full disk delays it, and loses nothing. */
  store(result: StoredResult): Promise<number> {
    const body = encodeResult(result);
    const attempt = (): Promise<number> =>
      this.#parts.results.put(result.orderId, body).then(
        () => body.length,
        (error) => {
          this.#parts.log.error({ order: result.orderId, err: error }, 'A result could not be stored; trying again.');
          return new Promise((resolve) => this.#parts.clock.after(RETRY_MS, () => resolve(attempt())));
        },
      );
    return attempt();
  }

  /** Takes, for the background, a settled answer whose order's row says `promised`. */
  keep(accountId: string, result: StoredResult): void {
    if (this.#waiting.length >= BACKLOG_MAX || this.#characters >= BACKLOG_CHARACTERS_MAX) {
      this.#parts.log.warn({ order: result.orderId }, 'A result was not stored: the disk is too slow.');
      void this.#giveUp({ accountId, result });
      return;
    }
    this.#waiting.push({ accountId, result });
    this.#characters += sizeOf(result);
    this.#timer ??= this.#parts.clock.after(GATHERING_MS, () => {
      void this.#work();
    });
  }

  /** Resolves when everything taken is stored or given up, or after `limitMs`: nobody was promised the rest. */
  close(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const limit = this.#parts.clock.after(limitMs, resolve);
      void this.#work().then(() => {
        limit.cancel();
        resolve();
      });
    });
  }

  /** One at a time: an answer that comes meanwhile is taken along, or finds its own timer set. */
  #work(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    this.#working ??= this.#storeAll().finally(() => {
      this.#working = null;
    });
    return this.#working;
  }

  async #storeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, TOGETHER);
      await this.#store(batch);
      for (const { result } of batch) this.#characters -= sizeOf(result);
    }
  }

  /** The bodies first, then all that says so in one commit. */
  async #store(batch: readonly Waiting[]): Promise<void> {
    const sizes = await Promise.all(batch.map((each) => this.#put(each)));
    await Promise.all(
      batch.map((each, index) => {
        const bytes = sizes[index] ?? null;
        return bytes === null ? this.#giveUp(each) : this.#enter(each, bytes);
      }),
    );
  }

  /** The size of the body; null when it did not reach the disk. */
  async #put({ result }: Waiting): Promise<number | null> {
    const body = encodeResult(result);
    try {
      await this.#parts.results.putLightly(result.orderId, body);
      return body.length;
    } catch (error) {
      this.#parts.log.error({ order: result.orderId, err: error }, 'A result could not be stored.');
      return null;
    }
  }

  /** What was deleted meanwhile must not come back. */
  async #enter({ accountId, result: { orderId } }: Waiting, bytes: number): Promise<void> {
    try {
      const { result } = await this.#parts.journal.write({ kind: 'result-stored', orderId, accountId, bytes });
      if (result === 'stale') await this.#parts.results.delete(orderId);
    } catch (error) {
      this.#parts.log.error({ order: orderId, err: error }, 'A stored result could not be entered.');
    }
  }

  async #giveUp({ accountId, result: { orderId } }: Waiting): Promise<void> {
    try {
      await this.#parts.journal.write({ kind: 'result-removed', orderId, accountId });
    } catch (error) {
      this.#parts.log.error({ order: orderId, err: error }, 'A result that is lost could not be noted.');
    }
  }
}

/** Roughly what an answer holds in memory, in characters. */
function sizeOf({ answer: { generation } }: StoredResult): number {
  const { text, reasoning, toolCalls } = generation;
  return text.length + reasoning.length + toolCalls.reduce((sum, call) => sum + call.arguments.length, 0);
}
