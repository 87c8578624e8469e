/**
 * A batch that has something to do: its input is checked, its lines become orders, what comes of them is placed in its
 * files, and when nothing is left it ends. Each step is found again from what is stored, so a process that is killed
 * anywhere goes on where the one before it was; and a batch that is canceled or out of time takes the same way, only that
 * its lines are recorded as that instead of being run. Spec 3; docs/lifecycle.md.
 */
import type { Clock, Timer } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import type { Turns } from '#base/turns.ts';
import type { BatchEndedUnit, BatchFileEntry } from '#orders/batch-units.ts';
import type { JournalPort } from '#orders/journal-port.ts';
import type { LinePort } from '#orders/line-port.ts';
import type { OrderKind } from '#orders/order.ts';
import type { Ticket } from '#orders/order-port.ts';
import type { ResultStore } from '#orders/ports.ts';
import type { AccountLines } from './account-lines.ts';
import { type BatchRow, ENDPOINTS } from './batch.ts';
import type { BatchStore, LineFailure, RecordedLine } from './batch-ports.ts';
import { checkInput } from './check.ts';
import { FanOut } from './fan-out.ts';
import { fileExpiryMs } from './file.ts';
import type { AnswerWriter } from './file-line.ts';
import type { FileContents, FileStore } from './file-ports.ts';
import { InputGone, inputOf } from './input.ts';
import { NOT_RUN, type RequestReader } from './line-request.ts';
import { Placement } from './placement.ts';

/** After an input that could not be read, and a database that refused. */
const BATCH_RETRY_MS = 1000;
/** A deadline further away is looked for again: timers reach 24 days. */
const TIMER_MS_MAX = 3_600_000;

/** What every active batch needs. */
export interface BatchParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: Pick<JournalPort, 'write'>;
  readonly lines: LinePort;
  readonly store: BatchStore;
  readonly files: Pick<FileStore, 'find'>;
  readonly contents: Pick<FileContents, 'read' | 'append'>;
  readonly results: Pick<ResultStore, 'get' | 'getCheap'>;
  readonly shapes: Readonly<Record<OrderKind, RequestReader & AnswerWriter>>;
  /** Lines that a file may have. */
  readonly linesMax: number;
}

/** What a batch shares: room for lines with those of its account, turns at the desk with all. */
export interface SharedByBatches {
  readonly room: AccountLines;
  readonly turns: Turns;
}

/** One batch, from its creation or the start of the process to its end. */
export class ActiveBatch {
  readonly row: BatchRow;
  readonly #parts: BatchParts;
  readonly #room: AccountLines;
  readonly #turns: Turns;
  readonly #placement: Placement;
  readonly #recorded = new Set<number>();
  /** Set at once when the batch is canceled, and true for one that was before. */
  #canceling: boolean;
  #closed = false;
  #deadline: Timer | null = null;
  #onPlaced: (() => void) | null = null;
  /** Its end is being written: too late to cancel it. */
  #isEnding = false;
  /** Lines of the input; null until it was read to its end. */
  #total: number | null;
  #life: Promise<void> | null = null;

  constructor(row: BatchRow, parts: BatchParts, { room, turns }: SharedByBatches) {
    this.row = row;
    this.#parts = parts;
    this.#room = room;
    this.#turns = turns;
    this.#total = row.counts.total;
    this.#canceling = row.status === 'cancelling';
    this.#placement = new Placement(row, { ...parts, onPlaced: () => this.#onPlaced?.() });
  }

