import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import type { Ticket, Watcher } from '#orders/order-port.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { testRequest } from '#testing/order-service-bench.ts';
import { FailedRepeats } from './failed-repeats.ts';

/** An order that the test drives. */
function order(orderId: string, own: Partial<Ticket> = {}) {
  const watchers: Watcher[] = [];
  const ticket = { orderId, followable: false, join: () => true, watch: (one: Watcher) => watchers.push(one), ...own };
  return {
    ticket: ticket as unknown as Ticket,
    retried: () => watchers.forEach((one) => void one.retried?.()),
    failed: (fault: Fault) => watchers.forEach((one) => void one.ended({ status: 'error', fault })),
  };
}

const REQUEST = testRequest();

test('a request is answered by the order of the same one for so long after an attempt failed', async () => {
  const clock = new ManualClock();
  const repeats = new FailedRepeats(clock, 5000);
  const first = order('first');
  const begun = repeats.begin('key', REQUEST);
  assert.equal(begun.joined, null);
  begun.follow(first.ticket);
  assert.equal(repeats.begin('key', REQUEST).joined, null, 'no attempt has failed');
  first.retried();
  assert.equal(repeats.begin('key', REQUEST).joined, first.ticket);
  assert.equal(repeats.begin('key', { ...REQUEST, stream: true }).joined, first.ticket);
  assert.equal(repeats.begin('other', REQUEST).joined, null);
  await clock.advance(5000);
  assert.equal(repeats.begin('key', REQUEST).joined, null, 'the attempt failed long ago');
  first.failed(new Fault('backend_error'));
  const replayed = { code: 'backend_error', orderId: 'first' };
  assert.throws(() => repeats.begin('key', REQUEST), replayed);
  await clock.advance(5000);
  assert.equal(repeats.begin('key', REQUEST).joined, null);
});

test('an order that ended in another way is forgotten, and one of the same request is not', () => {
  const repeats = new FailedRepeats(new ManualClock(), 5000);
  const [first, second] = [order('first'), order('second')];
  for (const { ticket } of [first, second]) repeats.begin('key', REQUEST).follow(ticket);
  first.retried();
  second.retried();
  first.failed(new Fault('order_expired'));
  assert.equal(repeats.begin('key', REQUEST).joined, second.ticket);
  second.failed(new Fault('model_refused'));
  assert.equal(repeats.begin('key', REQUEST).joined, null);
});

test('an order that its callers left is not joined, nor by a stream one whose stream can be followed', () => {
  const repeats = new FailedRepeats(new ManualClock(), 5000);
  const left = order('left', { join: () => false });
  repeats.begin('key', REQUEST).follow(left.ticket);
  left.retried();
  assert.equal(repeats.begin('key', REQUEST).joined, null);
  const followed = order('followed', { followable: true });
  repeats.begin('key', REQUEST).follow(followed.ticket);
  followed.retried();
  assert.equal(repeats.begin('key', { ...REQUEST, stream: true }).joined, null);
  assert.equal(repeats.begin('key', REQUEST).joined, followed.ticket);
});
