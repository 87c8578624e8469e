/**
 * All batches of the gateway: creates, resumes and cancels them, and knows which are active. What an active batch does
 * is in `active-batch.ts`; its true state is in the database. Spec 4.8, 8.
 */

import { ORDER_TIMEOUT_S } from '#base/bounds.ts';
import { type Timer, waitAtMost } from '#base/clock.ts';
import { requireRoom, type StorageRoom } from '#base/disk-space.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import { inTime, type JournalPort } from '#base/journal.ts';
import { type Reach, wholeAccount } from '#base/reach.ts';
import { Semaphore } from '#base/semaphore.ts';
import type { LineCancelReason } from '#orders/order-port.ts';
import type { SetApart, StandingStore } from '#orders/ports.ts';
import { AccountLines } from './account-lines.ts';
import { ActiveBatch, type BatchOptions } from './active-batch.ts';
import { type BatchRow, type BatchWait, batchTimes, newBatchId } from './batch.ts';
import { isFileId, isReadable, newFileId } from './file.ts';
import { LINES_TOGETHER } from './line-submitter.ts';
import type { BatchUnits, NewBatch } from './units.ts';

/** How often accounts with active batches are checked for a suspension, and for room that other accounts left. */
const REVIEW_MS = 1000;
/** How long the steps under way may take when the gateway closes. */
export const CLOSING_MS_MAX = 5_000;
/** Retry-After for an account that has too many active batches. */
const RUNNING_RETRY_S = 60;

/** The parameters of a new batch. */
export interface BatchParams
  extends BatchWait,
    Omit<
      NewBatch,
      'id' | 'bootEpoch' | 'outputFileId' | 'errorFileId' | 'tariffIds' | 'createdAtMs' | 'expiresAtMs' | 'deadlineMs'
    > {}

/** What batches are built from. */
interface BatchesOptions extends BatchOptions {
  readonly ids: IdSource;
  readonly journal: Pick<JournalPort<BatchUnits>, 'write' | 'stalled'>;
  readonly standing: StandingStore;
  readonly disk: StorageRoom;
  /** Of this process. */
  readonly bootEpoch: number;
  /** The tariff of every model by its id, as it is now. */
  readonly tariffIds: () => Readonly<Record<string, string>>;
  /** How many active batches one account may have. Spec 8. */
  readonly runningMax: () => number;
}

/** Every active batch. */
export class Batches {
  readonly #options: BatchesOptions;
  readonly #active = new Map<string, ActiveBatch>();
  /** Batches whose creation is being committed. */
  readonly #beginning = new Set<NewBatch>();
  /** By account, as long as it has active batches. */
  readonly #rooms = new Map<string, AccountLines>();
  readonly #semaphore = new Semaphore(LINES_TOGETHER);
  #review: Timer;
  #closed = false;

  constructor(options: BatchesOptions) {
    this.#options = options;
    this.#review = this.#scheduleReview();
  }

