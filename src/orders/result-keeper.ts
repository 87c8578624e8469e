/**
 * Brings answers that are too large for their settlement to the result store, in two ways. One that was promised is there
 * before its order is done, however long the disk takes. For the others nobody waits: they are written in the background,
 * some at a time, without bringing each to the disk, and what does not fit the backlog or fails is given up, and the
 * order says so. docs/lifecycle.md.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { JournalPort } from './journal-port.ts';
import type { ResultStore } from './ports.ts';
import type { ResultBody } from './results.ts';

/** Answers that may wait; a disk that is slower than the pods must not fill the memory. */
const BACKLOG_MAX = 2_000;
const BACKLOG_BYTES_MAX = 64 * 1024 * 1024;
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
  readonly body: ResultBody;
}

/** Stores answers, before their settlement or after it. */
export class ResultKeeper {
  readonly #parts: KeeperParts;
  readonly #waiting: Waiting[] = [];
  #bytes = 0;
  #timer: Timer | null = null;
  #working: Promise<void> | null = null;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** Stores a promised answer; a full disk delays it, and loses nothing. */
  store({ orderId, text }: ResultBody): Promise<void> {
    const attempt = (): Promise<void> =>
      this.#parts.results.put(orderId, text).catch((error) => {
        this.#parts.log.error({ order: orderId, err: error }, 'A result could not be stored; trying again.');
        return new Promise((resolve) => this.#parts.clock.after(RETRY_MS, () => resolve(attempt())));
      });
    return attempt();
  }

  /** Takes, for the background, a settled answer whose order's row says `promised`. */
  keep(accountId: string, body: ResultBody): void {
    if (this.#waiting.length >= BACKLOG_MAX || this.#bytes >= BACKLOG_BYTES_MAX) {
      this.#parts.log.warn({ order: body.orderId }, 'A result was not stored: the disk is too slow.');
      void this.#giveUp({ accountId, body });
      return;
    }
    this.#waiting.push({ accountId, body });
    this.#bytes += body.bytes;
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
      for (const { body } of batch) this.#bytes -= body.bytes;
    }
  }

  /** The bodies first, then all that says so in one commit. */
  async #store(batch: readonly Waiting[]): Promise<void> {
    const stored = await Promise.all(batch.map((each) => this.#put(each)));
    await Promise.all(batch.map((each, index) => (stored[index] ? this.#enter(each) : this.#giveUp(each))));
  }

  /** Whether the body reached the disk. */
  async #put({ body: { orderId, text } }: Waiting): Promise<boolean> {
    try {
      await this.#parts.results.putLightly(orderId, text);
      return true;
    } catch (error) {
      this.#parts.log.error({ order: orderId, err: error }, 'A result could not be stored.');
      return false;
    }
  }

  /** What was deleted meanwhile must not come back. */
  async #enter({ accountId, body: { orderId, bytes } }: Waiting): Promise<void> {
    try {
      const { result } = await this.#parts.journal.write({ kind: 'result-stored', orderId, accountId, bytes });
      if (result === 'stale') await this.#parts.results.delete(orderId);
    } catch (error) {
      this.#parts.log.error({ order: orderId, err: error }, 'A stored result could not be entered.');
    }
  }

  async #giveUp({ accountId, body: { orderId } }: Waiting): Promise<void> {
    try {
      await this.#parts.journal.write({ kind: 'result-removed', orderId, accountId });
    } catch (error) {
      this.#parts.log.error({ order: orderId, err: error }, 'A result that is lost could not be noted.');
    }
  }
}
