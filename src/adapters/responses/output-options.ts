/** The options of output format and reasoning, as fields of chat. Spec 4.4. */
import type { JsonObject } from '#orders/request.ts';
import { isObject, refusal } from '../common/fields.ts';
import type { ResponseBody } from '../common/wire-shape.ts';

/** `response_format` from `text.format`; no key for plain text. Throws invalid_request. */
export function responseFormat({ text }: ResponseBody): JsonObject {
  const format = text?.format ?? null;
  if (format === null) return {};
  if (!isObject(format)) throw refusal('text.format', 'text.format must be an object.');
  switch (format.type) {
    case 'text':
      return {};
    case 'json_object':
      return { response_format: { type: 'json_object' } };
    case 'json_schema':
      return { response_format: { type: 'json_schema', json_schema: jsonSchema(format) } };
    default:
      throw refusal('text.format.type', 'text.format.type must be text, json_object or json_schema.');
  }
}

/** The fields of the schema are flat here and one level deeper in chat. */
function jsonSchema({ name, schema, description = null, strict = null }: JsonObject): JsonObject {
  if (typeof name !== 'string') throw refusal('text.format.name', 'text.format.name must be a string.');
  if (!isObject(schema)) throw refusal('text.format.schema', 'text.format.schema must be an object.');
  return {
    name,
    schema,
    ...(description === null ? {} : { description }),
    ...(strict === null ? {} : { strict }),
  };
}

/** `reasoning_effort` from `reasoning.effort`. Options for summaries are dropped. Throws invalid_request. */
export function reasoningEffort({ reasoning }: ResponseBody): JsonObject {
  const effort = reasoning?.effort ?? null;
  if (effort === null) return {};
  if (typeof effort !== 'string') throw refusal('reasoning.effort', 'reasoning.effort must be a string.');
  return { reasoning_effort: effort };
}
