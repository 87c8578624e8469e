import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { attemptRequest, podConfig, RecordingSink } from '#testing/pods.ts';
import { AttemptRun } from './attempt-run.ts';
import type { PodConfig } from './pod.ts';

const timeouts = { firstTokenTimeoutMs: 1_000, idleTimeoutMs: 300, totalTimeoutMs: 2_000 };
const text = (content: string, rest: object = {}) => ({ choices: [{ index: 0, delta: { content }, ...rest }] });
const finish = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };

let clock: ManualClock;
let sink: RecordingSink;
let stops: number;
let doubts: number;

beforeEach(() => {
  clock = new ManualClock();
  sink = new RecordingSink();
  stops = 0;
  doubts = 0;
});

function start(own: Partial<PodConfig> = {}): AttemptRun {
  const config = podConfig({ ...timeouts, ...own });
  const onImplausibleUsage = () => doubts++;
  return new AttemptRun({ config, request: attemptRequest(), sink, clock, onImplausibleUsage, stop: () => stops++ });
}

/** A chunk that arrives alone. */
function arrive(run: AttemptRun, chunk: unknown): void {
  run.guard(() => run.chunk(chunk));
  run.deliver();
}

test('no output at all: failed when the first-output timeout is over', async () => {
  start();
  await clock.advance(999);
  assert.equal(sink.outcome, null);
  await clock.advance(1);
  assert.deepEqual(sink.outcome, { kind: 'failed', reason: 'no output after 1000 ms' });
  assert.equal(stops, 1);
});

test('chunks without output do not count as the first output', async () => {
  const run = start();
  await clock.advance(900);
  arrive(run, text(''));
  await clock.advance(100);
  assert.equal(sink.outcome?.kind, 'failed');
});

test('silence: failed when the idle timeout has passed since the last chunk, whenever that came', async () => {
  const run = start();
  for (const waitMs of [950, 299, 299, 10]) {
    await clock.advance(waitMs);
    arrive(run, text('a'));
  }
  await clock.advance(299);
  assert.equal(sink.outcome, null);
  await clock.advance(1);
  assert.deepEqual(sink.outcome, { kind: 'failed', reason: 'silent for 300 ms' });
});

test('an answer without end: failed when the total timeout is over', async () => {
  const run = start();
  for (let passed = 0; passed < 1_900; passed += 100) {
    arrive(run, text('a'));
    await clock.advance(100);
  }
  arrive(run, text('a'));
  await clock.advance(99);
  assert.equal(sink.outcome, null);
  await clock.advance(1);
  assert.deepEqual(sink.outcome, { kind: 'failed', reason: 'not finished after 2000 ms' });
});

test('silence after the finish_reason ends a complete answer', async () => {
  const run = start();
  arrive(run, text('a'));
  arrive(run, finish);
  assert.equal(sink.outcome, null);
  await clock.advance(300);
  assert.deepEqual(sink.outcome, { kind: 'complete', usage: null });
  assert.equal(stops, 1);
});

test('an error after the finish_reason does not fail the attempt, and usage may still follow', () => {
  const run = start();
  arrive(run, text('a'));
  arrive(run, finish);
  arrive(run, { error: { message: 'late' } });
  arrive(run, { choices: [], usage: { prompt_tokens: 3, completion_tokens: 1 } });
  run.data('[DONE]');
  assert.equal(sink.outcome?.kind === 'complete' && sink.outcome.usage?.promptTokens, 3);
});

test('one timer serves the whole attempt, and none is left after it', async () => {
  const run = start();
  for (let chunk = 0; chunk < 100; chunk++) arrive(run, text('a'));
  assert.equal(clock.pending, 1);
  arrive(run, finish);
  run.data('[DONE]');
  assert.equal(clock.pending, 0);
});

test('after the end nothing is passed on, whatever still arrives', async () => {
  const run = start();
  arrive(run, text('a'));
  run.abort();
  arrive(run, text('b'));
  run.data('not JSON');
  run.closed();
  run.fail('late');
  run.end({ kind: 'no-slot' }, true);
  await clock.advance(5_000);
  assert.deepEqual(sink.outcome, { kind: 'aborted', usage: null });
  assert.equal(sink.all.length, 1);
  assert.equal(stops, 1);
});

