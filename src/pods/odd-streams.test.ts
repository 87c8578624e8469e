import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AttemptOutcome } from '#orders/ports.ts';
import type { Generation } from '#results/generation.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { failedStreams, oddStreams } from '#testing/odd-streams.ts';
import { attemptRequest, podConfig, RecordingSink } from '#testing/pods.ts';
import { AttemptRun } from './attempt-run.ts';
import { EventStreamReader } from './event-stream.ts';

/** What an attempt reads when a stream arrives in these pieces. */
async function read(...pieces: Buffer[]): Promise<{ outcome: AttemptOutcome; generation: Generation }> {
  const sink = new RecordingSink();
  const run = new AttemptRun({
    config: podConfig(),
    request: attemptRequest(),
    sink,
    clock: new ManualClock(),
    onImplausibleUsage: () => assert.fail('The usage is plausible.'),
    stop: () => {},
  });
  const stream = new EventStreamReader((data) => run.data(data));
  for (const piece of pieces) {
    run.guard(() => stream.feed(piece));
    run.deliver();
  }
  run.guard(() => stream.end());
  run.closed();
  return { outcome: await sink.end, generation: sink.generation };
}

describe('streams that break a rule are read as they are meant, at once and byte by byte', () => {
  for (const { name, text, answer, usage } of oddStreams)
    test(name, async () => {
      const bytes = Buffer.from(text);
      const single = [...bytes].map((byte) => Buffer.from([byte]));
      for (const pieces of [[bytes], single]) {
        const { outcome, generation } = await read(...pieces);
        assert.deepEqual(outcome, { kind: 'complete', usage });
        assert.equal(generation.text, answer.text ?? '');
        assert.equal(generation.reasoning, answer.reasoning ?? '');
        assert.deepEqual(generation.toolCalls, answer.toolCalls ?? []);
        assert.equal(generation.finishReason, answer.finishReason);
      }
    });
});

describe('streams without an answer fail the attempt', () => {
  for (const { name, text, reason } of failedStreams)
    test(name, async () => {
      const { outcome } = await read(Buffer.from(text));
      assert.ok(outcome.kind === 'failed');
      assert.match(outcome.reason, reason);
    });
});

test('an endless event behind the finish_reason does not fail the attempt', async () => {
  const finish = Buffer.from('data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\ndata: ');
  const { outcome } = await read(finish, ...Array.from({ length: 20 }, () => Buffer.alloc(1024 * 1024, 'x')));
  assert.deepEqual(outcome, { kind: 'complete', usage: null });
});
