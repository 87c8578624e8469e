/**
 * The two kinds of pods that official clients are tested against: simulated ones inside the gateway, and a second HTTP
 * server that speaks the backend protocol. Each learns in its own way what to answer; the tests do not know which.
 */
import { chunkOf, type MockReply, streamOf, usageOf } from '#testing/mock-backend.ts';
import { type Settings, testConfiguration } from '../support/configuration.ts';
import type { TestServer } from '../support/server.ts';

/** What a pod can be asked to answer. */
export type AnswerScript =
  /** `TEXT_TOKENS` tokens of text. */
  | 'text'
  /** Two tokens of reasoning, then text. */
  | 'reasoning'
  /** One call each of the request's tools `look` and `listen`. */
  | 'two calls'
  /** A call of the tool `look`; text for a request that has its result. */
  | 'a call, then text'
  /** The beginning of a text, with far more to come. */
  | 'endless text'
  /** The beginning of a text, then an error of the backend. */
  | 'failure in the middle'
  /** Nothing, for as long as the caller stays. */
  | 'silence';

/** Tokens of a plain answer. */
export const TEXT_TOKENS = 8;
/** More tokens than an endless text ever reaches. */
export const ENDLESS_TOKENS = 400;
/** Tokens of reasoning before a reasoned answer. */
export const REASONING_TOKENS = 2;
/** The slots of the model `tide`. */
export const SLOTS = 8;

/** One kind of pods. */
export interface PodKind {
  readonly name: string;
  readonly settings: Settings;
  /** Prepares the pods; returns the fields that a request needs to get this answer. */
  script(server: TestServer, script: AnswerScript): Record<string, unknown>;
}

/** Every kind. */
export const podKinds: readonly PodKind[] = [
  {
    name: 'a simulated pod',
    settings: { models: withSimulatedPods() },
    script: (_, script) => ({ x_simulate: SWITCHES[script] }),
  },
  {
    name: 'a second server that speaks the backend protocol',
    settings: {},
    script(server, script) {
      repliesByPrompt(server);
      return { x_script: script };
    },
  },
];

/** The listings of the test configuration, each backend replaced by a simulated one. */
function withSimulatedPods(): unknown[] {
  const { models } = testConfiguration('http://127.0.0.1:9/v1') as {
    models: { pods?: { id: string; slots: number }[] }[];
  };
  return models.map((model) =>
    model.pods ? { ...model, pods: model.pods.map(({ id, slots }) => ({ id, slots, simulated: true })) } : model,
  );
}

const FAST = { first_token_ms: 20, token_ms: 5 };
const SWITCHES: Readonly<Record<AnswerScript, object>> = {
  text: { ...FAST, output_tokens: TEXT_TOKENS },
  reasoning: { ...FAST, output_tokens: TEXT_TOKENS, reasoning_tokens: REASONING_TOKENS },
  'two calls': { ...FAST, tool_calls: 2 },
  'a call, then text': FAST,
  'endless text': { ...FAST, output_tokens: ENDLESS_TOKENS },
  'failure in the middle': { ...FAST, output_tokens: TEXT_TOKENS, fail: 'mid-stream' },
  silence: { fail: 'hang' },
};

const ROLE = chunkOf({ role: 'assistant', content: '' });
const WORDS = Array.from({ length: TEXT_TOKENS }, (_, word) => chunkOf({ content: `word${word} ` }));
const STOP = chunkOf({}, { finish_reason: 'stop' });
const usage = (output: number) => ({
  ...chunkOf({}),
  choices: [],
  usage: usageOf({ prompt: 12, cached: 4, output }),
});
const call = (index: number, fields: object) => chunkOf({ tool_calls: [{ index, ...fields }] });

const REPLIES: Readonly<Record<AnswerScript, MockReply>> = {
  text: streamOf([ROLE, ...WORDS, STOP, usage(TEXT_TOKENS)]),
  reasoning: streamOf([
    ROLE,
    chunkOf({ reasoning: 'Let me ' }),
    chunkOf({ reasoning: 'think.' }),
    ...WORDS,
    STOP,
    usage(TEXT_TOKENS + REASONING_TOKENS),
  ]),
  // Interleaved, as some servers write simultaneous calls.
  'two calls': streamOf([
    ROLE,
    call(0, { id: 'call_a', type: 'function', function: { name: 'look', arguments: '' } }),
    call(1, { id: 'call_b', type: 'function', function: { name: 'listen', arguments: '' } }),
    call(0, { function: { arguments: '{"at":' } }),
    call(1, { function: { arguments: '{"to":' } }),
    call(0, { function: { arguments: '"sea"}' } }),
    call(1, { function: { arguments: '"wind"}' } }),
    chunkOf({}, { finish_reason: 'tool_calls' }),
    usage(12),
  ]),
  'a call, then text': streamOf([
    ROLE,
    call(0, { id: 'call_a', type: 'function', function: { name: 'look', arguments: '{"at":' } }),
    call(0, { function: { arguments: '"sea"}' } }),
    chunkOf({}, { finish_reason: 'tool_calls' }),
    usage(6),
  ]),
  'endless text': { ...openStream([ROLE, ...WORDS]), write: 'each', after: 'hang' },
  'failure in the middle': openStream([ROLE, ...WORDS, { error: { message: 'out of memory', code: 500 } }]),
  silence: { writes: [], instead: 'hang' },
};

const SCRIPTS = Object.keys(REPLIES) as AnswerScript[];

/** A prompt that says what a `repliesByPrompt` backend shall answer, for clients that send none of our fields. */
export function promptOf(script: AnswerScript): string {
  return `Please give me [${script}].`;
}

/** Makes the server's backend answer each request by the script named in its prompt or in a field. */
export function repliesByPrompt(server: TestServer): void {
  server.answer(() => replyTo(server.lastRequest()));
}

/** Each request names its script, so that many can be in flight. */
function replyTo({ x_script: named, messages }: Record<string, unknown>): MockReply {
  const said = JSON.stringify(messages);
  const script = SCRIPTS.find((script) => script === named || said.includes(`[${script}]`)) ?? 'text';
  const broughtResult = script === 'a call, then text' && said.includes('"role":"tool"');
  return REPLIES[broughtResult ? 'text' : script];
}

/** The chunks without the `[DONE]`. */
function openStream(chunks: readonly unknown[]): MockReply {
  return { writes: streamOf(chunks).writes.slice(0, -1) };
}
