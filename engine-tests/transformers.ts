/** `transformers serve` with the model of `engine/scripted_model.py`, whose answer the last message names. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#testing/free-port.ts';
import { EngineProcess } from './engine-process.ts';
import type { Engine } from './gateway.ts';

/** Tokens of a prompt and its answer, as in the script. */
export const CONTEXT_LENGTH = 4_096;
const MAIN = 'from transformers.cli.transformers import main; main()';

export class Transformers implements Engine {
  readonly contextLength = CONTEXT_LENGTH;
  readonly #folder: string;
  readonly #process: EngineProcess;
  readonly #port: number;

  private constructor(folder: string, process: EngineProcess, port: number) {
    this.#folder = folder;
    this.#process = process;
    this.#port = port;
  }

  /** Makes the model and serves it. ENGINE_TRANSFORMERS names a Python with the packages of transformers.txt and PyTorch. */
  static async start(): Promise<Transformers> {
    const python = process.env.ENGINE_TRANSFORMERS;
    assert.ok(python);
    const folder = mkdtempSync(join(tmpdir(), 'sluice-engine-'));
    execFileSync(python, [join(import.meta.dirname, 'engine/scripted_model.py'), folder]);
    const port = await freePort();
    const settings = ['--host', '127.0.0.1', '--port', String(port), '--device', 'cpu'];
    const health = `http://127.0.0.1:${port}/health`;
    const args = ['-c', MAIN, 'serve', folder, ...settings];
    return new Transformers(folder, await EngineProcess.start(health, python, args), port);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/v1`;
  }

  /** The name under which the server knows its model. */
  get model(): string {
    return this.#folder;
  }

  /** Stops it and deletes its model. */
  async remove(): Promise<void> {
    await this.#process.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
