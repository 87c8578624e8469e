/** Orders of other gateways are followed page by page; what cannot be reached any more is cut. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { wholeAccount } from '#base/reach.ts';
import { OrderStream, type Rendering, type StreamPage } from '#orders/order-stream.ts';
import type { GenerationEvent } from '#results/generation.ts';
import { CANNED_ORDER, cannedAnswer } from '#testing/canned-generations.ts';
import { joinedCalls } from '#testing/joined-calls.ts';
import { forwardedFollowing, OVER_MS, PAGE_WAIT_MS, SEAT_MS } from './following.ts';

const FACTS = { orderId: CANNED_ORDER, kind: 'chat', model: 'tide', createdAtMs: 1, promptEstimate: 7 } as const;
const says = (text: string): GenerationEvent => ({ type: 'text-delta', text });

/** Gateway 1 runs the order, gateway 2 is asked for it. */
async function gateways(rendering: Rendering = () => ({ includeUsage: true })) {
  const joined = await joinedCalls(2);
  const stream = new OrderStream(rendering, false);
  const following = (self: number) =>
    forwardedFollowing({
      ...{ self, clock: joined.clock, calls: joined.calls(self), isHere: () => self === 1 },
      homes: { ofOrders: async ({ accountId }, ids) => new Map(accountId === 'acc' ? ids.map((id) => [id, 1]) : []) },
      orders: { follow: ({ accountId }) => (accountId === 'acc' && self === 1 ? stream.follow(FACTS) : null) },
    });
  const [, second] = [following(1), following(2)];
  /** The outcome, after enough time for it on the way. */
  async function outcome<Answer>(answer: Promise<Answer>, ms = 100): Promise<Answer> {
    // Handled here at once, and thrown when it is waited for.
    answer.catch(() => {});
    await joined.clock.advance(ms);
    return answer;
  }
  const follow = () => outcome(Promise.resolve(second.follow(wholeAccount('acc'), 'order')));
  return { ...joined, stream, second, outcome, follow };
}

const textOf = ({ entries }: StreamPage) => entries.map((entry) => (entry?.type === 'text-delta' ? entry.text : '?'));

test('pages come from where the follower is, then what is new, then the end with its receipt', async () => {
  const { stream, outcome, follow } = await gateways();
  stream.add([says('a'), says('b')]);
  const order = await follow();
  assert.ok(order);
  assert.deepEqual([order.model, order.echo, order.restarted], ['tide', Buffer.from('{"includeUsage":true}'), false]);
  assert.ok((await follow())?.echo === order.echo);
  assert.deepEqual(textOf(await outcome(order.next(1, false))), ['b']);
  assert.deepEqual(await outcome(order.next(2, false)), { entries: [], end: null });
  const next = order.next(2, true);
  await outcome(Promise.resolve(), 2 * PAGE_WAIT_MS);
  stream.add([says('c')]);
  assert.deepEqual(textOf(await outcome(next)), ['c']);
  const canned = cannedAnswer({ name: 'nothing', batches: [] });
  const bound = { maxCharge: 5n, reached: true };
  const answer = { ...canned, receipt: { ...canned.receipt, bound } };
  stream.ended({ status: 'done', answer });
  const { end } = await outcome(order.next(3, true));
  assert.deepEqual(end, { status: 'done', answer });
});

test('what a large request asked to be repeated comes as it is, once for all who follow', async () => {
  const json = Buffer.from('{"instructions":"Größe 🌊"}');
  const { follow } = await gateways(json);
  const [first, second] = [await follow(), await follow()];
  assert.deepEqual(first?.echo, json);
  assert.ok(first?.echo === second?.echo);
});

test('the fault of an order that failed is that of its own gateway', async () => {
  const { stream, outcome, follow } = await gateways();
  const order = await follow();
  stream.ended({ status: 'expired', fault: new Fault('order_expired', { message: 'Too late.' }) });
  const page = await outcome(order?.next(0, true) ?? Promise.reject());
  assert.ok(page.end && page.end !== 'cut' && page.end.status === 'expired');
  assert.deepEqual([page.end.fault.code, page.end.fault.message], ['order_expired', 'Too late.']);
});

test('a refusal of the other gateway is that of its order, and nobody else finds it', async () => {
  const { stream, outcome, follow, second } = await gateways();
  for (let seat = 0; seat < 8; seat++) stream.follow(FACTS);
  await assert.rejects(follow(), { code: 'rate_limit_error', retryAfterS: 1 });
  assert.equal(await outcome(Promise.resolve(second.follow(wholeAccount('other'), 'order'))), null);
});

test('a follower who leaves, or asks for nothing any more, gives up its seat', async () => {
  const { stream, outcome, follow, clock } = await gateways();
  const seats = () => {
    const taken = [];
    for (;;) {
      try {
        taken.push(stream.follow(FACTS));
      } catch {
        for (const one of taken) one.close();
        return taken.length;
      }
    }
  };
  const order = await follow();
  assert.equal(seats(), 7);
  const waiting = order?.next(0, true);
  order?.close();
  assert.deepEqual(await outcome(waiting ?? Promise.reject()), { entries: [], end: 'cut' });
  assert.equal(seats(), 8);
  const forgotten = await follow();
  await clock.advance(SEAT_MS + 100);
  assert.equal(seats(), 8);
  assert.deepEqual(await outcome(forgotten?.next(0, true) ?? Promise.reject()), { entries: [], end: 'cut' });
});

test('one who is behind for long after the end is cut, and can go on from the stored result', async () => {
  const { stream, outcome, follow, clock } = await gateways();
  const order = await follow();
  for (let word = 0; word < 1000; word++) stream.add([says('.')]);
  stream.ended({ status: 'error', fault: new Fault('backend_error') });
  assert.equal((await outcome(order?.next(0, true) ?? Promise.reject())).entries.length, 256);
  await clock.advance(OVER_MS - 1000);
  assert.equal((await outcome(order?.next(256, true) ?? Promise.reject())).entries.length, 256);
  await clock.advance(1000);
  assert.deepEqual(await outcome(order?.next(512, true) ?? Promise.reject()), { entries: [], end: 'cut' });
});

test('followers are cut when their own gateway closes, and when the other one cannot be reached', async () => {
  const { outcome, follow, second, network } = await gateways();
  const closing = (await follow())?.next(0, true);
  second.close();
  assert.deepEqual(await outcome(closing ?? Promise.reject()), { entries: [], end: 'cut' });
  const parted = (await follow())?.next(0, true);
  network.isolate(1);
  assert.deepEqual(await outcome(parted ?? Promise.reject(), 10_000), { entries: [], end: 'cut' });
});
