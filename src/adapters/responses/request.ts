/**
 * Reads a Responses request. There is no state here: fields that refer to an earlier response or ask to store one are
 * refused; options of the vendor's own service are dropped; the rest becomes a chat request. Fields that are in no
 * table are forwarded unchanged. Spec 4.4.
 */
import type { JsonObject } from '#orders/request.ts';
import { modelInput } from '../common/conversation.ts';
import { extensionFields, extensionHeaders, readExtensions, readIdempotency } from '../common/extensions.ts';
import { checkMetadata, forwardedBody, isObject, refusal } from '../common/fields.ts';
import type { ParsedRequest, RequestHeaders, ResponseBody } from '../common/wire-shape.ts';
import { chatMessages } from './conversation.ts';
import { echoOf, type ResponseEcho } from './response.ts';
import { chatTools, keptTools } from './tools.ts';

const LIMITS = ['price_limit', 'max_price'] as const;
const MEANT_HEADERS = extensionHeaders(LIMITS);

/** Never forwarded under these names. */
const REMOVED = new Set([
  ...extensionFields(LIMITS),
  // Read here, and forwarded as fields of chat where the model needs them.
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'max_output_tokens', 'text'],
  ...['reasoning', 'metadata', 'stream', 'user', 'background', 'truncation'],
  ...['previous_response_id', 'conversation', 'prompt'],
  // Options of the vendor's own service.
  ...['stream_options', 'include', 'prompt_cache_key', 'safety_identifier', 'client_metadata', 'service_tier'],
  ...['max_tool_calls', 'context_management', 'access_programs', 'top_logprobs', 'prompt_cache_options'],
  // Chat's names of fields that the gateway sets: forwarded, they would bypass the checks of cap and input.
  ...['messages', 'max_tokens', 'max_completion_tokens', 'n', 'best_of', 'functions', 'function_call'],
]);

const SCALARS = new Set(['temperature', 'top_p']);

/** Fields that need state, and what to do instead. */
const STATEFUL: Readonly<Record<string, string>> = {
  previous_response_id: 'nothing is stored between requests: send the items of the conversation as input',
  conversation: 'nothing is stored between requests: send the items of the conversation as input',
  prompt: 'no prompts are stored: send the text as instructions and input',
};

/**
 * Reads a validated request. `customToolModels` are the names of models that take custom tools as functions, null for the
 * default model; none when absent. Throws invalid_request, and for headers what `readExtensions` throws.
 */
export function parseResponsesRequest(
  body: ResponseBody,
  headers: RequestHeaders,
  customToolModels?: ReadonlySet<string | null>,
): ParsedRequest<ResponseEcho> {
  checkRefused(body);
  checkMetadata(body.metadata);
  const user = body.user ?? null;
  const model = body.model ?? null;
  const tools = keptTools(body, { custom: customToolModels?.has(model) ?? false });
  const extensions = readExtensions(body, headers, LIMITS);
  if (extensions.detached)
    throw refusal('detached', 'A response cannot be detached: detached is a field of chat completions.');
  const forwarded = {
    ...forwardedBody(body, REMOVED, SCALARS),
    messages: chatMessages(body),
    ...chatTools(body, tools),
    ...responseFormat(body),
    ...reasoningEffort(body),
  };
  const echo = echoOf(body, tools);
  const outputCap = body.max_output_tokens ?? null;
  return {
    request: {
      kind: 'responses',
      model,
      stream: body.stream ?? false,
      outputCap,
      generation: modelInput(forwarded, outputCap),
      // `store` asks the vendor to keep state: it is echoed, and does not change the storage of the account.
      // A background response is what chat calls a detached order.
      extensions: { ...extensions, detached: body.background ?? false, store: null },
      askedBy: user === null ? null : { user },
      repeated: echo,
      idempotency: readIdempotency(body, headers, MEANT_HEADERS),
    },
    echo,
  };
}

function checkRefused(body: Readonly<Record<string, unknown>>): void {
  for (const [name, why] of Object.entries(STATEFUL)) {
    if ((body[name] ?? null) !== null) throw refusal(name, `${name} is not supported: ${why}.`);
  }
  if ((body.truncation ?? 'disabled') !== 'disabled')
    throw refusal('truncation', 'truncation must be disabled: the input is never shortened.');
}

/** `response_format` from `text.format`; no key for plain text. Throws invalid_request. */
function responseFormat({ text }: ResponseBody): JsonObject {
  const format = text?.format ?? null;
  if (format === null) return {};
  if (!isObject(format)) throw refusal('text.format', 'text.format must be an object.');
  switch (format.type) {
    case 'text':
      return {};
    case 'json_object':
      return { response_format: { type: 'json_object' } };
    case 'json_schema':
      return { response_format: { type: 'json_schema', json_schema: jsonSchema(format) } };
    default:
      throw refusal('text.format.type', 'text.format.type must be text, json_object or json_schema.');
  }
}

/** The fields of the schema are flat here and one level deeper in chat. */
function jsonSchema({ name, schema, description = null, strict = null }: JsonObject): JsonObject {
  if (typeof name !== 'string') throw refusal('text.format.name', 'text.format.name must be a string.');
  if (!isObject(schema)) throw refusal('text.format.schema', 'text.format.schema must be an object.');
  return {
    name,
    schema,
    ...(description === null ? {} : { description }),
    ...(strict === null ? {} : { strict }),
  };
}

/** `reasoning_effort` from `reasoning.effort`. Options for summaries are dropped. Throws invalid_request. */
function reasoningEffort({ reasoning }: ResponseBody): JsonObject {
  const effort = reasoning?.effort ?? null;
  if (effort === null) return {};
  if (typeof effort !== 'string') throw refusal('reasoning.effort', 'reasoning.effort must be a string.');
  return { reasoning_effort: effort };
}
