/** A message as one object. Spec 2.9, 4.5. */
import { JsonNesting } from '#base/exact-json.ts';
import { wireReceipt } from '#ledger/receipt.ts';
import type { JsonObject } from '#orders/request.ts';
import { contentOf, type Generation, type PartContent } from '#results/generation.ts';
import type { Answer } from '#results/result.ts';
import { isObject } from '../common/fields.ts';
import type { MessageAnswer, OrderFacts } from '../common/wire-shape.ts';

/** The complete message. */
export function renderMessage(order: OrderFacts, answer: Answer): MessageAnswer {
  return {
    ...messageHead(order),
    content: content(order, answer.generation),
    ...stopOf(answer.generation),
    usage: messageUsage(answer),
  };
}

/** What is known about a message before its content. */
export function messageHead({ orderId, model }: OrderFacts) {
  return { id: `msg_${orderId}`, type: 'message', role: 'assistant', model };
}

/** Why the model stopped. This shape has no stop_reason for a content filter. */
export function stopOf({ finishReason, stopSequence }: Generation) {
  const sequence = finishReason === 'stop' ? stopSequence : null;
  return { stop_reason: sequence === null ? STOP_REASONS[finishReason] : 'stop_sequence', stop_sequence: sequence };
}

const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', content_filter: 'end_turn' };

/** Counts and receipt. Unlike in the other shapes, `input_tokens` does not include the cached prompt tokens. */
export function messageUsage({ receipt }: Answer) {
  return { ...tokenCounts(receipt.tokens), x_market: wireReceipt(receipt) };
}

/** The four counts. */
export function tokenCounts({ uncached, cached, output }: Answer['receipt']['tokens']) {
  return {
    input_tokens: uncached,
    output_tokens: output,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
  };
}

/**
 * The signature of a thinking block. Clients require one and send it back with the block; it is not verified, so it
 * only names the order.
 */
export function signatureOf({ orderId }: OrderFacts): string {
  return Buffer.from(`sluice:${orderId}`).toString('base64');
}

/** Blocks in the order in which the model began them, without empty ones. */
function content(order: OrderFacts, generation: Generation): MessageAnswer['content'] {
  return contentOf(generation).map((piece) => contentBlock(order, piece));
}

function contentBlock(order: OrderFacts, piece: PartContent): MessageAnswer['content'][number] {
  switch (piece.type) {
    case 'reasoning':
      return { type: 'thinking', thinking: piece.text, signature: signatureOf(order) };
    case 'text':
      return { type: 'text', text: piece.text };
    case 'tool-call': {
      const { id, name, arguments: text } = piece.call;
      return { type: 'tool_use', id, name, input: toolInput(text) };
    }
  }
}

const BRACE = 0x7b;
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Reads the arguments of one call, fragment by fragment. */
export class ToolInputReader {
  #state: 'before' | 'within' | 'after' = 'before';
  #begun = false;
  readonly #nesting = new JsonNesting();

  /** Whether the input can no longer change: the object is complete, or there will be none. */
  get whole(): boolean {
    return this.#state === 'after';
  }

  /** The part of a fragment that belongs to the object, '' for none. */
  take(fragment: string): string {
    let from = 0;
    if (this.#state === 'before') {
      from = firstLetter(fragment);
      if (from < fragment.length) this.#state = fragment.charCodeAt(from) === BRACE ? 'within' : 'after';
    }
    if (this.#state !== 'within') return '';
    this.#begun = true;
    const to = this.#nesting.addUntilClosed(fragment, from);
    if (this.#nesting.closed) this.#state = 'after';
    return fragment.slice(from, to);
  }

  /** What must still be sent at the end: `{}` for a call without an object. */
  end(): string {
    return this.#begun ? '' : '{}';
  }
}

/** The input of a complete call. `{}` when the arguments contain no object, or an incomplete one. */
export function toolInput(written: string): JsonObject {
  try {
    const input: unknown = JSON.parse(new ToolInputReader().take(written) || '{}');
    return isObject(input) ? input : {};
  } catch {
    // An error of the model, or its output cap: the stop_reason says which.
    return {};
  }
}

function firstLetter(text: string): number {
  let place = 0;
  while (place < text.length && SPACES.has(text.charCodeAt(place))) place++;
  return place;
}
