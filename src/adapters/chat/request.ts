/**
 * Reading a chat completion request. A field in no table reaches the model untouched; the gateway's own fields, and
 * those that say who asks, stay here. Spec 4.2.
 */
import type { JsonObject } from '#orders/request.ts';
import { measuredRequest } from '#orders/token-estimate.ts';
import { type ExtensionNames, extensionFields, extensionHeaders, readExtensions } from '../extensions.ts';
import {
  checkStop,
  forwardedBody,
  isObject,
  objectBody,
  optionalBoolean,
  optionalNumber,
  optionalObject,
  optionalString,
  outputCap,
  refusal,
} from '../fields.ts';
import { readIdempotency } from '../idempotency.ts';
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
  ...['model', 'stream', 'stream_options', 'user', 'safety_identifier', 'metadata', 'prompt_cache_key'],
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
  if (extensions.detached && stream)
    throw refusal('detached', 'A detached request has no connection to stream to: send detached or stream, not both.');
  return {
    request: {
      kind: 'chat',
      model: optionalString(body, 'model'),
      stream,
      outputCap: outputCap(body, CAPS),
      generation: measuredRequest(forwardedBody(body, REMOVED, SCALARS)),
      extensions,
      idempotency: readIdempotency(body, headers, extensionHeaders(NAMES)),
    },
    echo: { includeUsage: includeUsage(body), logprobs: optionalBoolean(body, 'logprobs') ?? false },
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

function checkSampling(body: JsonObject): void {
  optionalNumber(body, 'temperature', { min: 0, max: 2 });
  optionalNumber(body, 'top_p', { min: 0, max: 1 });
  checkStop(body, 'stop');
  for (const name of ['n', 'best_of']) {
    if ((body[name] ?? 1) !== 1) throw refusal(name, `${name} must be 1: a request is one order for one answer.`);
  }
}

function includeUsage(body: JsonObject): boolean {
  const options = optionalObject(body, 'stream_options');
  return options !== null && optionalBoolean(options, 'include_usage') === true;
}
