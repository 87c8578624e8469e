/** The retries of a call. The SDK's own would place a new order each time, so a failure that is left is not retryable for it. */
import { APICallError } from '@ai-sdk/provider';
import { patient, pause } from './patient-fetch.js';

/** A `fetch` that tries a request again, with one Idempotency-Key for all attempts. Throws APICallError after the last. */
export function repeating(maxRetries: number, given?: typeof fetch): typeof fetch {
  const send = patient(given);
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    if (!headers.has('idempotency-key')) headers.set('idempotency-key', crypto.randomUUID());
    for (let attempt = 0; ; attempt++) {
      const answer = await send(input, { ...init, headers }).catch((error: unknown) => error);
      if (answer instanceof Response && answer.ok) return answer;
      init?.signal?.throwIfAborted();
      if (attempt >= maxRetries || (answer instanceof Response && !isRetryable(answer)))
        throw await failureOf(answer, { url: String(input), requestBodyValues: init?.body });
      const said = answer instanceof Response ? answer.headers.get('retry-after') : null;
      if (answer instanceof Response) await answer.body?.cancel();
      await pause(said ? Number(said) * 1000 : backoffMs(attempt), init?.signal);
    }
  };
}

/** Between half a second and none, doubled after each attempt. */
function backoffMs(attempt: number): number {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return (drawn / 2 ** 32) * 500 * 2 ** attempt;
}

function isRetryable({ status, headers }: Response): boolean {
  const said = headers.get('x-should-retry');
  return said === null ? status === 408 || status === 429 || status >= 500 : said === 'true';
}

/** What the SDK would throw, but for its wish to retry. */
async function failureOf(answer: unknown, call: { url: string; requestBodyValues: unknown }): Promise<APICallError> {
  // With the network's error as its cause, the SDK would retry.
  if (!(answer instanceof Response))
    return new APICallError({ ...call, message: `No answer came: ${answer}`, isRetryable: false });
  const responseBody = await answer.text();
  const { status: statusCode, statusText, headers } = answer;
  const responseHeaders = Object.fromEntries(headers);
  const message = messageIn(responseBody) ?? statusText;
  return new APICallError({ ...call, message, statusCode, responseHeaders, responseBody, isRetryable: false });
}

function messageIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error?: { message?: string } }).error?.message;
  } catch {
    return undefined;
  }
}
