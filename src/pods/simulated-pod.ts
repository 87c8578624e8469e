/**
 * A backend inside the process: real timing, token counts and failures, made-up answers. It writes the chunks a chat
 * server would write and they are read by the same code, so what is tried on it holds for real pods. `x_simulate` in a
 * request's body steers it (`simulation-switches.ts`).
 */
import type { Attempt, AttemptRequest, AttemptSink } from '#orders/ports.ts';
import type { JsonObject } from '#orders/request.ts';
import type { AttemptSetting } from './attempt-run.ts';
import type { Ping, Pod, PodConfig } from './pod.ts';
import { PrefixCache } from './prefix-cache.ts';
import { randomOf, simulatedAnswer } from './simulated-answer.ts';
import { Playback, type Script } from './simulated-playback.ts';
import { failureOf, readSwitches, SwitchError } from './simulation-switches.ts';
import { withSystemPolicy } from './system-policy.ts';

/** Letters to a token of prompt, tokens for the frame of a message and for an image. */
const PROMPT_TOKEN_LETTERS = 4;
const MESSAGE_TOKENS = 4;
const IMAGE_TOKENS = 256;
/** Milliseconds that a token of prompt which is not cached takes to read. */
const PREFILL_MS_PER_TOKEN = 0.05;

/** A simulated pod. */
export class SimulatedPod implements Pod {
  readonly config: PodConfig;
  readonly #parts: Pick<AttemptSetting, 'clock' | 'onUnbelievableUsage'>;
  readonly #cache = new PrefixCache();

  constructor(config: PodConfig, parts: Pick<AttemptSetting, 'clock' | 'onUnbelievableUsage'>) {
    this.config = config;
    this.#parts = parts;
  }

  execute(request: AttemptRequest, sink: AttemptSink): Attempt {
    const playback = new Playback({ config: this.config, request, sink, ...this.#parts });
    playback.begin(this.#script(request));
    return playback.run;
  }

  async ping(): Promise<Ping> {
    return 'alive';
  }

  async close(): Promise<void> {}

  /** What will happen in this attempt; a text when the model refuses the request. */
  #script(request: AttemptRequest): Script | string {
    const body = withSystemPolicy(request.generation.body, this.config.systemPolicy);
    try {
      const switches = readSwitches(body);
      const random = randomOf(this.config.seed, body);
      const prompt = this.#readPrompt(body, request);
      const promptTokens = Math.round(switches.promptTokens ?? prompt.tokens);
      if (promptTokens >= this.config.contextLength) {
        return `This model's maximum context length is ${this.config.contextLength} tokens; the prompt has ${promptTokens}.`;
      }
      const cachedTokens = Math.round(switches.cachedTokens ?? prompt.cachedTokens);
      const readingMs = (promptTokens - cachedTokens) * PREFILL_MS_PER_TOKEN;
      const outputMax = Math.min(request.outputCap, this.config.contextLength - promptTokens);
      return {
        answer: simulatedAnswer(body, switches, { random, outputMax }),
        fail: failureOf(switches, request.attempt),
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
    const letters = Math.ceil(text.length / PROMPT_TOKEN_LETTERS);
    const counted = letters + messages * MESSAGE_TOKENS + images.length * IMAGE_TOKENS;
    const tokens = Math.max(1, Math.min(counted, request.generation.promptBound));
    const cachedTokens = Math.min(Math.floor(this.#cache.take(text) / PROMPT_TOKEN_LETTERS), tokens - 1);
    return { tokens, cachedTokens };
  }
}
