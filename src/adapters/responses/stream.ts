/**
 * A response as a stream of events. Text and reasoning come one item after the other; calls may be written at the same
 * time and stay open until the end. Each sign of life holds the whole output so far, because clients take the response
 * in an event for all there is. Spec 6.3.
 */
import type { GenerationEvent } from '#orders/generation.ts';
import type { OrderEnd } from '#orders/order-port.ts';
import type { JsonObject } from '#orders/request.ts';
import { commentLine } from '../sse.ts';
import type { OrderFacts, StreamEncoder } from '../wire-shape.ts';
import type { ResponseEcho } from './echo.ts';
import { EventWriter } from './event-writer.ts';
import { responseFailure } from './failure.ts';
import { ItemIds, incompleteReason } from './output-items.ts';
import { endedResponse, responseObject } from './response.ts';
import { CallItem, SpokenItem } from './stream-items.ts';

/** Starts a stream. */
export function openResponseStream(order: OrderFacts, echo: ResponseEcho): StreamEncoder {
  return new ResponseStream(order, echo);
}

class ResponseStream implements StreamEncoder {
  readonly #order: OrderFacts;
  readonly #echo: ResponseEcho;
  readonly #writer = new EventWriter();
  readonly #ids: ItemIds;
  /** By their output index. */
  readonly #items: (SpokenItem | CallItem)[] = [];
  readonly #calls = new Map<number, CallItem>();
  /** The text or reasoning that is being written. */
  #spoken: SpokenItem | null = null;
  #phase: 'opened' | 'queued' | 'generating' = 'opened';

  constructor(order: OrderFacts, echo: ResponseEcho) {
    this.#order = order;
    this.#echo = echo;
    this.#ids = new ItemIds(order.orderId);
  }

  open(): string {
    return this.#lifecycle('response.created', this.#now()) + this.#lifecycle('response.in_progress', this.#now());
  }

  /** The comment alone at first: the opening has just said that the response is in progress. */
  keepalive(): string {
    const queued = this.#phase === 'generating' ? '' : commentLine(`queued ${this.#order.orderId}`);
    if (this.#phase === 'opened') {
      this.#phase = 'queued';
      return queued;
    }
    return queued + this.#lifecycle('response.in_progress', this.#now());
  }

  events(batch: readonly GenerationEvent[]): string {
    this.#phase = 'generating';
    let text = '';
    for (const event of batch) text += this.#take(event);
    return text;
  }

  ended(end: OrderEnd): string {
    if (end.status !== 'done') {
      const failure = { status: 'failed', error: responseFailure(end.fault) };
      return this.#lifecycle('response.failed', { ...this.#now(), ...failure });
    }
    const cut = incompleteReason(end.answer.generation) !== null;
    const closing = this.#items.map((item, place) => item.close({ cut, last: place === this.#items.length - 1 }));
    const output = this.#output();
    const response = endedResponse(this.#order, end.answer, { echo: this.#echo, output });
    return closing.join('') + this.#lifecycle(cut ? 'response.incomplete' : 'response.completed', response);
  }

  #take(event: GenerationEvent): string {
    switch (event.type) {
      case 'text-delta':
        return this.#speak('text', event.text);
      case 'reasoning-delta':
        return this.#speak('reasoning', event.text);
      case 'tool-call': {
        const call = new CallItem(this.#writer, { ...this.#place(this.#ids.call(event.index)), call: event });
        this.#calls.set(event.index, call);
        return this.#silence() + this.#begin(call);
      }
      case 'tool-arguments-delta':
        return this.#calls.get(event.index)?.delta(event.fragment) ?? '';
      case 'logprobs':
      case 'finish':
        return '';
    }
  }

  #speak(type: 'text' | 'reasoning', fragment: string): string {
    if (this.#spoken?.type === type) return this.#spoken.delta(fragment);
    const closing = this.#silence();
    this.#spoken = new SpokenItem(this.#writer, { ...this.#place(this.#ids.next(type)), type });
    return closing + this.#begin(this.#spoken) + this.#spoken.delta(fragment);
  }

  /** Closes the text or reasoning, because something else begins. */
  #silence(): string {
    const closing = this.#spoken?.close({ cut: false, last: false }) ?? '';
    this.#spoken = null;
    return closing;
  }

  #place(id: string): { id: string; outputIndex: number } {
    return { id, outputIndex: this.#items.length };
  }

  #begin(item: SpokenItem | CallItem): string {
    this.#items.push(item);
    return item.open();
  }

  #now(): JsonObject {
    return responseObject(this.#order, this.#echo, { output: this.#output() });
  }

  #output(): JsonObject[] {
    return this.#items.map((item) => item.snapshot());
  }

  #lifecycle(type: string, response: JsonObject): string {
    return this.#writer.event(type, { response });
  }
}
