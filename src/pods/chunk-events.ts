/**
 * Turns the chunks of an OpenAI-compatible chat stream into generation events. The differences between vLLM, SGLang,
 * llama.cpp, Ollama and others are resolved here; the fixtures beside the tests show them. Pure: no time, no network.
 *
 * `end` emits `finish`, not the chunk with the finish_reason: text, usage and calls may still follow that chunk.
 */
import type { FinishReason, GenerationEvent, ReportedUsage } from '#results/generation.ts';
import { type BackendEnd, meaningOf } from './finish-reasons.ts';
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
import { StopTail } from './stop-tail.ts';
import { ToolCallReader } from './tool-calls.ts';
import { WholeText } from './whole-text.ts';

/** What a reader needs of the request. */
export interface ChunkReaderOptions extends UsageBounds {
  /** The request's stop strings. */
  readonly stop: readonly string[];
  /** Whether the request asks for the stop string in the answer. */
  readonly keepsStop: boolean;
  /** The functions that stand for custom tools. */
  readonly customTools: readonly string[];
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
  readonly #tail: StopTail;
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
  #end: BackendEnd | null = null;
  #stopSequence: string | null = null;
  #overCap = false;

  constructor(options: ChunkReaderOptions) {
    this.#options = options;
    this.#tail = new StopTail(options.keepsStop ? [] : options.stop);
  }

  /** The last plausible usage; null for none. */
  get usage(): ReportedUsage | null {
    return this.#usage;
  }

  /** The chunks that brought output or an empty text, for a backend that puts one token in each. */
  get outputChunks(): number {
    return this.#outputChunks;
  }

  /** Whether the backend has given a finish_reason. Whatever follows cannot fail the answer. */
  get finished(): boolean {
    return this.#end !== null;
  }

  /** Whether it consists of complete calls, beside any text: such an answer needs no finish_reason before `[DONE]`. */
  get called(): boolean {
    return this.#calls?.complete ?? false;
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
    if (!fields) return;
    if (fields.error || fields.object === 'error') throw this.#errorOf(fields);
    for (const entry of readList(fields.choices, 'choices')) {
      const choice = readFields(entry, 'choices[]');
      if (choice && this.#isFirstChoice(choice)) this.#readChoice(choice);
    }
    this.#readUsage(fields.usage, fields.timings);
  }

  /** The events since the last call, in order; may be empty. */
  take(): readonly GenerationEvent[] {
    const taken = this.#events;
    if (taken.length > 0) this.#events = [];
    return taken;
  }

  /**
   * The generation is complete or was stopped at the cap: adds the text held back, and `finish`. Throws BackendFault if
   * arguments came for a call that never did.
   */
  end(): void {
    this.#delta('reasoning-delta', this.#reasoning.rest());
    const last = this.#tail.next(this.#text.rest());
    if (this.#end === 'stop' && !this.#overCap) this.#stopSequence = this.#tail.cut() ?? this.#stopSequence;
    this.#delta('text-delta', last + this.#tail.rest());
    this.#calls?.end({ cut: this.#overCap });
    const reason = this.#reason;
    this.#events.push({ type: 'finish', reason, stopSequence: reason === 'stop' ? this.#stopSequence : null });
  }

  /** Spec 2.9. */
  get #reason(): FinishReason {
    if (this.#overCap || this.#end === 'length') return 'length';
    if (this.#end === 'content_filter') return 'content_filter';
    return this.#calls !== null && this.#calls.opened > 0 ? 'tool_calls' : 'stop';
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
    const bytes = this.#bytes;
    if (delta) this.#readDelta(delta);
    const isToken = this.#bytes > bytes;
    if (choice.logprobs !== undefined && choice.logprobs !== null) this.#readLogprobs(choice.logprobs);
    const reason = readText(choice.finish_reason, 'finish_reason');
    if (reason !== '') this.#readFinish(reason, choice);
    // An empty text is a token whose bytes are not yet a character, unless it comes with the role or the end.
    const isEmptyToken = delta?.content === '' && !delta.role && reason === '';
    if (isToken || isEmptyToken) this.#outputChunks++;
    this.#readUsage(choice.usage);
  }

  #readDelta(delta: Fields): void {
    // Some backends send the same text under both keys, so only one is read.
    this.#think(textOf(delta.reasoning_content, 'reasoning_content') || textOf(delta.reasoning, 'reasoning'));
    if (typeof delta.content === 'string') this.#say(delta.content);
    else
      for (const { thought, text } of readParts(delta.content, 'content'))
        thought ? this.#think(text) : this.#say(text);
    if (delta.tool_calls) this.#readCalls(delta.tool_calls);
    // The older form of the same field, for one call.
    if (delta.function_call) this.#readCalls([{ index: 0, function: delta.function_call }]);
  }

  #think(text: string): void {
    if (text === '') return;
    this.#delta('text-delta', this.#tail.rest());
    this.#delta('reasoning-delta', this.#reasoning.next(this.#keep(text)));
  }

  #say(text: string): void {
    if (text !== '') this.#delta('text-delta', this.#tail.next(this.#text.next(this.#keep(text))));
  }

