/**
 * A message as a stream of events. Blocks come one after the other here, while models may write several tool calls at
 * once: while the input of a call is open, everything that belongs to later blocks is held, in the order in which the
 * blocks were begun. Spec 6.4.
 */
import type { GenerationEvent } from '#orders/generation.ts';
import type { Answer, OrderEnd } from '#orders/order-port.ts';
import type { JsonObject } from '#orders/request.ts';
import { messagesError } from '../envelope.ts';
import { eventFrame } from '../sse.ts';
import type { OrderFacts, StreamEncoder } from '../wire-shape.ts';
import { messageHead, messageUsage, signatureOf, stopOf, tokenCounts } from './response.ts';
import { ToolInputReader } from './tool-input.ts';

const PING = frame('ping', {});

/** Starts a stream. `requestId` is told by the error event. */
export function openMessageStream(order: OrderFacts, requestId: string): StreamEncoder {
  return new MessageStream(order, requestId);
}

/** Events that become content; the others say nothing in this shape. */
type ContentEvent = Exclude<GenerationEvent, { readonly type: 'logprobs' | 'finish' }>;

/** The block that is open. */
type OpenBlock =
  | { readonly type: 'text' | 'thinking' }
  | { readonly type: 'tool_use'; readonly call: number; readonly input: ToolInputReader };

class MessageStream implements StreamEncoder {
  readonly #order: OrderFacts;
  readonly #requestId: string;
  #open: OpenBlock | null = null;
  /** Of the open block, or else of the last one. */
  #index = -1;
  /** The events of each block that cannot be opened yet. */
  readonly #held: ContentEvent[][] = [];
  /** Those of them that are calls, by the index of the call. */
  readonly #heldCalls = new Map<number, ContentEvent[]>();

  constructor(order: OrderFacts, requestId: string) {
    this.#order = order;
    this.#requestId = requestId;
  }

  /** The counts are placeholders: the estimate of the prompt, until `message_delta` tells what was charged. */
  open(): string {
    const { promptEstimate: uncached } = this.#order;
    const unfinished = { content: [], stop_reason: null, stop_sequence: null };
    const usage = tokenCounts({ uncached, cached: 0, output: 0 });
    return frame('message_start', { message: { ...messageHead(this.#order), ...unfinished, usage } });
  }

  keepalive(): string {
    return PING;
  }

  events(batch: readonly GenerationEvent[]): string {
    let text = '';
    for (const event of batch) {
      if (event.type !== 'logprobs' && event.type !== 'finish') text += this.#take(event);
    }
    return text;
  }

  ended(end: OrderEnd): string {
    if (end.status !== 'done') return eventFrame('error', JSON.stringify(messagesError(end.fault, this.#requestId)));
    return this.#release({ all: true }) + this.#close() + this.#finish(end.answer);
  }

  #finish(answer: Answer): string {
    const delta = { delta: stopOf(answer.generation), usage: messageUsage(answer) };
    return frame('message_delta', delta) + frame('message_stop', {});
  }

  #take(event: ContentEvent): string {
    if (this.#mustWait(event)) {
      this.#hold(event);
      return '';
    }
    return this.#write(event) + this.#release({ all: false });
  }

  #mustWait(event: ContentEvent): boolean {
    if (this.#open?.type !== 'tool_use') return false;
    return event.type !== 'tool-arguments-delta' || event.index !== this.#open.call;
  }

  #hold(event: ContentEvent): void {
    if (event.type === 'tool-arguments-delta') {
      this.#heldCalls.get(event.index)?.push(event);
      return;
    }
    const last = this.#held.at(-1);
    if (event.type !== 'tool-call' && last?.[0]?.type === event.type) {
      last.push(event);
      return;
    }
    const block: ContentEvent[] = [event];
    this.#held.push(block);
    if (event.type === 'tool-call') this.#heldCalls.set(event.index, block);
  }

  /** Writes what was held, until a call is open again; all of it when nothing more comes. */
  #release({ all }: { all: boolean }): string {
    let text = '';
    while (all || this.#open?.type !== 'tool_use') {
      const block = this.#held.shift();
      if (!block) break;
      for (const event of block) text += this.#write(event);
    }
    return text;
  }

  #write(event: ContentEvent): string {
    switch (event.type) {
      case 'text-delta':
        return this.#enter('text') + this.#delta('text_delta', 'text', event.text);
      case 'reasoning-delta':
        return this.#enter('thinking') + this.#delta('thinking_delta', 'thinking', event.text);
      case 'tool-call': {
        const { index, id, name } = event;
        const open: OpenBlock = { type: 'tool_use', call: index, input: new ToolInputReader() };
        return this.#close() + this.#begin(open, { id, name, input: {} });
      }
      case 'tool-arguments-delta':
        return this.#extend(event);
    }
  }

  #enter(type: 'text' | 'thinking'): string {
    if (this.#open?.type === type) return '';
    const empty = type === 'text' ? { text: '' } : { thinking: '', signature: '' };
    return this.#close() + this.#begin({ type }, empty);
  }

  #begin(open: OpenBlock, fields: JsonObject): string {
    this.#open = open;
    this.#index++;
    return frame('content_block_start', { index: this.#index, content_block: { type: open.type, ...fields } });
  }

  /** The next fragment of a call's arguments. A call whose object is closed takes no more. */
  #extend({ index, fragment }: Extract<ContentEvent, { type: 'tool-arguments-delta' }>): string {
    if (this.#open?.type !== 'tool_use' || this.#open.call !== index) return '';
    const { input } = this.#open;
    const part = input.take(fragment);
    const delta = part === '' ? '' : this.#delta('input_json_delta', 'partial_json', part);
    return input.whole ? delta + this.#close() : delta;
  }

  #close(): string {
    const open = this.#open;
    if (open === null) return '';
    this.#open = null;
    return this.#lastDelta(open) + frame('content_block_stop', { index: this.#index });
  }

  /** What a block still owes: thinking its signature, a call without arguments an empty input. */
  #lastDelta(open: OpenBlock): string {
    if (open.type === 'thinking') return this.#delta('signature_delta', 'signature', signatureOf(this.#order));
    const rest = open.type === 'tool_use' ? open.input.end() : '';
    return rest === '' ? '' : this.#delta('input_json_delta', 'partial_json', rest);
  }

  /** The frame that there is one of for every token. */
  #delta(type: string, field: string, text: string): string {
    const delta = `{"type":"${type}","${field}":${JSON.stringify(text)}}`;
    return eventFrame('content_block_delta', `{"type":"content_block_delta","index":${this.#index},"delta":${delta}}`);
  }
}

function frame(type: string, fields: JsonObject): string {
  return eventFrame(type, JSON.stringify({ type, ...fields }));
}
