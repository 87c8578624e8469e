/**
 * A backend in this process with real timing, token counts and failures, but made-up answers. It writes the chunks that
 * a chat server would write and the same code reads them, so tests with it also hold for real pods. `x_simulate` in a
 * request's body controls it (`simulation-switches.ts`).
 */
import { plainNumbers } from '#base/exact-json.ts';
import type { Attempt, AttemptRequest, AttemptSink } from '#orders/ports.ts';
import type { JsonObject } from '#orders/request.ts';
import type { AttemptOptions } from './attempt-run.ts';
import { engineInput } from './engine-input.ts';
import { profiles } from './engine-profiles.ts';
import type { MetricsPage, Ping, Pod, PodConfig } from './pod.ts';
import { PrefixCache } from './prefix-cache.ts';
import { randomOf, simulatedAnswer } from './simulated-answer.ts';
import { Playback, type Script } from './simulated-playback.ts';
import { attemptFailure, readSwitches, SwitchError } from './simulation-switches.ts';

/** Characters per prompt token; extra tokens per message and per image. */
const PROMPT_TOKEN_CHARACTERS = 4;
const MESSAGE_TOKENS = 4;
const IMAGE_TOKENS = 256;
/** Milliseconds to process one uncached prompt token. */
const PREFILL_MS_PER_TOKEN = 0.05;

/** A simulated pod. */
export class SimulatedPod implements Pod {
  readonly config: PodConfig;
  readonly engine = 'auto';
  readonly #options: Pick<AttemptOptions, 'clock' | 'onImplausibleUsage'>;
  readonly #cache = new PrefixCache();

  constructor(config: PodConfig, options: Pick<AttemptOptions, 'clock' | 'onImplausibleUsage'>) {
    this.config = config;
    this.#options = options;
  }

  execute(request: AttemptRequest, sink: AttemptSink): Attempt {
    const playback = new Playback({ config: this.config, request, sink, ...this.#options });
    playback.begin(this.#script(request));
    return playback.run;
  }

  async ping(): Promise<Ping> {
    return 'alive';
  }

  async metrics(): Promise<MetricsPage> {
    return { fault: 'are not there: it is simulated' };
  }

  async close(): Promise<void> {}

  /** The course of this attempt; a string if the model refuses the request. */
  #script(request: AttemptRequest): Script | string {
    // Reasoning under one name: under two it would count twice.
    const input = engineInput(request.generation.body, this.config.systemPolicy, profiles.sglang);
    const body = withPlainNumbers(input);
    try {
      const switches = readSwitches(body);
      const random = randomOf(this.config.seed, body);
      const prompt = this.#readPrompt(body, request);
      const promptTokens = Math.round(switches.promptTokens ?? prompt.tokens);
      if (promptTokens >= this.config.contextLength) {
        return `This model's maximum context length is ${this.config.contextLength} tokens. However, your request has ${promptTokens} input tokens.`;
      }
      const cachedTokens = Math.round(switches.cachedTokens ?? prompt.cachedTokens);
      const readingMs = (promptTokens - cachedTokens) * PREFILL_MS_PER_TOKEN;
      const outputMax = Math.min(request.outputCap, this.config.contextLength - promptTokens);
      return {
        answer: simulatedAnswer(body, switches, { random, outputMax }),
        fail: attemptFailure(switches, request.attempt),
        promptTokens,
        cachedTokens,
        outputMax,
        firstTokenMs: switches.firstTokenMs ?? 60 + random.next() * 120 + readingMs,
        tokenMs: switches.tokenMs ?? 8 + random.next() * 8,
        random,
      };
    } catch (error) {
      if (error instanceof SwitchError) return error.message;
      throw error;
    }
  }

  #readPrompt(body: JsonObject, request: AttemptRequest): { tokens: number; cachedTokens: number } {
    const images: unknown[] = [];
    const text = JSON.stringify([body.tools ?? [], body.messages ?? []], (key, value) => {
      if (key !== 'image_url') return value;
      images.push(value);
      return '';
    });
    const messages = Array.isArray(body.messages) ? body.messages.length : 0;
    const letters = Math.ceil(text.length / PROMPT_TOKEN_CHARACTERS);
    const counted = letters + messages * MESSAGE_TOKENS + images.length * IMAGE_TOKENS;
    // The bound of an order that waited is at most the context, and does not show a prompt above it.
    const { promptBound } = request.generation;
    const most = promptBound < this.config.contextLength ? promptBound : counted;
    const tokens = Math.max(1, Math.min(counted, most));
    const cachedTokens = Math.min(Math.floor(this.#cache.take(text) / PROMPT_TOKEN_CHARACTERS), tokens - 1);
    return { tokens, cachedTokens };
  }
}

/** The simulated model reads numbers in tools, schemas and switches; in messages there are none. */
function withPlainNumbers(body: JsonObject): JsonObject {
  const entries = Object.entries(body).map(([name, value]) => [
    name,
    name === 'messages' ? value : plainNumbers(value),
  ]);
  return Object.fromEntries(entries);
}
