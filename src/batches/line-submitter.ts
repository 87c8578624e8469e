/**
 * Submits the lines of a checked file as orders, many at a time, as far as there is room for them. One pass over the
 * file is enough: once the batch is canceled or expires, the lines that are left are recorded as that instead of being
 * run. Recorded lines are skipped, so the pass may be cut off anywhere and repeated. Spec 3, 4.8.
 */
import { type Clock, pause } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { JournalPort } from '#base/journal.ts';
import type { Log } from '#base/log.ts';
import type { Semaphore } from '#base/semaphore.ts';
import type { OrderKind } from '#orders/order.ts';
import type { LinePort, Ticket } from '#orders/order-port.ts';
import type { AccountLines } from './account-lines.ts';
import { type BatchRow, batchCustomer, ENDPOINTS, type LineFailure } from './batch.ts';
import { type InputLine, inputLines } from './input-lines.ts';
import { customIdOf, isLarge, LINE_BYTES_MAX } from './line.ts';
import { failureOf, type LargeLines, type ReadLine, type RequestReader, readRequest } from './line-request.ts';
import { keptFree, lineDeadlineMs, placesOf } from './pace.ts';
import type { BatchUnits } from './units.ts';

/**
 * Lines of all batches that are submitted at once: enough for a group commit to pay, and so few that other orders do
 * not wait long behind them.
 */
export const LINES_TOGETHER = 64;
/** How many lines of one batch may be in memory, waiting for room or being submitted. */
const READ_AHEAD = { linesMax: LINES_TOGETHER, bytesMax: 4 * 1024 * 1024 };
/** Retry delay after the gateway could not take a line for reasons of its own. */
const SUBMIT_RETRY_MS = 1000;

interface LineSubmitterOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: Pick<JournalPort<BatchUnits>, 'write'>;
  readonly lines: Pick<LinePort, 'submit'>;
  readonly shapes: Readonly<Record<OrderKind, RequestReader>>;
  /** Absent: all lines are read in this thread. */
  readonly largeLines?: LargeLines;
  readonly room: AccountLines;
  /** Shared by all batches. */
  readonly semaphore: Semaphore;
  /** Whether a line that is submitted now counts in the budget of the key. */
  readonly countsInBudget: () => Promise<boolean>;
  /** Lines of this batch that are orders and have not started. */
  readonly queued: () => number;
  /** Lines of the input. */
  readonly total: number;
  /** Why no more lines are to run; null while they may. */
  readonly notRun: () => LineFailure | null;
  /** True when the process closes: the next one does the rest. */
  readonly stopped: () => boolean;
  /** Lines that are recorded already. */
  readonly recorded: Set<number>;
  readonly onOrder: (line: number, ticket: Ticket) => void;
  /** A line ended without becoming an order, or as one that could not be paid for. */
  readonly onEnded: (line: number) => void;
}

/** The pass over the file of one batch. */
export class LineSubmitter {
  readonly #options: LineSubmitterOptions;
  readonly #batch: BatchRow;
  readonly #budget = new LineBudget(READ_AHEAD);
  /** Lines that have a place and are no orders yet. */
  #submitting = 0;

  constructor(batch: BatchRow, options: LineSubmitterOptions) {
    this.#options = options;
    this.#batch = batch;
  }

  /** Records every line of `chunks`. Resolves early when the process closes; rejects when `chunks` cannot be read. */
  async run(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const { recorded, stopped } = this.#options;
    try {
      for await (const line of inputLines(chunks, LINE_BYTES_MAX)) {
        if (stopped()) return;
        if (recorded.has(line.number)) continue;
        const bytes = line.bytes?.length ?? 0;
        await this.#budget.take(bytes);
        void this.#record(line).finally(() => this.#budget.give(bytes));
      }
    } finally {
      await this.#budget.empty();
    }
  }

