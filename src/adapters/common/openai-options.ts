/** The options that chat and text completions share, with the same rules. Spec 4.2, 4.3. */
import { STOP_SEQUENCES } from '#base/bounds.ts';
import { wireReceipt } from '#ledger/receipt.ts';
import type { GenerationRequest, InferenceRequest, JsonObject } from '#orders/request.ts';
import type { Answer } from '#results/result.ts';
import { modelInput } from './conversation.ts';
import { extensionHeaders, readExtensions, readIdempotency } from './extensions.ts';
import { hasAtMost, refusal } from './fields.ts';
import type { ChatBody, CompletionBody, RequestHeaders } from './wire-shape.ts';

/** Fields about the user of the caller. They are stored in the request log and never sent to a model. */
export const USER_FIELDS = ['user', 'safety_identifier', 'metadata', 'prompt_cache_key'] as const;

/** The fields of a body about the user; null when there are none. */
function userFieldsOf(body: JsonObject): JsonObject | null {
  const said = USER_FIELDS.filter((name) => (body[name] ?? null) !== null);
  return said.length === 0 ? null : Object.fromEntries(said.map((name) => [name, body[name]]));
}

/** Checks stop strings: one or up to four, each of up to 256 characters. Throws invalid_request. Spec 8. */
function checkStop(stop: unknown): void {
  const strings: unknown[] = Array.isArray(stop) ? stop : [stop ?? ''];
  const { max, lengthMax } = STOP_SEQUENCES;
  if (strings.length > max || !strings.every((text) => typeof text === 'string' && hasAtMost(text, lengthMax)))
    throw refusal('stop', `stop must be up to ${max} strings of up to ${lengthMax} characters each.`);
}

/** The body fields of the price limit in both shapes. */
export const LIMITS = ['price_limit'] as const;
const MEANT_HEADERS = extensionHeaders(LIMITS);

/** The request of a body whose input is `input`. Throws invalid_request, and for headers what `readExtensions` throws. */
export function openaiRequest(
  body: ChatBody | CompletionBody,
  headers: RequestHeaders,
  { kind, input }: { readonly kind: 'chat' | 'completion'; readonly input: () => JsonObject },
): InferenceRequest<GenerationRequest> {
  checkStop(body.stop);
  const stream = body.stream ?? false;
  const extensions = readExtensions(body, headers, LIMITS);
  if (extensions.detached && stream)
    throw refusal('detached', 'A detached request has no connection to stream to: send detached or stream, not both.');
  const outputCap = body.max_tokens ?? body.max_completion_tokens ?? null;
  return {
    kind,
    model: body.model ?? null,
    stream,
    outputCap,
    generation: modelInput(input(), outputCap),
    extensions,
    askedBy: userFieldsOf(body),
    idempotency: readIdempotency(body, headers, MEANT_HEADERS),
  };
}

/**
 * Whether a stream of the answer ends with a usage chunk: when it was asked for, and when no stream was asked for, which
 * is the order of somebody who follows it later.
 */
export function includesUsage({ stream, stream_options }: Pick<ChatBody, 'stream' | 'stream_options'>): boolean {
  return stream ? (stream_options?.include_usage ?? false) : true;
}

/**
 * `usage` with the receipt; with reasoning tokens only when the pod counted them. Prompt tokens include the cached ones
 * here; the internal counts are separate, so nothing is counted twice. A count of 0 is a count. Spec 2.9.
 */
export function openaiUsage(answer: Answer) {
  const { uncached, cached, output } = answer.receipt.tokens;
  return {
    prompt_tokens: uncached + cached,
    completion_tokens: output,
    total_tokens: uncached + cached + output,
    prompt_tokens_details: { cached_tokens: cached },
    ...(answer.reasoningTokens === null
      ? {}
      : { completion_tokens_details: { reasoning_tokens: answer.reasoningTokens } }),
    x_market: wireReceipt(answer.receipt),
  };
}