test('implausible usage is reported and not used', async () => {
  const run = start();
  arrive(run, text('a', { usage: { prompt_tokens: 9_999_999, completion_tokens: 1 } }));
  arrive(run, finish);
  run.data('[DONE]');
  assert.equal(doubts, 1);
  assert.deepEqual(sink.outcome, { kind: 'complete', usage: null });
});

test('chunks of output are counted where each holds a token, whatever is in them', () => {
  const call = { index: 0, id: 'a', function: { name: 'f', arguments: '{' } };
  const delta = (fields: object) => ({ choices: [{ index: 0, delta: fields }] });
  const begin = delta({ role: 'assistant', content: '' });
  const chunks = [begin, text('a'), text(''), text('long words'), delta({ tool_calls: [call] })];
  const complete = start({ tokenPerChunk: true });
  for (const chunk of [...chunks, text('', { finish_reason: 'stop' })]) arrive(complete, chunk);
  complete.data('[DONE]');
  assert.deepEqual(sink.outcome, { kind: 'complete', usage: null, outputChunks: 4 });
});

test('an aborted attempt knows its chunks', async () => {
  const run = start({ tokenPerChunk: true });
  arrive(run, text('a'));
  arrive(run, text('b'));
  run.abort();
  assert.deepEqual(await sink.end, { kind: 'aborted', usage: null, outputChunks: 2 });
});

const nested = (open: string, close: string, inner = '0') => `${open.repeat(20_000)}${inner}${close.repeat(20_000)}`;
const deepChunks = {
  'arguments of a call': `{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":${nested('{"a":', '}')}}}]}}]}`,
  'an error': nested('{"error":', '}', '"x"'),
  logprobs: `{"choices":[{"delta":{"content":"a"},"logprobs":{"content":${nested('[', ']')}}}]}`,
};

for (const [name, data] of Object.entries(deepChunks)) {
  test(`${name} nested 20,000 levels deep: failed, and nothing is thrown`, () => {
    const run = start();
    run.guard(() => run.data(data));
    run.deliver();
    assert.equal(sink.outcome?.kind, 'failed');
    assert.equal(sink.all.length, 0);
  });
}

test('any error while reading a chunk fails the attempt, and the reason says where', () => {
  const run = start();
  run.guard(() => {
    throw new RangeError('not foreseen');
  });
  assert.match(
    sink.outcome?.kind === 'failed' ? sink.outcome.reason : '',
    /^internal: RangeError: not foreseen\n +at /,
  );
  assert.equal(stops, 1);
});

for (const [when, arrives] of [
  ['with a batch', (run: AttemptRun) => arrive(run, text('a'))],
  ['with the last one', (run: AttemptRun) => run.guard(() => run.chunk(text('a', { finish_reason: 'stop' })))],
] as const) {
  test(`a sink that throws ${when}: failed, ended once`, () => {
    const run = start();
    sink.onEvents = () => {
      throw new Error('cannot be written');
    };
    arrives(run);
    run.closed();
    assert.match(sink.outcome?.kind === 'failed' ? sink.outcome.reason : '', /^internal: Error: cannot be written/);
    assert.equal(clock.pending, 0);
  });
}

test('an answer above its limit is a failure of the pod, after the output so far', () => {
  const config = podConfig({ answerBytesMax: 4 });
  const stop = () => stops++;
  const run = new AttemptRun({ config, request: attemptRequest(), sink, clock, onImplausibleUsage: () => {}, stop });
  arrive(run, text('abcd'));
  arrive(run, text('e'));
  assert.deepEqual(sink.outcome, { kind: 'failed', reason: 'the answer is larger than 4 bytes' });
  assert.deepEqual([sink.generation.text, stops], ['abcd', 1]);
});

test("a backend's words are repeated only while it is known what was sent", async () => {
  const saidOf = (promptBound: number, chunks: readonly string[]) => {
    const generation = { ...attemptRequest().generation, promptBound };
    let repeated = '';
    const run = new AttemptRun({
      ...{ config: podConfig(timeouts), request: attemptRequest({}, { generation }), sink: new RecordingSink(), clock },
      onImplausibleUsage: () => {},
      onComplaint: (_order, said) => {
        repeated = said();
      },
      stop: () => {},
    });
    for (const chunk of chunks) arrive(run, text(chunk));
    run.fail('it failed', { said: 'out of memory' });
    return repeated;
  };
  assert.equal(saidOf(4_000, []), 'out of memory');
  assert.equal(saidOf(4_000, ['Hi']), '[redacted]');
  assert.equal(saidOf(4_000_000, []), '[redacted]');
});
