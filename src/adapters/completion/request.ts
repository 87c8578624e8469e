/**
 * Reads a text completion request: the prompt becomes one user message of a chat request, and fields that chat does not
 * have are dropped. Fields that are in no table are forwarded unchanged. Spec 4.3.
 */
import { extensionFields } from '../common/extensions.ts';
import { forwardedBody, refusal } from '../common/fields.ts';
import { includesUsage, LIMITS, openaiRequest, USER_FIELDS } from '../common/openai-options.ts';
import type { CompletionBody, ParsedRequest, RequestHeaders } from '../common/wire-shape.ts';

/** What the stream of a text completion depends on besides the generation. */
export interface CompletionEcho {
  /** Whether a stream ends with a usage chunk. */
  readonly includeUsage: boolean;
}

/** Fields that this shape cannot support, each with the reason. */
const REFUSED: Readonly<Record<string, string>> = {
  tools: 'calls no tools',
  tool_choice: 'calls no tools',
  functions: 'calls no functions',
  function_call: 'calls no functions',
  messages: 'takes a prompt',
};

/** Accepted, but never sent to a model. */
const REMOVED = new Set([
  ...extensionFields(LIMITS),
  ...USER_FIELDS,
  ...['model', 'max_tokens', 'max_completion_tokens', 'prompt', 'stream', 'stream_options'],
  // At most 1 here; current engines refuse the name.
  'best_of',
  ...['logprobs', 'top_logprobs', 'echo', 'suffix'],
  ...Object.keys(REFUSED),
]);

const SCALARS = new Set(['temperature', 'top_p', 'stop', 'n', 'seed']);

/** Reads a validated request. Throws invalid_request, and for headers what `readExtensions` throws. */
export function parseCompletionRequest(body: CompletionBody, headers: RequestHeaders): ParsedRequest<CompletionEcho> {
  checkRefused(body);
  const input = () => {
    const messages = [{ role: 'user', content: promptText(body.prompt) }];
    return { ...forwardedBody(body, REMOVED, SCALARS), messages };
  };
  return {
    request: openaiRequest(body, headers, { kind: 'completion', input }),
    echo: { includeUsage: includesUsage(body) },
  };
}

function checkRefused(body: Readonly<Record<string, unknown>>): void {
  for (const [name, why] of Object.entries(REFUSED)) {
    if ((body[name] ?? null) !== null)
      throw refusal(name, `${name}: a text completion ${why}. Send this to POST /v1/chat/completions.`);
  }
}

/** A string, or an array of one; '' when absent. */
function promptText(prompt: unknown): string {
  const [text, ...more]: unknown[] = Array.isArray(prompt) ? prompt : [prompt ?? ''];
  if (typeof text === 'string' && more.length === 0) return text;
  throw refusal('prompt', 'prompt must be a string or an array of one string: a request has one answer.');
}
