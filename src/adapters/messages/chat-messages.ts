/**
 * Converts the turns of this shape to chat messages. A turn can become several: each tool result is a message of its
 * own and comes before the user's text in the same turn. Chat allows no images in results of tools: the user's message
 * shows them first. Spec 4.5.
 */
import { NESTING_MAX } from '#base/bounds.ts';
import type { Fault } from '#base/fault.ts';
import type { JsonObject } from '#orders/request.ts';
import { nestedTooDeeply } from '#orders/token-estimate.ts';
import { isObject, refusal, stringField } from '../common/fields.ts';
import type { CountBody } from '../common/wire-shape.ts';

/** The chat messages of `system` and `messages`. Throws invalid_request naming the place. */
export function chatMessages({ system, messages }: Pick<CountBody, 'system' | 'messages'>): JsonObject[] {
  const turns = messages.flatMap((message, index) => chatTurn(message, `messages[${index}].content`));
  const said = systemText(system ?? '', 'system');
  return said === '' ? turns : [{ role: 'system', content: said }, ...turns];
}

function chatTurn({ role, content }: CountBody['messages'][number], place: string): JsonObject[] {
  switch (role) {
    case 'user':
      return userTurn(blocksOf(content, place));
    case 'assistant':
      return [assistantTurn(blocksOf(content, place))];
    case 'system':
      return [{ role, content: systemText(content, place) }];
  }
}

function systemText(content: unknown, place: string): string {
  return blocksOf(content, place).map(textOf).join('\n\n');
}

function userTurn(blocks: readonly ContentBlock[]): JsonObject[] {
  const shown: JsonObject[] = [];
  const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => toolMessage(block, shown));
  const said = blocks.filter(({ type }) => type !== 'tool_result');
  const text = said.some(isImage) || shown.length > 0 ? null : said.map(textOf).join('\n');
  if (text === '' && results.length > 0) return results;
  return [...results, { role: 'user', content: text ?? [...shown, ...said.flatMap(userParts)] }];
}

function isImage({ type }: ContentBlock): boolean {
  return type === 'image';
}

/** Beside an image, an empty text is left out: models refuse such a part. */
function userParts(block: ContentBlock): JsonObject[] {
  if (isImage(block)) return [imagePart(block)];
  const text = textOf(block);
  return text === '' ? [] : [{ type: 'text', text }];
}

/** The text of a result as a message; its images are added to `shown`. */
function toolMessage(block: ContentBlock, shown: JsonObject[]): JsonObject {
  const blocks = blocksOf(block.fields.content ?? '', `${block.place}.content`);
  shown.push(...blocks.filter(isImage).map(imagePart));
  const texts = blocks.filter((inner) => !isImage(inner)).map(resultBlockText);
  const text = texts.join('\n');
  return {
    role: 'tool',
    tool_call_id: stringField(block.fields, 'tool_use_id', block.place),
    content: block.fields.is_error === true ? `Error: ${text}` : text,
  };
}

/** Clients that search tools themselves send references to the tools they found: the model gets the names as text. */
function resultBlockText(block: ContentBlock): string {
  return block.type === 'tool_reference'
    ? `Tool loaded: ${stringField(block.fields, 'tool_name', block.place)}`
    : textOf(block);
}

function assistantTurn(blocks: readonly ContentBlock[]): JsonObject {
  let text = '';
  let reasoning = '';
  const calls: JsonObject[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        text += textOf(block);
        break;
      case 'thinking':
        reasoning += stringField(block.fields, 'thinking', block.place);
        break;
      case 'redacted_thinking':
        // Encrypted by another vendor's model for itself; clients always resend it, so it is dropped, not refused.
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

function toolCall(block: ContentBlock): JsonObject {
  const input = block.fields.input ?? {};
  if (!isObject(input)) throw refusal(`${block.place}.input`, `${block.place}.input must be an object.`);
  checkNesting(input, 1);
  const called = { name: stringField(block.fields, 'name', block.place), arguments: JSON.stringify(input) };
  return { id: stringField(block.fields, 'id', block.place), type: 'function', function: called };
}

/** Deeper nesting would overflow the stack in `JSON.stringify`. */
function checkNesting(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > NESTING_MAX) throw nestedTooDeeply();
  for (const inner of Object.values(value)) checkNesting(inner, depth + 1);
}

const MEDIA_TYPE = /^image\/[\w.+-]{1,64}$/;
const WEB_ADDRESS = /^https?:\/\//i;

/** The part for an image block. Its address goes to the model as it is; the gateway fetches none. */
function imagePart({ fields, place }: ContentBlock): JsonObject {
  const source = isObject(fields.source) ? fields.source : {};
  return { type: 'image_url', image_url: { url: addressOf(source, `${place}.source`) } };
}

/** The place of the first image in the turns of a conversation that was read; null for none. */
export function firstImage(messages: CountBody['messages']): string | null {
  for (const [index, { content }] of messages.entries()) {
    const image = imagesIn(blocksOf(content, `messages[${index}].content`))[0];
    if (image) return image.place;
  }
  return null;
}

function imagesIn(blocks: readonly ContentBlock[]): ContentBlock[] {
  return blocks.flatMap((block) => {
    if (block.type === 'image') return [block];
    if (block.type !== 'tool_result') return [];
    return imagesIn(blocksOf(block.fields.content ?? '', `${block.place}.content`));
  });
}

function addressOf({ type, media_type: media, data, url }: JsonObject, place: string): string {
  if (type === 'base64') {
    if (typeof media !== 'string' || !MEDIA_TYPE.test(media))
      throw refusal(`${place}.media_type`, `${place}.media_type must be a type of image, such as image/png.`);
    if (typeof data !== 'string' || data === '')
      throw refusal(`${place}.data`, `${place}.data must be the image in base64.`);
    return `data:${media};base64,${data}`;
  }
  if (type !== 'url') throw refusal(place, `${place}: an image is supported as base64 or as url. Nothing was charged.`);
  if (typeof url !== 'string' || !WEB_ADDRESS.test(url))
    throw refusal(`${place}.url`, `${place}.url must be an http or https URL.`);
  return url;
}

/** One block and its place, such as `messages[2].content[0]`. */
interface ContentBlock {
  readonly type: string;
  readonly fields: JsonObject;
  readonly place: string;
}

/** The blocks of `content`; a string is one text block. Throws invalid_request for anything else. */
function blocksOf(content: unknown, place: string): ContentBlock[] {
  if (typeof content === 'string') return [{ type: 'text', fields: { type: 'text', text: content }, place }];
  if (!Array.isArray(content)) throw refusal(place, `${place} must be a string or an array of blocks.`);
  return content.map((fields: unknown, index) => {
    const at = `${place}[${index}]`;
    if (!isObject(fields) || typeof fields.type !== 'string') throw refusal(at, `${at} must be a block with a type.`);
    return { type: fields.type, fields, place: at };
  });
}

/** The text of a text block. Throws invalid_request for a block of any other type. */
function textOf(block: ContentBlock): string {
  if (block.type !== 'text') throw unsupported(block);
  return stringField(block.fields, 'text', block.place);
}

/** The refusal of a block that is not allowed in its place, or that is not supported at all. */
function unsupported({ type, place }: ContentBlock): Fault {
  return refusal(place, `${place}: a block of type ${JSON.stringify(type)} is not supported. Nothing was charged.`);
}
