/** A message as one object. Spec 2.9, 4.5. */
import { wireReceipt } from '#ledger/receipt.ts';
import { contentOf, type Generation, type PartContent } from '#results/generation.ts';
import type { Answer } from '#results/result.ts';
import type { MessageAnswer, OrderFacts } from '../common/wire-shape.ts';
import { toolInput } from './tool-input.ts';

/** The complete message. */
export function renderMessage(order: OrderFacts, answer: Answer): MessageAnswer {
  return {
    ...messageHead(order),
    content: content(order, answer.generation),
    ...stopOf(answer.generation),
    usage: messageUsage(answer),
  };
}

/** What is known of a message before its content. */
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
