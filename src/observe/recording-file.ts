/**
 * The file of an exchange record: one per run of the gateway, named by its start time, next to the newest few of
 * earlier runs. A record with a gap is worthless, so a file that is too large, or a disk that is too slow, ends the
 * record of this run; trading continues. Writes are not awaited: after a kill the last moments may be missing.
 */
import { createWriteStream, mkdirSync, readdirSync, rmSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';

/** What a recording file needs. */
export interface RecordingOptions {
  /** Created if it does not exist. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly bytesMax?: number;
}

/** A gibibyte holds about one and a half million orders. */
const BYTES_MAX = 2 ** 30;
/** The most bytes that may wait for the disk. */
const UNWRITTEN_BYTES_MAX = 64 * 2 ** 20;
/** The number of files kept from earlier runs. */
const EARLIER_KEPT = 4;
const NAME = /^\d{4}-.*\.jsonl$/;

/** The record of this run. */
export class RecordingFile {
  readonly path: string;
  readonly #log: Log;
  readonly #bytesMax: number;
  readonly #stream: WriteStream;
  #bytes = 0;
  #ended = false;

  /** Throws when the folder cannot be created. */
  constructor({ folder, clock, log, bytesMax = BYTES_MAX }: RecordingOptions) {
    this.#log = log;
    this.#bytesMax = bytesMax;
    mkdirSync(folder, { recursive: true });
    for (const old of earlier(folder).slice(0, -EARLIER_KEPT)) rmSync(join(folder, old));
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
    else this.#stream.write(`${line}\n`);
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    this.#ended = true;
    if (this.#stream.destroyed) return;
    await new Promise<void>((resolve) => this.#stream.end(() => resolve()));
  }

  #endEarly(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#log.warn({ path: this.path, bytes: this.#bytes }, `The market record of this run ends here: ${reason}.`);
    this.#stream.end();
  }
}

/** The earlier records in a folder, oldest first. */
function earlier(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort();
}
