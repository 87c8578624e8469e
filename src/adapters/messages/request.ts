/**
 * Reading a Messages request: the vendor's own fields become those of chat or are dropped, and a field in no table
 * reaches the model untouched, as everywhere. Counting tokens reads the same prompt and nothing else. Spec 4.5.
 */
import type { GenerationRequest, JsonObject } from '#orders/request.ts';
import { measuredRequest } from '#orders/token-estimate.ts';
import { type ExtensionNames, extensionFields, extensionHeaders, readExtensions } from '../extensions.ts';
import {
  checkStop,
  forwardedBody,
  isObject,
  objectBody,
  optionalBoolean,
  optionalObject,
  optionalString,
  outputCap,
  refusal,
} from '../fields.ts';
import { readIdempotency } from '../idempotency.ts';
import type { ParsedRequest, RequestHeaders } from '../wire-shape.ts';
import { chatMessages } from './history.ts';
import { chatTools } from './tools.ts';

const NAMES: ExtensionNames = {
  prices: ['max_price', 'price_limit'],
  priceHeaders: ['x-max-price', 'x-price-limit'],
};

/** Never forwarded under these names. */
const REMOVED = new Set([
  ...extensionFields(NAMES),
  // Read here, and said in chat's words where a model is to know them.
  ...['model', 'max_tokens', 'system', 'messages', 'tools', 'tool_choice', 'stop_sequences', 'stream', 'metadata'],
  ...['output_config', 'mcp_servers'],
  // For the vendor's own service.
  ...['top_k', 'thinking', 'context_management', 'cache_control', 'service_tier', 'container', 'diagnostics', 'speed'],
  ...['inference_geo', 'user_profile_id', 'workspace_id'],
  // Chat's words for what the gateway decides or what says who asks: unchecked they would get around the cap.
  ...['max_completion_tokens', 'n', 'best_of', 'stream_options', 'user', 'safety_identifier', 'prompt_cache_key'],
]);

const SCALARS = new Set(['temperature', 'top_p']);

/** Reads a request. Throws invalid_request, invalid_output_cap, invalid_price_limit or invalid_max_wait. */
export function parseMessagesRequest(rawBody: unknown, headers: RequestHeaders): ParsedRequest<null> {
  const body = objectBody(rawBody);
  const prompt = chatPrompt(body);
  checkNumbers(body);
  const user = userOf(body);
  const stream = optionalBoolean(body, 'stream') ?? false;
  const extensions = readExtensions(body, headers, NAMES);
  if (extensions.detached)
    throw refusal('detached', 'A message cannot be detached. POST /v1/chat/completions takes detached requests.');
  const wanted = { ...stopOf(body), ...responseFormat(body) };
  const generation = measuredRequest({ ...forwardedBody(body, REMOVED, SCALARS), ...prompt, ...wanted });
  return {
    request: {
      kind: 'messages',
      model: optionalString(body, 'model'),
      stream,
      outputCap: requiredCap(body),
      generation: { ...generation, ...effortOf(body) },
      extensions,
      askedBy: user === null ? null : { user },
      idempotency: readIdempotency(body, headers, extensionHeaders(NAMES)),
    },
    echo: null,
  };
}

/** The model and the prompt of a body whose tokens are to be counted. Throws invalid_request. */
export function parseCountRequest(rawBody: unknown): { model: string | null; generation: GenerationRequest } {
  const body = objectBody(rawBody);
  return { model: optionalString(body, 'model'), generation: measuredRequest(chatPrompt(body)) };
}

function chatPrompt(body: JsonObject): JsonObject {
  const servers = body.mcp_servers ?? [];
  if (!Array.isArray(servers) || servers.length > 0)
    throw refusal('mcp_servers', 'mcp_servers is not served: connect to the server yourself and send its tools.');
  return { messages: chatMessages(body), ...chatTools(body) };
}

/** A cap has to be sent: the shape says so, and clients rely on the 400. */
function requiredCap(body: JsonObject): number {
  const cap = outputCap(body, ['max_tokens']);
  if (cap === null) throw refusal('max_tokens', 'max_tokens is required.');
  return cap;
}

/** The bounds of these are the model's own. */
function checkNumbers(body: JsonObject): void {
  for (const name of SCALARS) {
    const value = body[name] ?? null;
    if (value !== null && typeof value !== 'number') throw refusal(name, `${name} must be a number.`);
  }
}

function userOf(body: JsonObject): string | null {
  const user = optionalObject(body, 'metadata')?.user_id ?? null;
  if (user !== null && typeof user !== 'string')
    throw refusal('metadata.user_id', 'metadata.user_id must be a string.');
  return user;
}

function stopOf(body: JsonObject): JsonObject {
  const stop = body.stop_sequences ?? null;
  if (stop === null) return {};
  if (!Array.isArray(stop)) throw refusal('stop_sequences', 'stop_sequences must be an array of strings.');
  checkStop(body, 'stop_sequences');
  return stop.length === 0 ? {} : { stop };
}

function responseFormat(body: JsonObject): JsonObject {
  const format = optionalObject(body, 'output_config')?.format ?? null;
  if (format === null) return {};
  if (!isObject(format) || format.type !== 'json_schema' || !isObject(format.schema))
    throw refusal('output_config.format', 'output_config.format must be {type: json_schema, schema}.');
  return { response_format: { type: 'json_schema', json_schema: { name: 'response', schema: format.schema } } };
}

function effortOf(body: JsonObject): Pick<GenerationRequest, 'reasoningEffort'> {
  const effort = optionalObject(body, 'output_config')?.effort ?? null;
  if (effort === null) return {};
  if (typeof effort !== 'string') throw refusal('output_config.effort', 'output_config.effort must be a string.');
  return { reasoningEffort: effort };
}
