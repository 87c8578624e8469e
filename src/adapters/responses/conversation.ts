/**
 * Converts the flat list of items of this shape to chat messages. One turn of the assistant is several items in a row
 * here (reasoning, a message, function calls) and becomes one message again; that is what the model wrote, and chat
 * templates expect calls right before their results. Fields that refer to earlier responses (`previous_response_id`,
 * `conversation`) are refused in `request.ts`. Spec 4.4.
 */
import type { Fault } from '#base/fault.ts';
import type { JsonObject } from '#orders/request.ts';
import { outputAsUser } from '../common/conversation.ts';
import { isObject, refusal, stringField } from '../common/fields.ts';
import { customArguments } from './tools.ts';

/** The chat messages of `instructions` and `input`. Throws invalid_request naming the place. */
export function chatMessages({ instructions, input }: JsonObject): JsonObject[] {
  const conversation = new Conversation();
  if (typeof instructions === 'string') {
    if (instructions !== '') conversation.say({ role: 'system', content: instructions });
  } else if ((instructions ?? null) !== null) {
    addItems(conversation, instructions, 'instructions');
  }
  if (typeof input === 'string') conversation.say({ role: 'user', content: input });
  else addItems(conversation, input, 'input');
  return conversation.end();
}

function addItems(conversation: Conversation, items: unknown, place: string): void {
  if (!Array.isArray(items) || items.length === 0)
    throw refusal(place, `${place} must be a string or an array of at least one item.`);
  items.forEach((item: unknown, index) => {
    const at = `${place}[${index}]`;
    if (!isObject(item)) throw refusal(at, `${at} must be an object.`);
    addItem(conversation, item, at);
  });
}

function addItem(conversation: Conversation, item: JsonObject, place: string): void {
  const type = item.type ?? 'message';
  if (type === 'item_reference')
    throw refusal(
      place,
      `${place}: nothing is stored between requests, so item_reference is not supported. Send the items; the AI SDK does with store: false.`,
    );
  if (type === 'message') addMessage(conversation, item, place);
  else if (type === 'function_call') conversation.call(toolCall(item, place, stringField(item, 'arguments', place)));
  else if (type === 'custom_tool_call')
    conversation.call(toolCall(item, place, customArguments(stringField(item, 'input', place))));
  else if (type === 'function_call_output' || type === 'custom_tool_call_output') addOutput(conversation, item, place);
  else if (type === 'reasoning') conversation.think(reasoningText(item, place));
  else throw unsupported(type, place);
}

/** Codex sends outputs of tools that no item called, with a name in place of a call id. */
function addOutput(conversation: Conversation, item: JsonObject, place: string): void {
  const parts = partsOf(item.output, `${place}.output`);
  const isNamed = (item.call_id ?? '') === '' && typeof item.name === 'string' && item.name !== '';
  if (isNamed) conversation.say(outputAsUser({ name: item.name, content: contentOf(parts) }));
  else conversation.result(stringField(item, 'call_id', place), parts);
}

function addMessage(conversation: Conversation, { role, content }: JsonObject, place: string): void {
  const at = `${place}.content`;
  if (role === 'user') conversation.say({ role, content: contentOf(partsOf(content, at)) });
  else if (role === 'assistant') conversation.answer(textOf(content, at));
  else if (role === 'system' || role === 'developer')
    conversation.say({ role: 'system', content: textOf(content, at) });
  else throw refusal(`${place}.role`, `${place}.role must be user, assistant, system or developer.`);
}

