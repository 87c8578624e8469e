/**
 * Streams as chat backends write them, byte for byte, each with its meaning. The shapes are those of vLLM, SGLang,
 * llama.cpp and Ollama, shortened; the odd ones are reported faults of servers in use. Those in `recorded-streams/`
 * are complete: real engines wrote them with the model of `engine-tests/`.
 */
import { readFileSync } from 'node:fs';
import type { FinishReason, ReportedUsage, ToolCall } from '#results/generation.ts';

/** One stream and the answer in it. */
export interface BackendStream {
  readonly name: string;
  readonly text: string;
  readonly answer: {
    readonly text?: string;
    readonly reasoning?: string;
    readonly toolCalls?: readonly ToolCall[];
    readonly finishReason: FinishReason;
    readonly stopSequence?: string;
    readonly logprobs?: readonly unknown[];
  };
  /** Null when the stream has none. */
  readonly usage: ReportedUsage | null;
}

/** A stream of a real engine. */
export interface RecordedStream extends BackendStream {
  /** The chunks in which output came; an engine that joins tokens writes fewer than it counts. */
  readonly outputChunks: number;
}

const usage = (prompt: number, output: number, cached = 0, reasoning: number | null = null): ReportedUsage => ({
  promptTokens: prompt,
  cachedTokens: cached,
  outputTokens: output,
  reasoningTokens: reasoning,
});

/** Frames as most servers write them. */
const lines = (...events: string[]) => events.map((event) => `data: ${event}\n\n`).join('');

const recorded = (name: string) => readFileSync(new URL(`recorded-streams/${name}.txt`, import.meta.url), 'utf8');

export const recordedStreams: readonly RecordedStream[] = [
  {
    name: 'llama.cpp: content null first, broken characters in one chunk, usage and timings in a chunk without choices',
    text: recorded('llama-cpp-text'),
    answer: { text: ' o onec account\ufffd9]\ufffd', finishReason: 'length' },
    usage: usage(23, 8, 22),
    outputChunks: 5,
  },
  {
    name: 'llama.cpp: a call whose name and first argument come together, most of its tokens in no chunk',
    text: recorded('llama-cpp-call'),
    answer: {
      toolCalls: [{ id: 'eBjuRcUa4WH8rYprpDgUIUZXjtYpotZR', name: 'gauge', arguments: '{"open":true}' }],
      finishReason: 'tool_calls',
    },
    usage: usage(248, 57, 247),
    outputChunks: 12,
  },
  {
    name: 'llama-cpp-python: no usage though asked, an empty text for a token whose bytes are not yet a character',
    text: recorded('llama-cpp-python-text'),
    answer: { text: 'o\u001b=owx', finishReason: 'length' },
    usage: null,
    // As many as its tokens: the same request without a stream reported 8.
    outputChunks: 8,
  },
];

