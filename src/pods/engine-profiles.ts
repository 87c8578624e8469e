/**
 * Engines read the same chat request differently. A pod names its engine, or the gateway guesses it from the list of
 * models that each ping asks for. A new difference is a new field of the profile. docs/sell/pods.md has the table.
 */

/** `auto`: guessed, and treated like an engine that reads both names of reasoning while the guess finds nothing. */
export const engines = ['auto', 'vllm', 'sglang', 'llama_cpp', 'mistral', 'kimi', 'deepseek', 'openai'] as const;
export type Engine = (typeof engines)[number];

/** A name under which an assistant message has its earlier reasoning. */
export type ReasoningName = (typeof reasoningNames)[number];
export const reasoningNames = ['reasoning_content', 'reasoning'] as const;

/** What one engine needs. */
export interface EngineProfile {
  /** The names that it reads; none where it refuses a message that has either. */
  readonly reasoning: readonly ReasoningName[];
  /**
   * The ids of tool calls that it takes: `any`; `nine_letters`, letters and digits; `numbered`, as in `functions.look:0`,
   * counted through the conversation.
   */
  readonly callIds: 'any' | 'nine_letters' | 'numbered';
  /** Whether it takes `stream_options`, without which others report no usage. */
  readonly streamOptions: boolean;
}

const BOTH: EngineProfile = { reasoning: reasoningNames, callIds: 'any', streamOptions: true };
const OLDER: EngineProfile = { ...BOTH, reasoning: ['reasoning_content'] };

/** The profiles by engine. vLLM reads `reasoning`, and older versions `reasoning_content`; so does Kimi where vLLM serves it. */
export const profiles: Readonly<Record<Engine, EngineProfile>> = {
  auto: BOTH,
  vllm: BOTH,
  sglang: OLDER,
  llama_cpp: OLDER,
  // Its API answers 422 to every field that it does not know, and reports usage without being asked.
  mistral: { reasoning: [], callIds: 'nine_letters', streamOptions: false },
  kimi: { ...BOTH, callIds: 'numbered' },
  deepseek: OLDER,
  openai: { ...BOTH, reasoning: [] },
};

/** The engines by the `owned_by` of their models. `openai` is none of these: many proxies claim it. */
const OWNERS: ReadonlyMap<unknown, Engine> = new Map([
  ['vllm', 'vllm'],
  ['sglang', 'sglang'],
  ['llamacpp', 'llama_cpp'],
  ['mistralai', 'mistral'],
  ['moonshot', 'kimi'],
  ['deepseek', 'deepseek'],
  ['system', 'openai'],
  ['openai-internal', 'openai'],
]);

/** The engine that answered GET /v1/models with `text`, by the entry of `model` and else by any other; null for none known. */
export function engineIn(text: string, model: string): Engine | null {
  const owners = modelsIn(text).toSorted((a, b) => Number(b.id === model) - Number(a.id === model));
  return owners.map(({ owned_by: owner }) => OWNERS.get(owner)).find((engine) => engine !== undefined) ?? null;
}

/** The names of the models in such an answer; none where it is no such list. */
export function namesIn(text: string): string[] {
  return modelsIn(text).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
}

function modelsIn(text: string): { readonly id?: unknown; readonly owned_by?: unknown }[] {
  try {
    const data: unknown = JSON.parse(text)?.data;
    return Array.isArray(data) ? data.filter((entry) => typeof entry === 'object' && entry !== null) : [];
  } catch {
    return [];
  }
}
