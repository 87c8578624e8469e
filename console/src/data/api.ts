/**
 * The calls of the pages, with the generated types. Answers with an ETag are asked for again with it by the browser's own
 * cache, so an answer that did not change costs a few bytes.
 */
import createClient from 'openapi-fetch';
import type { paths } from '#generated/types.ts';

/** The API of the gateway that served the page. */
export const api = createClient<paths>({ baseUrl: '' });

/** The answer, or an Error with the sentence of the gateway. */
export async function answered<T>(
  call: Promise<{ readonly data?: T; readonly error?: unknown; readonly response: Response }>,
): Promise<T> {
  const { data, error, response } = await call;
  if (data !== undefined) return data;
  throw new Error(sentenceOf(error) ?? `The gateway answered ${response.status}.`);
}

function sentenceOf(error: unknown): string | null {
  const inner = typeof error === 'object' && error !== null && 'error' in error ? error.error : null;
  return typeof inner === 'object' && inner !== null && 'message' in inner ? String(inner.message) : null;
}
