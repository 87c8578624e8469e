/** What the streams of chat and of text completions share. What surrounds a fragment is rendered once per order. Spec 6.2. */
import type { OrderEnd } from '#orders/order-port.ts';
import type { Generation, GenerationEvent } from '#results/generation.ts';
import { commentLine, dataFrame, openaiError } from './envelope.ts';
import { openaiUsage } from './openai-options.ts';
import type { OrderFacts, StreamEncoder } from './wire-shape.ts';

const DONE = dataFrame('[DONE]');
const GENERATING = commentLine('generating');

/** A stream of chunks; with `includeUsage` every chunk has a `usage` key, null on all but the last. */
export abstract class ChunkStream implements StreamEncoder {
  readonly #includeUsage: boolean;
  readonly #queued: string;
  /** A chunk is head + choices + tail. */
  protected readonly head: string;
  protected readonly tail: string;
  protected begun = false;

  /** `known`: the first fields of each chunk. */
  constructor({ orderId }: OrderFacts, known: object, includeUsage: boolean) {
    this.#includeUsage = includeUsage;
    this.#queued = commentLine(`queued ${orderId}`);
    this.head = `data: ${JSON.stringify(known).slice(0, -1)},"choices":[`;
    this.tail = this.#tail('null');
  }

  open(): string {
    return '';
  }

  keepalive(): string {
    return this.begun ? GENERATING : this.#queued;
  }

  abstract events(batch: readonly GenerationEvent[]): string;

  /** The chunks at the end of an answer, with its finish. */
  protected abstract finish(generation: Generation): string;

  ended(end: OrderEnd): string {
    if (end.status !== 'done') return dataFrame(JSON.stringify(openaiError(end.fault)));
    const finish = this.finish(end.answer.generation);
    if (!this.#includeUsage) return finish + DONE;
    return `${finish}${this.head}]${this.#tail(JSON.stringify(openaiUsage(end.answer)))}${DONE}`;
  }

  #tail(usage: string): string {
    return `${this.#includeUsage ? `,"usage":${usage}` : ''}}\n\n`;
  }
}
