/**
 * Where the record of an exchange goes: one file a run of the gateway, named by when it began, beside the newest few of
 * earlier runs. A record with a hole in it is worth nothing, so a file that has grown too large, or a disk that does not
 * keep up, ends it for this run; trading goes on. Nobody waits for it: after a kill the last moments may be missing.
 */
import { createWriteStream, mkdirSync, readdirSync, rmSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';

/** What a recording file is opened with. */
export interface RecordingParts {
  /** Made when it is missing. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly bytesMax?: number;
}

/** A gibibyte is a million and a half orders. */
const BYTES_MAX = 2 ** 30;
/** What may wait for the disk. */
const UNWRITTEN_BYTES_MAX = 64 * 2 ** 20;
/** Files of earlier runs that stay. */
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

  /** Throws when the folder cannot be made. */
  constructor({ folder, clock, log, bytesMax = BYTES_MAX }: RecordingParts) {
    this.#log = log;
    this.#bytesMax = bytesMax;
    mkdirSync(folder, { recursive: true });
    for (const old of earlier(folder).slice(0, -EARLIER_KEPT)) rmSync(join(folder, old));
    const name = new Date(clock.nowMs()).toISOString().replaceAll(':', '-');
    this.path = join(folder, `${name}.jsonl`);
    this.#stream = createWriteStream(this.path);
    this.#stream.on('error', (error) => this.#give(`it cannot be written: ${error.message}`));
  }

  /** Adds a line; does nothing once the record has ended. */
  write(line: string): void {
    if (this.#ended) return;
    this.#bytes += line.length + 1;
    if (this.#bytes > this.#bytesMax) this.#give('it is as large as it may be');
    else if (this.#stream.writableLength > UNWRITTEN_BYTES_MAX) this.#give('the disk does not keep up');
    else this.#stream.write(`${line}\n`);
  }

  /** Resolves when everything is in the file. */
  async close(): Promise<void> {
    this.#ended = true;
    if (this.#stream.destroyed) return;
    await new Promise<void>((resolve) => this.#stream.end(() => resolve()));
  }

  #give(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#log.warn({ path: this.path, bytes: this.#bytes }, `The record of the market ends here: ${reason}.`);
    this.#stream.end();
  }
}

/** The records in a folder, oldest first. */
function earlier(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort();
}
