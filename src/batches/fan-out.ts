/**
 * Turns the lines of a checked file into orders, many at a time, as far as there is room for them. One pass over the file
 * serves every turn that a batch can take: once it is canceled, or out of time, the lines that are left are recorded as
 * that instead of being run. A line that is recorded is passed over, so the pass may be cut off anywhere and begun again.
 * Spec 3, 4.8.
 */
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import type { Turns } from '#base/turns.ts';
import type { JournalPort } from '#orders/journal-port.ts';
import type { LinePort } from '#orders/line-port.ts';
import type { OrderKind } from '#orders/order.ts';
import type { Ticket } from '#orders/order-port.ts';
import type { Customer } from '#orders/request.ts';
import type { AccountLines } from './account-lines.ts';
import { type BatchRow, customerOf, ENDPOINTS } from './batch.ts';
import type { LineFailure } from './batch-ports.ts';
import { type InputLine, inputLines } from './input-lines.ts';
import { type BatchRequest, LINE_BYTES_MAX, readLine } from './line.ts';
import { failureOf, lineRequest, type RequestReader } from './line-request.ts';
import { Slots } from './slots.ts';

/**
 * Lines of all batches that are being submitted at once: enough for the commits to be shared by many, and so few that
 * other orders do not wait long behind them.
 */
export const LINES_TOGETHER = 64;
/** What is held of the lines of one batch that look for room or are being submitted. */
const IN_HAND = { linesMax: LINES_TOGETHER, bytesMax: 4 * 1024 * 1024 };
/** After the gateway could not take a line for reasons of its own. */
const SUBMIT_RETRY_MS = 1000;

/** What the fan-out of one batch needs. */
export interface FanOutParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: Pick<JournalPort, 'write'>;
  readonly lines: Pick<LinePort, 'submit'>;
  readonly shapes: Readonly<Record<OrderKind, RequestReader>>;
  readonly room: AccountLines;
  /** Shared by all batches. */
  readonly turns: Turns;
  /** Why no more lines are to run; null while they are. */
  readonly notRun: () => LineFailure | null;
  /** True when the process closes: the rest is for the next one. */
  readonly stopped: () => boolean;
  /** Lines that have a row already. */
  readonly recorded: Set<number>;
  readonly onOrder: (line: number, ticket: Ticket) => void;
  /** A line ended without becoming an order, or as one that could not be paid for. */
  readonly onEnded: (line: number) => void;
}

/** The pass over the file of one batch. */
export class FanOut {
  readonly #parts: FanOutParts;
  readonly #batch: BatchRow;
  readonly #customer: Customer;
  readonly #slots = new Slots(IN_HAND);

  constructor(batch: BatchRow, parts: FanOutParts) {
    this.#parts = parts;
    this.#batch = batch;
    this.#customer = customerOf(batch);
  }

  /** Records every line of `chunks`. Resolves early when the process closes; rejects when they cannot be read. */
  async run(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const { recorded, stopped } = this.#parts;
    try {
      for await (const line of inputLines(chunks, LINE_BYTES_MAX)) {
        if (stopped()) return;
        if (recorded.has(line.number)) continue;
        const bytes = line.bytes?.length ?? 0;
        await this.#slots.take(bytes);
        void this.#record(line).finally(() => this.#slots.give(bytes));
      }
    } finally {
      await this.#slots.empty();
    }
  }

  /** Tries until the line is recorded. */
  async #record(line: InputLine): Promise<void> {
    const { clock, log, stopped } = this.#parts;
    while (!stopped()) {
      try {
        if (await this.#tried(line)) return;
      } catch (error) {
        const place = { batch: this.#batch.id, line: line.number };
        if (!(error instanceof Fault)) log.error({ ...place, err: error }, 'A line could not be taken; trying again.');
        await new Promise<void>((resolve) => clock.after(SUBMIT_RETRY_MS, resolve));
      }
    }
  }

  /** False when there was no room for it, now that something has changed. */
  async #tried(line: InputLine): Promise<boolean> {
    const { room, turns, notRun } = this.#parts;
    const failure = notRun();
    if (failure) return turns.run(() => this.#fail(line.number, this.#read(line).customId, failure));
    if (!room.enter()) {
      await room.changed();
      return false;
    }
    try {
      // Not before: of hundreds of lines that look for room again and again, few find some.
      return await turns.run(() => this.#submit(line.number, this.#read(line)));
    } finally {
      room.leave();
    }
  }

  /** False when it is to be tried again: the account was full after all, or the batch was canceled meanwhile. */
  async #submit(line: number, { customId, body }: BatchRequest): Promise<boolean> {
    const { lines, shapes, recorded, notRun, onOrder, onEnded } = this.#parts;
    const { id: batchId, kind, expiresAtMs, tariffIds } = this.#batch;
    try {
      const request = lineRequest(body, shapes[kind], this.#batch);
      const place = { batchId, line, customId, expiresAtMs, tariffIds };
      const submission = await lines.submit(this.#customer, request, place);
      if (submission.type !== 'order') throw new Error('a line without a key was answered with a replay');
      recorded.add(line);
      onOrder(line, submission.ticket);
      return true;
    } catch (error) {
      if (!(error instanceof Fault) || error.status >= 500) throw error;
      if (error.code === 'queue_full') return false;
      if (error.code === 'order_canceled') {
        if (notRun()) return false;
        throw error;
      }
      if (error.orderId === null) return this.#fail(line, customId, failureOf(error));
      // It became an order and ended at once, for want of money.
      recorded.add(line);
      onEnded(line);
      return true;
    }
  }

  #read(line: InputLine): BatchRequest {
    return readLine(line, ENDPOINTS[this.#batch.kind]);
  }

  async #fail(line: number, customId: string, { status, code: error, message }: LineFailure): Promise<boolean> {
    const { journal, recorded, onEnded } = this.#parts;
    const { id: batchId } = this.#batch;
    await journal.write({ kind: 'line-failed', batchId, line, customId, status, error, errorMessage: message });
    recorded.add(line);
    onEnded(line);
    return true;
  }
}
