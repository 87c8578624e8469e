/**
 * Writes ended lines to the output and error files of a batch, in groups. First the bytes are fsynced, then one unit
 * commits the new sizes of the files and which lines are in them. The next write cuts off what a crash left beyond
 * those sizes, so every line is in a file whole and exactly once. Everything is read back from storage, whatever ended
 * the line, so thousands of lines may end at once and only their numbers are in memory. docs/understand/lifecycle.md.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { JournalPort } from '#base/journal.ts';
import type { Log } from '#base/log.ts';
import type { OrderKind } from '#orders/order.ts';
import type { ResultStore, StoredResult } from '#results/ports.ts';
import { type Answer, decodeResult } from '#results/result.ts';
import type { BatchRow, BatchStore, EndedLine } from './batch.ts';
import type { FileContents } from './file.ts';
import { type AnswerWriter, fileLine } from './file-line.ts';
import type { BatchFileSizes, BatchUnits } from './units.ts';

/** Lines in one write, and roughly how much text: one more line may come on top. */
const LINES_PER_WRITE = 256;
const CHARACTERS_PER_WRITE = 4 * 1024 * 1024;
/** How long lines gather: an fsync for each would cost more than running it. */
export const LINES_GATHERING_MS = 50;
/** Retry delay after a failure of disk or database, and for a line whose end is not committed yet. */
const PLACING_RETRY_MS = 1000;

interface OutputWriterOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: Pick<JournalPort<BatchUnits>, 'write'>;
  readonly store: Pick<BatchStore, 'endedLines'>;
  readonly results: Pick<ResultStore, 'get' | 'getCheap'>;
  readonly contents: Pick<FileContents, 'append'>;
  readonly shapes: Readonly<Record<OrderKind, AnswerWriter>>;
  /** Lines were placed; `placed` counts all that are. */
  readonly onPlaced: (placed: number) => void;
}

/** Places the lines of one batch until it is closed. */
export class OutputWriter {
  readonly #options: OutputWriterOptions;
  readonly #batch: BatchRow;
  #sizes: BatchFileSizes;
  #placed: number;
  #queue: number[] = [];
  #timer: Timer | null = null;
  #working: Promise<void> | null = null;
  #closed = false;

  /** Continues from the file sizes in the row. */
  constructor(batch: BatchRow, options: OutputWriterOptions) {
    this.#options = options;
    this.#batch = batch;
    this.#sizes = batch.sizes;
    this.#placed = batch.counts.placed;
  }

  /** How many lines are placed. */
  get placed(): number {
    return this.#placed;
  }

  /** The committed sizes of the two files. */
  get sizes(): BatchFileSizes {
    return this.#sizes;
  }

  /** Queues a line that has ended, or is about to. */
  add(line: number): void {
    this.#queue.push(line);
    this.#wait(LINES_GATHERING_MS);
  }

  /** Resolves when the write under way has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#working;
  }

  #wait(ms: number): void {
    if (this.#closed || this.#working || this.#timer) return;
    this.#timer = this.#options.clock.after(ms, () => {
      this.#timer = null;
      this.#working = this.#work().then((nextMs) => {
        this.#working = null;
        if (this.#queue.length > 0) this.#wait(nextMs);
      });
    });
  }

  /** Places queued lines; returns after how long to run again. After a failure the lines stay queued for a retry. */
  async #work(): Promise<number> {
    try {
      while (this.#queue.length > 0 && !this.#closed) {
        const some = this.#queue.splice(0, LINES_PER_WRITE);
        // Lines not placed go to the end of the queue: one whose end is not committed yet must not hold up the others.
        const placed = await this.#placeSome(some).catch((error) => {
          this.#queue.push(...some);
          throw error;
        });
        this.#queue.push(...some.filter((line) => !placed.has(line)));
        if (placed.size === 0) return PLACING_RETRY_MS;
        this.#placed += placed.size;
        this.#options.onPlaced(this.#placed);
      }
      return LINES_GATHERING_MS;
    } catch (error) {
      const { id } = this.#batch;
      this.#options.log.error({ batch: id, err: error }, 'Lines of a batch could not be written; trying again.');
      return PLACING_RETRY_MS;
    }
  }

  /** Writes those of `lines` that have ended, as many as fit one write, and returns them. */
  async #placeSome(lines: readonly number[]): Promise<ReadonlySet<number>> {
    const { store, contents, journal } = this.#options;
    const page = await this.#pageOf(await store.endedLines(this.#batch.id, lines));
    const from = this.#sizes;
    const output = Buffer.from(page.output.join(''));
    const errors = Buffer.from(page.errors.join(''));
    if (output.length > 0) await contents.append(this.#batch.outputFileId, from.outputBytes, output);
    if (errors.length > 0) await contents.append(this.#batch.errorFileId, from.errorBytes, errors);
    const to = { outputBytes: from.outputBytes + output.length, errorBytes: from.errorBytes + errors.length };
    const { inOutput, inErrors, lost } = page;
    const placed = new Set([...inOutput, ...inErrors]);
    if (placed.size === 0) return placed;
    const unit = { kind: 'lines-placed', batchId: this.#batch.id, inOutput, inErrors, lost, from, to } as const;
    const { result } = await journal.write(unit);
    if (result === 'stale') throw new Error(`the files of ${this.#batch.id} do not have the sizes that were committed`);
    this.#sizes = to;
    return placed;
  }

  async #pageOf(lines: readonly EndedLine[]): Promise<Appended> {
    const done = lines.flatMap(({ order }) => (order?.status === 'done' ? [order.id] : []));
    const cheap = await this.#options.results.getCheap(done);
    const page: Appended = { inOutput: [], inErrors: [], output: [], errors: [], lost: 0 };
    let characters = 0;
    for (const line of lines) {
      const { file, text } = fileLine(this.#batch.id, line, await this.#answerOf(line, cheap), this.#options.shapes);
      if (file === 'errors' && line.order?.status === 'done') page.lost++;
      page[file].push(text);
      (file === 'output' ? page.inOutput : page.inErrors).push(line.line);
      characters += text.length;
      if (characters > CHARACTERS_PER_WRITE) break;
    }
    return page;
  }

  /** The answer of a line that is done; null when it is not, or when its answer was deleted or cannot be read. */
  async #answerOf({ order }: EndedLine, cheap: ReadonlyMap<string, StoredResult>): Promise<Answer | null> {
    if (order?.status !== 'done') return null;
    const stored = cheap.get(order.id) ?? (await this.#options.results.get(order.id));
    try {
      return stored && decodeResult(stored).answer;
    } catch (error) {
      this.#options.log.error({ order: order.id, err: error }, 'A stored result cannot be read.');
      return null;
    }
  }
}

/** What one write appends to the two files. */
interface Appended {
  readonly inOutput: number[];
  readonly inErrors: number[];
  readonly output: string[];
  readonly errors: string[];
  lost: number;
}