  /** Retries until the line is recorded. */
  async #record(line: InputLine): Promise<void> {
    const { clock, log, stopped } = this.#options;
    while (!stopped()) {
      try {
        if (await this.#tried(line)) return;
      } catch (error) {
        const place = { batch: this.#batch.id, line: line.number };
        if (!(error instanceof Fault))
          log.error({ ...place, err: error }, 'A line of a batch could not be submitted; trying again.');
        await pause(clock, SUBMIT_RETRY_MS);
      }
    }
  }

  /** False when there was no room; then something has changed and a retry may succeed. */
  async #tried(line: InputLine): Promise<boolean> {
    const { room, semaphore, notRun } = this.#options;
    const failure = notRun();
    if (failure) return semaphore.run(async () => this.#fail(line.number, await this.#customIdOf(line), failure));
    if (!room.enter(this.#keptFree())) {
      await room.changed(this.#keptFree);
      return false;
    }
    this.#submitting++;
    try {
      // Parsed only now: of hundreds of lines that look for room again and again, few find it.
      return await semaphore.run(async () => this.#submit(line.number, await this.#read(line)));
    } finally {
      this.#submitting--;
      room.leave();
    }
  }

  /** False when it must be retried: the account was full after all, or the batch was canceled meanwhile. */
  async #submit(line: number, { customId, request }: ReadLine): Promise<boolean> {
    const { lines, recorded, countsInBudget, notRun, onOrder, onEnded } = this.#options;
    const { id: batchId, expiresAtMs, tariffIds } = this.#batch;
    let warning: string | undefined;
    try {
      if (request instanceof Fault) throw request;
      warning = request.extensions.misspelt?.warning;
      const customer = batchCustomer(this.#batch, await countsInBudget());
      const place = { batchId, line, customId, expiresAtMs, deadlineMs: this.#lineDeadlineMs(), tariffIds };
      const submission = await lines.submit(customer, request, place);
      if (submission.type !== 'order') throw new Error('a line without a key was answered with a replay');
      recorded.add(line);
      onOrder(line, submission.ticket);
      // Submits no faster than the disk takes their inputs.
      await submission.ticket.inputWritten;
      return true;
    } catch (error) {
      // A disk that is nearly full, for everybody or for this account, fails no line: it waits until there is room.
      if (!(error instanceof Fault) || error.status >= 500 || error.code === 'rate_limit_error') throw error;
      if (error.code === 'queue_full') return false;
      if (error.code === 'order_canceled') {
        if (notRun()) return false;
        throw new Error('the batch has this line or takes no more, and is not canceled', { cause: error });
      }
      if (error.orderId === null) return this.#fail(line, customId, failureOf(error, warning));
      // It became an order, which ended at once for lack of money.
      recorded.add(line);
      onEnded(line);
      return true;
    }
  }

  /** Lines with a deadline wait on purpose, so they leave places to others. */
  readonly #keptFree = (): number => (this.#batch.deadlineMs === null ? 0 : keptFree(this.#placed));

  get #placed(): number {
    return this.#options.queued() + this.#submitting;
  }

  /** The time by which a line that becomes an order now must start; null for a batch without a deadline. */
  #lineDeadlineMs(): number | null {
    const { clock, room, recorded, total, queued } = this.#options;
    const { deadlineMs } = this.#batch;
    if (deadlineMs === null) return null;
    const waiting = queued() + total - recorded.size;
    return lineDeadlineMs({ nowMs: clock.nowMs(), deadlineMs, waiting, places: placesOf(this.#placed, room.free) });
  }

  async #customIdOf(line: InputLine): Promise<string> {
    const { largeLines } = this.#options;
    const { kind } = this.#batch;
    return largeLines && isLarge(line) ? largeLines.customIdOf(line, kind) : customIdOf(line, ENDPOINTS[kind]);
  }

  async #read(line: InputLine): Promise<ReadLine> {
    const { largeLines, shapes } = this.#options;
    if (largeLines && isLarge(line)) return largeLines.readRequest(line, this.#batch);
    return readRequest(line, shapes[this.#batch.kind], this.#batch);
  }

  async #fail(line: number, customId: string, { status, code: error, message }: LineFailure): Promise<boolean> {
    const { journal, recorded, onEnded } = this.#options;
    const { id: batchId } = this.#batch;
    await journal.write({ kind: 'line-failed', batchId, line, customId, status, error, errorMessage: message });
    recorded.add(line);
    onEnded(line);
    return true;
  }
}

/** Limits how many lines of a file are in memory at once, and how many bytes of them. A line larger than that is taken alone. */
export class LineBudget {
  readonly #linesMax: number;
  readonly #bytesMax: number;
  #lines = 0;
  #bytes = 0;
  #onFree: (() => void) | null = null;

  constructor({ linesMax, bytesMax }: { readonly linesMax: number; readonly bytesMax: number }) {
    this.#linesMax = linesMax;
    this.#bytesMax = bytesMax;
  }

  /** Resolves when there is room. For one caller at a time. */
  async take(bytes: number): Promise<void> {
    while (this.#lines > 0 && (this.#lines >= this.#linesMax || this.#bytes + bytes > this.#bytesMax)) {
      await this.#freed();
    }
    this.#lines++;
    this.#bytes += bytes;
  }

  /** Gives the room of one line back. */
  give(bytes: number): void {
    this.#lines--;
    this.#bytes -= bytes;
    this.#onFree?.();
  }

  /** Resolves when every line has been given back. */
  async empty(): Promise<void> {
    while (this.#lines > 0) await this.#freed();
  }

  #freed(): Promise<void> {
    return new Promise((resolve) => {
      this.#onFree = resolve;
    });
  }
}
