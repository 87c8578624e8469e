/**
 * What each engine streams for the same two answers, a text after reasoning and two calls, in its own words. The bytes are
 * in the `.txt` files beside this one. We wrote them after the documents and sources of the engines: vLLM and SGLang
 * (their OpenAI servers), llama.cpp's server, Ollama (`/v1`), TGI (3.x), and the APIs of Mistral, Kimi and DeepSeek, whose
 * models others serve with the same words. A new engine, or a new habit of one, is a new file and a row.
 */
import { readFileSync } from 'node:fs';
import type { BackendStream } from '#testing/backend-streams.ts';

const ENGINES = ['vllm', 'sglang', 'llama-cpp', 'ollama', 'tgi', 'mistral', 'kimi', 'deepseek'] as const;
type Engine = (typeof ENGINES)[number];

/** The engines that count cached tokens. */
const COUNT_CACHED: readonly Engine[] = ['vllm', 'sglang', 'llama-cpp', 'mistral', 'kimi', 'deepseek'];
/** Those that count the tokens of reasoning separately. */
const COUNT_REASONING: Partial<Record<Engine, number>> = { sglang: 7, deepseek: 7 };
/** The arguments of the calls, as each engine writes them. */
const SPACED = ['{"at": "sea"}', '{"at": "sky"}'];
const DENSE = ['{"at":"sea"}', '{"at":"sky"}'];
/** The ids that they give their calls; TGI gives none and writes one call only. */
const CALLS: Readonly<Record<Engine, { ids: readonly (string | null)[]; written: readonly string[] }>> = {
  vllm: { ids: ['chatcmpl-tool-1b7c', 'chatcmpl-tool-9d02'], written: SPACED },
  sglang: { ids: ['call_5f1e2a', 'call_77ab01'], written: SPACED },
  'llama-cpp': { ids: ['Kf3x', 'Pz8w'], written: DENSE },
  ollama: { ids: ['call_a81', 'call_b92'], written: DENSE },
  tgi: { ids: [null], written: SPACED },
  mistral: { ids: ['D681PevKs', 'x7GqT2mVa'], written: SPACED },
  kimi: { ids: ['functions.look:0', 'functions.look:1'], written: SPACED },
  deepseek: { ids: ['call_0_2f6c', 'call_1_8e1d'], written: SPACED },
};

const bytesOf = (name: string) => readFileSync(new URL(`${name}.txt`, import.meta.url), 'utf8');

/** Both answers of each engine. A call whose engine gives no id has the id ''. */
export const corpus: readonly BackendStream[] = ENGINES.flatMap((engine): BackendStream[] => {
  const { ids, written } = CALLS[engine];
  return [
    {
      name: `${engine}: text`,
      text: bytesOf(`${engine}-text`),
      answer: {
        text: 'High water at six.',
        reasoning: engine === 'tgi' ? '' : 'The tide turns at six.',
        finishReason: 'stop',
      },
      usage: {
        promptTokens: 812,
        cachedTokens: COUNT_CACHED.includes(engine) ? 800 : 0,
        outputTokens: 14,
        reasoningTokens: COUNT_REASONING[engine] ?? null,
      },
    },
    {
      name: `${engine}: calls`,
      text: bytesOf(`${engine}-calls`),
      answer: {
        toolCalls: ids.map((id, index) => ({ id: id ?? '', name: 'look', arguments: written[index] ?? '' })),
        finishReason: 'tool_calls',
      },
      usage: {
        promptTokens: 140,
        cachedTokens: 0,
        outputTokens: 38,
        reasoningTokens: COUNT_REASONING[engine] === undefined ? null : 0,
      },
    },
  ];
});
