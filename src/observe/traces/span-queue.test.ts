import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { type Log, silentLog } from '#base/log.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { SpanQueue } from './spans.ts';

type Answer = Parameters<SpanExporter['export']>[1];

const span = {} as ReadableSpan;

function queueWith(exporter: Partial<SpanExporter> = {}) {
  const clock = new ManualClock();
  const lines: string[] = [];
  const log: Log = {
    ...silentLog,
    info: (_, sentence) => void lines.push(`info ${sentence}`),
    warn: (_, sentence) => void lines.push(`warn ${sentence}`),
  };
  /** The sizes of the exports so far, and what answers each. */
  const exports: { readonly spans: number; readonly answer: Answer }[] = [];
  const queue = new SpanQueue({
    exporter: {
      export: (spans, answer) => void exports.push({ spans: spans.length, answer }),
      shutdown: async () => {},
      ...exporter,
    },
    clock,
    log,
  });
  const end = (spans: number) => {
    for (let at = 0; at < spans; at++) queue.onEnd(span);
  };
  return { queue, clock, lines, exports, end };
}

const LOST = 'warn Traces are lost: the collector does not take them. Orders go on.';

test('spans wait five seconds for others, and are exported at once when there are 512', async () => {
  const { clock, exports, end, queue } = queueWith();
  end(2);
  await clock.advance(4_999);
  assert.equal(exports.length, 0);
  await clock.advance(1);
  assert.equal(exports[0]?.spans, 2);
  exports[0]?.answer({ code: 0 });
  end(512);
  assert.equal(exports[1]?.spans, 512);
  exports[1]?.answer({ code: 0 });
  assert.deepEqual(queue.counts, { sent: 514, failed: 0, dropped: 0 });
  assert.equal(clock.pending, 0);
});

test('one export runs at a time; beyond 2048 that wait, spans are dropped and counted', () => {
  const { exports, end, queue, lines } = queueWith();
  end(512 + 2048 + 10);
  assert.equal(exports.length, 1);
  assert.deepEqual(queue.counts, { sent: 0, failed: 0, dropped: 10 });
  assert.deepEqual(lines, [LOST]);
  exports[0]?.answer({ code: 0 });
  assert.equal(exports[1]?.spans, 512);
});

test('a collector that fails costs one line, and one when it is back', async () => {
  const { clock, exports, end, queue, lines } = queueWith();
  for (const code of [1, 1, 1, 0, 0]) {
    end(3);
    await clock.advance(5_000);
    exports.at(-1)?.answer(code === 0 ? { code } : { code, error: new Error('refused') });
  }
  assert.deepEqual(lines, [LOST, 'info The collector takes traces again.']);
  assert.deepEqual(queue.counts, { sent: 6, failed: 9, dropped: 0 });
});

test('an exporter that throws has failed', () => {
  const { end, queue, lines } = queueWith({
    export: () => {
      throw new Error('no');
    },
  });
  end(512);
  assert.deepEqual(queue.counts, { sent: 0, failed: 512, dropped: 0 });
  assert.deepEqual(lines, [LOST]);
});

test('closing exports what waits, batch by batch', async () => {
  const { clock, exports, end, queue } = queueWith();
  end(600);
  const closed = queue.close(3_000);
  exports[0]?.answer({ code: 0 });
  exports[1]?.answer({ code: 0 });
  await closed;
  assert.deepEqual(queue.counts, { sent: 600, failed: 0, dropped: 0 });
  assert.equal(clock.pending, 0);
});

test('closing gives up at its limit, and after it nothing waits', async () => {
  const { clock, exports, end, queue } = queueWith({ shutdown: () => new Promise(() => {}) });
  end(600);
  const closed = queue.close(3_000);
  await clock.advance(3_000);
  await closed;
  assert.deepEqual([exports.length, queue.counts.dropped], [1, 88]);
  assert.equal(clock.pending, 0);
  // What comes too late is counted, and begins nothing.
  exports[0]?.answer({ code: 1 });
  end(1);
  await clock.advance(60_000);
  assert.deepEqual([exports.length, queue.counts.dropped, clock.pending], [1, 89, 0]);
});

test('closing without spans is over at once', async () => {
  const { clock, queue } = queueWith();
  await queue.close(3_000);
  assert.equal(clock.pending, 0);
});
