/**
 * What the finish_reason of an engine means. OpenAI defines four or five words; engines send more than thirty. A word
 * that is in no list means `length`: such an answer may be incomplete, and a clean `stop` would hide that.
 */

/** `failed`: the engine gave up, so the generation is incomplete and another pod may do better. */
export type BackendEnd = 'stop' | 'length' | 'content_filter' | 'failed';

/** The model ended its turn, with or without calls. */
const STOPPED = new Set([
  ...['stop', 'stop_sequence', 'eos', 'eos_token', 'end_turn', 'complete'],
  ...['tool_calls', 'tool_call', 'tool_use', 'function_call'],
]);
const FILTERED = new Set([
  ...['content_filter', 'content_filtered', 'safety', 'sensitive', 'refusal', 'recitation'],
  ...['blocklist', 'prohibited_content', 'spii', 'guardrail_intervened'],
]);
/** vLLM and SGLang: abort, error. DeepSeek: insufficient_system_resource. GLM: network_error. */
const FAILED = /abort|cancel|error|fail|insufficient|overload|time_?out|unavailable/;

/** What a finish_reason means; upper and lower case are the same. */
export function meaningOf(reason: string): BackendEnd {
  const word = reason.trim().toLowerCase();
  if (STOPPED.has(word)) return 'stop';
  if (FILTERED.has(word)) return 'content_filter';
  return FAILED.test(word) ? 'failed' : 'length';
}
