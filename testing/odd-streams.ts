/**
 * Streams that break a rule of the protocol as engines and proxies in use do, byte for byte, each with what it means. A
 * new habit is a new row; those that no attempt can read are in `failedStreams`.
 */
import type { BackendStream } from './backend-streams.ts';

/** A stream that is no answer. */
export interface FailedStream {
  readonly name: string;
  readonly text: string;
  /** What the log says. */
  readonly reason: RegExp;
}

const line = (data: string) => `data: ${data}\n\n`;
const delta = (fields: string, finish = 'null') =>
  line(`{"choices":[{"index":0,"delta":{${fields}},"finish_reason":${finish}}]}`);
const USAGE = line('{"choices":[],"usage":{"prompt_tokens":40,"completion_tokens":6,"total_tokens":46}}');
const DONE = line('[DONE]');
const FINISH = delta('', '"stop"');
const SAYS = delta('"content":"Calm."');
const usage = (cachedTokens = 0) => ({
  promptTokens: 40,
  cachedTokens,
  outputTokens: 6,
  reasoningTokens: null,
});

const calls = (fields: string) => delta(`"tool_calls":[${fields}]`);
const opens = (index: number, id: string, args = '') =>
  calls(
    `{"index":${index},"id":"${id}","type":"function","function":{"name":"look","arguments":${JSON.stringify(args)}}}`,
  );
const args = (index: number, fragment: string) =>
  calls(`{"index":${index},"function":{"arguments":${JSON.stringify(fragment)}}}`);
const CALLED = delta('', '"tool_calls"') + USAGE + DONE;
const SEA = '{"at":"sea"}';
const SKY = '{"at":"sky"}';

/** A stream that says `Calm.` and ends well. */
const calm = (name: string, text: string, own: Partial<BackendStream> = {}): BackendStream => ({
  name,
  text,
  answer: { text: 'Calm.', finishReason: 'stop' },
  usage: usage(),
  ...own,
});
/** A stream of calls of `look` with these arguments. */
const called = (name: string, text: string, ...written: string[]): BackendStream => ({
  name,
  text,
  answer: {
    toolCalls: written.map((one, index) => ({ id: `c${index}`, name: 'look', arguments: one })),
    finishReason: 'tool_calls',
  },
  usage: usage(),
});
const ends = (reason: string, finishReason: 'stop' | 'length' | 'content_filter') =>
  calm(`the finish_reason ${reason}`, SAYS + delta('', `"${reason}"`) + USAGE + DONE, {
    answer: { text: 'Calm.', finishReason },
  });
const counts = (name: string, fields: string, cached: number) =>
  calm(
    name,
    `${SAYS}${FINISH}${line(`{"choices":[],"usage":{"prompt_tokens":40,"completion_tokens":6,${fields}}}`)}${DONE}`,
    {
      usage: usage(cached),
    },
  );

