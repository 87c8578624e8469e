/**
 * The inputs of queued orders: kept as JSON bytes and not as a tree, in memory while they are small, else in a file or
 * in the row that the order has anyway. What waits is counted in bytes, so that a queue has a bound whatever its
 * requests hold. Decision 34; the limits are in
 * `access/limits.ts`, the figures in docs/sell/scaling.md.
 */

import { type DiskRoom, diskFault } from '#base/disk-space.ts';
import { exactJson } from '#base/exact-json.ts';
import { FairShare } from '#base/fair-share.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import { wholeAccount } from '#base/reach.ts';
import { releaseBytes } from '#base/release-bytes.ts';
import { Semaphore } from '#base/semaphore.ts';
import type { LiveOrder } from './live-order.ts';
import { isTerminal } from './order.ts';
import { repeatedBytes, type WaitingInput, waitingInput } from './packed-input.ts';
import type { OrderStore } from './ports.ts';
import type { JsonObject } from './request.ts';

/** A larger input leaves the memory while its order waits. */
const IN_MEMORY_BYTES_MAX = 64 * 1024;
/** The same for lines of batches, which wait in thousands, for days. */
const LINE_IN_MEMORY_BYTES_MAX = 4 * 1024;

const IN_MEMORY: ReadonlySet<WaitingInput['place']> = new Set(['new', 'memory', 'moving']);

/** A larger input of an order that outlives its caller is kept in a file and not in its row. */
const IN_ROW_BYTES_MAX = 256 * 1024;

/** Files of inputs by order id. A missing file is null. Errors of the disk are rejections. */
interface InputFiles {
  /** Survives a power cut. */
  putSafely(orderId: string, bytes: Uint8Array): Promise<void>;
  putGently(orderId: string, bytes: Uint8Array): Promise<void>;
  get(orderId: string): Promise<Uint8Array | null>;
  delete(orderId: string): Promise<void>;
}

/** Bounds in bytes of inputs as JSON, read again each time. Lines of batches count for none but the last: their file is bounded instead. */
export interface WaitingBounds {
  readonly queuedBytesPerAccount: number;
  readonly queuedBytes: number;
  /** Of all queued inputs in memory. Beyond it small ones leave it too; beyond twice it orders are refused. */
  readonly queuedBytesInMemory: number;
}

/** What the waiting inputs are kept in, and how much of it. */
export interface WaitingInputsOptions {
  readonly waitingBounds: WaitingBounds;
  readonly inputFiles: InputFiles;
  /** While it is low nothing is moved to it. */
  readonly disk: DiskRoom;
  readonly store: Pick<OrderStore, 'find'>;
  readonly log: Log;
}

/** Keeps and counts the inputs of queued orders. */
export class WaitingInputs {
  readonly #parts: WaitingInputsOptions;
  /** One at a time: the disk also has commits to write. */
  readonly #writes = new Semaphore(1);
  /** Inputs as JSON. */
  readonly #waiting: FairShare;
  /** What answers will repeat of their requests, which stays in memory while they wait. */
  readonly #repeated: FairShare;
  #inMemory = 0;

  constructor(parts: WaitingInputsOptions) {
    this.#parts = parts;
    this.#waiting = new FairShare(() => this.#bytesMax());
    this.#repeated = new FairShare(() => parts.waitingBounds.queuedBytesInMemory);
  }

  /**
   * On a small disk less may wait than is configured: the bytes that wait already, plus those that disk and memory
   * still take. While the disk is low, the memory alone is the bound: `refusal`.
   */
  #bytesMax(): number {
    const { waitingBounds, disk } = this.#parts;
    const { queuedBytes, queuedBytesInMemory } = waitingBounds;
    if (disk.low) return queuedBytes;
    return Math.min(queuedBytes, this.#waiting.total + disk.availableBytes + 2 * queuedBytesInMemory);
  }

