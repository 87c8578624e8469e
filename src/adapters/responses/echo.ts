/**
 * What a response repeats of its request. Clients check every key of the reference object, so each is always present:
 * as it was sent, or with the default of the reference, or null where the reference allows it. Spec 2.9, 4.4.
 */
import type { JsonObject } from '#orders/request.ts';
import type { ResponseAnswer, ResponseBody } from '../common/wire-shape.ts';
import type { FunctionTool } from './tools.ts';

/** The echo of a request without options, and of an answer that is collected later. */
export const defaultEcho = {
  instructions: null,
  tools: [],
  tool_choice: 'auto',
  text: { format: { type: 'text' } },
  reasoning: { effort: null, summary: null },
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  parallel_tool_calls: true,
  truncation: 'disabled',
  background: false,
  service_tier: 'default',
  store: true,
  metadata: {},
  max_output_tokens: null,
  max_tool_calls: null,
  previous_response_id: null,
  safety_identifier: null,
  prompt_cache_key: null,
  user: null,
  prompt: null,
  conversation: null,
  prompt_cache_retention: null,
  moderation: null,
  access_programs: null,
  prompt_cache_options: null,
  prompt_cache_diagnostics: null,
  image: null,
  tool_usage: null,
} satisfies Partial<ResponseAnswer>;

/** The parts of a response object that come from the request. */
export type ResponseEcho = Pick<ResponseAnswer, keyof typeof defaultEcho>;

/** Repeated as they were sent. Other fields are dropped or have no effect here. */
const AS_SENT = [
  ...['instructions', 'tool_choice', 'temperature', 'top_p', 'parallel_tool_calls', 'store', 'metadata'],
  ...['max_output_tokens', 'user', 'background'],
];

/** The echo of a validated body with the function tools `tools`; dropped tools are not repeated. */
export function echoOf(body: ResponseBody, tools: readonly FunctionTool[]): ResponseEcho {
  const fields: JsonObject = body;
  const sent = AS_SENT.filter((name) => (fields[name] ?? null) !== null);
  return {
    ...defaultEcho,
    ...Object.fromEntries(sent.map((name) => [name, fields[name]])),
    tools: tools.map((tool) => ({ ...tool, type: 'function' })),
    text: textEcho(body.text),
    reasoning: reasoningEcho(body.reasoning),
  };
}

function textEcho(text: ResponseBody['text']): ResponseEcho['text'] {
  const { format = null, verbosity = null } = text ?? {};
  return { format: format ?? { type: 'text' }, ...(verbosity === null ? {} : { verbosity }) };
}

function reasoningEcho(reasoning: ResponseBody['reasoning']): ResponseEcho['reasoning'] {
  const { effort = null, summary = null } = reasoning ?? {};
  return { effort, summary };
}