/** Content with only text becomes a string, which every model can read. */
function contentOf(parts: readonly ChatPart[]): string | readonly ChatPart[] {
  if (parts.some(({ type }) => type !== 'text')) return parts;
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function toolCall(item: JsonObject, place: string, text: string): JsonObject {
  const called = { name: stringField(item, 'name', place), arguments: text };
  return { id: stringField(item, 'call_id', place), type: 'function', function: called };
}

/** The raw reasoning. A summary is not what the model thought, and encrypted reasoning is for another model. */
function reasoningText({ content }: JsonObject, place: string): string {
  const parts = content ?? [];
  if (!Array.isArray(parts)) throw refusal(`${place}.content`, `${place}.content must be an array of parts.`);
  const texts = parts.map((part: unknown, index) => {
    const at = `${place}.content[${index}]`;
    if (!isObject(part)) throw refusal(at, `${at} must be an object.`);
    return stringField(part, 'text', at);
  });
  return texts.join('');
}

/** One turn of the assistant while its items are read. */
interface Turn {
  reasoning: string;
  /** Null without a message, which differs from an empty text. */
  text: string | null;
  readonly calls: JsonObject[];
}

/** Takes items in their order and returns messages. */
class Conversation {
  readonly #messages: JsonObject[] = [];
  #turn: Turn | null = null;
  /** Images in outputs of tools, which chat does not allow: a user message has them after all the outputs. */
  #images: ChatPart[] = [];

  /** Adds a message that is not of the assistant. */
  say(message: JsonObject): void {
    this.#endTurn();
    this.#showImages();
    this.#messages.push(message);
  }

  /** Adds a message of the assistant. The message is a turn of its own, unless it continues a turn after calls. */
  answer(text: string): void {
    if (this.#turn && this.#turn.text !== null && this.#turn.calls.length === 0) this.#endTurn();
    const turn = this.#openTurn();
    turn.text = (turn.text ?? '') + text;
  }

  think(text: string): void {
    this.#openTurn().reasoning += text;
  }

  call(call: JsonObject): void {
    this.#openTurn().calls.push(call);
  }

  result(callId: string, parts: readonly ChatPart[]): void {
    this.#endTurn();
    const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    this.#messages.push({ role: 'tool', tool_call_id: callId, content: texts.join('\n') });
    this.#images.push(...parts.filter(({ type }) => type !== 'text'));
  }

  end(): JsonObject[] {
    this.#endTurn();
    this.#showImages();
    return this.#messages;
  }

  #openTurn(): Turn {
    this.#showImages();
    this.#turn ??= { reasoning: '', text: null, calls: [] };
    return this.#turn;
  }

  /** Reasoning without a message or calls is omitted: chat has no message for it. */
  #endTurn(): void {
    if (!this.#turn) return;
    const { reasoning, text, calls } = this.#turn;
    this.#turn = null;
    if (text === null && calls.length === 0) return;
    this.#messages.push({
      role: 'assistant',
      content: text,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    });
  }

  #showImages(): void {
    if (this.#images.length === 0) return;
    this.#messages.push({ role: 'user', content: this.#images });
    this.#images = [];
  }
}

/** A part in the chat shape. */
type ChatPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string; readonly detail?: string } };

const IMAGE_ADDRESS = /^(https?:\/\/|data:)/i;
/** The only values of `detail` in chat; models refuse others. */
const DETAILS = ['auto', 'low', 'high'];

/** The parts of `content`; a string is one text part. Throws invalid_request naming the place. */
function partsOf(content: unknown, place: string): ChatPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw refusal(place, `${place} must be a string or an array of parts.`);
  return content.map((part: unknown, index) => chatPart(part, `${place}[${index}]`));
}

/** The text of content that may contain only text, its parts joined by `separator`. Throws invalid_request. */
function textOf(content: unknown, place: string, separator = ''): string {
  const texts = partsOf(content, place).map((part, index) => {
    if (part.type === 'text') return part.text;
    throw refusal(`${place}[${index}]`, `${place}[${index}]: an image is allowed only in a user message.`);
  });
  return texts.join(separator);
}

function chatPart(part: unknown, place: string): ChatPart {
  if (!isObject(part)) throw refusal(place, `${place} must be an object.`);
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: stringField(part, 'text', place) };
    case 'refusal':
      return { type: 'text', text: stringField(part, 'refusal', place) };
    case 'input_image':
      return image(part, place);
    default:
      throw unsupported(part.type, place);
  }
}

function image({ file_id: file, image_url: url, detail }: JsonObject, place: string): ChatPart {
  if ((file ?? null) !== null)
    throw refusal(
      `${place}.file_id`,
      `${place}: an image by file_id is not supported: send it as image_url. Nothing was charged.`,
    );
  if (typeof url !== 'string' || !IMAGE_ADDRESS.test(url))
    throw refusal(`${place}.image_url`, `${place}.image_url must be an http, https or data URL.`);
  return {
    type: 'image_url',
    image_url: typeof detail === 'string' && DETAILS.includes(detail) ? { url, detail } : { url },
  };
}

/** The refusal of an unsupported item or part. */
function unsupported(type: unknown, place: string): Fault {
  return refusal(
    place,
    `${place}: ${JSON.stringify(type) ?? 'something without a type'} is not supported. Nothing was charged.`,
  );
}