  #readCalls(toolCalls: unknown): void {
    this.#delta('text-delta', this.#tail.rest());
    this.#calls ??= new ToolCallReader(this.#options.callIdPrefix, {
      emit: (event) => this.#emit(this.#marked(event)),
      keep: (text) => this.#keep(text),
    });
    this.#calls.read(toolCalls);
  }

  #marked(event: GenerationEvent): GenerationEvent {
    const isCustom = event.type === 'tool-call' && this.#options.customTools.includes(event.name);
    return isCustom ? { ...event, custom: true } : event;
  }

  #readLogprobs(logprobs: unknown): void {
    const content = readList(readFields(logprobs, 'logprobs')?.content, 'logprobs.content');
    if (content.length === 0) return;
    this.#keep(JSON.stringify(content));
    this.#emit({ type: 'logprobs', content });
  }

  #readFinish(reason: string, choice: Fields): void {
    const end = meaningOf(reason);
    if (end === 'failed') {
      if (this.finished) return;
      throw new BackendFault(`the finish_reason is a failure: ${reason.replaceAll(/\W+/g, ' ').slice(0, 60)}`);
    }
    // Some servers add their own `stop` behind the reason of the engine.
    if (this.#end === null || this.#end === 'stop') this.#end = end;
    // vLLM and SGLang put the stop string here, or the id of a stop token, which no request asked for.
    const matched = choice.stop_reason ?? choice.matched_stop;
    if (typeof matched === 'string' && this.#options.stop.includes(matched)) this.#stopSequence = matched;
  }

  #readUsage(usage: unknown, timings?: unknown): void {
    const read = readUsage(usage, timings, this.#options);
    if (read === null) return;
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

/** Text, or a part of a list of them, as Mistral sends: thinking is a part among the others. */
interface SpokenPart {
  readonly thought: boolean;
  readonly text: string;
}

/** The texts of a content that is a list of parts, or one part. Parts without text, such as references, are left out. */
function readParts(content: unknown, name: string): readonly SpokenPart[] {
  // Of the keys that are looked at, most chunks have one.
  if (isAbsent(content)) return NO_PARTS;
  const parts = Array.isArray(content) ? content : [content];
  return parts.flatMap((part): readonly SpokenPart[] => {
    if (typeof part === 'string') return [{ thought: false, text: part }];
    const fields = readFields(part, name);
    if (!fields) return [];
    const thinking = fields.thinking ?? fields.reasoning;
    if (thinking !== undefined && thinking !== null) return [{ thought: true, text: textOf(thinking, name) }];
    return [{ thought: THOUGHTS.has(fields.type), text: readText(fields.text, name) }];
  });
}

const NO_PARTS: readonly SpokenPart[] = [];
const THOUGHTS = new Set<unknown>(['thinking', 'reasoning']);

/** A text that may come as parts, as one. */
function textOf(content: unknown, name: string): string {
  if (typeof content === 'string') return content;
  if (isAbsent(content)) return '';
  return readParts(content, name).reduce((whole, { text }) => whole + text, '');
}

/** The strings of a field that holds one or several, such as `stop`. */
export function stringsIn(field: unknown): readonly string[] {
  if (typeof field === 'string') return [field];
  return Array.isArray(field) ? field.filter((entry) => typeof entry === 'string') : [];
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
 * Reads a `usage` object; one without both counts, as `{}`, is none. 'implausible' when a count is not a whole number,
 * or unless 0 ≤ cached ≤ prompt ≤ context and output ≤ the most that is possible. `timings` are llama.cpp's.
 */
function readUsage(usage: unknown, timings: unknown, bounds: UsageBounds): ReportedUsage | 'implausible' | null {
  if (isAbsent(usage)) return null;
  const promptTokens = field(usage, 'prompt_tokens');
  const outputTokens = field(usage, 'completion_tokens');
  if (typeof usage === 'object' && (isAbsent(promptTokens) || isAbsent(outputTokens))) return null;
  const cachedTokens = cachedIn(usage) ?? cachedByTimings(timings, promptTokens);
  if (!isCount(promptTokens) || !isCount(outputTokens) || !isCount(cachedTokens)) return 'implausible';
  if (cachedTokens > promptTokens || promptTokens > bounds.contextLength) return 'implausible';
  if (outputTokens > bounds.outputTokensMax) return 'implausible';
  // SGLang reports reasoning next to the other counts, all others one level below.
  const reasoning =
    field(field(usage, 'completion_tokens_details'), 'reasoning_tokens') ?? field(usage, 'reasoning_tokens');
  const reasoningTokens = isCount(reasoning) && reasoning <= outputTokens ? reasoning : null;
  return { promptTokens, cachedTokens, outputTokens, reasoningTokens };
}

/** By OpenAI's name, or else by that of Kimi, DeepSeek or Mistral. */
function cachedIn(usage: unknown): unknown {
  const openai = field(field(usage, 'prompt_tokens_details'), 'cached_tokens');
  const flat = field(usage, 'cached_tokens') ?? field(usage, 'prompt_cache_hit_tokens');
  return openai ?? flat ?? field(usage, 'num_cached_tokens');
}

/** Older versions of llama.cpp's server count them only beside the usage. 0 without: many backends must be configured to count. */
function cachedByTimings(timings: unknown, promptTokens: unknown): number {
  const cached = field(timings, 'cache_n');
  return isCount(cached) && isCount(promptTokens) && cached <= promptTokens ? cached : 0;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
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
