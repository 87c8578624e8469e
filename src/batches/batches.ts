/**
 * The batches of the gateway: it takes new ones, goes on with those that an earlier process left, cancels, and knows
 * which are active. What a batch does is its own business (`active-batch.ts`); what is true of it is in the database.
 * Spec 4.8, 8.
 */
import { ORDER_TIMEOUT_S } from '#base/bounds.ts';
import type { Timer } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import { Turns } from '#base/turns.ts';
import type { NewBatch } from '#orders/batch-units.ts';
import type { JournalPort } from '#orders/journal-port.ts';
import type { StandingStore } from '#orders/ports.ts';
import { AccountLines } from './account-lines.ts';
import { ActiveBatch, type BatchParts } from './active-batch.ts';
import { type BatchRow, deadlineMs, newBatchId } from './batch.ts';
import { LINES_TOGETHER } from './fan-out.ts';
import { isFileId, isReadable, newFileId } from './file.ts';

/** How often the standing of accounts with active batches is looked at. */
const STANDING_MS = 1000;
/** How long the steps under way may take when the gateway closes. */
export const CLOSING_MS_MAX = 5_000;
/** When to try again with one batch too many. */
const RUNNING_RETRY_S = 60;

/** What a batch is asked for with. `maxWaitS` null: a day. */
export interface BatchWish
  extends Omit<NewBatch, 'id' | 'outputFileId' | 'errorFileId' | 'tariffIds' | 'createdAtMs' | 'expiresAtMs'> {
  readonly maxWaitS: number | null;
}

/** What batches need. */
export interface BatchesParts extends BatchParts {
  readonly ids: IdSource;
  readonly journal: Pick<JournalPort, 'write' | 'stalled'>;
  readonly standing: StandingStore;
  /** The tariff of every model by its id; it stays while this process lives. */
  readonly tariffIds: Readonly<Record<string, string>>;
  /** Active batches that one account may have. Spec 8. */
  readonly runningMax: number;
}

/** Every active batch. */
export class Batches {
  readonly #parts: BatchesParts;
  readonly #active = new Map<string, ActiveBatch>();
  /** Batches that are being committed. */
  readonly #beginning = new Set<NewBatch>();
  /** By account, while it has active batches. */
  readonly #rooms = new Map<string, AccountLines>();
  readonly #turns = new Turns(LINES_TOGETHER);
  #review: Timer;
  #closed = false;

  constructor(parts: BatchesParts) {
    this.#parts = parts;
    this.#review = this.#scheduleReview();
  }

  /** Goes on with the batches that an earlier process left. Their orders must be with the desk already. */
  resume(rows: readonly BatchRow[]): void {
    for (const row of rows) this.#start(row);
  }

