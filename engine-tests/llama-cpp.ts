/**
 * llama.cpp's own server in a process of its own, with the small model of `engine/model.py`. It knows nothing of the
 * gateway; what it counts of tokens and slots is what the gateway's receipts are compared with.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#testing/free-port.ts';
import { EngineProcess } from './engine-process.ts';

/** Requests that the engine runs at once. */
export const SLOTS = 2;
/** Tokens of a prompt and its answer, for each slot. */
export const CONTEXT_LENGTH = 65_536;

const ROOT = join(import.meta.dirname, '..');
const SCRIPTS = join(import.meta.dirname, 'engine');

/** Tokens since the engine's start, as it counts them itself, without those of requests that were broken off. */
export interface Counters {
  readonly uncached: number;
  readonly cached: number;
  readonly output: number;
}

/** The chat template of a real model, as a file that `start` takes. */
export function templateOf(name: string): string {
  const folder = process.env.ENGINE_TEMPLATES;
  assert.ok(folder, 'ENGINE_TEMPLATES is not set: run scripts/test-engines');
  return join(folder, `${name}.jinja`);
}

/** The engine, which can be stopped and started again at the same address. */
export class LlamaCpp {
  readonly #python: string;
  readonly #folder: string;
  readonly #port: number;
  #process: EngineProcess | null = null;

  private constructor(python: string, folder: string, port: number) {
    this.#python = python;
    this.#folder = folder;
    this.#port = port;
  }

  /** Makes the model. Throws Error when ENGINE_PYTHON names no Python with the packages of requirements.txt. */
  static async prepare(): Promise<LlamaCpp> {
    const python = process.env.ENGINE_PYTHON;
    assert.ok(python, 'ENGINE_PYTHON is not set: run scripts/test-engines');
    const folder = mkdtempSync(join(tmpdir(), 'sluice-engine-'));
    const texts = globSync('docs/*.md', { cwd: ROOT }).sort();
    execFileSync(python, [join(SCRIPTS, 'model.py'), join(folder, 'tiny.gguf'), ...texts], { cwd: ROOT });
    return new LlamaCpp(python, folder, await freePort());
  }

  /** The address for a pod. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}/v1`;
  }

  /**
   * Resolves when the model is loaded. `template` is a file with another chat template than the model's own;
   * `contextLength` is in tokens, for each slot.
   */
  async start(template: string | null = null, contextLength = CONTEXT_LENGTH): Promise<void> {
    const settings = [join(this.#folder, 'tiny.gguf'), this.#port, SLOTS, contextLength, template ?? []]
      .flat()
      .map(String);
    this.#process = await EngineProcess.start(this.#at('/health'), this.#python, [
      join(SCRIPTS, 'serve.py'),
      ...settings,
    ]);
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
  }

  /** Stops it and deletes its model. */
  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Slots that run a request now. */
  async busySlots(): Promise<number> {
    const slots = (await (await fetch(this.#at('/slots'))).json()) as { is_processing: boolean }[];
    return slots.filter((slot) => slot.is_processing).length;
  }

  /** Requests that wait in the engine for a slot. */
  async waiting(): Promise<number> {
    return (await this.#metrics())('requests_deferred');
  }

  /** The prompt that the model would read; null when the chat template refuses the messages. */
  async promptOf(messages: unknown): Promise<string | null> {
    const response = await fetch(this.#at('/apply-template'), { method: 'POST', body: JSON.stringify({ messages }) });
    const { prompt } = (await response.json()) as { prompt?: string };
    assert.equal(response.ok, prompt !== undefined);
    return prompt ?? null;
  }

  async counters(): Promise<Counters> {
    const metric = await this.#metrics();
    return {
      uncached: metric('prompt_tokens_total'),
      cached: metric('prompt_tokens_cached_total'),
      output: metric('tokens_predicted_total'),
    };
  }

  /** The number of the token that stands for all of `text`. */
  async tokenOf(text: string): Promise<number> {
    const response = await fetch(this.#at('/tokenize'), { method: 'POST', body: JSON.stringify({ content: text }) });
    const { tokens } = (await response.json()) as { tokens: number[] };
    assert.equal(tokens.length, 1);
    return tokens[0] ?? Number.NaN;
  }

  async #metrics(): Promise<(name: string) => number> {
    const page = await (await fetch(this.#at('/metrics'))).text();
    return (name) => {
      const [, value] = new RegExp(`^llamacpp:${name} (\\S+)$`, 'm').exec(page) ?? [];
      assert.ok(value, `The engine has no metric ${name}.`);
      return Number(value);
    };
  }

  #at(path: string): string {
    return `http://127.0.0.1:${this.#port}${path}`;
  }
}
