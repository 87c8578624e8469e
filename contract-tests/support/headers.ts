/** Whether an answer has the documented headers: all that are required, and no others. */
import type { OperationId } from '#generated/operations.ts';
import { documentedHeaders } from './document.ts';
import { mediaTypeOf } from './raw-answer.ts';

/** The headers that any answer of a web server may have; openapi.yaml names them once, in `info`. */
const OF_EVERY_ANSWER = [
  ...['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-type', 'content-length'],
  ...['access-control-allow-origin', 'access-control-expose-headers', 'vary', 'content-encoding'],
];
/** They keep proxies from buffering the frames of a stream. */
const OF_EVERY_STREAM = ['cache-control', 'x-accel-buffering'];

/** What is wrong with the headers of an answer, to follow "the operation answered 200"; null when nothing is. */
export function problemWithHeaders(
  id: OperationId,
  status: number,
  headers: Readonly<Record<string, string>>,
): string | null {
  const documented = documentedHeaders(id, status);
  const streams = mediaTypeOf(headers) === 'text/event-stream';
  const allowed = [...documented.map(({ name }) => name), ...OF_EVERY_ANSWER, ...(streams ? OF_EVERY_STREAM : [])];
  const stray = Object.keys(headers).find((name) => !allowed.includes(name));
  if (stray) return `with the header ${stray}, which is not documented.`;
  const missing = documented.find(({ name, required }) => required && headers[name] === undefined);
  if (missing) return `without the header ${missing.name}.`;
  for (const { name, schema } of documented) {
    const value = headers[name];
    if (value === undefined || schema.type !== 'integer') continue;
    const least = schema.minimum ?? Number.MIN_SAFE_INTEGER;
    if (!/^-?\d+$/.test(value) || Number(value) < least) return `with "${value}" in ${name}, an integer from ${least}.`;
  }
  return null;
}
