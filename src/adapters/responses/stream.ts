/**
 * A response as a stream of events. Items come one after the other, in the order of `BlockOrder`. Each keepalive has
 * the complete output so far, because clients take the response in an event as complete. Spec 6.3.
 */
import { REPEATED } from '#base/repeated-bytes.ts';
import type { OrderEnd } from '#orders/order-port.ts';
import type { JsonObject } from '#orders/request.ts';
import type { GenerationEvent } from '#results/generation.ts';
import { BlockOrder, type BlockWriter, type ContentEvent } from '../common/block-order.ts';
import { commentLine } from '../common/envelope.ts';
import type { OrderFacts, StreamEncoder } from '../common/wire-shape.ts';
import { EventWriter } from './event-writer.ts';
import { ItemIds, incompleteReason } from './output-items.ts';
import type { ResponseEcho } from './response.ts';
import { endedResponse, responseFailure, responseObject } from './response.ts';
import { CallItem, SpokenItem } from './stream-items.ts';

/** A stream. An echo in JSON is left out of its texts, which have a mark instead. */
export class ResponseStream implements StreamEncoder, BlockWriter {
  /** An echo in JSON without its opening brace: its keys come last in a response. */
  readonly repeated?: Uint8Array;
  readonly #order: OrderFacts;
  readonly #echo: ResponseEcho;
  readonly #writer = new EventWriter();
  readonly #ids: ItemIds;
  /** By their output index. */
  readonly #items: (SpokenItem | CallItem)[] = [];
  readonly #blocks = new BlockOrder(this);
  #open: SpokenItem | CallItem | null = null;
  /** Whether the model was cut off, which is known at the end. */
  #cut = false;
  #phase: 'opened' | 'queued' | 'generating' = 'opened';

  constructor(order: OrderFacts, echo: ResponseEcho | Uint8Array) {
    this.#order = order;
    if (echo instanceof Uint8Array) this.repeated = echo.subarray(1);
    // An echo in bytes is not rendered; it is written in place of each `REPEATED`.
    this.#echo = echo instanceof Uint8Array ? ({} as ResponseEcho) : echo;
    this.#ids = new ItemIds(order.orderId);
  }

  open(): string {
    return this.#lifecycle('response.created', this.#now()) + this.#lifecycle('response.in_progress', this.#now());
  }

  /** The first time only a comment: the opening events already say that the response is in progress. */
  keepalive(): string {
    const queued = this.#phase === 'generating' ? '' : commentLine(`queued ${this.#order.orderId}`);
    if (this.#phase === 'opened') {
      this.#phase = 'queued';
      return queued;
    }
    return queued + this.progress();
  }

  progress(): string {
    return this.#lifecycle('response.in_progress', this.#now());
  }

  skip(count: number): void {
    this.#writer.skip(count);
  }

  /** Only a comment: the keepalives of this shape are events with numbers of their own. */
  pulse(): string {
    return commentLine(this.#phase === 'generating' ? 'generating' : `queued ${this.#order.orderId}`);
  }

  events(batch: readonly GenerationEvent[]): string {
    this.#phase = 'generating';
    let text = '';
    for (const event of batch) text += this.#blocks.take(event);
    return text;
  }

  ended(end: OrderEnd): string {
    if (end.status !== 'done') {
      const failure = { status: 'failed', error: responseFailure(end.fault) };
      return this.#lifecycle('response.failed', { ...this.#now(), ...failure });
    }
    this.#cut = incompleteReason(end.answer.generation) !== null;
    const closing = this.#blocks.rest() + this.#close({ last: true });
    const response = endedResponse(this.#order, end.answer, { echo: this.#echo, output: this.#output() });
    return closing + this.#lifecycle(this.#cut ? 'response.incomplete' : 'response.completed', response);
  }

  write(event: ContentEvent): string {
    switch (event.type) {
      case 'text-delta':
        return this.#speak('text', event.text);
      case 'reasoning-delta':
        return this.#speak('reasoning', event.text);
      case 'tool-call':
        return this.#begin(new CallItem(this.#writer, { ...this.#place(this.#ids.call(event)), call: event }));
      case 'tool-arguments-delta':
        return this.#open?.type === 'call' ? this.#open.delta(event.fragment) : '';
    }
  }

  #speak(type: 'text' | 'reasoning', fragment: string): string {
    const open = this.#open;
    if (open?.type === type) return open.delta(fragment);
    const item = new SpokenItem(this.#writer, { ...this.#place(this.#ids.next(type)), type });
    return this.#begin(item) + item.delta(fragment);
  }

  /** Closes the open item; `last`: no other begins. */
  #close({ last }: { last: boolean }): string {
    return this.#open?.close({ cut: this.#cut, last }) ?? '';
  }

  #place(id: string): { id: string; outputIndex: number } {
    return { id, outputIndex: this.#items.length };
  }

  #begin(item: SpokenItem | CallItem): string {
    const closing = this.#close({ last: false });
    this.#items.push(item);
    this.#open = item;
    return closing + item.open();
  }

  #now(): JsonObject {
    return responseObject(this.#order, this.#echo, { output: this.#output() });
  }

  #output(): JsonObject[] {
    return this.#items.map((item) => item.snapshot());
  }

  #lifecycle(type: string, response: JsonObject): string {
    if (!this.repeated) return this.#writer.event(type, { response });
    return this.#writer.prebuilt(type, `"response":${JSON.stringify(response).slice(0, -1)},${REPEATED}`);
  }
}
