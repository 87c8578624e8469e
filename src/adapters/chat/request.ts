/**
 * Reads a chat completion request. Fields that are in no table are forwarded unchanged; the gateway's own fields, and
 * those about the user, are not. Spec 4.2.
 */
import type { JsonObject } from '#orders/request.ts';
import { extensionFields } from '../common/extensions.ts';
import { forwardedBody, isObject, refusal, stringField } from '../common/fields.ts';
import { includesUsage, LIMITS, openaiRequest, USER_FIELDS } from '../common/openai-options.ts';
import type { ChatBody, ParsedRequest, RequestHeaders } from '../common/wire-shape.ts';

/** What a chat answer depends on besides the generation. */
export interface ChatEcho {
  /** Whether a stream ends with a usage chunk. */
  readonly includeUsage: boolean;
  readonly logprobs: boolean;
}

/** Accepted, but never sent to a model. */
const REMOVED = new Set([
  ...extensionFields(LIMITS),
  ...USER_FIELDS,
  ...['model', 'max_tokens', 'max_completion_tokens', 'stream', 'stream_options'],
  // At most 1 here; current engines refuse the name.
  'best_of',
]);

/** Optional scalars: null counts as absent and is not forwarded. */
const SCALARS = new Set([
  ...['temperature', 'top_p', 'stop', 'n', 'seed', 'logprobs', 'top_logprobs'],
  ...['tools', 'tool_choice', 'response_format'],
]);

/** Reads a validated request. Throws invalid_request, and for headers what `readExtensions` throws. */
export function parseChatRequest(body: ChatBody, headers: RequestHeaders): ParsedRequest<ChatEcho> {
  checkMessages(body);
  const input = () => forwardedBody(body, REMOVED, SCALARS);
  return {
    request: openaiRequest(body, headers, { kind: 'chat', input }),
    echo: { includeUsage: includesUsage(body), logprobs: body.logprobs ?? false },
  };
}

/** Content may be text or parts, and a call needs the name of its function, which the validator does not check. */
function checkMessages({ messages }: ChatBody): void {
  messages.forEach(({ content = null, tool_calls: calls }, index) => {
    calls?.forEach((call, position) => {
      checkCall(call, `messages[${index}].tool_calls[${position}]`);
    });
    const place = `messages[${index}].content`;
    const isParts = Array.isArray(content) && content.every(isObject);
    if (content !== null && typeof content !== 'string' && !isParts)
      throw refusal(place, `${place} must be a string, an array of parts, or null.`);
  });
}

/** A call of another type is forwarded as it is. */
function checkCall({ type, function: called }: JsonObject, place: string): void {
  if ((type ?? 'function') !== 'function') return;
  if (!isObject(called)) throw refusal(`${place}.function`, `${place}.function must be an object.`);
  stringField(called, 'name', `${place}.function`);
}
