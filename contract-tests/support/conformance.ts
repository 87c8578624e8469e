/**
 * Whether an answer keeps the document's promises: its status, its media type, its headers, its body, and every frame
 * of a stream. The client asks this of each answer, so that no test can look at an answer that breaks them.
 */
import type { OperationId } from '#generated/operations.ts';
import { responseBodies, streamFrames } from '#generated/response-validators.js';
import type { Validator } from '#generated/validators.js';
import { documentedMediaTypes, documentedStatuses, requiredHeaders } from './document.ts';
import { parseStream } from './sse.ts';

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
  const missing = requiredHeaders(id, answer.status).find((name) => answer.headers[name] === undefined);
  if (missing) return `${what} without the header ${missing}.`;
  const problem = method === 'head' ? null : problemWithContent(id, answer);
  return problem && `${what} ${problem}`;
}

function problemWithContent(id: OperationId, { status, headers, text }: RawAnswer): string | null {
  const types = documentedMediaTypes(id, status);
  if (text === '') return types.length === 0 ? null : 'with an empty body.';
  const type = (headers['content-type'] ?? '').split(';')[0] ?? '';
  if (!types.includes(type)) return `with a body of type "${type}", which is not documented: ${text.slice(0, 200)}`;
  if (type === 'text/event-stream') return problemWithFrames(id, text);
  const validator = bodies[`${id} ${status}`];
  return type === 'application/json' && validator ? problemWithJson(validator, text) : null;
}

function problemWithFrames(id: OperationId, text: string): string | null {
  const validator = frames[id];
  if (!validator) return 'with a stream, whose frames are not documented.';
  for (const { data } of parseStream(text).frames) {
    const problem = data === '[DONE]' ? null : problemWithJson(validator, data);
    if (problem) return problem;
  }
  return null;
}

function problemWithJson(validator: Validator<unknown>, text: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return `with something that is not JSON: ${text.slice(0, 200)}`;
  }
  if (validator(value)) return null;
  const [error] = validator.errors ?? [];
  return `against the document: ${error?.instancePath || 'the body'} ${error?.message}, in ${text.slice(0, 1000)}`;
}