  /** Goes on with the batch. `ended` is called once, when it has ended; not when it is closed before. */
  start(ended: () => void): void {
    if (this.#canceling) this.#parts.lines.cancelLines(this.row.id);
    this.#watchDeadline();
    this.#life = this.#live().then((hasEnded) => {
      this.#deadline?.cancel();
      if (hasEnded) ended();
    });
  }

  /** Cancels what waits. Throws batch_not_cancelable when that was done before. Resolves when it has committed. */
  async cancel(): Promise<void> {
    if (this.#canceling || this.#isEnding) throw new Fault('batch_not_cancelable');
    this.#canceling = true;
    const { clock, journal, lines } = this.#parts;
    const { id: batchId } = this.row;
    const moved = journal.write({ kind: 'batch-moved', batchId, to: 'cancelling', atMs: clock.nowMs() });
    lines.cancelLines(batchId);
    this.#room.wake();
    if ((await moved).result === 'stale') throw new Fault('batch_not_cancelable');
  }

  /** Takes no step more, and resolves when the last one is done. What is left is for the next process. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#deadline?.cancel();
    this.#room.wake();
    this.#onPlaced?.();
    await this.#placement.close();
    await this.#life;
  }

  /** True when it has ended; false when it was closed before. */
  async #live(): Promise<boolean> {
    while (!this.#closed) {
      try {
        const errors = await this.#recordLines();
        if (!errors && !this.#canceling) await this.#move();
        await this.#allPlaced();
        if (this.#closed) return false;
        await this.#end(errors);
        return true;
      } catch (error) {
        if (this.#closed) return false;
        this.#parts.log.error({ batch: this.row.id, err: error }, 'A batch could not go on; trying again.');
        await new Promise<void>((resolve) => this.#parts.clock.after(BATCH_RETRY_MS, resolve));
      }
    }
    return false;
  }

  /** Checks the input, and makes orders of its lines. Why it cannot be run, or not to its end; null when it was. */
  async #recordLines(): Promise<readonly string[] | null> {
    const { journal, store, linesMax } = this.#parts;
    const { id: batchId, kind } = this.row;
    for (const line of await store.recordedLines(batchId)) this.#takeUp(line);
    try {
      if (this.#total === null) {
        const checked = await checkInput(inputOf(this.row, this.#parts), { endpoint: ENDPOINTS[kind], linesMax });
        if ('errors' in checked) return checked.errors;
        await journal.write({ kind: 'batch-checked', batchId, total: checked.total });
        this.#total = checked.total;
      }
      if (this.#recorded.size < this.#total) await this.#fanOut().run(inputOf(this.row, this.#parts));
      return null;
    } catch (error) {
      if (error instanceof InputGone) return [error.message];
      throw error;
    }
  }

  /** A line that was recorded before, by this process or by one before it. */
  #takeUp({ line, orderId, placed }: RecordedLine): void {
    if (this.#recorded.has(line)) return;
    this.#recorded.add(line);
    if (placed) return;
    const ticket = orderId === null ? null : this.#parts.lines.ticket(orderId);
    if (ticket) this.#watch(line, ticket);
    else this.#placement.add(line);
  }

  #fanOut(): FanOut {
    return new FanOut(this.row, {
      ...this.#parts,
      room: this.#room,
      turns: this.#turns,
      recorded: this.#recorded,
      notRun: () => this.#notRun(),
      stopped: () => this.#closed,
      onOrder: (line, ticket) => this.#watch(line, ticket),
      onEnded: (line) => this.#placement.add(line),
    });
  }

  #watch(line: number, ticket: Ticket): void {
    ticket.watch({
      events: () => this.#room.freed(),
      ended: () => {
        this.#room.freed();
        this.#placement.add(line);
      },
    });
  }

  #notRun(): LineFailure | null {
    if (this.#canceling) return NOT_RUN.canceled;
    return this.#parts.clock.nowMs() >= this.row.expiresAtMs ? NOT_RUN.expired : null;
  }

  /** Every line is on its way. */
  async #move(): Promise<void> {
    const { clock, journal } = this.#parts;
    if (this.#closed || this.row.status !== 'validating') return;
    await journal.write({ kind: 'batch-moved', batchId: this.row.id, to: 'in_progress', atMs: clock.nowMs() });
  }

  async #allPlaced(): Promise<void> {
    while (!this.#closed && this.#placement.placed < this.#recorded.size) {
      await new Promise<void>((resolve) => {
        this.#onPlaced = resolve;
      });
    }
  }

  async #end(errors: readonly string[] | null): Promise<void> {
    const { clock, journal, store } = this.#parts;
    const { id: batchId, accountId } = this.row;
    const record = await store.find(accountId, batchId);
    this.#isEnding = true;
    const ran = record !== null && record.counts.expired > 0 ? 'expired' : 'completed';
    const status = this.#canceling ? 'cancelled' : errors ? 'failed' : ran;
    const atMs = clock.nowMs();
    const unit: BatchEndedUnit = {
      kind: 'batch-ended',
      batchId,
      accountId,
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
    const { outputBytes, errorBytes } = this.#placement.sizes;
    const expiresAtMs = fileExpiryMs(nowMs, retentionDays);
    const files: BatchFileEntry[] = [
      { id: outputFileId, purpose: 'batch_output', filename: `${id}_output.jsonl`, bytes: outputBytes, expiresAtMs },
      { id: errorFileId, purpose: 'batch_errors', filename: `${id}_errors.jsonl`, bytes: errorBytes, expiresAtMs },
    ];
    return files.filter(({ bytes }) => bytes > 0);
  }

  #watchDeadline(): void {
    const { clock } = this.#parts;
    const leftMs = this.row.expiresAtMs - clock.nowMs();
    if (leftMs <= 0) return;
    this.#deadline = clock.after(Math.min(leftMs, TIMER_MS_MAX), () => {
      this.#room.wake();
      this.#watchDeadline();
    });
  }
}