export const oddStreams: readonly BackendStream[] = [
  counts('cached tokens beside the counts', '"cached_tokens":32', 32),
  counts('cached tokens as cache hits', '"prompt_cache_hit_tokens":32,"prompt_cache_miss_tokens":8', 32),
  counts(
    "cached tokens under three names; OpenAI's counts",
    '"cached_tokens":32,"prompt_cache_hit_tokens":31,"prompt_tokens_details":{"cached_tokens":30}',
    30,
  ),
  ...['{}', '[]', '{"prompt_tokens":null,"completion_tokens":null}', '{"total_tokens":0}'].map((none) =>
    calm(
      `the usage ${none} behind a good one`,
      `${SAYS}${FINISH}${USAGE}${line(`{"choices":[],"usage":${none}}`)}${DONE}`,
    ),
  ),

  called('arguments under another index', opens(2, 'c0') + args(1, '{"at"') + args(1, ':"sea"}') + CALLED, SEA),
  called(
    'arguments under another index, of two calls',
    opens(1, 'c0') + args(0, SEA) + opens(2, 'c1') + args(1, SKY) + CALLED,
    SEA,
    SKY,
  ),
  called(
    'a second call under the first index, whose arguments come under its own',
    opens(0, 'c0') + args(0, SEA) + opens(0, 'c1') + args(1, '{"at":') + args(1, '"sky"}') + CALLED,
    SEA,
    SKY,
  ),
  called(
    'another id in each delta',
    opens(0, 'c0') +
      calls('{"index":0,"id":"x1","function":{"name":null,"arguments":"{\\"at\\":"}}') +
      calls('{"index":0,"id":"x2","function":{"name":"","arguments":"\\"sea\\"}"}}') +
      CALLED,
    SEA,
  ),
  called('arguments twice', opens(0, 'c0', SEA) + args(0, SEA) + CALLED, SEA),
  called(
    'arguments in pieces and then whole',
    opens(0, 'c0') + args(0, '{"at":') + args(0, '"sea"}') + args(0, SEA) + CALLED,
    SEA,
  ),
  called(
    'arguments from their beginning each time',
    opens(0, 'c0', '{"at') + args(0, '{"at":"s') + args(0, SEA) + CALLED,
    SEA,
  ),
  called('null before the arguments', opens(0, 'c0', 'null') + args(0, SEA) + CALLED, SEA),
  called('a whole call twice', opens(0, 'c0', SEA) + opens(0, 'c0', SEA) + CALLED, SEA),
  called('{} before the arguments', opens(0, 'c0', '{}') + args(0, SEA) + CALLED, SEA),
  called(
    '{} as an object before the arguments of two calls',
    calls('{"index":0,"id":"c0","function":{"name":"look","arguments":{}}}') +
      calls('{"index":1,"id":"c1","function":{"name":"look","arguments":{}}}') +
      args(0, '{"at":"se') +
      args(1, '{"at":"sk') +
      args(0, 'a"}') +
      args(1, 'y"}') +
      CALLED,
    SEA,
    SKY,
  ),
  called('arguments as JSON in JSON', opens(0, 'c0', JSON.stringify(SEA)) + CALLED, SEA),
  called(
    'arguments as JSON in JSON, in pieces and in turns with those of another call',
    opens(0, 'c0') +
      opens(1, 'c1') +
      args(0, '"{\\"at\\"') +
      args(1, '{"at":') +
      args(0, ':\\"sea\\"}"') +
      args(1, '"sky"}') +
      CALLED,
    SEA,
    SKY,
  ),
  called('a stop token behind the arguments', opens(0, 'c0', SEA) + args(0, '</s>') + CALLED, SEA),
  called(
    'two calls in turns',
    opens(0, 'c0') +
      opens(1, 'c1') +
      args(0, '{"at"') +
      args(1, '{"at"') +
      args(0, ':"sea"') +
      args(1, ':"sky"') +
      args(1, '}') +
      args(0, '}') +
      CALLED,
    SEA,
    SKY,
  ),
  called(
    'a call without a list',
    delta(`"tool_calls":{"index":0,"id":"c0","function":{"name":"look","arguments":{"at":"sea"}}}`) + CALLED,
    SEA,
  ),
  called('complete calls and no finish_reason', opens(0, 'c0', SEA) + opens(1, 'c1', SKY) + USAGE + DONE, SEA, SKY),

  ...['max_tokens', 'MAX_TOKENS', 'model_length', 'model_context_window_exceeded', 'a_new_one'].map((reason) =>
    ends(reason, 'length'),
  ),
  ...['STOP', 'eos_token', 'end_turn', 'stop_sequence'].map((reason) => ends(reason, 'stop')),
  ...['SAFETY', 'sensitive'].map((reason) => ends(reason, 'content_filter')),
  calm('the reason length, and then stop', SAYS + delta('', '"length"') + FINISH + USAGE + DONE, {
    answer: { text: 'Calm.', finishReason: 'length' },
  }),

  calm('events without data', `data:\n\ndata\n\n${SAYS}data: \n\ndata:   \n\n${FINISH}${USAGE}${DONE}`),
  calm('an event that is null', SAYS + line('null') + FINISH + USAGE + DONE),
  calm(
    'an error that is empty',
    line('{"choices":[{"index":0,"delta":{"content":"Calm."},"finish_reason":null}],"error":""}') +
      line('{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"error":false}') +
      USAGE +
      DONE,
  ),
  calm('[DONE] between spaces', `${SAYS}${FINISH}${USAGE}data:  [DONE] \n\n`),
  calm('junk behind the finish_reason', SAYS + FINISH + line('stream closed') + line('{"choi') + USAGE + DONE),
  calm('an error behind the usage', SAYS + FINISH + USAGE + line('{"error":{"message":"late","code":500}}') + DONE),
  calm('an error before the usage', SAYS + FINISH + line('{"error":"late"}') + USAGE + DONE),
  calm('a refusal behind the finish_reason', SAYS + FINISH + line('{"error":{"message":"late","code":400}}') + USAGE),
  calm('an error field behind the finish_reason', `${SAYS}${FINISH}error: {"code":500}\n\n${USAGE}${DONE}`),
  calm(
    'wrong types behind the finish_reason',
    SAYS + FINISH + delta('"content":7') + line('7') + line('[]') + USAGE + DONE,
  ),
  calm('a failure behind the finish_reason', SAYS + FINISH + delta('', '"error"') + USAGE + DONE),
  calm('junk behind [DONE]', `${SAYS}${FINISH}${USAGE}${DONE}${line('junk')}${line('{"error":"late"}')}<html>`),

  calm(
    'content as parts, with thinking',
    [
      delta(
        '"content":[{"type":"thinking","thinking":[{"type":"text","text":"The "},{"type":"text","text":"sea? "}]}]',
      ),
      delta('"content":[{"type":"thinking","thinking":"Yes."},{"type":"text","text":"Ca"}]'),
      delta('"content":[{"type":"text","text":"l"},"m",{"type":"reference","reference_ids":[1]},null]'),
      delta('"content":{"type":"text","text":"."}'),
      delta('"content":[]'),
      FINISH + USAGE + DONE,
    ].join(''),
    { answer: { text: 'Calm.', reasoning: 'The sea? Yes.', finishReason: 'stop' } },
  ),
  calm(
    'reasoning as parts',
    delta('"reasoning_content":[{"type":"text","text":"Yes."}]') + SAYS + FINISH + USAGE + DONE,
    {
      answer: { text: 'Calm.', reasoning: 'Yes.', finishReason: 'stop' },
    },
  ),
];