  /** The bytes of all that wait; and those in memory, of what waits or runs. */
  get counts(): { readonly waiting: number; readonly inMemory: number } {
    return { waiting: this.#waiting.total, inMemory: this.#inMemory };
  }

  /** Whether the input of a new order may be one that `keep` writes: it outlives its caller. */
  mustKeep(order: LiveOrder): boolean {
    // A small request is a tree so far, and needs no bytes unless it waits.
    return order.bodyInRow && (order.input !== null || order.row.batchId !== null);
  }

  /**
   * Writes the input of a new order that `mustKeep` to the disk when it is large: in its row it would hold up the commits
   * of everybody. Throws unavailable when the disk fails.
   */
  async keep(order: LiveOrder): Promise<void> {
    const input = this.#serialized(order);
    const json = input?.json;
    if (!input || !json || input.bytes <= IN_ROW_BYTES_MAX) return;
    this.#change(order, input, { place: 'memory' });
    this.#parts.disk.willWrite(input.bytes);
    try {
      await this.#writes.run(() => this.#parts.inputFiles.putSafely(order.orderId, json));
    } catch (cause) {
      this.#parts.log.error(
        { order: order.orderId, err: cause },
        'An order was refused: its input could not be stored.',
      );
      // A write that was given up may still read the bytes: the collector frees them.
      input.json = null;
      this.#change(order, input, { place: 'gone' });
      throw cause instanceof Fault ? cause : new Fault('unavailable', { retryAfterS: 5, cause });
    }
    input.kept = true;
  }

