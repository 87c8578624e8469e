/**
 * A chat completion as a stream of chunks. The text around a fragment is the same in every chunk of an order, so it is
 * rendered once, and a delta costs one `JSON.stringify` of its fragment. Calls come one after the other, in the order of
 * `BlockOrder`. Spec 6.2.
 */
import { type Generation, type GenerationEvent, wholeArguments } from '#results/generation.ts';
import { BlockOrder, type BlockWriter, type ContentEvent } from '../common/block-order.ts';
import { ChunkStream } from '../common/chunk-stream.ts';
import type { OrderFacts } from '../common/wire-shape.ts';
import type { ChatEcho } from './request.ts';
import { chatHead } from './response.ts';

/** The stream. */
export class ChatStream extends ChunkStream implements BlockWriter {
  readonly #logprobs: boolean;
  /** A plain chunk is delta head + delta + delta tail. */
  readonly #deltaHead: string;
  readonly #deltaTail: string;
  readonly #blocks = new BlockOrder(this);
  /** The index of a call that has no arguments yet. */
  #emptyCall: number | null = null;

  constructor(order: OrderFacts, { logprobs, includeUsage }: ChatEcho) {
    super(order, { ...chatHead(order), object: 'chat.completion.chunk' }, includeUsage);
    this.#logprobs = logprobs;
    this.#deltaHead = `${this.head}{"index":0,"delta":{`;
    this.#deltaTail = `},"finish_reason":null}]${this.tail}`;
  }

  events(batch: readonly GenerationEvent[]): string {
    let text = this.#begin();
    let contentBefore = false;
    for (const [place, event] of batch.entries()) {
      if (event.type === 'logprobs') {
        if (this.#logprobs && !contentBefore) text += this.#delta('', event.content);
        contentBefore = false;
      } else if (event.type !== 'finish') {
        // Logprobs go into the chunk of the event that they follow.
        const next = this.#logprobs ? batch[place + 1] : undefined;
        text += this.#blocks.take(next?.type === 'logprobs' ? { ...event, logprobs: next.content } : event);
        contentBefore = true;
      }
    }
    return text;
  }

  protected finish({ finishReason }: Generation): string {
    const rest = this.#begin() + this.#blocks.rest() + this.#closeCall();
    return `${rest}${this.#deltaHead}},"finish_reason":${JSON.stringify(finishReason)}}]${this.tail}`;
  }

  write(event: ContentEvent): string {
    if (event.type === 'tool-arguments-delta') {
      this.#emptyCall = null;
      return this.#delta(argumentsDelta(event.index, event.fragment), event.logprobs);
    }
    const closing = this.#closeCall();
    if (event.type === 'tool-call') this.#emptyCall = event.index;
    return closing + this.#delta(deltaOf(event), event.logprobs);
  }

  /** A call without arguments gets the same `{}` that unary callers get. */
  #closeCall(): string {
    const index = this.#emptyCall;
    this.#emptyCall = null;
    return index === null ? '' : this.#delta(argumentsDelta(index, wholeArguments('')));
  }

  /** The chunk with the role comes once, before all others. */
  #begin(): string {
    if (this.begun) return '';
    this.begun = true;
    return this.#delta('"role":"assistant","content":""');
  }

  #delta(fields: string, logprobs?: readonly unknown[]): string {
    if (!logprobs) return this.#deltaHead + fields + this.#deltaTail;
    const own = JSON.stringify({ content: logprobs, refusal: null });
    return `${this.#deltaHead}${fields}},"logprobs":${own}${this.#deltaTail.slice(1)}`;
  }
}

/** The fields of an event's delta. */
function deltaOf(event: Exclude<ContentEvent, { readonly type: 'tool-arguments-delta' }>): string {
  switch (event.type) {
    case 'text-delta':
      return `"content":${JSON.stringify(event.text)}`;
    case 'reasoning-delta':
      return `"reasoning_content":${JSON.stringify(event.text)}`;
    case 'tool-call': {
      const { index, id, name } = event;
      return `"tool_calls":[${JSON.stringify({ index, id, type: 'function', function: { name, arguments: '' } })}]`;
    }
  }
}

function argumentsDelta(index: number, fragment: string): string {
  return `"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(fragment)}}}]`;
}
