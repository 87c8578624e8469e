/**
 * The file of an exchange record: one per run of the gateway, named by its start time, next to the newest few of
 * earlier runs. A record with a gap is worthless, so a file that is too large, or a disk that is too slow, ends the
 * record of this run; trading continues. Writes are not awaited: after a kill the last moments may be missing. The last
 * hash of a record is logged when it ends and at the next start: it proves that nothing was cut off later.
 */
import {
  closeSync,
  createWriteStream,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  type WriteStream,
} from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { hashIn } from '#market/exchange/recording.ts';

interface RecordingOptions {
  /** Created if it does not exist. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly bytesMax?: number;
}

/** A gibibyte holds about one and a quarter million orders. */
const BYTES_MAX = 2 ** 30;
/** The most bytes that may wait for the disk. */
const UNWRITTEN_BYTES_MAX = 64 * 2 ** 20;
/** The number of files kept from earlier runs. */
const EARLIER_KEPT = 4;
const NAME = /^\d{4}-.*\.jsonl$/;
/** How much of the end of a record is read at first; a longer last line takes more. */
const TAIL_BYTES = 64 * 1024;

/** The record of this run. */
export class RecordingFile {
  readonly path: string;
  /** The last hash of the newest earlier record; null for none, or for a record without hashes. */
  readonly after: string | null;
  readonly #log: Log;
  readonly #bytesMax: number;
  readonly #stream: WriteStream;
  #bytes = 0;
  #ended = false;
  #lastLine = '';

  /** Throws when the folder cannot be created. */
  constructor({ folder, clock, log, bytesMax = BYTES_MAX }: RecordingOptions) {
    this.#log = log;
    this.#bytesMax = bytesMax;
    mkdirSync(folder, { recursive: true });
    const names = readdirSync(folder)
      .filter((name) => NAME.test(name))
      .sort();
    for (const old of names.slice(0, -EARLIER_KEPT)) rmSync(join(folder, old));
    const last = names.at(-1);
    const path = last === undefined ? null : join(folder, last);
    this.after = path && hashAtEnd(path);
    if (this.after) log.info({ path, hash: this.after }, 'The market record before this one ends with this hash.');
    const name = new Date(clock.nowMs()).toISOString().replaceAll(':', '-');
    this.path = join(folder, `${name}.jsonl`);
    this.#stream = createWriteStream(this.path);
    this.#stream.on('error', (error) => this.#endEarly(`it cannot be written: ${error.message}`));
  }

  /** Adds a line; has no effect after the record ended. */
  write(line: string): void {
    if (this.#ended) return;
    this.#bytes += line.length + 1;
    if (this.#bytes > this.#bytesMax) this.#endEarly('it has reached its maximum size');
    else if (this.#stream.writableLength > UNWRITTEN_BYTES_MAX) this.#endEarly('the disk does not keep up');
    else {
      this.#stream.write(`${line}\n`);
      this.#lastLine = line;
    }
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    if (!this.#ended) this.#log.info(this.#facts, 'The market record of this run ends with this hash.');
    this.#ended = true;
    if (this.#stream.destroyed) return;
    await new Promise<void>((resolve) => this.#stream.end(() => resolve()));
  }

  get #facts() {
    return { path: this.path, hash: hashIn(this.#lastLine) };
  }

  #endEarly(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#log.warn({ ...this.#facts, bytes: this.#bytes }, `The market record of this run ends here: ${reason}.`);
    this.#stream.end();
  }
}

/** The hash of the last whole line of a record, unchecked; null for a record without hashes. */
function hashAtEnd(path: string): string | null {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    for (let length = TAIL_BYTES; ; length *= 2) {
      const tail = Buffer.alloc(Math.min(length, size));
      readSync(file, tail, 0, tail.length, size - tail.length);
      const text = tail.toString('latin1');
      const end = text.lastIndexOf('\n');
      const start = text.lastIndexOf('\n', end - 1) + 1;
      if (tail.length === size || (end > 0 && start > 0)) return hashIn(text.slice(start, Math.max(end, 0)));
    }
  } finally {
    closeSync(file);
  }
}