  /** Why the input of a new order may not wait; null when it may. Serializes the input. */
  refusal(order: LiveOrder): Fault | null {
    const { accountId, batchId } = order.row;
    if (batchId !== null) return null;
    const { queuedBytesPerAccount, queuedBytesInMemory } = this.#parts.waitingBounds;
    const input = this.#serialized(order);
    if (!input) return new Fault('internal_error');
    const { bytes } = input;
    if (this.#waiting.of(accountId) + bytes > queuedBytesPerAccount) return new Fault('queued_bytes_exceeded');
    if (bytes > this.#waiting.roomFor(accountId)) return exceeded('The queued requests of this gateway hold');
    input.repeatedBytes = repeatedBytes(order.opening?.request.repeated);
    if (input.repeatedBytes > this.#repeated.roomFor(accountId))
      return exceeded('What responses repeat of queued requests, such as instructions and tools, holds');
    const inMemory = this.#inMemory + (input.place === 'new' ? bytes : 0);
    if (this.#parts.disk.low && inMemory > queuedBytesInMemory)
      return diskFault('The gateway has too little disk space for more requests that wait. Try again shortly.');
    // Inputs in memory leave it within milliseconds, unless the disk refuses them.
    return inMemory > 2 * queuedBytesInMemory ? new Fault('unavailable', { retryAfterS: 5 }) : null;
  }

  /** The order is queued: its bytes count from now on. */
  enter(order: LiveOrder): void {
    const input = this.#serialized(order);
    if (!input) return;
    this.#change(order, input, input.place === 'new' ? { waits: true, place: 'memory' } : { waits: true });
  }

  /** Called when the order is no longer queued. */
  leave(order: LiveOrder): void {
    if (order.input) this.#change(order, order.input, { waits: false });
  }

  /**
   * Drops the tree of a queued order, for callers that do not need it any more, and moves large bytes out of memory: to
   * the row, once that has committed, or to a file.
   */
  pack(order: LiveOrder): void {
    const { input } = order;
    if (!input) return;
    order.generation = null;
    const inMemoryMax = order.row.batchId === null ? IN_MEMORY_BYTES_MAX : LINE_IN_MEMORY_BYTES_MAX;
    if (input.bytes > inMemoryMax || this.#inMemory > this.#parts.waitingBounds.queuedBytesInMemory)
      this.#moveOut(order, input);
  }

  /** The order runs, and keeps its input as JSON for another attempt: on disk, when there is too much in memory. */
  runs(order: LiveOrder): void {
    const { input } = order;
    if (!input) return;
    order.generation = null;
    if (input.place === 'new') this.#change(order, input, { place: 'memory' });
    if (this.#inMemory > this.#parts.waitingBounds.queuedBytesInMemory) this.#moveOut(order, input);
  }

  /** Output has begun: there will be no other attempt, unless this process dies. */
  outputBegan(order: LiveOrder): void {
    if (order.input?.kept) this.#change(order, order.input, { place: 'file' });
    else this.forget(order);
  }

  /** The input of an order that is about to run. Null: only its row can have it. Rejects when a file is unreadable. */
  read({ orderId, input }: LiveOrder): JsonObject | Promise<JsonObject> | null {
    if (input?.json) return exactJson(input.json.toString()) as JsonObject;
    return input?.place === 'file' ? this.#readFile(orderId) : null;
  }

  /** The order has ended. */
  forget(order: LiveOrder): void {
    const { input } = order;
    if (!input) return;
    order.input = null;
    const isInFile = input.kept || input.place === 'file';
    // A write under way still reads the bytes, and deletes its file when it finds the input gone.
    if (input.place === 'moving') input.json = null;
    this.#change(order, input, { place: 'gone', waits: false });
    if (isInFile) void this.#delete(order, input);
  }

  /** Null without an input, and when it cannot be serialized: it then waits as it is. */
  #serialized(order: LiveOrder): WaitingInput | null {
    if (order.input || !order.generation) return order.input;
    try {
      order.input = waitingInput(Buffer.from(JSON.stringify(order.generation.body)));
    } catch (error) {
      this.#parts.log.error(
        { order: order.orderId, err: error },
        'The input of a queued order could not be serialized.',
      );
    }
    return order.input;
  }

  #moveOut(order: LiveOrder, input: WaitingInput): void {
    if (input.place !== 'memory') return;
    if (order.bodyInRow) {
      if (!order.opening) this.#change(order, input, { place: input.kept ? 'file' : 'row' });
    } else if (!this.#parts.disk.low && input.json) {
      this.#parts.disk.willWrite(input.bytes);
      this.#change(order, input, { place: 'moving' });
      input.file = this.#write(order, input, input.json);
    }
  }

  /** Every change of where an input is, and of whether it waits: both counters follow, and the memory is freed. */
  #change(order: LiveOrder, input: WaitingInput, to: Partial<Pick<WaitingInput, 'place' | 'waits'>>): void {
    this.#count(order, input, -1);
    Object.assign(input, to);
    this.#count(order, input, 1);
    if (!input.json || IN_MEMORY.has(input.place)) return;
    releaseBytes(input.json);
    input.json = null;
  }

  #count({ row: { accountId, batchId } }: LiveOrder, input: WaitingInput, sign: 1 | -1): void {
    if (input.place === 'memory' || input.place === 'moving') this.#inMemory += sign * input.bytes;
    if (!input.waits || batchId !== null) return;
    this.#waiting.add(accountId, sign * input.bytes);
    this.#repeated.add(accountId, sign * input.repeatedBytes);
  }

  /** Never rejects. */
  async #write(order: LiveOrder, input: WaitingInput, json: Buffer): Promise<void> {
    try {
      await this.#writes.run(async () => {
        if (input.place !== 'gone') await this.#parts.inputFiles.putGently(order.orderId, json);
      });
      if (input.place === 'moving') this.#change(order, input, { place: 'file' });
    } catch (error) {
      this.#parts.log.error(
        { order: order.orderId, err: error },
        'The input of a queued order stays in memory: the disk failed.',
      );
      if (input.place === 'moving') {
        // A write that was given up may still read the bytes that it was given.
        input.json = Buffer.from(json);
        this.#change(order, input, { place: 'memory' });
      }
    }
    if (input.place === 'gone') await this.#delete(order, input);
  }

  async #readFile(orderId: string): Promise<JsonObject> {
    const json = await this.#parts.inputFiles.get(orderId);
    if (!json) throw new Error('the file with the input of the order is gone');
    return exactJson(Buffer.from(json.buffer, json.byteOffset, json.length).toString()) as JsonObject;
  }

  /** A kept file stays while the database has its order: the next process will run that. */
  async #delete({ orderId, row }: LiveOrder, { kept }: WaitingInput): Promise<void> {
    try {
      const found = kept ? await this.#parts.store.find(wholeAccount(row.accountId), orderId) : null;
      if (!found || isTerminal(found.status)) await this.#parts.inputFiles.delete(orderId);
    } catch (error) {
      this.#parts.log.warn({ order: orderId, err: error }, 'The input of an ended order could not be deleted.');
    }
  }
}

function exceeded(what: string): Fault {
  return new Fault('queued_bytes_exceeded', { message: `${what} as many bytes as they may. Try again later.` });
}
