/**
 * Whether an answer keeps the document's promises: its status, media type, headers, body, and every frame of a stream,
 * without undocumented headers or fields. The client checks each answer, so that no test can read one that breaks a
 * promise.
 */
import { streamFrames } from '#generated/response-validators.js';
import type { Validator } from '#generated/validators.js';
import { documentedBody, documentedFrames, documentedMediaTypes, documentedStatuses, type Schema } from './document.ts';
import { frameKind } from './documented-promises.ts';
import { problemWithHeaders } from './headers.ts';
import { type OperationId, responseBodies } from './operations.ts';
import { mediaTypeOf, type RawAnswer } from './raw-answer.ts';
import { parseStream } from './sse.ts';
import { undocumentedFieldsIn } from './undocumented-fields.ts';

const frames: Readonly<Record<string, Validator<unknown>>> = streamFrames;

/** What is wrong with an answer of this operation, in one sentence; null when it keeps every promise. */
export function problemWith(id: OperationId, method: string, answer: RawAnswer): string | null {
  const what = `${id} answered ${answer.status}`;
  if (!documentedStatuses(id).includes(answer.status)) return `${what}, which is not documented: ${answer.text}`;
  const problem =
    problemWithHeaders(id, answer.status, answer.headers) ??
    (method.toLowerCase() === 'head' ? null : problemWithContent(id, answer));
  return problem && `${what} ${problem}`;
}

const JSON_TYPES = ['application/json', 'application/problem+json'];

function problemWithContent(id: OperationId, { status, headers, text }: RawAnswer): string | null {
  const types = documentedMediaTypes(id, status);
  // A file may be empty; every other documented body has content.
  if (text === '') return types.length === 0 || types.includes('application/jsonl') ? null : 'with an empty body.';
  const type = mediaTypeOf(headers);
  if (!types.includes(type)) return `with a body of type "${type}", which is not documented: ${text.slice(0, 200)}`;
  if (type === 'text/event-stream') return problemWithFrames(id, text);
  const validator = responseBodies[`${id} ${status}`];
  if (!JSON_TYPES.includes(type) || !validator) return null;
  return problemWithJson(validator, () => documentedBody(id, status, type), text);
}

function problemWithFrames(id: OperationId, text: string): string | null {
  const validator = frames[id];
  if (!validator) return 'with a stream, whose frames are not documented.';
  const kinds = documentedFrames(id);
  for (const { data } of parseStream(text).frames) {
    if (data === '[DONE]') continue;
    const problem = problemWithJson(validator, (frame) => frameKind(kinds, frame)?.schema ?? {}, data);
    if (problem) return problem;
  }
  return null;
}

function problemWithJson(
  validator: Validator<unknown>,
  schemaOf: (value: object) => Schema,
  text: string,
): string | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return `with something that is not JSON: ${text.slice(0, 200)}`;
  }
  if (!validator(value)) {
    const [error] = validator.errors ?? [];
    return `against the document: ${error?.instancePath || 'the body'} ${error?.message}, in ${text.slice(0, 1000)}`;
  }
  const [stray] = typeof value === 'object' && value !== null ? undocumentedFieldsIn(schemaOf(value), value) : [];
  return stray ? `with the field ${stray}, which is not documented, in ${text.slice(0, 1000)}` : null;
}
