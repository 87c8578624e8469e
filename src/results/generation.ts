/**
 * What a model produces, in words that belong to no wire shape. A unary answer, a stream, a stored result and a replay
 * are renderings of one list of these events plus a receipt; `Accumulator` folds the list into one generation.
 */

/** Why a model stopped. `length` also stands for reasons that are unknown: the answer may be incomplete. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** One event of a generation, in the order in which it was produced. Text is never empty. */
export type GenerationEvent =
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'text-delta'; readonly text: string }
  /** Opens a call. `index` counts calls from 0; `id` is not empty and unique within the generation. */
  | ({ readonly type: 'tool-call'; readonly index: number } & Omit<ToolCall, 'arguments'>)
  | { readonly type: 'tool-arguments-delta'; readonly index: number; readonly fragment: string }
  /** Entries of choices[0].logprobs.content, untouched. */
  | { readonly type: 'logprobs'; readonly content: readonly unknown[] }
  /** Comes once, last. `stopSequence` is the request's stop string that matched, when the model names it. */
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly stopSequence: string | null };

/** Token counts as a pod reported them, already checked for type; cached is part of prompt. */
export interface ReportedUsage {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number | null;
}

/** One tool call; its arguments are the text that the model wrote. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** Whether the function stands for a custom tool, whose input is one text; absent for any other. */
  readonly custom?: true;
}

/**
 * A part of an answer, in the order in which the parts began: the next `length` UTF-16 units of `reasoning` or of
 * `text`, or a call in `toolCalls`.
 */
type GenerationPart =
  | { readonly type: 'reasoning' | 'text'; readonly length: number }
  | { readonly type: 'tool-call'; readonly index: number };

/** A whole answer. `text` and `reasoning` are '' when there was none. */
export interface Generation {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  /** The order of the pieces, for shapes whose output is in the order of the stream; they read it with `contentOf`. */
  readonly parts: readonly GenerationPart[];
  readonly logprobs: readonly unknown[] | null;
  readonly finishReason: FinishReason;
  readonly stopSequence: string | null;
}

/** One piece of an answer with its content. */
export type PartContent =
  | { readonly type: 'reasoning' | 'text'; readonly text: string }
  | { readonly type: 'tool-call'; readonly index: number; readonly call: ToolCall };

interface OpenCall extends Omit<ToolCall, 'arguments'> {
  readonly fragments: string[];
}

/** What a call is from its beginning. */
export function opened({ id, name, custom }: Omit<ToolCall, 'arguments'>): Omit<ToolCall, 'arguments'> {
  return custom ? { id, name, custom } : { id, name };
}

/** Folds events into a generation. Fragments are joined once, at the end, so a long answer costs no copying. */
export class Accumulator {
  readonly #text: string[] = [];
  readonly #reasoning: string[] = [];
  /** Null until there is a call. */
  #calls: Map<number, OpenCall> | null = null;
  readonly #parts: ({ type: 'reasoning' | 'text'; length: number } | { type: 'tool-call'; index: number })[] = [];
  #logprobs: unknown[] | null = null;
  #finish: { reason: FinishReason; stopSequence: string | null } | null = null;
  #outputs = 0;

  /** Takes the next event. */
  add(event: GenerationEvent): void {
    switch (event.type) {
      case 'text-delta':
        this.#extend('text', event.text);
        this.#text.push(event.text);
        this.#outputs++;
        return;
      case 'reasoning-delta':
        this.#extend('reasoning', event.text);
        this.#reasoning.push(event.text);
        this.#outputs++;
        return;
      case 'tool-call':
        this.#calls ??= new Map();
        this.#calls.set(event.index, { ...opened(event), fragments: [] });
        this.#parts.push({ type: 'tool-call', index: event.index });
        this.#outputs++;
        return;
      case 'tool-arguments-delta':
        this.#calls?.get(event.index)?.fragments.push(event.fragment);
        this.#outputs++;
        return;
      case 'logprobs':
        this.#logprobs ??= [];
        for (const entry of event.content) this.#logprobs.push(entry);
        return;
      case 'finish':
        this.#finish = { reason: event.reason, stopSequence: event.stopSequence };
    }
  }

  /**
   * Deltas so far; a call that opens is one. A delta holds at least one token, so this never exceeds the tokens that
   * the model produced.
   */
  get outputDeltas(): number {
    return this.#outputs;
  }

  /** Bytes of everything the model wrote; walks over all of it, for the rare estimate. */
  outputBytes(): number {
    let bytes = 0;
    for (const text of [...this.#text, ...this.#reasoning]) bytes += Buffer.byteLength(text);
    for (const call of this.#calls?.values() ?? []) for (const part of call.fragments) bytes += Buffer.byteLength(part);
    return bytes;
  }

  /** Why the model stopped; null as long as it has not. */
  get finishReason(): FinishReason | null {
    return this.#finish?.reason ?? null;
  }

  /** Whether anything was produced that a caller could have seen. */
  get hasOutput(): boolean {
    return this.#outputs > 0;
  }

  /** The generation so far; one that was cut short reads as `stop`. */
  generation(): Generation {
    const calls = [...(this.#calls ?? [])].sort(([a], [b]) => a - b);
    const reason = this.#finish?.reason ?? 'stop';
    return {
      text: this.#text.join(''),
      reasoning: this.#reasoning.join(''),
      toolCalls: calls.map(([, call]) => ({ ...opened(call), arguments: call.fragments.join('') })),
      parts: this.#parts.map((part) => ({ ...part })),
      logprobs: this.#logprobs?.slice() ?? null,
      finishReason: reason === 'stop' && calls.length > 0 ? 'tool_calls' : reason,
      stopSequence: this.#finish?.stopSequence ?? null,
    };
  }

  #extend(type: 'reasoning' | 'text', text: string): void {
    const last = this.#parts.at(-1);
    if (last?.type === type) last.length += text.length;
    else this.#parts.push({ type, length: text.length });
  }
}

/** The pieces of an answer, in the order in which the model began them; none is empty but a call without arguments. */
export function contentOf(generation: Generation): PartContent[] {
  const read = { reasoning: 0, text: 0 };
  return generation.parts.flatMap((part): PartContent[] => {
    if (part.type === 'tool-call') {
      const call = generation.toolCalls[part.index];
      return call ? [{ type: 'tool-call', index: part.index, call }] : [];
    }
    const begin = read[part.type];
    read[part.type] += part.length;
    return [{ type: part.type, text: generation[part.type].slice(begin, read[part.type]) }];
  });
}

/** The events of a whole answer, for replaying it as a stream: one delta per part. */
export function eventsOf(generation: Generation): GenerationEvent[] {
  const events: GenerationEvent[] = [];
  for (const part of contentOf(generation)) {
    if (part.type === 'reasoning') events.push({ type: 'reasoning-delta', text: part.text });
    if (part.type === 'text') events.push({ type: 'text-delta', text: part.text });
    if (part.type === 'tool-call') {
      const { index, call } = part;
      events.push({ type: 'tool-call', index, ...opened(call) });
      if (call.arguments) events.push({ type: 'tool-arguments-delta', index, fragment: call.arguments });
    }
  }
  if (generation.logprobs) events.push({ type: 'logprobs', content: generation.logprobs });
  events.push({ type: 'finish', reason: generation.finishReason, stopSequence: generation.stopSequence });
  return events;
}

/** The complete arguments of a call as text; `{}` for a call without arguments, because clients parse them. */
export function wholeArguments(text: string): string {
  return text === '' ? '{}' : text;
}
