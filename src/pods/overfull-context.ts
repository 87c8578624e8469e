/**
 * Recognizes what backends say when prompt and output cap exceed their context. Each backend words it differently, and not
 * all of them name the counts. Agents compact and go on only if they know the sentence, so the gateway sends a known one.
 */
import type { OverfullContext } from '#orders/ports.ts';

/**
 * The sentences, those with counts first. The groups are tokens: of the prompt, of the output cap, and of the context.
 * A sentence about a field's length, a picture or a rate must not match.
 */
const SENTENCES: readonly RegExp[] = [
  // vLLM, OpenAI, DeepSeek, OpenRouter; SGLang: "of 64000 tokens. You requested a total of … from the input messages".
  /context length (?:is|of) (?<limit>[\d,]+)(?: tokens)?.*?requested .*?[\d,]+ tokens\W+(?<prompt>[\d,]+)(?: tokens)? (?:in|of|from) (?:the )?[a-z ]+(?:,| and) (?<output>[\d,]+)(?: tokens)? (?:in|for|of) the/i,
  /context length is (?<limit>[\d,]+) tokens and your request has (?<prompt>[\d,]+) input tokens \((?<output>[\d,]+) >/i,
  /context length is (?<limit>[\d,]+) tokens.*?requested (?<output>[\d,]+) output tokens and your prompt contains (?:at least )?(?<prompt>[\d,]+)/i,
  /passed (?<prompt>[\d,]+) input tokens and requested (?<output>[\d,]+) output tokens.*?context length is (?:only )?(?<limit>[\d,]+)/i,
  /context length (?:is|of) (?:only )?(?<limit>[\d,]+)(?: tokens)?.*?(?:your (?:messages|prompt|input|request) (?:resulted in|has|contains)|requested)(?: at least| about)? (?<prompt>[\d,]+)/i,
  /passed (?<prompt>[\d,]+) input (?:tokens|characters).*?context length is (?:only )?(?<limit>[\d,]+)/i,
  /prompt \(length (?<prompt>[\d,]+)\) is longer than the maximum model length of (?<limit>[\d,]+)/i,
  // TensorRT-LLM, TabbyAPI, and what names its own setting.
  /(?:prompt|input) length \(?(?<prompt>[\d,]+)(?: tokens)?\)? (?:exceeds|is (?:greater|longer) than) (?:the )?(?:max(?:imum)? (?:input |sequence |prompt )?length|max_model_len|max_seq_len)(?: of)? \(?(?<limit>[\d,]+)/i,
  /prompt tokens \(?(?<prompt>[\d,]+)\)? exceeds? n_ctx \(?(?<limit>[\d,]+)/i,
  // MLC.
  /prompt has (?<prompt>[\d,]+) tokens in total, larger than the model input length limit (?<limit>[\d,]+)/i,
  // SGLang.
  /input \(?(?:length )?\(?(?<prompt>[\d,]+)(?: tokens)?\) (?:is longer than|exceeds) (?:the )?model's (?:maximum )?context length \((?<limit>[\d,]+)/i,
  /input length \(?(?<prompt>[\d,]+)(?: tokens)?\)? exceeds the maximum allowed (?:input )?length (?:of )?\(?(?<limit>[\d,]+)/i,
  // llama.cpp and what is built on it.
  /request \((?<prompt>[\d,]+) tokens\) exceeds the available context size \((?<limit>[\d,]+)/i,
  /prompt has (?<prompt>[\d,]+) tokens, but the configured context size is (?<limit>[\d,]+)/i,
  // TGI.
  /`inputs` tokens \+ `max_new_tokens` must be <= (?<limit>\d+)\. Given: (?<prompt>\d+) `inputs` tokens and (?<output>\d+)/i,
  /`inputs` must have less than (?<limit>\d+) tokens\. Given: (?<prompt>\d+)/i,
  // Mistral, Anthropic, xAI, Google, Moonshot.
  /prompt contains (?<prompt>[\d,]+) tokens.*?too large for model with (?<limit>[\d,]+) maximum context length/i,
  /prompt is too long: (?<prompt>[\d,]+) tokens > (?<limit>[\d,]+)/i,
  /exceed context limit: (?<prompt>[\d,]+) \+ (?<output>[\d,]+) > (?<limit>[\d,]+)/i,
  /maximum prompt length is (?<limit>[\d,]+) but the request contains (?<prompt>[\d,]+)/i,
  /input token count \((?<prompt>[\d,]+)\) exceeds the maximum number of tokens allowed \((?<limit>[\d,]+)/i,
  /exceeded model token limit: (?<limit>[\d,]+) \(requested: (?<prompt>[\d,]+)/i,
  // Without the prompt's count.
  /context length (?:is|of) (?:only )?(?<limit>[\d,]+)/i,
  /`inputs` tokens \+ `max_new_tokens` must be <= (?<limit>\d+)/i,
  /exceeded model token limit: (?<limit>[\d,]+)/i,
  /(?:exceeds?|exceeded|greater than|longer than) (?:the |this |its |available |maximum |max |model's )*context (?:size|length|window|limit)/i,
  /context (?:size|length|window) (?:has been |was |is )?exceeded|context window exceeds limit/i,
  /(?:input|prompt) is (?:larger|longer) than the max(?:imum)? context size/i,
  // Bedrock; vLLM, whose default cap is what the prompt leaves of the context.
  /(?:input|prompt) is too long for (?:the )?requested model|max(?:_completion)?_tokens must be at least 1, got -/i,
  /reduce the length of (?:the|your) (?:input )?(?:messages|prompt)|prompt is too long\b|prompt exceeds max(?:imum)? length/i,
];

/** Codes and types of errors that say it without a sentence. */
const CODES: ReadonlySet<unknown> = new Set([
  ...['context_length_exceeded', 'exceed_context_size_error', 'model_context_window_exceeded', 'prompt_too_long'],
]);

/**
 * What an error says about a full context: the counts that it names, which may be none. Null for any other error.
 * `message` is one line of at most 500 characters, `fields` the object that it was in.
 */
export function overfullOf(
  message: string,
  fields: Readonly<Record<string, unknown>>,
): Partial<OverfullContext> | null {
  const groups = SENTENCES.map((sentence) => sentence.exec(message)).find((match) => match !== null);
  const { code, type, n_prompt_tokens: prompt, n_ctx: limit } = fields;
  if (!groups && !CODES.has(code) && !CODES.has(type)) return null;
  const counts = { prompt: count(prompt), limit: count(limit), ...countsOf(groups?.groups ?? {}) };
  return Object.fromEntries(Object.entries(counts).filter(([, tokens]) => tokens !== null));
}

function countsOf(groups: Readonly<Record<string, string | undefined>>): Record<string, number> {
  const named = Object.entries(groups).map(([name, digits = '']) => [name, count(Number(digits.replaceAll(',', '')))]);
  return Object.fromEntries(named.filter(([, tokens]) => tokens !== null));
}

function count(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : null;
}
