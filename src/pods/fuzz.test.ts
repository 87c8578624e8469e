/** Whatever bytes or chunks a backend sends, an attempt ends once and nothing throws. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { backendStreams } from '#testing/backend-streams.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { chunkOf, frameOf, type MockReply, startMockBackend } from '#testing/mock-backend.ts';
import { oddStreams } from '#testing/odd-streams.ts';
import { attemptRequest, podConfig, RecordingSink } from '#testing/pods.ts';
import { AttemptRun } from './attempt-run.ts';
import { Backend } from './backend.ts';
import { EventStreamReader } from './event-stream.ts';

/** Reads these pieces as an attempt would, to the end of the stream. */
async function read(pieces: readonly Uint8Array[]): Promise<RecordingSink> {
  const clock = new ManualClock();
  const sink = new RecordingSink();
  const run = new AttemptRun({
    config: podConfig(),
    request: attemptRequest({}, { outputCap: 20 }),
    sink,
    clock,
    onImplausibleUsage: () => {},
    stop: () => {},
  });
  const stream = new EventStreamReader((data) => run.data(data));
  for (const piece of pieces) {
    run.guard(() => stream.feed(Buffer.from(piece)));
    run.deliver();
  }
  run.guard(() => stream.end());
  run.closed();
  await sink.end;
  assert.equal(clock.pending, 0);
  return sink;
}

/** Holds for every attempt: finish comes last, once, and only in a complete one; deltas stay within the cap. */
function assertOrderly(sink: RecordingSink): void {
  const finishes = sink.all.filter((event) => event.type === 'finish').length;
  assert.equal(finishes, sink.outcome?.kind === 'complete' ? 1 : 0);
  if (finishes === 1) assert.equal(sink.all.at(-1)?.type, 'finish');
  const deltas = sink.all.filter((event) => event.type !== 'logprobs' && event.type !== 'finish');
  assert.ok(deltas.length <= 20);
  for (const delta of deltas) {
    const text = 'text' in delta ? delta.text : 'fragment' in delta ? delta.fragment : delta.id;
    assert.ok(text !== '' && text.isWellFormed());
  }
  // The result can be serialized: no part of it is too deep.
  JSON.stringify(sink.all);
}

/** Placeholders for values nested too deeply for a recursive walk; inserted as text, which nothing has to walk. */
const deepValues = {
  '@list': `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  '@error': `${'{"error":'.repeat(20_000)}0${'}'.repeat(20_000)}`,
};
const frameWithDeepValues = (chunk: unknown) =>
  frameOf(chunk).replaceAll(/"(@list|@error)"/g, (_, name: keyof typeof deepValues) => deepValues[name]);

/** Chunks that are nearly valid: any part may be missing, null or of another type. */
const odd = fc.oneof(
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom(...Object.keys(deepValues)) },
);
const perhaps = <T>(right: fc.Arbitrary<T>) =>
  fc.option(fc.oneof({ weight: 8, arbitrary: right }, { weight: 1, arbitrary: odd }), { nil: undefined });
const text = fc.string({ unit: 'binary', maxLength: 4 });
const written = fc.oneof(text, fc.constantFrom('{}', '{"a"', ':1}', '{"a":1}', 'null'));
const call = fc.record({
  index: perhaps(fc.nat(2)),
  id: perhaps(fc.constantFrom('a', 'b', '')),
  function: perhaps(fc.record({ name: perhaps(fc.constantFrom('f', 'g')), arguments: perhaps(written) })),
});
const delta = fc.record({
  role: perhaps(fc.constant('assistant')),
  content: perhaps(text),
  reasoning: perhaps(text),
  tool_calls: perhaps(fc.array(call, { maxLength: 2 })),
});
const count = perhaps(fc.nat(10_000));
const chunk = fc.record({
  choices: perhaps(
    fc.array(
      fc.record({
        delta: perhaps(delta),
        logprobs: perhaps(fc.record({ content: perhaps(fc.array(odd, { maxLength: 2 })) })),
        finish_reason: perhaps(fc.constantFrom('stop', 'length', 'tool_calls', 'error', 'odd')),
      }),
      { maxLength: 1 },
    ),
  ),
  error: fc.option(odd, { freq: 20, nil: undefined }),
  usage: perhaps(fc.record({ prompt_tokens: count, completion_tokens: count })),
});

test('chunks of any shape end an attempt once, in order and within the cap', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 8 }), async (chunks) => {
      assertOrderly(await read(chunks.map((one) => Buffer.from(frameWithDeepValues(one)))));
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('recorded streams with damaged bytes end an attempt once, in order and within the cap', async () => {
  const damage = fc.record({
    stream: fc.constantFrom(...backendStreams, ...oddStreams),
    place: fc.double({ min: 0, max: 0.999, noNaN: true }),
    bytes: fc.uint8Array({ maxLength: 4 }),
    drop: fc.nat(60),
  });
  await fc.assert(
    fc.asyncProperty(damage, async ({ stream, place, bytes, drop }) => {
      const whole = Buffer.from(stream.text);
      const at = Math.floor(place * whole.length);
      assertOrderly(await read([whole.subarray(0, at), bytes, whole.subarray(at + drop)]));
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('bytes of any kind over HTTP leave the pod able to serve the next attempt', async () => {
  const replies = fc.sample(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 3 }), { numRuns: 30, seed: 7 });
  for (const odd of Object.keys(deepValues))
    for (const chunk of [{ error: odd }, { choices: [{ delta: { content: 'a' }, logprobs: { content: [odd] } }] }])
      replies.push([Buffer.from(frameWithDeepValues(chunk))]);
  const good: MockReply = { writes: [frameOf(chunkOf({ content: 'a' }, { finish_reason: 'stop' }))] };
  const reply = (_: unknown, nth: number): MockReply => (nth % 2 === 0 ? { writes: replies[nth / 2] ?? [] } : good);
  const mock = await startMockBackend({ reply });
  const clock = new ManualClock();
  const pod = new Backend(podConfig({ url: mock.url }), {
    clock,
    onImplausibleUsage: () => {},
    onConnectionRefused: () => {},
  });
  for (let round = 0; round < replies.length; round++) {
    const outcomes: string[] = [];
    for (let turn = 0; turn < 2; turn++) {
      const sink = new RecordingSink();
      pod.execute(attemptRequest(), sink);
      outcomes.push((await sink.end).kind);
    }
    assert.deepEqual(outcomes, ['failed', 'complete']);
  }
  await pod.close();
  await mock.close();
});
