/**
 * Images of this shape, as parts of chat. Only some listings take them, and the listing is not known here: a request
 * says where its first image is, and whoever looks the listing up refuses it there. Spec 4.5.
 */
import type { Fault } from '#base/fault.ts';
import type { JsonObject } from '#orders/request.ts';
import { isObject, refusal, stringField } from '../common/fields.ts';
import type { CountBody } from '../common/wire-shape.ts';

const MEDIA_TYPE = /^image\/[\w.+-]{1,64}$/;
const WEB_ADDRESS = /^https?:\/\//i;

/** The part for an image block. Its address goes to the model as it is; the gateway fetches none. */
export function imagePart({ fields, place }: ContentBlock): JsonObject {
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
export interface ContentBlock {
  readonly type: string;
  readonly fields: JsonObject;
  readonly place: string;
}

/** The blocks of `content`; a string is one text block. Throws invalid_request for anything else. */
export function blocksOf(content: unknown, place: string): ContentBlock[] {
  if (typeof content === 'string') return [{ type: 'text', fields: { type: 'text', text: content }, place }];
  if (!Array.isArray(content)) throw refusal(place, `${place} must be a string or an array of blocks.`);
  return content.map((fields: unknown, index) => {
    const at = `${place}[${index}]`;
    if (!isObject(fields) || typeof fields.type !== 'string') throw refusal(at, `${at} must be a block with a type.`);
    return { type: fields.type, fields, place: at };
  });
}

/** The text of a text block. Throws invalid_request for a block of any other type. */
export function textOf(block: ContentBlock): string {
  if (block.type !== 'text') throw unsupported(block);
  return stringField(block.fields, 'text', block.place);
}

/** The refusal of a block that is not allowed in its place, or that is not supported at all. */
export function unsupported({ type, place }: ContentBlock): Fault {
  return refusal(place, `${place}: a block of type ${JSON.stringify(type)} is not supported. Nothing was charged.`);
}
