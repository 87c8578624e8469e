import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import type { GenerationEvent } from '#results/generation.ts';
import { CANNED_ORDER, cannedAnswer } from '#testing/canned-generations.ts';
import { FOLLOWERS_MAX, OrderStream } from './order-stream.ts';

const FACTS = { orderId: CANNED_ORDER, kind: 'chat', model: 'tide', createdAtMs: 1, promptEstimate: 7 } as const;
const says = (text: string): GenerationEvent => ({ type: 'text-delta', text });
const streamOf = () => new OrderStream(() => ({ includeUsage: true }), false);

test('a follower gets what is there, then waits for what comes, then the end', async () => {
  const stream = streamOf();
  stream.add([says('a'), says('b')]);
  const follower = stream.follow(FACTS);
  assert.deepEqual(follower.echo, { includeUsage: true });
  assert.deepEqual(await follower.next(0, true), { entries: [says('a'), says('b')], end: null });
  assert.deepEqual(await follower.next(2, false), { entries: [], end: null });
  const next = follower.next(2, true);
  stream.add([says('c')]);
  assert.deepEqual(await next, { entries: [says('c')], end: null });
  const last = follower.next(3, true);
  const end = { status: 'done', answer: cannedAnswer({ name: 'nothing', batches: [] }) } as const;
  stream.ended(end);
  assert.deepEqual(await last, { entries: [], end });
});

test('one who is behind reads on after the end, page by page', async () => {
  const stream = streamOf();
  const follower = stream.follow(FACTS);
  for (let word = 0; word < 1000; word++) stream.add([says(`${word} `)]);
  stream.ended({ status: 'error', fault: new Fault('backend_error') });
  let read = 0;
  for (let ended = false; !ended; ) {
    const { entries, end } = await follower.next(read, true);
    assert.ok(entries.length > 0 && entries.length <= 256);
    read += entries.length;
    ended = end !== null;
  }
  assert.equal(read, 1000);
});

test('a page does not part logprobs from their text', async () => {
  const stream = streamOf();
  const follower = stream.follow(FACTS);
  for (let word = 0; word < 255; word++) stream.add([says('.')]);
  stream.add([says('x'), { type: 'logprobs', content: [1] }]);
  const { entries } = await follower.next(0, true);
  assert.equal(entries.length, 257);
});

test('an end that is only this gateway’s cuts its followers, and so does an attempt that starts over behind them', async () => {
  const closing = streamOf();
  const follower = closing.follow(FACTS);
  closing.ended({ status: 'canceled', fault: new Fault('unavailable') });
  assert.deepEqual(await follower.next(0, true), { entries: [], end: 'cut' });
  const again = streamOf();
  const [behind, waiting] = [again.follow(FACTS), again.follow(FACTS)];
  again.add([{ type: 'logprobs', content: [] }]);
  for (const one of [behind, waiting]) assert.equal((await one.next(0, true)).entries.length, 1);
  const next = waiting.next(1, true);
  again.startOver();
  // Its place is not one of the next attempt, however much that writes before it is looked for again.
  again.add([says('a'), says('b')]);
  assert.deepEqual(await next, { entries: [], end: 'cut' });
  assert.deepEqual(await behind.next(1, true), { entries: [], end: 'cut' });
  assert.deepEqual((await again.follow(FACTS).next(0, true)).entries, [says('a'), says('b')]);
});

test('keepalives that the caller got with a number stay when an attempt starts over', async () => {
  const stream = streamOf();
  const follower = stream.follow(FACTS);
  stream.progressed();
  stream.startOver();
  assert.deepEqual(await follower.next(0, true), { entries: [{ type: 'progress' }], end: null });
  stream.add([{ type: 'logprobs', content: [] }]);
  stream.progressed();
  stream.startOver();
  assert.equal(stream.entries.length, 2);
});

test('what an order repeats of its request is in memory once for all its followers, as it came', () => {
  for (const rendering of [Buffer.from('{"instructions":"Be brief."}'), { includeUsage: true }]) {
    const stream = new OrderStream(Buffer.isBuffer(rendering) ? rendering : () => rendering, false);
    for (let follower = 0; follower < 2; follower++) assert.ok(stream.follow(FACTS).echo === rendering);
  }
});

test('what is sent costs each event and what each keepalive repeats; once the order has ended its followers hold it', () => {
  const stream = streamOf();
  const echoBytes = '{"includeUsage":true}'.length;
  const first = stream.follow(FACTS);
  stream.add([says('a'.repeat(1000))]);
  stream.progressed();
  assert.equal(stream.follow(FACTS).toldBytes - first.toldBytes, 1000 + 100 + (1000 + echoBytes + 100));
  assert.equal(first.heldBytes(), 0);
  stream.ended({ status: 'error', fault: new Fault('backend_error') });
  assert.equal(first.heldBytes(), 1100);
});

test('an order has so many followers at a time, and one who leaves is let go even while it waits', async () => {
  const stream = streamOf();
  const seats = Array.from({ length: FOLLOWERS_MAX }, () => stream.follow(FACTS));
  assert.throws(() => stream.follow(FACTS), { code: 'rate_limit_error', retryAfterS: 1 });
  const waiting = seats[0]?.next(0, true);
  seats[0]?.close();
  seats[0]?.close();
  assert.deepEqual(await waiting, { entries: [], end: 'cut' });
  stream.follow(FACTS);
  assert.throws(() => stream.follow(FACTS), { code: 'rate_limit_error' });
});

test('what its request asked to be repeated is not known after a restart', () => {
  const stream = new OrderStream(null, true);
  const { echo, restarted } = stream.follow(FACTS);
  assert.deepEqual([echo, restarted], [undefined, true]);
});
