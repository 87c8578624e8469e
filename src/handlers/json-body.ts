/** Reads the bytes of a body as JSON. */
import { isUtf8 } from 'node:buffer';
import { parseJson } from '#base/exact-json.ts';
import { Fault } from '#base/fault.ts';
import { scanJson } from '#base/json-bounds.ts';

/**
 * The value of a body. Throws invalid_json: also for no body, for bytes that are not UTF-8, and for what `scanJson` finds
 * broken.
 */
export function jsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new Fault('invalid_json', { message: 'A JSON body is required, none came.' });
  if (!isUtf8(bytes)) throw new Fault('invalid_json', { message: 'The body is not valid UTF-8.' });
  const { broken, longNumbers } = scanJson(bytes);
  if (broken) throw new Fault('invalid_json', { message: `The body ${broken}.` });
  try {
    return parseJson(bytes.toString(), longNumbers);
  } catch (cause) {
    const place = cause instanceof Error ? /at position \d+/.exec(cause.message)?.[0] : undefined;
    throw new Fault('invalid_json', { message: `The body is not valid JSON${place ? ` ${place}` : ''}.`, cause });
  }
}
