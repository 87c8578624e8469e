/** A message as a stream of events. Blocks come one after the other, in the order of `BlockOrder`. Spec 6.4. */
import type { OrderEnd } from '#orders/order-port.ts';
import type { JsonObject } from '#orders/request.ts';
import type { GenerationEvent } from '#results/generation.ts';
import type { Answer } from '#results/result.ts';
import { BlockOrder, type BlockWriter, type ContentEvent } from '../common/block-order.ts';
import { eventFrame, messagesError } from '../common/envelope.ts';
import type { OrderFacts, StreamEncoder } from '../common/wire-shape.ts';
import { messageHead, messageUsage, signatureOf, stopOf, ToolInputReader, tokenCounts } from './response.ts';

const PING = frame('ping', {});

/** The open block. */
type OpenBlock =
  | { readonly type: 'text' | 'thinking' }
  | { readonly type: 'tool_use'; readonly input: ToolInputReader };

/** A stream. `requestId` is for the error event. */
export class MessageStream implements StreamEncoder, BlockWriter {
  readonly #order: OrderFacts;
  readonly #requestId: string;
  #open: OpenBlock | null = null;
  /** The index of the open block, or else of the last one. */
  #index = -1;
  readonly #blocks = new BlockOrder(this);

  constructor(order: OrderFacts, requestId: string) {
    this.#order = order;
    this.#requestId = requestId;
  }

  /** The counts are preliminary: the prompt estimate, until `message_delta` has the charged counts. */
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
    for (const event of batch) text += this.#blocks.take(event);
    return text;
  }

  ended(end: OrderEnd): string {
    if (end.status !== 'done') return eventFrame('error', JSON.stringify(messagesError(end.fault, this.#requestId)));
    return this.#blocks.rest() + this.#close() + this.#finish(end.answer);
  }

  #finish(answer: Answer): string {
    const delta = { delta: stopOf(answer.generation), usage: messageUsage(answer) };
    return frame('message_delta', delta) + frame('message_stop', {});
  }

  write(event: ContentEvent): string {
    switch (event.type) {
      case 'text-delta':
        return this.#enter('text') + this.#delta('text_delta', 'text', event.text);
      case 'reasoning-delta':
        return this.#enter('thinking') + this.#delta('thinking_delta', 'thinking', event.text);
      case 'tool-call': {
        const { id, name } = event;
        const open: OpenBlock = { type: 'tool_use', input: new ToolInputReader() };
        return this.#close() + this.#begin(open, { id, name, input: {} });
      }
      case 'tool-arguments-delta':
        return this.#extend(event.fragment);
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

  /** The next fragment of a call's arguments; ignored when the object of the call is complete. */
  #extend(fragment: string): string {
    if (this.#open?.type !== 'tool_use') return '';
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

  /** The last delta of a block: the signature of thinking, the empty input of a call without arguments. */
  #lastDelta(open: OpenBlock): string {
    if (open.type === 'thinking') return this.#delta('signature_delta', 'signature', signatureOf(this.#order));
    const rest = open.type === 'tool_use' ? open.input.end() : '';
    return rest === '' ? '' : this.#delta('input_json_delta', 'partial_json', rest);
  }

  /** The frame that is written for every token. */
  #delta(type: string, field: string, text: string): string {
    const delta = `{"type":"${type}","${field}":${JSON.stringify(text)}}`;
    return eventFrame('content_block_delta', `{"type":"content_block_delta","index":${this.#index},"delta":${delta}}`);
  }
}

function frame(type: string, fields: JsonObject): string {
  return eventFrame(type, JSON.stringify({ type, ...fields }));
}
