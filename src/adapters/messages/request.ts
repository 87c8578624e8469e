/**
 * Reads a Messages request: the vendor's own fields become those of chat or are dropped, and fields that are in no
 * table are forwarded unchanged. Counting tokens reads the same body. Spec 4.5.
 */
import { Fault } from '#base/fault.ts';
import { requestBodies } from '#generated/validators.js';
import type { GenerationRequest, InferenceRequest, JsonObject } from '#orders/request.ts';
import { modelInput } from '../common/conversation.ts';
import { extensionFields, extensionHeaders, readExtensions, readIdempotency } from '../common/extensions.ts';
import { forwardedBody, isObject, refusal } from '../common/fields.ts';
import { assertValid } from '../common/validation.ts';
import type { CountBody, MessageBody, ParsedRequest, RequestHeaders } from '../common/wire-shape.ts';
import { chatMessages, firstImage } from './chat-messages.ts';
import { chatTools } from './tools.ts';

const LIMITS = ['max_price', 'price_limit'] as const;
const MEANT_HEADERS = extensionHeaders(LIMITS);

/** Never forwarded under these names. */
const REMOVED = new Set([
  ...extensionFields(LIMITS),
  // Read here, and forwarded as fields of chat where the model needs them.
  ...['model', 'max_tokens', 'system', 'messages', 'tools', 'tool_choice', 'stop_sequences', 'stream', 'metadata'],
  ...['output_config', 'output_format', 'mcp_servers'],
  // Options of the vendor's own service.
  ...['top_k', 'thinking', 'context_management', 'cache_control', 'service_tier', 'container', 'diagnostics', 'speed'],
  ...['inference_geo', 'user_profile_id', 'workspace_id'],
  // Chat's names of fields that the gateway sets, or about the user: forwarded, they would bypass the check of the cap.
  ...['max_completion_tokens', 'n', 'best_of', 'stream_options', 'user', 'safety_identifier', 'prompt_cache_key'],
]);

const SCALARS = new Set(['temperature', 'top_p']);

/** Reads a validated request. Throws invalid_request, and for headers what `readExtensions` throws. */
export function parseMessagesRequest(body: MessageBody, headers: RequestHeaders): ParsedRequest<null> {
  const prompt = chatPrompt(body);
  const user = body.metadata?.user_id ?? null;
  const extensions = readExtensions(body, headers, LIMITS);
  if (extensions.detached)
    throw refusal('detached', 'A message cannot be detached. POST /v1/chat/completions takes detached requests.');
  const wanted = { ...(body.stop_sequences?.length ? { stop: body.stop_sequences } : {}), ...responseFormat(body) };
  const forwarded = { ...forwardedBody(body, REMOVED, SCALARS), ...prompt, ...wanted };
  const generation = modelInput(forwarded, body.max_tokens);
  return {
    request: {
      kind: 'messages',
      model: body.model ?? null,
      stream: body.stream ?? false,
      outputCap: body.max_tokens,
      generation: { ...generation, ...effortOf(body) },
      imageAt: generation.media?.image ? firstImage(body.messages) : null,
      extensions,
      askedBy: user === null ? null : { user },
      idempotency: readIdempotency(body, headers, MEANT_HEADERS),
    },
    echo: null,
  };
}

/**
 * The model and the input of a body whose tokens are counted. Throws the refusal that the same body would get as a
 * message, except for a missing cap.
 */
export function parseCountRequest(
  body: CountBody,
): Pick<InferenceRequest<GenerationRequest>, 'model' | 'generation' | 'imageAt'> {
  const message: unknown = { max_tokens: 1, ...body };
  assertValid(requestBodies.createMessage, message);
  return parseMessagesRequest(message, {}).request;
}

function chatPrompt(body: CountBody): JsonObject {
  const fields: JsonObject = body;
  if ((fields.thread ?? null) !== null) throw threadRefusal();
  const servers = fields.mcp_servers ?? [];
  if (!Array.isArray(servers) || servers.length > 0)
    throw refusal('mcp_servers', 'mcp_servers is not supported: connect to the server yourself and send its tools.');
  return { messages: chatMessages(body), ...chatTools(body) };
}

/** Its request has only the newest turns. When they see these details, the official clients send the whole history. */
function threadRefusal(): Fault {
  return new Fault('invalid_request', {
    param: 'thread',
    message: 'thread is not supported: no conversation is kept here. Send the whole history in messages.',
    details: { error_code: 'thread_unsupported_request' },
  });
}

/** `output_format` is the name that the vendor's clients used first, and some still do. */
function responseFormat({ output_config: config, output_format: older }: MessageBody): JsonObject {
  const newer = config?.format ?? null;
  const [format, place] = newer === null ? [older ?? null, 'output_format'] : [newer, 'output_config.format'];
  if (format === null) return {};
  if (!isObject(format) || format.type !== 'json_schema' || !isObject(format.schema))
    throw refusal(place, `${place} must be {type: json_schema, schema}.`);
  return { response_format: { type: 'json_schema', json_schema: { name: 'response', schema: format.schema } } };
}

function effortOf({ output_config: config }: MessageBody): Pick<GenerationRequest, 'reasoningEffort'> {
  const effort = config?.effort ?? null;
  if (effort === null) return {};
  if (typeof effort !== 'string') throw refusal('output_config.effort', 'output_config.effort must be a string.');
  return { reasoningEffort: effort };
}
