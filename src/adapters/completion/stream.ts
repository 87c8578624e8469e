/** A text completion as a stream of chunks. What surrounds a fragment is rendered once per order. Spec 6.2. */
import type { OrderEnd } from '#orders/order-port.ts';
import type { GenerationEvent } from '#results/generation.ts';
import { openaiError } from '../common/envelope.ts';
import { openaiUsage } from '../common/openai-options.ts';
import { commentLine, dataFrame } from '../common/sse.ts';
import type { OrderFacts, StreamEncoder } from '../common/wire-shape.ts';
import type { CompletionEcho } from './request.ts';
import { completionFinish, completionHead } from './response.ts';

const DONE = dataFrame('[DONE]');
const GENERATING = commentLine('generating');

/** A stream; with `includeUsage` every chunk has a `usage` key, null on all but the last. */
export class CompletionStream implements StreamEncoder {
  readonly #includeUsage: boolean;
  readonly #queued: string;
  /** A chunk is head + choices + tail. */
  readonly #head: string;
  #begun = false;

  constructor(order: OrderFacts, { includeUsage }: CompletionEcho) {
    this.#includeUsage = includeUsage;
    this.#queued = commentLine(`queued ${order.orderId}`);
    this.#head = `data: ${JSON.stringify(completionHead(order)).slice(0, -1)},"choices":[`;
  }

  open(): string {
    return '';
  }

  keepalive(): string {
    return this.#begun ? GENERATING : this.#queued;
  }

  events(batch: readonly GenerationEvent[]): string {
    this.#begun = true;
    let text = '';
    for (const event of batch) if (event.type === 'text-delta') text += this.#chunk(JSON.stringify(event.text), 'null');
    return text;
  }

  ended(end: OrderEnd): string {
    if (end.status !== 'done') return dataFrame(JSON.stringify(openaiError(end.fault)));
    const finish = this.#chunk('""', JSON.stringify(completionFinish(end.answer.generation.finishReason)));
    if (!this.#includeUsage) return finish + DONE;
    return `${finish}${this.#head}]${this.#tail(JSON.stringify(openaiUsage(end.answer)))}${DONE}`;
  }

  /** Both arguments are JSON. */
  #chunk(text: string, finish: string): string {
    const choice = `{"index":0,"text":${text},"finish_reason":${finish},"logprobs":null}]`;
    return this.#head + choice + this.#tail('null');
  }

  #tail(usage: string): string {
    return `${this.#includeUsage ? `,"usage":${usage}` : ''}}\n\n`;
  }
}