  /**
   * Makes a batch and starts it. Throws not_found for an input that is not the account's, invalid_request for one that is
   * the output of a batch, result_unavailable for one past its time, and rate_limit_error when the account has as many
   * active batches as it may. Resolves when it has committed.
   */
  async create(wish: BatchWish): Promise<BatchRow> {
    const { journal } = this.#parts;
    if (this.#closed || journal.stalled) throw new Fault('unavailable', { retryAfterS: 1 });
    await this.#checkInputOf(wish);
    if (this.#runningOf(wish.accountId) >= this.#parts.runningMax) throw this.#tooMany();
    const batch = this.#newBatch(wish);
    this.#beginning.add(batch);
    try {
      await journal.write({ kind: 'batch-created', batch });
      const row = rowOf(batch);
      if (!this.#closed) this.#start(row);
      return row;
    } finally {
      this.#beginning.delete(batch);
    }
  }

  /** Cancels a batch. Throws not_found or batch_not_cancelable. Resolves when it has committed. */
  async cancel(accountId: string, batchId: string): Promise<void> {
    const batch = this.#active.get(batchId);
    if (batch?.row.accountId === accountId) return batch.cancel();
    if (!(await this.#parts.store.find(accountId, batchId))) throw noSuchBatch();
    throw new Fault('batch_not_cancelable');
  }

  /** Whether the batch has something to do. */
  isRunning(batchId: string): boolean {
    return this.#active.has(batchId);
  }

  /**
   * Stops, and resolves when the steps under way have ended, or after `CLOSING_MS_MAX`: a database that does not commit
   * must not keep the process. What is left is for the next one.
   */
  close(): Promise<void> {
    this.#closed = true;
    this.#review.cancel();
    const closed = Promise.all([...this.#active.values()].map((batch) => batch.close()));
    return new Promise((resolve) => {
      const limit = this.#parts.clock.after(CLOSING_MS_MAX, resolve);
      void closed.then(() => {
        limit.cancel();
        resolve();
      });
    });
  }

  #runningOf(accountId: string): number {
    const batches: NewBatch[] = [...this.#beginning, ...[...this.#active.values()].map(({ row }) => row)];
    return batches.filter((batch) => batch.accountId === accountId).length;
  }

  #tooMany(): Fault {
    const message = `This account runs ${this.#parts.runningMax} batches already. Wait for one to end, or cancel one.`;
    return new Fault('rate_limit_error', { message, retryAfterS: RUNNING_RETRY_S });
  }

  async #checkInputOf({ accountId, inputFileId }: BatchWish): Promise<void> {
    const param = 'input_file_id';
    const file = isFileId(inputFileId) ? await this.#parts.files.find(accountId, inputFileId) : null;
    if (!file) throw new Fault('not_found', { param, message: 'You have no file with this id.' });
    if (file.purpose !== 'batch')
      throw new Fault('invalid_request', { param, message: `${param} must be a file of purpose "batch".` });
    if (!isReadable(file, this.#parts.clock.nowMs()))
      throw new Fault('result_unavailable', { param, message: 'The content of this file is not kept any more.' });
  }

  #newBatch({ maxWaitS, ...wish }: BatchWish): NewBatch {
    const { ids, clock, tariffIds } = this.#parts;
    const createdAtMs = clock.nowMs();
    return {
      ...wish,
      id: newBatchId(ids),
      outputFileId: newFileId(ids),
      errorFileId: newFileId(ids),
      tariffIds,
      createdAtMs,
      expiresAtMs: deadlineMs(createdAtMs, maxWaitS, ORDER_TIMEOUT_S),
    };
  }

  #start(row: BatchRow): void {
    const batch = new ActiveBatch(row, this.#parts, { room: this.#roomOf(row.accountId), turns: this.#turns });
    this.#active.set(row.id, batch);
    batch.start(() => {
      this.#active.delete(row.id);
      if (this.#runningOf(row.accountId) === 0) this.#rooms.delete(row.accountId);
    });
  }

  #roomOf(accountId: string): AccountLines {
    const known = this.#rooms.get(accountId);
    if (known) return known;
    const room = new AccountLines(() => this.#parts.lines.roomForLines(accountId));
    this.#rooms.set(accountId, room);
    return room;
  }

  #scheduleReview(): Timer {
    return this.#parts.clock.after(STANDING_MS, () => {
      this.#reviewStanding().catch((error) =>
        this.#parts.log.error({ err: error }, 'The standing of accounts with batches could not be looked at.'),
      );
      this.#review = this.#scheduleReview();
    });
  }

  /** A suspended account buys nothing more: its batches are canceled, and the desk cancels the lines that wait. */
  async #reviewStanding(): Promise<void> {
    const accounts = [...this.#rooms.keys()];
    if (accounts.length === 0) return;
    const inactive = new Set(await this.#parts.standing.inactiveAmong(accounts));
    for (const batch of this.#active.values()) {
      if (inactive.has(batch.row.accountId)) await batch.cancel().catch(ignoreUncancelable);
    }
  }
}

/** What the owner of no such batch is told. */
export function noSuchBatch(): Fault {
  return new Fault('not_found', { message: 'You have no batch with this id.' });
}

function ignoreUncancelable(error: unknown): void {
  if (!(error instanceof Fault) || error.code !== 'batch_not_cancelable') throw error;
}

function rowOf(batch: NewBatch): BatchRow {
  return {
    ...batch,
    status: 'validating',
    errors: null,
    inProgressAtMs: null,
    cancellingAtMs: null,
    endedAtMs: null,
    counts: { total: null, active: 0, completed: 0, failed: 0, expired: 0, canceled: 0, placed: 0 },
    sizes: { outputBytes: 0, errorBytes: 0 },
  };
}
