/** Reads content of this shape, a string or an array of blocks, block by block. */
import type { Fault } from '#base/fault.ts';
import type { JsonObject } from '#orders/request.ts';
import { isObject, refusal } from '../common/fields.ts';

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
  return stringField(block, 'text');
}

/** The string in a field of a block. Throws invalid_request when it is not a string. */
export function stringField({ fields, place }: ContentBlock, name: string): string {
  const value = fields[name];
  if (typeof value === 'string') return value;
  throw refusal(`${place}.${name}`, `${place}.${name} must be a string.`);
}

/** The refusal of a block that is not allowed in its place, or that is not supported at all. */
export function unsupported({ type, place }: ContentBlock): Fault {
  return refusal(place, `${place}: a block of type ${JSON.stringify(type)} is not supported. Nothing was charged.`);
}
