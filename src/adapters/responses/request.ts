/**
 * Reading a Responses request. There is no state here: what points to an earlier response, or asks for one to be kept, is
 * refused; what only tunes the vendor's own service is dropped; the rest becomes a chat request. A field in no table
 * reaches the model untouched. Spec 4.4.
 */
import type { JsonObject } from '#orders/request.ts';
import { measuredRequest } from '#orders/token-estimate.ts';
import { type ExtensionNames, extensionFields, extensionHeaders, readExtensions } from '../extensions.ts';
import {
  forwardedBody,
  objectBody,
  optionalBoolean,
  optionalNumber,
  optionalString,
  outputCap,
  refusal,
} from '../fields.ts';
import { readIdempotency } from '../idempotency.ts';
import { checkMetadata } from '../metadata.ts';
import type { ParsedRequest, RequestHeaders } from '../wire-shape.ts';
import { chatMessages } from './conversation.ts';
import { echoOf, type ResponseEcho } from './echo.ts';
import { reasoningEffort, responseFormat } from './output-options.ts';
import { chatTools, functionTools } from './tools.ts';

const NAMES: ExtensionNames = {
  prices: ['price_limit', 'max_price'],
  priceHeaders: ['x-price-limit', 'x-max-price'],
};

/** Never forwarded under these names. */
const REMOVED = new Set([
  ...extensionFields(NAMES),
  // Read here, and said in chat's words where a model is to know them.
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'max_output_tokens', 'text'],
  ...['reasoning', 'metadata', 'stream', 'user', 'background', 'truncation'],
  ...['previous_response_id', 'conversation', 'prompt'],
  // For the vendor's own service.
  ...['stream_options', 'include', 'prompt_cache_key', 'safety_identifier', 'client_metadata', 'service_tier'],
  ...['max_tool_calls', 'context_management', 'access_programs', 'top_logprobs', 'prompt_cache_options'],
  // Chat's words for what the gateway decides: unchecked they would get around the cap and the input.
  ...['messages', 'max_tokens', 'max_completion_tokens', 'n', 'best_of', 'functions', 'function_call'],
]);

const SCALARS = new Set(['temperature', 'top_p']);

/** What would need state, and what to do instead. */
const STATEFUL: Readonly<Record<string, string>> = {
  previous_response_id: 'nothing is kept between requests: resend the items of the conversation as input',
  conversation: 'nothing is kept between requests: resend the items of the conversation as input',
  prompt: 'no prompts are kept here: send the text as instructions and input',
};

/** Reads a request. Throws invalid_request, invalid_output_cap, invalid_price_limit or invalid_max_wait. */
export function parseResponsesRequest(rawBody: unknown, headers: RequestHeaders): ParsedRequest<ResponseEcho> {
  const body = objectBody(rawBody);
  checkRefused(body);
  checkOptions(body);
  const user = optionalString(body, 'user');
  const tools = functionTools(body);
  const extensions = readExtensions(body, headers, NAMES);
  if (extensions.detached)
    throw refusal('detached', 'A response cannot be detached. POST /v1/chat/completions takes detached requests.');
  const forwarded = {
    ...forwardedBody(body, REMOVED, SCALARS),
    messages: chatMessages(body),
    ...chatTools(body, tools),
    ...responseFormat(body),
    ...reasoningEffort(body),
  };
  return {
    request: {
      kind: 'responses',
      model: optionalString(body, 'model'),
      stream: optionalBoolean(body, 'stream') ?? false,
      outputCap: outputCap(body, ['max_output_tokens']),
      generation: measuredRequest(forwarded),
      // `store` is the vendor's word for keeping state: it is echoed, and does not touch the account's storage.
      extensions: { ...extensions, store: null },
      askedBy: user === null ? null : { user },
      idempotency: readIdempotency(body, headers, extensionHeaders(NAMES)),
    },
    echo: echoOf(body, tools),
  };
}

function checkRefused(body: JsonObject): void {
  for (const [name, why] of Object.entries(STATEFUL)) {
    if ((body[name] ?? null) !== null) throw refusal(name, `${name} is not served: ${why}.`);
  }
  if (optionalBoolean(body, 'background') === true)
    throw refusal('background', 'background is not served. POST /v1/chat/completions takes detached requests.');
  if ((body.truncation ?? 'disabled') !== 'disabled')
    throw refusal('truncation', 'truncation must be disabled: the input is never shortened here.');
}

function checkOptions(body: JsonObject): void {
  optionalNumber(body, 'temperature', { min: 0, max: 2 });
  optionalNumber(body, 'top_p', { min: 0, max: 1 });
  checkMetadata(body);
}