export const backendStreams: readonly BackendStream[] = [
  ...recordedStreams,
  {
    name: 'vLLM: the last text in the finish chunk, stop_reason, usage in a chunk of its own',
    text: lines(
      '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"prompt_token_ids":null}',
      '{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"One, "},"logprobs":null,"finish_reason":null,"token_ids":null}]}',
      '{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"two"},"logprobs":null,"finish_reason":"stop","stop_reason":"END","token_ids":null}]}',
      '{"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":9,"total_tokens":12,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}}',
      '[DONE]',
    ),
    answer: { text: 'One, two', finishReason: 'stop', stopSequence: 'END' },
    usage: usage(9, 3, 4),
  },
  {
    name: 'vLLM: reasoning under its newer name, an unrequested stop token id, continuous usage',
    text: lines(
      '{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":{"prompt_tokens":5,"total_tokens":5,"completion_tokens":0}}',
      '{"choices":[{"index":0,"delta":{"reasoning":"Hm."},"finish_reason":null}],"usage":{"prompt_tokens":5,"total_tokens":6,"completion_tokens":1}}',
      '{"choices":[{"index":0,"delta":{"content":"Yes."},"finish_reason":null}],"usage":{"prompt_tokens":5,"total_tokens":7,"completion_tokens":2}}',
      '{"choices":[{"index":0,"delta":{},"finish_reason":"stop","stop_reason":151645}],"usage":{"prompt_tokens":5,"total_tokens":8,"completion_tokens":3}}',
      '{"choices":[],"usage":{"prompt_tokens":5,"total_tokens":8,"completion_tokens":3,"prompt_tokens_details":null}}',
      '[DONE]',
    ),
    answer: { text: 'Yes.', reasoning: 'Hm.', finishReason: 'stop' },
    usage: usage(5, 3),
  },
  {
    name: 'vLLM: two calls in turns, a named choice that finishes as stop',
    text: lines(
      '{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}',
      '{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"chatcmpl-tool-a","type":"function","index":0,"function":{"name":"look","arguments":""}}]},"finish_reason":null}]}',
      '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"at\\":"}}]},"finish_reason":null}]}',
      '{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"chatcmpl-tool-b","type":"function","index":1,"function":{"name":"go","arguments":"{\\"to\\":"}}]},"finish_reason":null}]}',
      '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"2}"}},{"index":0,"function":{"arguments":"1}"}}]},"finish_reason":null}]}',
      '{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop","stop_reason":null}]}',
      '{"choices":[],"usage":{"prompt_tokens":50,"total_tokens":70,"completion_tokens":20}}',
      '[DONE]',
    ),
    answer: {
      toolCalls: [
        { id: 'chatcmpl-tool-a', name: 'look', arguments: '{"at":1}' },
        { id: 'chatcmpl-tool-b', name: 'go', arguments: '{"to":2}' },
      ],
      finishReason: 'tool_calls',
    },
    usage: usage(50, 20),
  },
  {
    name: 'SGLang: nulls for everything absent, role with the first text, matched_stop, reasoning counted separately',
    text: lines(
      '{"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning_content":null,"tool_calls":null},"logprobs":null,"finish_reason":null,"matched_stop":null}],"usage":null}',
      '{"id":"1","choices":[{"index":0,"delta":{"role":null,"content":null,"reasoning_content":"So.","tool_calls":null},"logprobs":null,"finish_reason":null,"matched_stop":null}],"usage":null}',
      '{"id":"1","choices":[{"index":0,"delta":{"role":null,"content":"Done","reasoning_content":null,"tool_calls":null},"logprobs":null,"finish_reason":null,"matched_stop":null}],"usage":null}',
      '{"id":"1","choices":[{"index":0,"delta":{"role":null,"content":null,"reasoning_content":null,"tool_calls":null},"logprobs":null,"finish_reason":"stop","matched_stop":"END"}],"usage":null}',
      '{"id":"1","choices":[],"usage":{"prompt_tokens":7,"total_tokens":10,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":0},"reasoning_tokens":1}}',
      '[DONE]',
    ),
    answer: { text: 'Done', reasoning: 'So.', finishReason: 'stop', stopSequence: 'END' },
    usage: usage(7, 3, 0, 1),
  },
  {
    name: 'llama.cpp: content null first, usage and timings in the finish chunk, CRLF line ends',
    text: lines(
      '{"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1,"id":"c","model":"m","object":"chat.completion.chunk"}',
      '{"choices":[{"finish_reason":null,"index":0,"delta":{"content":"Grüße "}}]}',
      '{"choices":[{"finish_reason":null,"index":0,"delta":{"content":"🌊"}}]}',
      '{"choices":[{"finish_reason":"length","index":0,"delta":{}}],"usage":{"completion_tokens":2,"prompt_tokens":6,"total_tokens":8},"timings":{"cache_n":0,"prompt_n":6}}',
      '[DONE]',
    ).replaceAll('\n', '\r\n'),
    answer: { text: 'Grüße 🌊', finishReason: 'length' },
    usage: usage(6, 2),
  },
  {
    name: 'Ollama: role in every chunk, a whole call in one delta with arguments as an object, index 0 for both',
    text: lines(
      '{"id":"chatcmpl-5","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Look."},"finish_reason":null}]}',
      '{"id":"chatcmpl-5","choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_1","index":0,"type":"function","function":{"name":"look","arguments":{"at":1}}}]},"finish_reason":null}]}',
      '{"id":"chatcmpl-5","choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_2","index":0,"type":"function","function":{"name":"look","arguments":{"at":2}}}]},"finish_reason":null}]}',
      '{"id":"chatcmpl-5","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"tool_calls"}]}',
      '{"id":"chatcmpl-5","choices":[],"usage":{"prompt_tokens":30,"completion_tokens":12,"total_tokens":42}}',
      '[DONE]',
    ),
    answer: {
      reasoning: 'Look.',
      toolCalls: [
        { id: 'call_1', name: 'look', arguments: '{"at":1}' },
        { id: 'call_2', name: 'look', arguments: '{"at":2}' },
      ],
      finishReason: 'tool_calls',
    },
    usage: usage(30, 12),
  },
  {
    name: 'BOM, comments, no space after the colon, event and id lines, data over two lines, no final line end',
    text: [
      '\uFEFF: ping\n\nevent: message\nid: 1\ndata:{"choices":[{"index":0,\ndata:"delta":{"content":"A"}}]}\n\n',
      ': keep-alive\ndata:{"choices":[{"index":0,"delta":{"content":"B"},"finish_reason":"stop"}]}\n\n',
      'retry: 100\n\ndata:{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\ndata:[DONE]',
    ].join(''),
    answer: { text: 'AB', finishReason: 'stop' },
    usage: usage(1, 2),
  },
  {
    name: 'a surrogate pair cut between two deltas, a placeholder usage of zeros at the end',
    text: lines(
      '{"choices":[{"index":0,"delta":{"content":"wave \\ud83c"}}],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}',
      '{"choices":[{"index":0,"delta":{"content":"\\udf0a!"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}',
      '{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}',
      '[DONE]',
    ),
    answer: { text: 'wave 🌊!', finishReason: 'stop' },
    usage: usage(3, 2),
  },
  {
    name: 'logprobs, the finish_reason of another protocol, both names of reasoning, no usage, no [DONE]',
    text: lines(
      '{"choices":[{"index":0,"delta":{"reasoning":"R","reasoning_content":"R"}}]}',
      '{"choices":[{"index":0,"delta":{"content":"A"},"logprobs":{"content":[{"token":"A","logprob":-0.1,"bytes":[65],"top_logprobs":[]}]}}]}',
      '{"choices":[{"index":0,"delta":{},"finish_reason":"eos_token"}]}',
    ),
    answer: {
      text: 'A',
      reasoning: 'R',
      finishReason: 'stop',
      logprobs: [{ token: 'A', logprob: -0.1, bytes: [65], top_logprobs: [] }],
    },
    usage: null,
  },
  {
    name: 'the older function_call, with its older finish_reason',
    text: lines(
      '{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"function_call":{"name":"look","arguments":""}}}]}',
      '{"choices":[{"index":0,"delta":{"function_call":{"arguments":"{}"}}}]}',
      '{"choices":[{"index":0,"delta":{},"finish_reason":"function_call"}]}',
      '[DONE]',
    ),
    answer: { toolCalls: [{ id: 'call_test_0', name: 'look', arguments: '{}' }], finishReason: 'tool_calls' },
    usage: null,
  },
];
