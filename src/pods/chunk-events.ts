/**
 * Turns the chunks of an OpenAI-compatible chat stream into generation events. The differences between vLLM, SGLang,
 * llama.cpp, Ollama and others are resolved here; the fixtures beside the tests show them. Pure: no time, no network.
 *
 * `end` emits `finish`, not the chunk with the finish_reason: text, usage and calls may still follow that chunk.
 */
import type { FinishReason, GenerationEvent, ReportedUsage } from '#results/generation.ts';
import {
  BackendFault,
  BackendRefusal,
  complaintOf,
  type Fields,
  isRefusal,
  readFields,
  readList,
  readText,
} from './malformed.ts';
import { ToolCallReader } from './tool-calls.ts';
import { WholeText } from './whole-text.ts';

/** What a reader needs of the request. */
export interface ChunkReaderOptions extends UsageBounds {
  /** The request's stop strings. */
  readonly stop: readonly string[];
  readonly outputCap: number;
  /** The prefix of ids for calls without one; unique to this generation. */
  readonly callIdPrefix: string;
  readonly answerBytesMax: number;
  /** Called for each implausible usage. */
  readonly onImplausibleUsage: () => void;
}

/** Reads the chunks of one generation. Events are collected until `take` is called. */
export class ChunkReader {
  readonly #options: ChunkReaderOptions;
  readonly #text = new WholeText();
  readonly #reasoning = new WholeText();
  /** Null until there is a call: most answers have none. */
  #calls: ToolCallReader | null = null;
  #events: GenerationEvent[] = [];
  #deltas = 0;
  #outputChunks = 0;
  #bytes = 0;
  /** The index of the choice that is read. */
  #choiceIndex: unknown = null;
  #usage: ReportedUsage | null = null;
  #finishReason: string | null = null;
  #stopSequence: string | null = null;
  #overCap = false;

  constructor(options: ChunkReaderOptions) {
    this.#options = options;
  }

  /** The last plausible usage; null for none. */
  get usage(): ReportedUsage | null {
    return this.#usage;
  }

  /** The chunks that brought output or an empty text, for a backend that puts one token in each. */
  get outputChunks(): number {
    return this.#outputChunks;
  }

  /** Whether the backend has given a finish_reason. */
  get finished(): boolean {
    return this.#finishReason !== null;
  }

  /**
   * Whether there were more deltas than the output cap allows; an opened call counts as one. The excess is dropped, and
   * the pod must be stopped.
   */
  get overCap(): boolean {
    return this.#overCap;
  }

  /**
   * Takes the next chunk. Throws BackendFault if it is malformed, an error, or too much for one answer, and
   * BackendRefusal if the error is the request's and nothing was generated yet. Earlier events stay valid.
   */
  read(chunk: unknown): void {
    const fields = readFields(chunk, 'chunk');
    if (!fields) throw new BackendFault('malformed chunk: null');
    if ((fields.error !== undefined && fields.error !== null) || fields.object === 'error') throw this.#errorOf(fields);
    for (const entry of readList(fields.choices, 'choices')) {
      const choice = readFields(entry, 'choices[]');
      if (choice && this.#isFirstChoice(choice)) this.#readChoice(choice);
    }
    this.#readUsage(fields.usage);
  }

  /** The events since the last call, in order; may be empty. */
  take(): readonly GenerationEvent[] {
    const taken = this.#events;
    if (taken.length > 0) this.#events = [];
    return taken;
  }

  /** The generation is complete or was stopped at the cap: adds the text held back, and `finish`. */
  end(): void {
    this.#delta('reasoning-delta', this.#reasoning.rest());
    this.#delta('text-delta', this.#text.rest());
    this.#calls?.end();
    const called = this.#calls !== null && this.#calls.opened > 0;
    const reason = this.#overCap ? 'length' : finishReason(this.#finishReason, called);
    this.#events.push({ type: 'finish', reason, stopSequence: reason === 'stop' ? this.#stopSequence : null });
  }

  /** vLLM and SGLang check a prompt only after they answered 200, and then send the status as the error's code. */
  #errorOf(fields: Fields): Error {
    const { code } = typeof fields.error === 'object' ? (fields.error as Fields) : fields;
    const complaint = complaintOf(fields);
    if (isRefusal(code, complaint) && this.#deltas === 0) return new BackendRefusal(complaint);
    return new BackendFault('error in the stream', complaint.message);
  }

  /** One answer was requested. If a backend sends several, the one that began first counts. */
  #isFirstChoice(choice: Fields): boolean {
    const index = choice.index ?? 0;
    this.#choiceIndex ??= index;
    return index === this.#choiceIndex;
  }

  #readChoice(choice: Fields): void {
    const delta = readFields(choice.delta, 'delta');
    const deltas = this.#deltas;
    if (delta) this.#readDelta(delta);
    if (choice.logprobs !== undefined && choice.logprobs !== null) this.#readLogprobs(choice.logprobs);
    const reason = readText(choice.finish_reason, 'finish_reason');
    if (reason !== '') this.#readFinish(reason, choice);
    // An empty text is a token whose bytes are not yet a character, unless it comes with the role or the end.
    const isEmptyToken = delta?.content === '' && !delta.role && reason === '';
    if (this.#deltas > deltas || isEmptyToken) this.#outputChunks++;
    this.#readUsage(choice.usage);
  }

