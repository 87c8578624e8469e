/**
 * Reading a chat completion request. A field in no table reaches the model untouched; the gateway's own fields, and
 * those that say who asks, stay here. Spec 4.2.
 */
import type { JsonObject } from '#orders/request.ts';
import { measuredRequest } from '#orders/token-estimate.ts';
import { type ExtensionNames, extensionFields, extensionHeaders, readExtensions } from '../extensions.ts';
import { forwardedBody, isObject, objectBody, optionalBoolean, optionalString, outputCap, refusal } from '../fields.ts';
import { readIdempotency } from '../idempotency.ts';
import { ASKER_FIELDS, askerOf, checkDetached, checkSampling, includesUsage } from '../openai-options.ts';
import type { ParsedRequest, RequestHeaders } from '../wire-shape.ts';

/** What a chat answer depends on beside the generation. */
export interface ChatEcho {
  /** Whether a stream ends with a usage chunk. */
  readonly includeUsage: boolean;
  readonly logprobs: boolean;
}

const NAMES: ExtensionNames = { prices: ['price_limit'], priceHeaders: ['x-price-limit'] };
const CAPS = ['max_tokens', 'max_completion_tokens'];

/** Accepted, and never sent to a model. */
const REMOVED = new Set([
  ...extensionFields(NAMES),
  ...CAPS,
  ...ASKER_FIELDS,
  ...['model', 'stream', 'stream_options'],
]);

/** Optional scalars: null is as good as absent, and a model need not know that. */
const SCALARS = new Set([
  ...['temperature', 'top_p', 'stop', 'n', 'best_of', 'seed', 'logprobs', 'top_logprobs'],
  ...['tools', 'tool_choice', 'response_format'],
]);

/** Reads a request. Throws invalid_request, invalid_output_cap, invalid_price_limit or invalid_max_wait. */
export function parseChatRequest(rawBody: unknown, headers: RequestHeaders): ParsedRequest<ChatEcho> {
  const body = objectBody(rawBody);
  checkMessages(body);
  checkSampling(body);
  const stream = optionalBoolean(body, 'stream') ?? false;
  const extensions = readExtensions(body, headers, NAMES);
  checkDetached(extensions, stream);
  return {
    request: {
      kind: 'chat',
      model: optionalString(body, 'model'),
      stream,
      outputCap: outputCap(body, CAPS),
      generation: measuredRequest(forwardedBody(body, REMOVED, SCALARS)),
      extensions,
      askedBy: askerOf(body),
      idempotency: readIdempotency(body, headers, extensionHeaders(NAMES)),
    },
    echo: { includeUsage: includesUsage(body), logprobs: optionalBoolean(body, 'logprobs') ?? false },
  };
}

function checkMessages(body: JsonObject): void {
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length === 0)
    throw refusal('messages', 'messages must be an array of at least one message.');
  messages.forEach((message: unknown, index) => {
    const place = `messages[${index}]`;
    if (!isObject(message)) throw refusal(place, `${place} must be an object.`);
    if (typeof message.role !== 'string' || message.role === '')
      throw refusal(`${place}.role`, `${place}.role must be a string that is not empty.`);
    if (!isContent(message.content ?? null))
      throw refusal(`${place}.content`, `${place}.content must be a string, an array of parts, or null.`);
  });
}

function isContent(content: unknown): boolean {
  return content === null || typeof content === 'string' || (Array.isArray(content) && content.every(isObject));
}
