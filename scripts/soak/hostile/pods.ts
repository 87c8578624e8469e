/**
 * The pods of a hostile soak: servers with good answers of many kinds and every misbehaviour seen in real pods.
 * Each pod misbehaves in its own share of answers.
 */
import { type Random, seededRandom } from '#base/random.ts';
import { backendStreams } from '#testing/backend-streams.ts';
import {
  cannedReply,
  chunkOf,
  errorReply,
  frameOf,
  type MockBackend,
  type MockReply,
  type MockRequest,
  startMockBackend,
  streamOf,
  usageOf,
} from '#testing/mock-backend.ts';
import { chance, pick } from '../../harness/chance.ts';
import { count } from '../../harness/ledger.ts';

/** Pods that run. */
export interface HostilePods {
  /** The address of each, in the order of the shares. */
  readonly urls: readonly string[];
  /** How often each behaviour was shown. */
  readonly shown: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** How often a ping is answered with an error. */
const BAD_PING = 0.03;

/** Starts a pod for each share: the part of its answers, 0 to 1, that is misbehaviour. */
export async function startPods(shares: readonly number[], seed: number): Promise<HostilePods> {
  const shown = new Map<string, number>();
  const pods: MockBackend[] = [];
  for (const [index, share] of shares.entries()) pods.push(await startPod(share, seededRandom(seed + index), shown));
  return {
    urls: pods.map(({ url }) => url),
    shown,
    close: async () => {
      await Promise.all(pods.map((pod) => pod.close()));
    },
  };
}

function startPod(share: number, random: Random, shown: Map<string, number>): Promise<MockBackend> {
  return startMockBackend({
    record: false,
    modelsStatus: () => (chance(random, BAD_PING) ? 500 : 200),
    reply: (request) => {
      const { name, reply } = pick(random, chance(random, share) ? misbehaviours : goodBehaviours);
      count(shown, name);
      return reply(request, random);
    },
  });
}

/** One way to answer. */
interface Behaviour {
  readonly name: string;
  reply(request: MockRequest, random: Random): MockReply;
}

const WORDS_MAX = 12;
const MANY_FRAMES = 300;
const HUGE_PIECE = 'a wave and another wave '.repeat(2000);

/** Answers that a caller can be charged for. */
const goodBehaviours: readonly Behaviour[] = [
  { name: 'good', reply: (request, random) => canned(request, random, 0) },
  { name: 'good', reply: (request, random) => canned(request, random, 20) },
  { name: 'slow', reply: (request, random) => canned(request, random, 150) },
  { name: 'recorded', reply: (_, random) => ({ writes: [pick(random, backendStreams).text] }) },
];

/** Everything that a pod should not do. */
const misbehaviours: readonly Behaviour[] = [
  { name: 'reset at once', reply: () => ({ writes: [], instead: 'reset' }) },
  { name: 'no answer', reply: () => ({ writes: [], instead: 'hang' }) },
  { name: 'reset in mid-stream', reply: (request, random) => begun(request, random, 'reset') },
  { name: 'silence in mid-stream', reply: (request, random) => begun(request, random, 'hang') },
  { name: 'end in mid-stream', reply: (request, random) => begun(request, random, 'end') },
  { name: 'garbage', reply: (_, random) => garbage(random) },
  { name: '500 that echoes prompt and key', reply: echoingError },
  { name: 'refusal with internal names', reply: () => errorReply(400, 'see http://gpu-7.internal:8000/v1 for limits') },
  { name: 'no room', reply: (_, random) => errorReply(random.next() < 0.5 ? 429 : 503, 'too many requests') },
  {
    name: 'error in the stream',
    reply: () => streamOf([word('a '), { error: { message: 'out of memory', code: 500 } }]),
  },
  { name: 'wrong usage', reply: (_, random) => wrongUsage(random) },
  { name: 'no usage', reply: () => cannedReply({ usage: null }) },
  { name: 'huge answer', reply: hugeAnswer },
  { name: 'endless line', reply: () => ({ writes: Array.from({ length: 40 }, () => HUGE_PIECE), write: 'each' }) },
  { name: 'echoing answer', reply: (request) => streamOf([word(request.text), finish(), counted(1)]) },
  { name: 'more after the end', reply: () => afterTheEnd() },
  { name: 'broken tool call', reply: () => streamOf([toolCall('{"at":'), finish('tool_calls'), counted(3)]) },
];

function canned({ body }: MockRequest, random: Random, delayMs: number): MockReply {
  const cap = Number(body.max_tokens ?? body.max_completion_tokens ?? WORDS_MAX);
  const chunks = Math.max(1, Math.min(cap, Math.ceil(random.next() * WORDS_MAX)));
  return cannedReply({ chunks, write: delayMs === 0 ? 'together' : 'each', delayMs });
}

function begun(request: MockRequest, random: Random, after: 'reset' | 'hang' | 'end'): MockReply {
  const { writes } = canned(request, random, 0);
  return { writes: writes.slice(0, 1 + Math.floor(random.next() * (writes.length - 2))), after };
}

function garbage(random: Random): MockReply {
  const kinds: MockReply[] = [
    { writes: ['data: {"choices":[{"ind'] },
    { writes: [Buffer.from(Array.from({ length: 4000 }, () => Math.floor(random.next() * 256)))] },
    { writes: ['<!doctype html><h1>It works!</h1>'], contentType: 'text/html' },
    { writes: ['data: null\n\ndata: 7\n\ndata: "x"\n\ndata: [[]]\n\ndata: [DONE]\n\n'] },
    { writes: [frameOf({ choices: [{ index: -1, delta: 'x', finish_reason: {} }], usage: [] })] },
  ];
  return pick(random, kinds);
}

function echoingError({ text, headers }: MockRequest): MockReply {
  return errorReply(500, `cannot run ${text} for ${headers.authorization}`);
}

function wrongUsage(random: Random): MockReply {
  const usages: unknown[] = [
    usageOf({ prompt: -5, cached: 0, output: -1 }),
    usageOf({ prompt: 1e15, cached: 1e15, output: 1e15 }),
    usageOf({ prompt: 2, cached: 9, output: 3 }),
    usageOf({ prompt: 2.5, cached: 0.1, output: 3.7 }),
    { prompt_tokens: '12', completion_tokens: null, total_tokens: [] },
    'many',
  ];
  return cannedReply({ usage: pick(random, usages) as Record<string, unknown> });
}

function hugeAnswer(_: MockRequest, random: Random): MockReply {
  // Some of these are within the limit of the listing, most beyond it.
  const pieces = Math.ceil(random.next() * 20);
  const frames = [...Array.from({ length: pieces }, () => word(HUGE_PIECE)), finish(), counted(pieces)];
  return { ...streamOf(frames), write: 'each' };
}

function afterTheEnd(): MockReply {
  const { writes } = cannedReply({ chunks: 2 });
  const more = Array.from({ length: MANY_FRAMES }, () => frameOf(word('more ')));
  return { writes: [...writes, ...more, frameOf(finish()), frameOf(counted(999))] };
}

function word(content: string): object {
  return chunkOf({ content });
}

function finish(reason = 'stop'): object {
  return chunkOf({}, { finish_reason: reason });
}

function counted(output: number): object {
  return { ...chunkOf({}), choices: [], usage: usageOf({ prompt: 12, cached: 0, output }) };
}

function toolCall(text: string): object {
  return chunkOf({
    tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: text } }],
  });
}