  #readDelta(delta: Fields): void {
    // Some backends send the same text under both keys, so only one is read.
    const reasoning = readText(delta.reasoning_content, 'reasoning_content') || readText(delta.reasoning, 'reasoning');
    if (reasoning !== '') this.#delta('reasoning-delta', this.#reasoning.next(this.#keep(reasoning)));
    const text = readText(delta.content, 'content');
    if (text !== '') this.#delta('text-delta', this.#text.next(this.#keep(text)));
    if (delta.tool_calls) this.#readCalls(delta.tool_calls);
    // The older form of the same field, for one call.
    if (delta.function_call) this.#readCalls([{ index: 0, function: delta.function_call }]);
  }

  #readCalls(toolCalls: unknown): void {
    this.#calls ??= new ToolCallReader(this.#options.callIdPrefix, {
      emit: (event) => this.#emit(event),
      keep: (text) => this.#keep(text),
    });
    this.#calls.read(toolCalls);
  }

  #readLogprobs(logprobs: unknown): void {
    const content = readList(readFields(logprobs, 'logprobs')?.content, 'logprobs.content');
    if (content.length === 0) return;
    this.#keep(JSON.stringify(content));
    this.#emit({ type: 'logprobs', content });
  }

  #readFinish(reason: string, choice: Fields): void {
    // vLLM and SGLang send this when the engine gave up: the generation is incomplete.
    if (reason === 'abort' || reason === 'error') throw new BackendFault(`the backend ended with ${reason}`);
    this.#finishReason = reason;
    // vLLM and SGLang put the stop string here, or the id of a stop token, which no request asked for.
    const matched = choice.stop_reason ?? choice.matched_stop;
    if (typeof matched === 'string' && this.#options.stop.includes(matched)) this.#stopSequence = matched;
  }

  #readUsage(usage: unknown): void {
    if (usage === undefined || usage === null) return;
    const read = readUsage(usage, this.#options);
    if (read === 'implausible') {
      this.#options.onImplausibleUsage();
      this.#usage = null;
    } else if (!isAllZero(read) || (this.finished && this.#usage === null)) {
      // All zeros are a placeholder before the end or next to other counts. Alone and at the end, they are the count.
      this.#usage = read;
    }
  }

  /** Counts text on its arrival, before anything holds it. Returns it. */
  #keep(text: string): string {
    this.#bytes += Buffer.byteLength(text);
    const { answerBytesMax } = this.#options;
    if (this.#bytes > answerBytesMax) throw new BackendFault(`the answer is larger than ${answerBytesMax} bytes`);
    return text;
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

/** The gateway's finish reason for a backend's. Unknown reasons become `stop`. Spec 2.9. */
function finishReason(theirs: string | null, called: boolean): FinishReason {
  if (theirs === 'length' || theirs === 'content_filter') return theirs;
  return called ? 'tool_calls' : 'stop';
}

/** The request's stop strings. */
export function stopStrings(stop: unknown): readonly string[] {
  if (typeof stop === 'string') return [stop];
  return Array.isArray(stop) ? stop.filter((entry) => typeof entry === 'string') : [];
}

// Token counts as reported by backends. A count of 0 is a count; a missing one is not. Implausible counts are rejected
// here, so that nobody is charged by them; `ledger/usage.ts` decides what is charged then, or without a report.

/** The bounds of a plausible usage, in tokens. */
interface UsageBounds {
  readonly contextLength: number;
  /** The cap that the pod got, else the context: one that got none may pass the order's cap before it is stopped. */
  readonly outputTokensMax: number;
}

/**
 * Reads a `usage` object. 'implausible' when a count is missing or not a whole number, or unless 0 ≤ cached ≤ prompt ≤
 * context and output ≤
 * the most that is possible. A missing `cached_tokens` reads as 0: backends send it only if configured to.
 */
function readUsage(usage: unknown, bounds: UsageBounds): ReportedUsage | 'implausible' {
  const promptTokens = field(usage, 'prompt_tokens');
  const outputTokens = field(usage, 'completion_tokens');
  const cachedTokens = field(field(usage, 'prompt_tokens_details'), 'cached_tokens') ?? 0;
  if (!isCount(promptTokens) || !isCount(outputTokens) || !isCount(cachedTokens)) return 'implausible';
  if (cachedTokens > promptTokens || promptTokens > bounds.contextLength) return 'implausible';
  if (outputTokens > bounds.outputTokensMax) return 'implausible';
  // SGLang reports reasoning next to the other counts, all others one level below.
  const reasoning =
    field(field(usage, 'completion_tokens_details'), 'reasoning_tokens') ?? field(usage, 'reasoning_tokens');
  const reasoningTokens = isCount(reasoning) && reasoning <= outputTokens ? reasoning : null;
  return { promptTokens, cachedTokens, outputTokens, reasoningTokens };
}

/** Whether all counts are zero. Some backends send that before they know the counts. */
function isAllZero(usage: ReportedUsage): boolean {
  return usage.promptTokens === 0 && usage.outputTokens === 0;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
