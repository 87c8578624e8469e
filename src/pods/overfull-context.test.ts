/** What backends say of a full context, in their own words, and errors that only look alike. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventStreamReader } from './event-stream.ts';
import { BackendFault, BackendRefusal, complaintOf, isRefusal } from './malformed.ts';

/** [the backend, its words, the counts in them: prompt, output, limit] */
const sentences: [string, string, { prompt?: number; output?: number; limit?: number }][] = [
  [
    'vLLM',
    "This model's maximum context length is 4096 tokens. However, you requested 4196 tokens (96 in the messages, 4100 in the completion). Please reduce the length of the messages or completion.",
    { prompt: 96, output: 4100, limit: 4096 },
  ],
  [
    'vLLM',
    "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 100 input tokens (5000 > 4096 - 100).",
    { prompt: 100, output: 5000, limit: 4096 },
  ],
  [
    'vLLM',
    "This model's maximum context length is 16384 tokens. However, you requested 8192 output tokens and your prompt contains at least 8193 input tokens, for a total of at least 16385 tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
    { prompt: 8193, output: 8192, limit: 16_384 },
  ],
  [
    'vLLM',
    "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens. Please reduce the length of the input messages.",
    { prompt: 5000, limit: 4096 },
  ],
  [
    'vLLM',
    "You passed 5000 input tokens and requested 100 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 3996 tokens.",
    { prompt: 5000, output: 100, limit: 4096 },
  ],
  [
    'vLLM',
    'The decoder prompt (length 5951) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.',
    { prompt: 5951, limit: 4096 },
  ],
  ['vLLM', 'max_tokens must be at least 1, got -20.', {}],
  ['vLLM', 'max_completion_tokens must be at least 1, got -20.', {}],
  [
    'TensorRT-LLM',
    'prompt length (5000) exceeds maximum input length (4096). Set log level to info and check',
    { prompt: 5000, limit: 4096 },
  ],
  ['TabbyAPI', 'Prompt length 5000 is greater than max_seq_len 4096', { prompt: 5000, limit: 4096 }],
  ['a proxy', 'Prompt length 140000 exceeds max_model_len 131072', { prompt: 140_000, limit: 131_072 }],
  ['llama-cpp-python', 'prompt tokens (5000) exceed n_ctx (4096)', { prompt: 5000, limit: 4096 }],
  [
    'MLC',
    'Request prompt has 5000 tokens in total, larger than the model input length limit 4096.',
    { prompt: 5000, limit: 4096 },
  ],
  ['Bedrock', 'Input is too long for requested model.', {}],
  [
    'SGLang',
    "Requested token count exceeds the model's maximum context length of 64000 tokens. You requested a total of 71897 tokens: 7897 tokens from the input messages and 64000 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.",
    { prompt: 7897, output: 64_000, limit: 64_000 },
  ],
  [
    'SGLang',
    "The input (131123 tokens) is longer than the model's context length (131072 tokens).",
    { prompt: 131_123, limit: 131_072 },
  ],
  [
    'SGLang',
    "Input length (265330) exceeds model's maximum context length (262144).",
    { prompt: 265_330, limit: 262_144 },
  ],
  [
    'SGLang',
    'Input length (5000 tokens) exceeds the maximum allowed length (4090 tokens). Use a shorter input or enable --allow-auto-truncate.',
    { prompt: 5000, limit: 4090 },
  ],
  ['llama.cpp', 'the request exceeds the available context size, try increasing it', {}],
  [
    'llama.cpp',
    'request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it',
    { prompt: 5000, limit: 4096 },
  ],
  ['llama.cpp', 'Context size has been exceeded.', {}],
  ['llama.cpp', 'input is larger than the max context size. skipping.', {}],
  [
    'TGI',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 99 `inputs` tokens and 4000 `max_new_tokens`',
    { prompt: 99, output: 4000, limit: 4096 },
  ],
  [
    'TGI',
    'Input validation error: `inputs` must have less than 1024 tokens. Given: 2000',
    { prompt: 2000, limit: 1024 },
  ],
  [
    'OpenAI',
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
    { prompt: 9000, limit: 8192 },
  ],
  ['OpenAI', 'Your input exceeds the context window of this model. Please adjust your input and try again.', {}],
  [
    'Mistral',
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    { prompt: 40_000, limit: 32_768 },
  ],
  ['Anthropic', 'prompt is too long: 213462 tokens > 200000 maximum', { prompt: 213_462, limit: 200_000 }],
  [
    'Anthropic',
    'input length and `max_tokens` exceed context limit: 198000 + 8000 > 200000, decrease input length or `max_tokens` and try again',
    { prompt: 198_000, output: 8000, limit: 200_000 },
  ],
  [
    'xAI',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    { prompt: 537_812, limit: 131_072 },
  ],
  ['Groq', 'Please reduce the length of the messages or completion.', {}],
  ['LM Studio', 'The number of tokens to keep from the initial prompt is greater than the context length.', {}],
  ['Ollama', 'prompt too long; exceeded max context length by 4096 tokens', {}],
  ['Ollama', 'the input length exceeds the context length', {}],
];
for (const [backend, words, counts] of sentences)
  test(`${backend}: ${words.slice(0, 60)}`, () => {
    for (const error of [
      { error: { message: words, type: 'BadRequestError', code: 400 } },
      { object: 'error', message: words, code: 400 },
      { error: words, error_type: 'validation' },
      { detail: words },
      words,
    ]) {
      const complaint = complaintOf(error);
      assert.deepEqual(complaint.overfull, counts);
      for (const status of [400, 500, 'invalid_request_error', null, undefined])
        assert.ok(isRefusal(status, complaint), `${status}`);
      for (const status of [429, 503]) assert.ok(!isRefusal(status, complaint), `${status}`);
    }
  });

test('a code or type says it without a sentence, and llama.cpp names the counts beside it', () => {
  const coded = { error: { message: 'No.', code: 'context_length_exceeded', type: 'invalid_request_error' } };
  assert.deepEqual(complaintOf(coded).overfull, {});
  const llama = { code: 400, message: 'No.', type: 'exceed_context_size_error', n_prompt_tokens: 5000, n_ctx: 4096 };
  assert.deepEqual(complaintOf({ error: llama }).overfull, { prompt: 5000, limit: 4096 });
});

const others = [
  'max_tokens must be at least 1, got 0.',
  "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024.",
  'Request too large for model on tokens per minute (TPM): Limit 12000, Requested 15318',
  'The image exceeds the maximum size of 20 MB.',
  'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.',
  'The tool get_context needs a longer name.',
  'out of memory',
];
for (const words of others)
  test(`another error is none: ${words}`, () =>
    assert.equal(complaintOf({ error: { message: words } }).overfull, null));

test('a hostile message costs no time', () => {
  for (const piece of ['context length is 1 ', 'requested 1 tokens (1 in the a', 'exceeds the the ', '1,', 'input ((('])
    assert.doesNotThrow(() => complaintOf(piece.repeat(10_000)));
});

test('the error field of a stream is a refusal when it says that the context is full', () => {
  const fed = (line: string) => () => new EventStreamReader(() => {}).feed(Buffer.from(`error: ${line}\n\n`));
  assert.throws(fed('{"code":400,"message":"the request exceeds the available context size"}'), BackendRefusal);
  assert.throws(fed('{"code":500,"message":"out of memory"}'), BackendFault);
});
