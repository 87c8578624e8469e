/** Converts the content of messages and tool outputs from parts of this shape to parts of chat. Spec 4.4. */
import type { Fault } from '#base/fault.ts';
import type { JsonObject } from '#orders/request.ts';
import { isObject, refusal } from '../common/fields.ts';

/** A part in the chat shape. */
export type ChatPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string; readonly detail?: string } };

const IMAGE_ADDRESS = /^(https?:\/\/|data:)/i;
/** The only values of `detail` in chat; models refuse others. */
const DETAILS = ['auto', 'low', 'high'];

/** The parts of `content`; a string is one text part. Throws invalid_request naming the place. */
export function partsOf(content: unknown, place: string): ChatPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw refusal(place, `${place} must be a string or an array of parts.`);
  return content.map((part: unknown, index) => chatPart(part, `${place}[${index}]`));
}

/** The text of content that may contain only text, its parts joined by `separator`. Throws invalid_request. */
export function textOf(content: unknown, place: string, separator = ''): string {
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

/** The string in a field of an item or part. Throws invalid_request when it is not a string. */
export function stringField(fields: JsonObject, name: string, place: string): string {
  const value = fields[name];
  if (typeof value === 'string') return value;
  throw refusal(`${place}.${name}`, `${place}.${name} must be a string.`);
}

/** The refusal of an unsupported item or part. */
export function unsupported(type: unknown, place: string): Fault {
  return refusal(
    place,
    `${place}: ${JSON.stringify(type) ?? 'something without a type'} is not supported. Nothing was charged.`,
  );
}
