import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { REPEATED } from '#base/repeated-bytes.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { EventStream, FlushTimer, UnreadBytes } from './event-stream.ts';

/** A stream on a response that only records its calls. */
function noted(repeated?: Uint8Array) {
  const clock = new ManualClock();
  const writes: (string | Uint8Array)[] = [];
  const waiting: (() => void)[] = [];
  const read = () => {
    for (const run of waiting.splice(0)) run();
  };
  const response = {
    destroyed: false,
    writableNeedDrain: false,
    writableLength: 0,
    on: () => response,
    once: (_event: 'drain', run: () => void) => void waiting.push(run),
    off: () => response,
    flushHeaders: () => void writes.push('head'),
    write: (text: string | Uint8Array) => void writes.push(text),
    end: (text: string) => void writes.push(`${text} and the end`),
    destroy() {
      response.destroyed = true;
    },
  };
  const unread = new UnreadBytes(Number.POSITIVE_INFINITY, silentLog);
  const stream = new EventStream(response as unknown as ServerResponse, {
    unread,
    repeated,
    flushTimer: new FlushTimer(clock, 4),
  });
  return { clock, writes, response, stream, read };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('the headers wait for the first text, but not for long', async () => {
  const talking = noted();
  talking.stream.write('a');
  talking.stream.write('b');
  await nextTurn();
  assert.deepEqual(talking.writes, ['ab']);
  const silent = noted();
  await silent.clock.advance(16);
  assert.deepEqual(silent.writes, []);
  await silent.clock.advance(4);
  assert.deepEqual(silent.writes, ['head']);
});

test('held text is sent with the next write', async () => {
  const { clock, writes, stream } = noted();
  stream.hold('a');
  await clock.advance(12);
  assert.deepEqual(writes, []);
  stream.write('b');
  await nextTurn();
  assert.deepEqual(writes, ['ab']);
});

test('held text is sent with the end, or after a while without it', async () => {
  const quick = noted();
  quick.stream.write('a');
  await nextTurn();
  quick.stream.hold('b');
  await quick.clock.advance(12);
  quick.stream.end('c');
  assert.deepEqual(quick.writes, ['a', 'bc and the end']);
  const slow = noted();
  slow.stream.hold('a');
  await slow.clock.advance(20);
  slow.stream.end('b');
  assert.deepEqual(slow.writes, ['a', 'b and the end']);
});

test('a stream that was silent writes at once, and what follows closely is gathered', async () => {
  const { clock, writes, stream } = noted();
  await clock.advance(100);
  stream.write('a');
  stream.write('b');
  await nextTurn();
  assert.deepEqual(writes, ['head', 'ab']);
  stream.write('c');
  await clock.advance(3);
  stream.write('d');
  assert.deepEqual(writes, ['head', 'ab']);
  await clock.advance(1);
  assert.deepEqual(writes, ['head', 'ab', 'cd']);
});

test('text that comes slowly is never delayed', async () => {
  const { clock, writes, stream } = noted();
  for (const word of ['a', 'b', 'c']) {
    await clock.advance(8);
    stream.write(word);
    await nextTurn();
    assert.equal(writes.at(-1), word);
  }
});

test('a large text is written at once', async () => {
  const { writes, stream } = noted();
  const much = 'x'.repeat(100_000);
  stream.write(much);
  stream.hold(much);
  assert.deepEqual(writes, [much, much]);
});

test('once held text is sent, what follows closely is gathered again', async () => {
  const { clock, writes, stream } = noted();
  stream.write('a');
  stream.hold('b');
  await nextTurn();
  stream.write('c');
  await nextTurn();
  assert.deepEqual(writes, ['ab']);
  await clock.advance(4);
  assert.deepEqual(writes, ['ab', 'c']);
});

test('the end is written at once, together with what waits', async () => {
  const { clock, writes, stream } = noted();
  stream.write('a');
  stream.end('b');
  assert.deepEqual(writes, ['ab and the end']);
  await clock.advance(100);
  assert.equal(writes.length, 1);
});

test('nothing is written after the caller has disconnected', async () => {
  const { clock, writes, response, stream } = noted();
  stream.write('a');
  response.destroyed = true;
  await clock.advance(20);
  stream.hold('b');
  assert.deepEqual([writes, stream.write('c'), clock.pending], [[], false, 0]);
});

test('a caller who is too far behind is cut off at the next write', async () => {
  const { response, stream, writes } = noted();
  response.writableLength = 9 * 1024 * 1024;
  stream.write('a');
  await nextTurn();
  assert.deepEqual([response.destroyed, writes], [true, []]);
});

test('what a caller has not read gathers, until it reads or there is much', async () => {
  const { response, stream, writes, read } = noted();
  response.writableNeedDrain = true;
  for (const text of ['a', 'b']) {
    stream.write(text);
    await nextTurn();
  }
  assert.deepEqual(writes, []);
  response.writableNeedDrain = false;
  read();
  assert.deepEqual(writes, ['ab']);
  response.writableNeedDrain = true;
  stream.write('x'.repeat(70_000));
  assert.equal(writes.length, 2);
});

test('a caller who has read everything is sent any amount', async () => {
  const { response, stream, writes } = noted();
  stream.write('x'.repeat(9 * 1024 * 1024));
  await nextTurn();
  assert.deepEqual([response.destroyed, writes.length], [false, 1]);
});

test('a text with a mark is written at once, with the very bytes in its place and behind what waited', () => {
  const bytes = Buffer.from('large');
  const { stream, writes } = noted(bytes);
  stream.hold('a');
  assert.deepEqual(writes, []);
  stream.hold(`b${REPEATED}c`);
  stream.write(`d${REPEATED}e`);
  assert.deepEqual(writes, ['ab', bytes, 'c', 'd', bytes, 'e']);
  assert.ok(writes[1] === bytes);
});

test('the end may have marks, and without bytes to repeat it is one write', () => {
  const bytes = Buffer.from('large');
  const repeating = noted(bytes);
  repeating.stream.hold('a');
  repeating.stream.end(`b${REPEATED}c${REPEATED}d`);
  assert.deepEqual(repeating.writes, ['ab', bytes, 'c', bytes, 'd', ' and the end']);
  const plain = noted();
  plain.stream.end(`b${REPEATED}c`);
  assert.deepEqual(plain.writes, [`b${REPEATED}c and the end`]);
});

test('other text of a stream that repeats bytes is gathered', async () => {
  const { clock, stream, writes } = noted(Buffer.from('large'));
  stream.hold('a');
  stream.write('b');
  await nextTurn();
  stream.write('c');
  await nextTurn();
  await clock.advance(4);
  assert.deepEqual(writes, ['ab', 'c']);
});

test('repeated bytes never gather for a caller who does not read: it is cut off once too much is unread', () => {
  const bytes = Buffer.from('large');
  const { response, stream, writes } = noted(bytes);
  response.writableNeedDrain = true;
  stream.write(`a${REPEATED}b`);
  assert.deepEqual(writes, ['a', bytes, 'b']);
  response.writableLength = 9 * 1024 * 1024;
  stream.write(`c${REPEATED}d`);
  assert.deepEqual([response.destroyed, writes.length], [true, 3]);
});
