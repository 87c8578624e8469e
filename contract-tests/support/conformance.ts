/**
 * Whether an answer keeps the document's promises: its status, its media type, its headers, its body, and every frame
 * of a stream, without a header or a field that is not documented. The client asks this of each answer, so that no test
 * can look at an answer that breaks them.
 */
import type { OperationId } from '#generated/operations.ts';
import { responseBodies, streamFrames } from '#generated/response-validators.js';
import type { Validator } from '#generated/validators.js';
import { documentedBody, documentedFrames, documentedMediaTypes, documentedStatuses, type Schema } from './document.ts';
import { problemWithHeaders } from './headers.ts';
import { frameKind, mediaTypeOf } from './promises.ts';
import { parseStream } from './sse.ts';
import { straysIn } from './strays.ts';

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const bodies: Readonly<Record<string, Validator<unknown>>> = responseBodies;
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

function problemWithContent(id: OperationId, { status, headers, text }: RawAnswer): string | null {
  const types = documentedMediaTypes(id, status);
  // A file may be empty; everything else that is documented has something in it.
  if (text === '') return types.length === 0 || types.includes('application/jsonl') ? null : 'with an empty body.';
  const type = mediaTypeOf(headers);
  if (!types.includes(type)) return `with a body of type "${type}", which is not documented: ${text.slice(0, 200)}`;
  if (type === 'text/event-stream') return problemWithFrames(id, text);
  const validator = bodies[`${id} ${status}`];
  if (type !== 'application/json' || !validator) return null;
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
  const [stray] = typeof value === 'object' && value !== null ? straysIn(schemaOf(value), value) : [];
  return stray ? `with the field ${stray}, which is not documented, in ${text.slice(0, 1000)}` : null;
}