  /**
   * Resumes the batches that an earlier process left. Their orders must have been recovered already. Returns those that
   * cannot be resumed. Rejects when the database does: whether an account is suspended decides the code of its canceled
   * lines.
   */
  async resume(rows: readonly BatchRow[]): Promise<SetApart[]> {
    const suspended = await this.#suspendedAmong(rows.map(({ accountId }) => accountId));
    const apart: SetApart[] = [];
    for (const row of rows) {
      if (this.#closed) break;
      try {
        this.#start(row, suspended.has(row.accountId) ? 'account_suspended' : 'order_canceled');
      } catch (error) {
        this.#active.delete(row.id);
        apart.push({ id: row.id, error });
      }
    }
    return apart;
  }

  /**
   * Creates a batch and starts it. Throws not_found for an input that is not within reach, invalid_request for one
   * that is the output of a batch, result_unavailable for an expired one, and rate_limit_error when the account has as
   * many active batches as it may, and unavailable while the disk is low. Resolves once committed. Throws unavailable when that is not known by the deadline:
   * the batch is then never created, or canceled before any line runs.
   */
  async create(params: BatchParams, reach: Reach): Promise<BatchRow> {
    const { journal } = this.#options;
    if (this.#closed || journal.stalled) throw new Fault('unavailable', { retryAfterS: 1 });
    requireRoom(this.#options.disk, params.accountId);
    await this.#checkInput(params.inputFileId, reach);
    // The database decides for those that were active before: a caller may have read that one has ended before this
    // process learns of it. Two gateways that create batches at the same moment do not count each other's.
    const before = new Set(this.#active.keys());
    const stored = await this.#options.store.activeOf(params.accountId);
    // Until this one is among those that begin, nothing is awaited: of creations at once each counts those before it.
    const since = this.#inMemory(params.accountId).flatMap(({ id }) => (before.has(id) ? [] : [id]));
    const runningMax = this.#options.runningMax();
    if (new Set([...stored, ...since]).size >= runningMax) {
      const message = `This account runs ${runningMax} batches already. Wait for one to end, or cancel one.`;
      throw new Fault('rate_limit_error', { message, retryAfterS: RUNNING_RETRY_S });
    }
    return inTime((overdue) => this.#begin(this.#newBatch(params), overdue));
  }

  async #begin(batch: NewBatch, overdue: () => void): Promise<BatchRow> {
    let refused = false;
    this.#beginning.add(batch);
    try {
      await this.#options.journal.write({ kind: 'batch-created', batch }, () => {
        refused = true;
        overdue();
      });
      const row = rowOf(batch);
      if (!this.#closed) this.#start(row);
      if (refused) await this.#active.get(row.id)?.cancel('order_canceled');
      return row;
    } finally {
      this.#beginning.delete(batch);
    }
  }

  /** Cancels a batch. Throws not_found or batch_not_cancelable. Resolves once committed. */
  async cancel(accountId: string, batchId: string): Promise<void> {
    const batch = this.#active.get(batchId);
    if (batch?.row.accountId === accountId) return batch.cancel('order_canceled');
    if (!(await this.#options.store.find(wholeAccount(accountId), batchId))) throw noSuchBatch();
    throw new Fault('batch_not_cancelable');
  }

  /** Whether the batch is in memory: it is active, or being created. */
  has(batchId: string): boolean {
    return this.#active.has(batchId) || [...this.#beginning].some(({ id }) => id === batchId);
  }

  /** Why the batch is canceled; null for one that is not, or that is not in memory. */
  cancelReason(batchId: string): LineCancelReason | null {
    return this.#active.get(batchId)?.canceling ?? null;
  }

  /** Whether the batch is active. */
  isRunning(batchId: string): boolean {
    return this.#active.has(batchId);
  }

  /**
   * Stops; resolves when the steps under way have ended, or after `CLOSING_MS_MAX`: a database that does not commit
   * must not hold up the process. The next process does the rest.
   */
  async close(): Promise<void> {
    this.#closed = true;
    this.#review.cancel();
    const closed = Promise.all([...this.#active.values()].map((batch) => batch.close()));
    await waitAtMost(this.#options.clock, CLOSING_MS_MAX, closed);
  }

  #inMemory(accountId: string): NewBatch[] {
    const batches: NewBatch[] = [...this.#beginning, ...[...this.#active.values()].map(({ row }) => row)];
    return batches.filter((batch) => batch.accountId === accountId);
  }

  async #checkInput(inputFileId: string, reach: Reach): Promise<void> {
    const param = 'input_file_id';
    const file = isFileId(inputFileId) ? await this.#options.files.find(reach, inputFileId) : null;
    if (!file) throw new Fault('not_found', { param, message: 'You have no file with this id.' });
    if (file.purpose !== 'batch')
      throw new Fault('invalid_request', { param, message: `${param} must be a file of purpose "batch".` });
    if (!isReadable(file, this.#options.clock.nowMs()))
      throw new Fault('result_unavailable', { param, message: 'This file is no longer stored; upload it again.' });
  }

  #newBatch({ maxWaitS, deadline, ...params }: BatchParams): NewBatch {
    const { ids, clock, bootEpoch, tariffIds } = this.#options;
    const createdAtMs = clock.nowMs();
    return {
      ...params,
      id: newBatchId(ids),
      bootEpoch,
      outputFileId: newFileId(ids),
      errorFileId: newFileId(ids),
      tariffIds: tariffIds(),
      createdAtMs,
      ...batchTimes(createdAtMs, { maxWaitS, deadline }, ORDER_TIMEOUT_S),
    };
  }

  #start(row: BatchRow, reason: LineCancelReason = 'order_canceled'): void {
    const batch = new ActiveBatch(row, this.#options, {
      room: this.#roomOf(row.accountId),
      semaphore: this.#semaphore,
      reason,
    });
    this.#active.set(row.id, batch);
    batch.start(() => {
      this.#active.delete(row.id);
      if (this.#inMemory(row.accountId).length === 0) this.#rooms.delete(row.accountId);
    });
  }

  #roomOf(accountId: string): AccountLines {
    const known = this.#rooms.get(accountId);
    if (known) return known;
    const room = new AccountLines(() => this.#options.lines.roomForLines(accountId));
    this.#rooms.set(accountId, room);
    return room;
  }

  #scheduleReview(): Timer {
    return this.#options.clock.after(REVIEW_MS, () => {
      // No event of its own shows an account that others wait less. Its lines with a deadline may wait for hours.
      for (const room of this.#rooms.values()) room.freed();
      this.#reviewStanding().catch((error) =>
        this.#options.log.error({ err: error }, 'Suspended accounts could not be read.'),
      );
      this.#review = this.#scheduleReview();
    });
  }

  /** Cancels the batches of suspended accounts, with their queued lines. */
  async #reviewStanding(): Promise<void> {
    const suspended = await this.#suspendedAmong([...this.#rooms.keys()]);
    for (const batch of this.#active.values()) {
      if (!suspended.has(batch.row.accountId)) continue;
      await batch.cancel('account_suspended').catch((error) => {
        if (!(error instanceof Fault) || error.code !== 'batch_not_cancelable') throw error;
      });
    }
  }

  async #suspendedAmong(accounts: readonly string[]): Promise<ReadonlySet<string>> {
    if (accounts.length === 0) return new Set();
    return new Set(await this.#options.standing.inactiveAmong([...new Set(accounts)]));
  }
}

/** The fault for an id that is no batch of the caller's. */
export function noSuchBatch(): Fault {
  return new Fault('not_found', { message: 'You have no batch with this id.' });
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
