/**
 * Plays the answer of a simulated pod: writes each chunk when it is due, as a chat server would, or fails as requested.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { Random } from '#base/random.ts';
import type { JsonObject } from '#orders/request.ts';
import { type AttemptOptions, AttemptRun } from './attempt-run.ts';
import { complaintOf } from './malformed.ts';
import { type SimulatedAnswer, WORDS } from './simulated-answer.ts';
import type { SimulatedFailure } from './simulation-switches.ts';

/** Tokens come in bursts, at least this many milliseconds apart and at most this many tokens long. */
const BURST_MS = 5;
const BURST_TOKENS_MAX = 500;

/** The course of one attempt. */
export interface Script {
  readonly answer: SimulatedAnswer;
  readonly fail: SimulatedFailure | null;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly outputMax: number;
  readonly firstTokenMs: number;
  /** The mean; each token takes between half and one and a half times as long. */
  readonly tokenMs: number;
  readonly random: Random;
}

/** One attempt that follows a script. */
export class Playback {
  readonly run: AttemptRun;
  readonly #continuousUsage: boolean;
  readonly #clock: Clock;
  #timer: Timer | null = null;
  #written = 0;
  #dueMs = 0;

  constructor(options: Omit<AttemptOptions, 'stop'>) {
    this.#continuousUsage = options.config.continuousUsage;
    this.#clock = options.clock;
    this.run = new AttemptRun({ ...options, stop: () => this.#timer?.cancel() });
  }

  /** Starts. A string instead of a script is the model's refusal of the request. Call once. */
  begin(script: Script | string): void {
    const nowMs = this.#clock.monotonicMs();
    if (typeof script === 'string') {
      this.#timer = this.#clock.after(0, () => this.run.refuse(complaintOf(script), false));
      return;
    }
    this.#dueMs = nowMs + script.firstTokenMs;
    const early = script.fail === 'connect' || script.fail === 'refuse' || script.fail === 'no-slot';
    this.#timer = this.#clock.after(early ? 0 : script.firstTokenMs, () => this.#start(script));
  }

  #start(script: Script): void {
    if (script.fail === 'hang') return;
    if (script.fail === 'connect') this.run.closed('the connection failed: ECONNREFUSED (simulated)');
    if (script.fail === 'before-output') this.run.closed('the backend answered 500 (simulated)');
    if (script.fail === 'refuse') this.run.end({ kind: 'refused', message: 'This refusal is simulated.' }, false);
    if (script.fail === 'no-slot') this.run.end({ kind: 'no-slot' }, false);
    if (this.run.over) return;
    this.run.guard(() => this.run.chunk(chunk({ role: 'assistant', content: '' })));
    this.#burst(script);
  }

  /** Writes all tokens that are due, at most one burst. */
  #burst(script: Script): void {
    const { answer, outputMax, fail } = script;
    const length = Math.min(answer.deltas.length, outputMax);
    const breaksHalfWay = fail === 'mid-stream' || fail === 'garbage' || fail === 'stall';
    const breaksAt = breaksHalfWay ? Math.ceil(length / 2) : Number.POSITIVE_INFINITY;
    const nowMs = this.#clock.monotonicMs();
    this.run.guard(() => {
      for (let burst = 0; burst < BURST_TOKENS_MAX && this.#dueMs <= nowMs; burst++) {
        if (this.#written >= breaksAt) {
          if (fail === 'mid-stream') this.run.chunk({ error: { message: 'this failure is simulated', code: 500 } });
          if (fail === 'garbage') this.run.data('{"choices":[{"index":0,"delta":{"content":"simul');
          return;
        }
        if (this.#written >= length) return this.#finish(script);
        this.#write(script);
      }
    });
    this.run.deliver();
    if (this.run.over || (fail === 'stall' && this.#written >= breaksAt)) return;
    const waitMs = this.#dueMs <= nowMs ? 0 : Math.max(BURST_MS, this.#dueMs - nowMs);
    this.#timer = this.#clock.after(waitMs, () => this.#burst(script));
  }

  #write(script: Script): void {
    const { answer, random, tokenMs } = script;
    const delta = answer.deltas[this.#written] ?? {};
    this.#written++;
    this.#dueMs += tokenMs * (0.5 + random.next());
    const { content } = delta;
    const scored = answer.topLogprobs !== null && typeof content === 'string';
    const logprobs = scored ? { logprobs: logprobsOf(content, answer.topLogprobs) } : {};
    const usage = this.#continuousUsage ? this.#usage(script) : null;
    this.run.chunk(chunk(delta, logprobs, usage));
  }

  #finish(script: Script): void {
    const { answer, outputMax, fail } = script;
    const finish_reason = answer.deltas.length > outputMax ? 'length' : answer.finishReason;
    if (fail !== 'no-finish') this.run.chunk(chunk({}, { finish_reason, stop_reason: answer.stopReason }));
    if (fail !== 'no-usage') this.run.chunk({ choices: [], usage: this.#usage(script) });
    this.run.closed();
  }

  #usage(script: Script): JsonObject {
    const reasoning_tokens = Math.min(script.answer.reasoningTokens, this.#written);
    return {
      prompt_tokens: script.promptTokens,
      completion_tokens: this.#written,
      total_tokens: script.promptTokens + this.#written,
      prompt_tokens_details: { cached_tokens: script.cachedTokens },
      completion_tokens_details: { reasoning_tokens },
    };
  }
}

function chunk(delta: JsonObject, choice: JsonObject = {}, usage: JsonObject | null = null): JsonObject {
  return { choices: [{ index: 0, delta, finish_reason: null, ...choice }], usage };
}

/** The probability of a chosen token. Each alternative has half that of the one before it, so all are less than 1. */
const CHOSEN = 0.9;
/** More than the protocol allows to ask for, even without the chosen one. */
const ALTERNATIVES = [...new Set([...WORDS, 'water', 'stone'])].map((word) => `${word} `);

/** The `logprobs` of a delta of one token. Of `count` top tokens, the most probable first, the chosen one is the first. */
function logprobsOf(token: string, count: number): JsonObject {
  const others = ALTERNATIVES.filter((other) => other !== token);
  const top = [token, ...others].slice(0, Math.max(0, count)).map((one, place) => {
    return entryOf(one, place === 0 ? CHOSEN : (1 - CHOSEN) * 0.5 ** place);
  });
  return { content: [{ ...entryOf(token, CHOSEN), top_logprobs: top }] };
}

function entryOf(token: string, share: number): JsonObject {
  return { token, logprob: Math.log(share), bytes: [...Buffer.from(token)] };
}
