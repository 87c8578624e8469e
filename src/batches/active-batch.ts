/**
 * The life of an active batch: its input is checked, its lines become orders, their results are placed in its files,
 * and when nothing is left it ends. Each step is derived again from what is stored, so a process that is killed
 * anywhere is continued by the next one. A batch that is canceled or expires takes the same way, except that its
 * remaining lines are recorded as canceled or expired instead of being run. Spec 3; docs/understand/lifecycle.md.
 */

import { type Clock, pause, type Timer } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { JournalPort } from '#base/journal.ts';
import type { Log } from '#base/log.ts';
import { wholeAccount } from '#base/reach.ts';
import type { Semaphore } from '#base/semaphore.ts';
import type { OrderKind } from '#orders/order.ts';
import { LINE_CANCELED, type LineCancelReason, type LinePort, type Ticket } from '#orders/order-port.ts';
import type { ResultStore } from '#results/ports.ts';
import type { AccountLines } from './account-lines.ts';
import type { BatchRow, BatchStore, RecordedLine } from './batch.ts';
import { checkInput } from './check.ts';
import { type FileContents, type FileStore, fileExpiryMs } from './file.ts';
import type { AnswerWriter } from './file-line.ts';
import { keyBudgetCheck } from './key-budget-check.ts';
import { type LargeLines, NOT_RUN, type RequestReader } from './line-request.ts';
import { LineSubmitter } from './line-submitter.ts';
import { OutputWriter } from './output-writer.ts';
import type { BatchEndedUnit, BatchFileEntry, BatchUnits } from './units.ts';

/** Retry delay after an input that could not be read, or a failure of the database. */
const BATCH_RETRY_MS = 1000;
/** A deadline further away is checked again, as the clock of the machine may be set. */
const TIMER_MS_MAX = 60_000;

/** What every active batch needs. */
export interface BatchOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: Pick<JournalPort<BatchUnits>, 'write'>;
  readonly lines: LinePort;
  readonly store: BatchStore;
  readonly files: Pick<FileStore, 'find'>;
  readonly contents: Pick<FileContents, 'read' | 'append'>;
  readonly results: Pick<ResultStore, 'get' | 'getCheap'>;
  readonly shapes: Readonly<Record<OrderKind, RequestReader & AnswerWriter>>;
  /** Absent: all lines are read in this thread. */
  readonly largeLines?: LargeLines;
  /** How many lines a file may have. */
  readonly linesMax: () => number;
}

/** What a batch gets beside its row: room for lines shared with its account, and the limit on submissions with all. */
interface SharedByBatches {
  readonly room: AccountLines;
  readonly semaphore: Semaphore;
  /** Why its lines are canceled, if an earlier process canceled it. */
  readonly reason: LineCancelReason;
}

/** One batch, from its creation or the start of the process to its end. */
export class ActiveBatch {
  readonly row: BatchRow;
  readonly #options: BatchOptions;
  readonly #shared: SharedByBatches;
  readonly #writer: OutputWriter;
  readonly #countsInBudget: () => Promise<boolean>;
  readonly #recorded = new Set<number>();
  /** Lines that are orders without any output yet: those in books, and a few that have just started. */
  #queued = 0;
  #canceling: LineCancelReason | null;
  #closed = false;
  #deadline: Timer | null = null;
  #onPlaced: (() => void) | null = null;
  /** Its end is being written: too late to cancel. */
  #isEnding = false;
  /** Lines of the input; null until it has been read to its end. */
  #total: number | null;
  #life: Promise<void> | null = null;

  constructor(row: BatchRow, options: BatchOptions, shared: SharedByBatches) {
    this.row = row;
    this.#options = options;
    this.#shared = shared;
    this.#total = row.counts.total;
    this.#canceling = row.status === 'cancelling' ? shared.reason : null;
    this.#countsInBudget = keyBudgetCheck(row, options.store, options.clock);
    this.#writer = new OutputWriter(row, { ...options, onPlaced: () => this.#onPlaced?.() });
  }