const WITHOUT_CALL = /arguments came for a tool call without a name/;
const WITHOUT_FINISH = /without a finish_reason/;
const GAVE_UP = /the finish_reason is a failure: [a-z_]+$/;

export const failedStreams: readonly FailedStream[] = [
  { name: 'arguments without a call', text: args(0, SEA) + CALLED, reason: WITHOUT_CALL },
  {
    name: 'arguments of a call without a name',
    text: calls('{"index":0,"id":"c0","function":{"arguments":"{}"}}') + CALLED,
    reason: WITHOUT_CALL,
  },
  {
    name: 'arguments for which no call is open',
    text: opens(0, 'c0', SEA) + args(1, SKY) + CALLED,
    reason: WITHOUT_CALL,
  },
  ...['insufficient_system_resource', 'network_error', 'error', 'abort', 'cancelled', 'timeout'].map((reason) => ({
    name: `the finish_reason ${reason}`,
    text: SAYS + delta('', `"${reason}"`) + USAGE + DONE,
    reason: GAVE_UP,
  })),
  { name: 'an incomplete call and no finish_reason', text: opens(0, 'c0', '{"at":') + DONE, reason: WITHOUT_FINISH },
  { name: 'complete calls, no finish_reason and no [DONE]', text: opens(0, 'c0', SEA) + USAGE, reason: WITHOUT_FINISH },
  { name: 'text and no finish_reason', text: SAYS + USAGE + DONE, reason: WITHOUT_FINISH },
  { name: 'events without data alone', text: 'data:\n\ndata: \n\n', reason: WITHOUT_FINISH },
  { name: 'junk before the finish_reason', text: SAYS + line('junk') + FINISH + USAGE + DONE, reason: /not JSON/ },
];
