/** Talks to speak.py beside this file, one JSON object on a line each way. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Said } from '../journeys.ts';

/** A Python process that answers line by line; starting one is slow, so it serves a whole file of journeys. */
export class Speech {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  #complaints = '';

  /** `python` is the interpreter that has the clients; `shape` one of those that speak.py names. */
  constructor(python: string, shape: string) {
    this.#process = spawn(python, [fileURLToPath(new URL('speak.py', import.meta.url)), shape]);
    this.#process.stderr.on('data', (bytes: Buffer) => {
      this.#complaints += bytes.toString();
    });
    this.#reader = createInterface(this.#process.stdout);
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /** Asks; rejects when the client raises. */
  async say(fields: object): Promise<Said> {
    this.#process.stdin.write(`${JSON.stringify(fields)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`Python went away: ${this.#complaints}`);
    const { said, error } = JSON.parse(value) as { said?: Said; error?: string };
    if (!said) throw new Error(error);
    return said;
  }

  /** Ends the process. */
  end(): void {
    this.#reader.close();
    this.#process.kill();
  }
}