  /** Resumes the batch. `ended` is called once, when it has ended; not when it is closed before. */
  start(ended: () => void): void {
    if (this.#canceling) this.#options.lines.cancelLines(this.row.id, this.#canceling);
    this.#watchDeadline();
    this.#life = this.#live().then((hasEnded) => {
      this.#deadline?.cancel();
      if (hasEnded) ended();
    });
  }

  /** Why the batch is canceled; null while it is not. */
  get canceling(): LineCancelReason | null {
    return this.#canceling;
  }

  /** Cancels queued lines. Throws batch_not_cancelable when it was canceled before. Resolves once committed. */
  async cancel(reason: LineCancelReason): Promise<void> {
    if (this.#canceling || this.#isEnding) throw new Fault('batch_not_cancelable');
    this.#canceling = reason;
    const { clock, journal, lines } = this.#options;
    const { id: batchId } = this.row;
    const moved = journal.write({ kind: 'batch-moved', batchId, to: 'cancelling', atMs: clock.nowMs() });
    lines.cancelLines(batchId, reason);
    this.#shared.room.wake();
    if ((await moved).result === 'stale') throw new Fault('batch_not_cancelable');
  }

  /** Takes no further step; resolves when the present step is done. The next process does the rest. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#deadline?.cancel();
    this.#shared.room.wake();
    this.#onPlaced?.();
    await this.#writer.close();
    await this.#life;
  }

  /** True when it has ended; false when it was closed before. */
  async #live(): Promise<boolean> {
    while (!this.#closed) {
      try {
        const errors = await this.#recordLines();
        if (!errors && !this.#canceling && !this.#closed && this.row.status === 'validating') {
          const { clock, journal } = this.#options;
          await journal.write({ kind: 'batch-moved', batchId: this.row.id, to: 'in_progress', atMs: clock.nowMs() });
        }
        while (!this.#closed && this.#writer.placed < this.#recorded.size) {
          await new Promise<void>((resolve) => {
            this.#onPlaced = resolve;
          });
        }
        if (this.#closed) return false;
        await this.#end(errors);
        return true;
      } catch (error) {
        if (this.#closed) return false;
        this.#options.log.error({ batch: this.row.id, err: error }, 'A step of a batch failed; trying again.');
        await pause(this.#options.clock, BATCH_RETRY_MS);
      }
    }
    return false;
  }

  /** Checks the input, makes orders of its lines. Returns why it cannot run, or not to its end; null when it did. */
  async #recordLines(): Promise<readonly string[] | null> {
    const { journal, store, linesMax, largeLines } = this.#options;
    const { id: batchId, kind } = this.row;
    for (const line of await store.recordedLines(batchId)) this.#takeUp(line);
    try {
      if (this.#total === null) {
        const checked = await checkInput(inputOf(this.row, this.#options), {
          kind,
          linesMax: linesMax(),
          largeLines,
        });
        if ('errors' in checked) return checked.errors;
        await journal.write({ kind: 'batch-checked', batchId, total: checked.total });
        this.#total = checked.total;
      }
      if (this.#recorded.size < this.#total) await this.#submitter(this.#total).run(inputOf(this.row, this.#options));
      return null;
    } catch (error) {
      if (error instanceof InputGone) return [error.message];
      throw error;
    }
  }

  /** Resumes a line that was recorded before, by this process or an earlier one. */
  #takeUp({ line, orderId, placed }: RecordedLine): void {
    if (this.#recorded.has(line)) return;
    this.#recorded.add(line);
    if (placed) return;
    const ticket = orderId === null ? null : this.#options.lines.ticket(orderId);
    if (ticket) this.#watch(line, ticket);
    else this.#writer.add(line);
  }

  #submitter(total: number): LineSubmitter {
    return new LineSubmitter(this.row, {
      ...this.#options,
      ...this.#shared,
      recorded: this.#recorded,
      total,
      queued: () => this.#queued,
      countsInBudget: this.#countsInBudget,
      notRun: () => {
        if (this.#canceling) return { ...NOT_RUN.canceled, message: LINE_CANCELED[this.#canceling] };
        return this.#options.clock.nowMs() >= this.row.expiresAtMs ? NOT_RUN.expired : null;
      },
      stopped: () => this.#closed,
      onOrder: (line, ticket) => this.#watch(line, ticket),
      onEnded: (line) => this.#writer.add(line),
    });
  }

  #watch(line: number, ticket: Ticket): void {
    let isQueued = true;
    this.#queued++;
    const leavesQueue = () => {
      if (isQueued) this.#queued--;
      isQueued = false;
      this.#shared.room.freed();
    };
    ticket.watch({
      // Its first output is how a batch learns that a line has started; such a line is never queued again.
      events: () => {
        if (isQueued) leavesQueue();
      },
      ended: () => {
        leavesQueue();
        this.#writer.add(line);
      },
    });
  }

  async #end(errors: readonly string[] | null): Promise<void> {
    const { clock, journal, store } = this.#options;
    const { id: batchId, accountId, keyId } = this.row;
    const record = await store.find(wholeAccount(accountId), batchId);
    this.#isEnding = true;
    const ran = record !== null && record.counts.expired > 0 ? 'expired' : 'completed';
    const status = this.#canceling ? 'cancelled' : errors ? 'failed' : ran;
    const atMs = clock.nowMs();
    const unit: BatchEndedUnit = {
      kind: 'batch-ended',
      batchId,
      accountId,
      keyId,
      status,
      atMs,
      total: this.#recorded.size,
      errors: status === 'failed' ? errors : null,
      files: this.#files(atMs),
    };
    await journal.write(unit);
  }

  #files(nowMs: number): BatchFileEntry[] {
    const { id, outputFileId, errorFileId, retentionDays } = this.row;
    const { outputBytes, errorBytes } = this.#writer.sizes;
    const expiresAtMs = fileExpiryMs(nowMs, retentionDays);
    const files: BatchFileEntry[] = [
      { id: outputFileId, purpose: 'batch_output', filename: `${id}_output.jsonl`, bytes: outputBytes, expiresAtMs },
      { id: errorFileId, purpose: 'batch_errors', filename: `${id}_errors.jsonl`, bytes: errorBytes, expiresAtMs },
    ];
    return files.filter(({ bytes }) => bytes > 0);
  }

  #watchDeadline(): void {
    const { clock } = this.#options;
    const leftMs = this.row.expiresAtMs - clock.nowMs();
    if (leftMs <= 0) return;
    this.#deadline = clock.after(Math.min(leftMs, TIMER_MS_MAX), () => {
      this.#shared.room.wake();
      this.#watchDeadline();
    });
  }
}

// Reads the input of a batch from its start. It may be gone: batches stop owners from deleting it, not operators.

/** The content no longer exists. Content that cannot be read at the moment is a Fault `unavailable` instead. */
class InputGone extends Error {
  constructor() {
    super('The input file is gone; upload it again.');
    this.name = 'InputGone';
  }
}

/** The content of the batch's input, in chunks. Throws InputGone. */
async function* inputOf(
  { accountId, inputFileId }: BatchRow,
  { files, contents }: { files: Pick<FileStore, 'find'>; contents: Pick<FileContents, 'read'> },
): AsyncGenerator<Uint8Array> {
  const file = await files.find(wholeAccount(accountId), inputFileId);
  if (!file || file.contentGone) throw new InputGone();
  try {
    yield* contents.read(inputFileId);
  } catch (error) {
    const cause = error instanceof Fault ? error.cause : error;
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    throw isMissing ? new InputGone() : error;
  }
}
