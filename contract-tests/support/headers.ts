/** Whether an answer has the documented headers: all that are required, and no others. */
import { documentedHeaders } from './document.ts';
import { isConsolePath, type OperationId, operations } from './operations.ts';
import { mediaTypeOf } from './raw-answer.ts';

/** The headers that any answer of a web server may have; openapi.yaml names them once, in `info`. */
const OF_EVERY_ANSWER = [
  ...['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-type', 'content-length'],
  ...['access-control-allow-origin', 'access-control-expose-headers', 'vary', 'content-encoding'],
];
/** What the settings and the console have on every answer; openapi/console.yaml names them once, in `info`. */
const OF_THE_CONSOLE = [
  ...[
    'date',
    'connection',
    'keep-alive',
    'transfer-encoding',
    'content-type',
    'content-length',
    'vary',
    'content-encoding',
  ],
  ...['content-security-policy', 'x-frame-options', 'x-content-type-options', 'referrer-policy'],
  'cross-origin-resource-policy',
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
  const common = isConsolePath(operations[id].path) ? OF_THE_CONSOLE : OF_EVERY_ANSWER;
  const allowed = [...documented.map(({ name }) => name), ...common, ...(streams ? OF_EVERY_STREAM : [])];
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
