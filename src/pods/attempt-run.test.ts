import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { attemptRequest, podConfig, RecordingSink } from '#testing/pods.ts';
import { AttemptRun } from './attempt-run.ts';

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

function start(): AttemptRun {
  const config = podConfig(timeouts);
  const onUnbelievableUsage = () => doubts++;
  return new AttemptRun({ config, request: attemptRequest(), sink, clock, onUnbelievableUsage, stop: () => stops++ });
}

/** A chunk that arrives on its own. */
function arrive(run: AttemptRun, chunk: unknown): void {
  run.guard(() => run.chunk(chunk));
  run.deliver();
}

test('nothing at all: failed when the time for the first output is over', async () => {
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

test('silence: failed when the idle time has passed since the last chunk, wherever that fell', async () => {
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

test('an answer without end: failed when the total time is over', async () => {
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

test('silence after the finish_reason ends a whole answer', async () => {
  const run = start();
  arrive(run, text('a'));
  arrive(run, finish);
  assert.equal(sink.outcome, null);
  await clock.advance(300);
  assert.deepEqual(sink.outcome, { kind: 'complete', usage: null });
  assert.equal(stops, 1);
});

test('an error that comes after the finish_reason is believed', () => {
  const run = start();
  arrive(run, text('a'));
  arrive(run, finish);
  arrive(run, { error: { message: 'late' } });
  assert.deepEqual(sink.outcome, { kind: 'failed', reason: 'error in the stream: late' });
});

test('one timer is set for the whole attempt, and none is left after it', async () => {
  const run = start();
  for (let chunk = 0; chunk < 100; chunk++) arrive(run, text('a'));
  assert.equal(clock.pending, 1);
  arrive(run, finish);
  run.data('[DONE]');
  assert.equal(clock.pending, 0);
});

test('after the end nothing is told, whatever still comes', async () => {
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

test('usage that cannot be true is told and not used', async () => {
  const run = start();
  arrive(run, text('a', { usage: { prompt_tokens: 9_999_999, completion_tokens: 1 } }));
  arrive(run, finish);
  run.data('[DONE]');
  assert.equal(doubts, 1);
  assert.deepEqual(sink.outcome, { kind: 'complete', usage: null });
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

test('whatever reading a chunk throws fails the attempt, and the reason says where', () => {
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
  test(`a sink that throws ${when}: failed, told once`, () => {
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
