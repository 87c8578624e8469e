/**
 * A chat completion as a stream of chunks. The text around a fragment is the same in every chunk of an order, so it is
 * rendered once, and a delta costs one `JSON.stringify` of its fragment. Spec 6.2.
 */
import { epochSeconds } from '#base/time.ts';
import type { OrderEnd } from '#orders/order-port.ts';
import { type Generation, type GenerationEvent, wholeArguments } from '#results/generation.ts';
import { openaiError } from '../common/envelope.ts';
import { openaiUsage } from '../common/openai-options.ts';
import { commentLine, dataFrame } from '../common/sse.ts';
import type { OrderFacts, StreamEncoder } from '../common/wire-shape.ts';
import type { ChatEcho } from './request.ts';
import { chatId } from './response.ts';

const DONE = dataFrame('[DONE]');
const GENERATING = commentLine('generating');

/** A stream; with `includeUsage` every chunk has a `usage` key, null on all but the last. */
export class ChatStream implements StreamEncoder {
  readonly #echo: ChatEcho;
  readonly #queued: string;
  /** A chunk is head + choices + tail; a plain chunk's choice is delta head + delta + delta tail. */
  readonly #head: string;
  readonly #deltaHead: string;
  readonly #deltaTail: string;
  #begun = false;

  constructor(order: OrderFacts, echo: ChatEcho) {
    this.#echo = echo;
    this.#queued = commentLine(`queued ${order.orderId}`);
    const known = JSON.stringify({
      id: chatId(order.orderId),
      object: 'chat.completion.chunk',
      created: epochSeconds(order.createdAtMs),
      model: order.model,
    });
    this.#head = `data: ${known.slice(0, -1)},"choices":[`;
    this.#deltaHead = `${this.#head}{"index":0,"delta":{`;
    this.#deltaTail = `},"finish_reason":null}]${this.#usage('null')}}\n\n`;
  }

  open(): string {
    return '';
  }

  keepalive(): string {
    return this.#begun ? GENERATING : this.#queued;
  }

  events(batch: readonly GenerationEvent[]): string {
    let text = this.#begin();
    // A delta is held until it is known whether its logprobs follow, because they go into the same chunk.
    let held: string | null = null;
    for (const event of batch) {
      if (event.type === 'logprobs') {
        if (!this.#echo.logprobs) continue;
        text += this.#delta(held ?? '', event.content);
        held = null;
      } else {
        if (held !== null) text += this.#delta(held);
        held = deltaOf(event);
      }
    }
    return held === null ? text : text + this.#delta(held);
  }

  ended(end: OrderEnd): string {
    if (end.status !== 'done') return dataFrame(JSON.stringify(openaiError(end.fault)));
    const { finishReason, toolCalls } = end.answer.generation;
    const finish = JSON.stringify(finishReason);
    const last = `${this.#deltaHead}},"finish_reason":${finish}}]${this.#usage('null')}}\n\n`;
    const rest = this.#begin() + this.#missingArguments(toolCalls) + last;
    if (!this.#echo.includeUsage) return rest + DONE;
    const receipt = `${this.#head}]${this.#usage(JSON.stringify(openaiUsage(end.answer)))}}\n\n`;
    return rest + receipt + DONE;
  }

  /** The chunk with the role comes once, before all others. */
  #begin(): string {
    if (this.#begun) return '';
    this.#begun = true;
    return this.#delta('"role":"assistant","content":""');
  }

  /** Chunks for calls without arguments: the same `{}` that unary callers get. */
  #missingArguments(toolCalls: Generation['toolCalls']): string {
    let text = '';
    for (const [index, call] of toolCalls.entries()) {
      if (call.arguments === '') text += this.#delta(argumentsDelta(index, wholeArguments('')));
    }
    return text;
  }

  #delta(fields: string, logprobs: readonly unknown[] | null = null): string {
    if (!logprobs) return this.#deltaHead + fields + this.#deltaTail;
    const own = JSON.stringify({ content: logprobs, refusal: null });
    return `${this.#deltaHead}${fields}},"logprobs":${own}${this.#deltaTail.slice(1)}`;
  }

  #usage(json: string): string {
    return this.#echo.includeUsage ? `,"usage":${json}` : '';
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
