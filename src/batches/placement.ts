/**
 * Writes ended lines to the two files of a batch, some together. The bytes are on the disk first, then one unit says how
 * far the files are good and which lines stand in them: what a crash leaves behind that is cut off by the next write, so
 * a line is whole, and there once. Everything is read back from where it is stored, however a line came to end, so
 * thousands of lines may end at once and only their numbers are held. docs/lifecycle.md.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { BatchFileSizes } from '#orders/batch-units.ts';
import type { JournalPort } from '#orders/journal-port.ts';
import type { OrderKind } from '#orders/order.ts';
import type { Answer } from '#orders/order-port.ts';
import type { ResultStore } from '#orders/ports.ts';
import { decodeResult } from '#orders/results.ts';
import type { BatchRow } from './batch.ts';
import type { BatchStore, EndedLine } from './batch-ports.ts';
import { type AnswerWriter, fileLine } from './file-line.ts';
import type { FileContents } from './file-ports.ts';

/** Lines of one write, and about how much text: a line more may come on top. */
const TOGETHER = 256;
const CHARACTERS_TOGETHER = 4 * 1024 * 1024;
/** How long lines gather: bringing each to the disk alone would cost more than running it. */
export const GATHERING_MS = 50;
/** After a disk or a database that refused, and for a line whose end is not written yet. */
const PLACING_RETRY_MS = 1000;

/** What placing needs. */
export interface PlacementParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: Pick<JournalPort, 'write'>;
  readonly store: Pick<BatchStore, 'endedLines'>;
  readonly results: Pick<ResultStore, 'get' | 'getCheap'>;
  readonly contents: Pick<FileContents, 'append'>;
  readonly shapes: Readonly<Record<OrderKind, AnswerWriter>>;
  /** Lines stand in a file from now on; how many do in all. */
  readonly onPlaced: (placed: number) => void;
}

/** Places the lines of one batch, until it is closed. */
export class Placement {
  readonly #parts: PlacementParts;
  readonly #batch: BatchRow;
  #sizes: BatchFileSizes;
  #placed: number;
  #waiting: number[] = [];
  #timer: Timer | null = null;
  #working: Promise<void> | null = null;
  #closed = false;

  /** Goes on from where the row says the files are. */
  constructor(batch: BatchRow, parts: PlacementParts) {
    this.#parts = parts;
    this.#batch = batch;
    this.#sizes = batch.sizes;
    this.#placed = batch.counts.placed;
  }

  /** Lines that stand in a file. */
  get placed(): number {
    return this.#placed;
  }

  /** How far the files are good. */
  get sizes(): BatchFileSizes {
    return this.#sizes;
  }

  /** Takes a line that has ended, or is about to. */
  add(line: number): void {
    this.#waiting.push(line);
    this.#wait(GATHERING_MS);
  }

  /** Ends with the write under way. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#working;
  }

  #wait(ms: number): void {
    if (this.#closed || this.#working || this.#timer) return;
    this.#timer = this.#parts.clock.after(ms, () => {
      this.#timer = null;
      this.#working = this.#turn();
    });
  }

  async #turn(): Promise<void> {
    const nextMs = await this.#work();
    this.#working = null;
    if (this.#waiting.length > 0) this.#wait(nextMs);
  }

  /** Places what waits, and tells when to come back. Whatever goes wrong, it waits on and is tried again. */
  async #work(): Promise<number> {
    try {
      while (this.#waiting.length > 0 && !this.#closed) {
        const some = this.#waiting.splice(0, TOGETHER);
        // Until they are placed they wait, at the end: one whose end is not written yet must not keep back the others.
        const placed = await this.#placeSome(some).catch((error) => {
          this.#waiting.push(...some);
          throw error;
        });
        this.#waiting.push(...some.filter((line) => !placed.has(line)));
        if (placed.size === 0) return PLACING_RETRY_MS;
        this.#placed += placed.size;
        this.#parts.onPlaced(this.#placed);
      }
      return GATHERING_MS;
    } catch (error) {
      const { id } = this.#batch;
      this.#parts.log.error({ batch: id, err: error }, 'Lines of a batch could not be written; trying again.');
      return PLACING_RETRY_MS;
    }
  }

  /** Writes those of `lines` that have ended, as far as they fit one write; which they were. */
  async #placeSome(lines: readonly number[]): Promise<ReadonlySet<number>> {
    const { store, contents, journal } = this.#parts;
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
    if (result === 'stale') throw new Error(`the files of ${this.#batch.id} are not as long as they were left`);
    this.#sizes = to;
    return placed;
  }

  async #pageOf(lines: readonly EndedLine[]): Promise<Page> {
    const done = lines.flatMap(({ order }) => (order?.status === 'done' ? [order.id] : []));
    const bodies = await this.#parts.results.getCheap(done);
    const page: Page = { inOutput: [], inErrors: [], output: [], errors: [], lost: 0 };
    let characters = 0;
    for (const line of lines) {
      const { file, text } = fileLine(this.#batch.id, line, await this.#answerOf(line, bodies), this.#parts.shapes);
      if (file === 'errors' && line.order?.status === 'done') page.lost++;
      page[file].push(text);
      (file === 'output' ? page.inOutput : page.inErrors).push(line.line);
      characters += text.length;
      if (characters > CHARACTERS_TOGETHER) break;
    }
    return page;
  }

  /** The answer of a line that is done; null when it is not, or when its answer was deleted or cannot be read. */
  async #answerOf({ order }: EndedLine, bodies: ReadonlyMap<string, string>): Promise<Answer | null> {
    if (order?.status !== 'done') return null;
    const body = bodies.get(order.id) ?? (await this.#parts.results.get(order.id));
    try {
      return body === null ? null : decodeResult(body).answer;
    } catch (error) {
      this.#parts.log.error({ order: order.id, err: error }, 'A stored result cannot be read.');
      return null;
    }
  }
}

/** What one write adds to the two files. */
interface Page {
  readonly inOutput: number[];
  readonly inErrors: number[];
  readonly output: string[];
  readonly errors: string[];
  lost: number;
}
