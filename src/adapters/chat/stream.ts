/**
 * A chat completion as a stream of chunks. The text around a fragment is the same in every chunk of an order, so it is
 * rendered once, and a delta costs one `JSON.stringify` of its fragment. Spec 6.2.
 */
import { type Generation, type GenerationEvent, wholeArguments } from '#results/generation.ts';
import { ChunkStream } from '../common/chunk-stream.ts';
import type { OrderFacts } from '../common/wire-shape.ts';
import type { ChatEcho } from './request.ts';
import { chatHead } from './response.ts';

/** The stream. */
export class ChatStream extends ChunkStream {
  readonly #logprobs: boolean;
  /** A plain chunk is delta head + delta + delta tail. */
  readonly #deltaHead: string;
  readonly #deltaTail: string;

  constructor(order: OrderFacts, { logprobs, includeUsage }: ChatEcho) {
    super(order, { ...chatHead(order), object: 'chat.completion.chunk' }, includeUsage);
    this.#logprobs = logprobs;
    this.#deltaHead = `${this.head}{"index":0,"delta":{`;
    this.#deltaTail = `},"finish_reason":null}]${this.tail}`;
  }

  events(batch: readonly GenerationEvent[]): string {
    let text = this.#begin();
    // A delta is held until it is known whether its logprobs follow, because they go into the same chunk.
    let held: string | null = null;
    for (const event of batch) {
      if (event.type === 'logprobs') {
        if (!this.#logprobs) continue;
        text += this.#delta(held ?? '', event.content);
        held = null;
      } else {
        if (held !== null) text += this.#delta(held);
        held = deltaOf(event);
      }
    }
    return held === null ? text : text + this.#delta(held);
  }

  protected finish({ finishReason, toolCalls }: Generation): string {
    let text = this.#begin();
    // Calls without arguments: the same `{}` that unary callers get.
    for (const [index, call] of toolCalls.entries())
      if (call.arguments === '') text += this.#delta(argumentsDelta(index, wholeArguments('')));
    return `${text}${this.#deltaHead}},"finish_reason":${JSON.stringify(finishReason)}}]${this.tail}`;
  }

  /** The chunk with the role comes once, before all others. */
  #begin(): string {
    if (this.begun) return '';
    this.begun = true;
    return this.#delta('"role":"assistant","content":""');
  }

  #delta(fields: string, logprobs: readonly unknown[] | null = null): string {
    if (!logprobs) return this.#deltaHead + fields + this.#deltaTail;
    const own = JSON.stringify({ content: logprobs, refusal: null });
    return `${this.#deltaHead}${fields}},"logprobs":${own}${this.#deltaTail.slice(1)}`;
  }
}

/** The fields of an event's delta; null when it has none. */
function deltaOf(event: Exclude<GenerationEvent, { readonly type: 'logprobs' }>): string | null {
  switch (event.type) {
    case 'text-delta':
      return `"content":${JSON.stringify(event.text)}`;
    case 'reasoning-delta':
      return `"reasoning_content":${JSON.stringify(event.text)}`;
    case 'tool-call': {
      const { index, id, name } = event;
      return `"tool_calls":[${JSON.stringify({ index, id, type: 'function', function: { name, arguments: '' } })}]`;
    }
    case 'tool-arguments-delta':
      return argumentsDelta(event.index, event.fragment);
    case 'finish':
      return null;
  }
}

function argumentsDelta(index: number, fragment: string): string {
  return `"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(fragment)}}}]`;
}
