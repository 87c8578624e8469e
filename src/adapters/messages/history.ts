/**
 * The conversation, from this shape's turns to chat messages. A turn can become several: each tool result is a message
 * of its own and comes before what the user says beside it. Spec 4.5.
 */

import { NESTING_MAX } from '#base/nesting.ts';
import type { JsonObject } from '#orders/request.ts';
import { nestedTooDeeply } from '#orders/token-estimate.ts';
import { isObject, refusal } from '../fields.ts';
import { type Block, blocksOf, stringField, textOf, unsupported } from './blocks.ts';

/** The chat messages of `system` and `messages`. Throws invalid_request naming the place. */
export function chatMessages({ system, messages }: JsonObject): JsonObject[] {
  if (!Array.isArray(messages) || messages.length === 0)
    throw refusal('messages', 'messages must be an array of at least one message.');
  const turns = messages.flatMap((message: unknown, index) => chatTurn(message, `messages[${index}]`));
  const said = systemText(system ?? '', 'system');
  return said === '' ? turns : [{ role: 'system', content: said }, ...turns];
}

function chatTurn(message: unknown, place: string): JsonObject[] {
  if (!isObject(message)) throw refusal(place, `${place} must be an object.`);
  const content = `${place}.content`;
  switch (message.role) {
    case 'user':
      return userTurn(blocksOf(message.content, content));
    case 'assistant':
      return [assistantTurn(blocksOf(message.content, content))];
    case 'system':
      return [{ role: 'system', content: systemText(message.content, content) }];
    default:
      throw refusal(`${place}.role`, `${place}.role must be user, assistant or system.`);
  }
}

function systemText(content: unknown, place: string): string {
  return blocksOf(content, place).map(textOf).join('\n\n');
}

function userTurn(blocks: readonly Block[]): JsonObject[] {
  const results = blocks.filter(({ type }) => type === 'tool_result').map(toolMessage);
  const said = blocks.filter(({ type }) => type !== 'tool_result').map(textOf);
  const text = said.join('\n');
  if (text === '' && results.length > 0) return results;
  return [...results, { role: 'user', content: text }];
}

function toolMessage(block: Block): JsonObject {
  const text = resultText(block.fields.content ?? '', `${block.place}.content`);
  return {
    role: 'tool',
    tool_call_id: stringField(block, 'tool_use_id'),
    content: block.fields.is_error === true ? `Error: ${text}` : text,
  };
}

function resultText(content: unknown, place: string): string {
  return blocksOf(content, place).map(resultBlockText).join('\n');
}

/** Clients that look tools up themselves answer with references to the tools they found: a model can read the names. */
function resultBlockText(block: Block): string {
  return block.type === 'tool_reference' ? `Tool loaded: ${stringField(block, 'tool_name')}` : textOf(block);
}

function assistantTurn(blocks: readonly Block[]): JsonObject {
  let text = '';
  let reasoning = '';
  const calls: JsonObject[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        text += textOf(block);
        break;
      case 'thinking':
        reasoning += stringField(block, 'thinking');
        break;
      case 'redacted_thinking':
        // Written by another vendor's model for itself: nobody here can read it, and clients resend it faithfully.
        break;
      case 'tool_use':
        calls.push(toolCall(block));
        break;
      default:
        throw unsupported(block);
    }
  }
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function toolCall(block: Block): JsonObject {
  const input = block.fields.input ?? {};
  if (!isObject(input)) throw refusal(`${block.place}.input`, `${block.place}.input must be an object.`);
  checkNesting(input, 1);
  const called = { name: stringField(block, 'name'), arguments: JSON.stringify(input) };
  return { id: stringField(block, 'id'), type: 'function', function: called };
}

/** `JSON.stringify` would break the stack. */
function checkNesting(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > NESTING_MAX) throw nestedTooDeeply();
  for (const inner of Object.values(value)) checkNesting(inner, depth + 1);
}
