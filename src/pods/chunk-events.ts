/**
 * From the chunks of an OpenAI-compatible chat stream to generation events. This is where the differences between
 * vLLM, SGLang, llama.cpp, Ollama and the rest end; the fixtures beside the tests show them. Pure: no time, no network.
 *
 * `finish` is told by `end`, not when the finish_reason comes: text, usage and calls may still follow it.
 */
import type { FinishReason, GenerationEvent, ReportedUsage } from '#orders/generation.ts';
import {
  BackendFault,
  BackendRefusal,
  errorMessage,
  type Fields,
  isRefusal,
  readFields,
  readList,
  readText,
} from './malformed.ts';
import { isAllZero, readUsage, type UsageBounds } from './reported-usage.ts';
import { ToolCallReader } from './tool-calls.ts';
import { WholeText } from './whole-text.ts';

/** What a reader must know of the request. */
export interface ChunkReaderOptions extends UsageBounds {
  /** The request's stop strings. */
  readonly stop: readonly string[];
  /** Begins the ids of calls that come without one; unlike that of any other generation. */
  readonly callIdPrefix: string;
  /** Called for each usage that cannot be true. */
  readonly onUnbelievableUsage: () => void;
}

/** Reads the chunks of one generation. Events are collected until `take` is called. */
export class ChunkReader {
  readonly #options: ChunkReaderOptions;
  readonly #text = new WholeText();
  readonly #reasoning = new WholeText();
  readonly #calls: ToolCallReader;
  #events: GenerationEvent[] = [];
  #deltas = 0;
  /** What the backend numbers the answer with. */
  #index: unknown = null;
  #usage: ReportedUsage | null = null;
  #finishReason: string | null = null;
  #stopSequence: string | null = null;
  #overCap = false;

  constructor(options: ChunkReaderOptions) {
    this.#options = options;
    this.#calls = new ToolCallReader(options.callIdPrefix, (event) => this.#emit(event));
  }

  /** The last usage that came and can be true; null for none. */
  get usage(): ReportedUsage | null {
    return this.#usage;
  }

  /** Whether the backend has given a finish_reason. */
  get finished(): boolean {
    return this.#finishReason !== null;
  }

  /**
   * Whether more deltas came than the output cap allows, a call that opens being one: what is above it is dropped, and
   * the pod must be stopped.
   */
  get overCap(): boolean {
    return this.#overCap;
  }

  /**
   * Takes the next chunk. Throws BackendFault when it is malformed or an error, and BackendRefusal when the error is the
   * request's and nothing was generated yet; what came before stays good.
   */
  read(chunk: unknown): void {
    const fields = readFields(chunk, 'chunk');
    if (!fields) throw new BackendFault('malformed chunk: null');
    if ((fields.error !== undefined && fields.error !== null) || fields.object === 'error') throw this.#errorOf(fields);
    for (const entry of readList(fields.choices, 'choices')) {
      const choice = readFields(entry, 'choices[]');
      if (choice && this.#isOurs(choice)) this.#readChoice(choice);
    }
    this.#readUsage(fields.usage);
  }

  /** The events since the last call, in order; may be empty. */
  take(): readonly GenerationEvent[] {
    const taken = this.#events;
    if (taken.length > 0) this.#events = [];
    return taken;
  }

  /** The generation is whole, or was stopped at the cap: adds what was held back, and `finish`. */
  end(): void {
    this.#delta('reasoning-delta', this.#reasoning.rest());
    this.#delta('text-delta', this.#text.rest());
    this.#calls.end();
    const reason = this.#overCap ? 'length' : finishReason(this.#finishReason, this.#calls.opened > 0);
    this.#events.push({ type: 'finish', reason, stopSequence: reason === 'stop' ? this.#stopSequence : null });
  }

  /** vLLM and SGLang look at a prompt only once they have answered 200, and give the status as the error's code. */
  #errorOf(fields: Fields): Error {
    const { code } = typeof fields.error === 'object' ? (fields.error as Fields) : fields;
    const said = errorMessage(fields);
    if (isRefusal(code) && this.#deltas === 0) return new BackendRefusal(said);
    return new BackendFault(`error in the stream: ${said}`);
  }

  /** One answer was asked for: of a backend that sends more, the one that began first counts. */
  #isOurs(choice: Fields): boolean {
    const index = choice.index ?? 0;
    this.#index ??= index;
    return index === this.#index;
  }

  #readChoice(choice: Fields): void {
    const delta = readFields(choice.delta, 'delta');
    if (delta) this.#readDelta(delta);
    if (choice.logprobs !== undefined && choice.logprobs !== null) this.#readLogprobs(choice.logprobs);
    const reason = readText(choice.finish_reason, 'finish_reason');
    if (reason !== '') this.#readFinish(reason, choice);
    this.#readUsage(choice.usage);
  }

  #readDelta(delta: Fields): void {
    // Some send both keys with the same text, so only one is taken.
    const reasoning = readText(delta.reasoning_content, 'reasoning_content') || readText(delta.reasoning, 'reasoning');
    if (reasoning !== '') this.#delta('reasoning-delta', this.#reasoning.next(reasoning));
    const text = readText(delta.content, 'content');
    if (text !== '') this.#delta('text-delta', this.#text.next(text));
    if (delta.tool_calls) this.#calls.read(delta.tool_calls);
    // The older name of the same thing, for one call.
    if (delta.function_call) this.#calls.read([{ index: 0, function: delta.function_call }]);
  }

  #readLogprobs(logprobs: unknown): void {
    const content = readList(readFields(logprobs, 'logprobs')?.content, 'logprobs.content');
    if (content.length > 0) this.#emit({ type: 'logprobs', content });
  }

  #readFinish(reason: string, choice: Fields): void {
    // vLLM and SGLang end a generation so when the engine gave it up: it is not whole.
    if (reason === 'abort' || reason === 'error') throw new BackendFault(`the backend ended with ${reason}`);
    this.#finishReason = reason;
    // vLLM and SGLang name the stop string here, or the id of a stop token, which nobody asked for.
    const matched = choice.stop_reason ?? choice.matched_stop;
    if (typeof matched === 'string' && this.#options.stop.includes(matched)) this.#stopSequence = matched;
  }

  #readUsage(usage: unknown): void {
    if (usage === undefined || usage === null) return;
    const read = readUsage(usage, this.#options);
    if (read === 'unbelievable') {
      this.#options.onUnbelievableUsage();
      this.#usage = null;
    } else if (!isAllZero(read) || (this.finished && this.#usage === null)) {
      // Zeros are a placeholder while the answer goes on and beside other counts; at the end, alone, they are the count.
      this.#usage = read;
    }
  }

  #delta(type: 'reasoning-delta' | 'text-delta', text: string): void {
    if (text !== '') this.#emit({ type, text });
  }

  #emit(event: GenerationEvent): void {
    if (this.#overCap) return;
    if (event.type !== 'logprobs') {
      if (this.#deltas === this.#options.outputCap) {
        this.#overCap = true;
        return;
      }
      this.#deltas++;
    }
    this.#events.push(event);
  }
}

/** What the gateway calls a backend's finish_reason. Reasons nobody knows read as `stop`. Spec 2.9. */
function finishReason(theirs: string | null, called: boolean): FinishReason {
  if (theirs === 'length' || theirs === 'content_filter') return theirs;
  return called ? 'tool_calls' : 'stop';
}

/** The request's stop strings. */
export function stopStrings(stop: unknown): readonly string[] {
  if (typeof stop === 'string') return [stop];
  return Array.isArray(stop) ? stop.filter((entry) => typeof entry === 'string') : [];
}
