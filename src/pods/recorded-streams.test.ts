import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { recordedStreams } from '#testing/backend-streams.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { startMockBackend } from '#testing/mock-backend.ts';
import { attemptRequest, podConfig, RecordingSink } from '#testing/pods.ts';
import { Backend } from './backend.ts';

describe('what a real engine wrote, sent again over HTTP', () => {
  for (const { name, text, answer, usage, outputChunks } of recordedStreams)
    test(name, async (t) => {
      const writes = text.split(/(?<=\n\n)/);
      const mock = await startMockBackend({ reply: { writes, write: 'each' } });
      const options = {
        clock: new ManualClock(),
        onImplausibleUsage: () => assert.fail(),
        onConnectionRefused: () => {},
      };
      const pod = new Backend(podConfig({ url: mock.url, tokenPerChunk: true }), options);
      t.after(async () => {
        await pod.close();
        await mock.close();
      });
      const sink = new RecordingSink();
      pod.execute(attemptRequest(), sink);
      assert.deepEqual(await sink.end, { kind: 'complete', usage, outputChunks });
      const { toolCalls, finishReason } = sink.generation;
      assert.equal(sink.generation.text, answer.text ?? '');
      assert.deepEqual([toolCalls, finishReason], [answer.toolCalls ?? [], answer.finishReason]);
    });
});
