/** Talks to call_clients.py beside this file, one JSON object on a line each way. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ClientAnswer } from '../client-driver.ts';

/** A Python process that answers line by line. Starting one is slow, so it serves all journeys of a file. */
export class PythonProcess {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  #complaints = '';

  /** `python` is the interpreter that has the clients; `shape` is one that call_clients.py names. */
  constructor(python: string, shape: string) {
    this.#process = spawn(python, [fileURLToPath(new URL('call_clients.py', import.meta.url)), shape]);
    this.#process.stderr.on('data', (bytes: Buffer) => {
      this.#complaints += bytes.toString();
    });
    this.#reader = createInterface(this.#process.stdout);
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /** Asks; rejects when the client raises. */
  async say(fields: object): Promise<ClientAnswer> {
    this.#process.stdin.write(`${JSON.stringify(fields)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`Python went away: ${this.#complaints}`);
    const { said, error } = JSON.parse(value) as { said?: ClientAnswer; error?: string };
    if (!said) throw new Error(error);
    return said;
  }

  /** Ends the process. */
  end(): void {
    this.#reader.close();
    this.#process.kill();
  }
}
