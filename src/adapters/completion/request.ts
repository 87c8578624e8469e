/**
 * Reading a text completion request: the prompt becomes one user message of a chat request, and what chat has no word
 * for is dropped. A field in no table reaches the model untouched. Spec 4.3.
 */
import type { JsonObject } from '#orders/request.ts';
import { measuredRequest } from '#orders/token-estimate.ts';
import { type ExtensionNames, extensionFields, extensionHeaders, readExtensions } from '../extensions.ts';
import { forwardedBody, objectBody, optionalBoolean, optionalString, outputCap, refusal } from '../fields.ts';
import { readIdempotency } from '../idempotency.ts';
import { ASKER_FIELDS, askerOf, checkDetached, checkSampling, includesUsage } from '../openai-options.ts';
import type { ParsedRequest, RequestHeaders } from '../wire-shape.ts';

/** What the stream of a text completion depends on beside the generation. */
export interface CompletionEcho {
  /** Whether a stream ends with a usage chunk. */
  readonly includeUsage: boolean;
}

const NAMES: ExtensionNames = { prices: ['price_limit'], priceHeaders: ['x-price-limit'] };
const CAPS = ['max_tokens', 'max_completion_tokens'];

/** Fields that the shape cannot keep the promise of, and where they belong. */
const REFUSED: Readonly<Record<string, string>> = {
  tools: 'calls no tools',
  tool_choice: 'calls no tools',
  functions: 'calls no functions',
  function_call: 'calls no functions',
  messages: 'takes a prompt',
};

/** Accepted, and never sent to a model. */
const REMOVED = new Set([
  ...extensionFields(NAMES),
  ...CAPS,
  ...ASKER_FIELDS,
  ...['model', 'prompt', 'stream', 'stream_options'],
  ...['logprobs', 'top_logprobs', 'echo', 'suffix'],
  ...Object.keys(REFUSED),
]);

const SCALARS = new Set(['temperature', 'top_p', 'stop', 'n', 'best_of', 'seed']);

/** Reads a request. Throws invalid_request, invalid_output_cap, invalid_price_limit or invalid_max_wait. */
export function parseCompletionRequest(rawBody: unknown, headers: RequestHeaders): ParsedRequest<CompletionEcho> {
  const body = objectBody(rawBody);
  checkRefused(body);
  checkSampling(body);
  const stream = optionalBoolean(body, 'stream') ?? false;
  const extensions = readExtensions(body, headers, NAMES);
  checkDetached(extensions, stream);
  const messages = [{ role: 'user', content: promptOf(body) }];
  return {
    request: {
      kind: 'completion',
      model: optionalString(body, 'model'),
      stream,
      outputCap: outputCap(body, CAPS),
      generation: measuredRequest({ ...forwardedBody(body, REMOVED, SCALARS), messages }),
      extensions,
      askedBy: askerOf(body),
      idempotency: readIdempotency(body, headers, extensionHeaders(NAMES)),
    },
    echo: { includeUsage: includesUsage(body) },
  };
}

function checkRefused(body: JsonObject): void {
  for (const [name, why] of Object.entries(REFUSED)) {
    if ((body[name] ?? null) !== null)
      throw refusal(name, `${name}: a text completion ${why}. Send this to POST /v1/chat/completions.`);
  }
}

/** A string, or an array of one; '' when absent. */
function promptOf(body: JsonObject): string {
  const prompt = body.prompt ?? '';
  const [text, ...more]: unknown[] = Array.isArray(prompt) ? prompt : [prompt];
  if (typeof text === 'string' && more.length === 0) return text;
  throw refusal('prompt', 'prompt must be a string or an array of one string: a request is one order for one answer.');
}
