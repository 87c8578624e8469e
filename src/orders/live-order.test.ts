/** What a ticket's watcher receives, whenever it attaches or leaves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';
import { LiveOrder } from './live-order.ts';
import type { Submission, Ticket } from './order-port.ts';

/** A running order that nobody watches yet. */
async function unwatched(request = testRequest()) {
  const bench = new OrderServiceBench();
  const { id, submission } = await bench.submit(request);
  await bench.admit(id);
  return { bench, ticket: ticketOf(await submission) };
}

function ticketOf(submission: Submission): Ticket {
  assert.ok(submission.type === 'order');
  return submission.ticket;
}

/** Watches, and records what arrives: texts, and how the order ended. */
function watched(ticket: Ticket): string[] {
  const seen: string[] = [];
  ticket.watch({
    events: (batch) => seen.push(...batch.map((event) => (event.type === 'text-delta' ? event.text : event.type))),
    ended: ({ status }) => seen.push(`ended ${status}`),
  });
  return seen;
}

test('a phase follows only those that the table allows, and the end follows any', async () => {
  const { bench, ticket } = await unwatched();
  assert.ok(ticket instanceof LiveOrder);
  for (const phase of ['opening', 'queued', 'admitting', 'executing', 'closing'] as const)
    assert.throws(() => ticket.moveTo(phase), /cannot go from executing to/);
  assert.deepEqual([ticket.phase, bench.orderService.counts().inflight], ['executing', 1]);
  ticket.moveTo('ended');
  assert.throws(() => ticket.moveTo('queued'), /cannot go from ended to queued/);
  assert.equal(bench.orderService.counts().queued, 0);
});

test('output is shown as it comes, and the end last', async () => {
  const { bench, ticket } = await unwatched();
  const seen = watched(ticket);
  bench.pods.last.say('one').say(' two').finish();
  await bench.settle();
  assert.deepEqual(seen, ['one', ' two', 'finish', 'ended done']);
});

test('a late watcher receives what was produced before, then what follows', async () => {
  const { bench, ticket } = await unwatched();
  bench.pods.last.say('one').say(' two');
  const seen = watched(ticket);
  assert.deepEqual(seen, ['one two']);
  bench.pods.last.say(' three');
  assert.deepEqual(seen, ['one two', ' three']);
});

test('a watcher that comes before any output is shown nothing yet', async () => {
  const { ticket } = await unwatched();
  assert.deepEqual(watched(ticket), []);
});

test('a watcher that comes after the end is shown the output and the end', async () => {
  const { bench, ticket } = await unwatched();
  bench.pods.last.say('one').finish();
  await bench.settle();
  assert.deepEqual(watched(ticket), ['one', 'ended done']);
});

test('a caller that left is shown nothing more, though its order goes on', async () => {
  const { bench, ticket } = await unwatched(testRequest({ detached: true }));
  const seen = watched(ticket);
  bench.pods.last.say('one');
  ticket.leave();
  bench.pods.last.say(' two').finish();
  await bench.settle();
  assert.deepEqual([seen, bench.row(ticket.orderId).status], [['one'], 'done']);
});

test('a caller that leaves twice ends its order once', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.waiting();
  ticket.leave();
  ticket.leave();
  await bench.settle();
  assert.equal(bench.sent('withdraw').length, 1);
});

test('two callers of one order are shown the same, and it ends early only when both have left', async () => {
  const { bench, ticket } = await unwatched();
  const first = watched(ticket);
  bench.pods.last.say('one');
  assert.equal(ticket.join(), true);
  const second = watched(ticket);
  ticket.leave();
  bench.pods.last.say(' two').finish();
  await bench.settle();
  assert.deepEqual(
    [first, second],
    [
      ['one', ' two', 'finish', 'ended done'],
      ['one', ' two', 'finish', 'ended done'],
    ],
  );
  assert.equal(ticket.join(), false);

  const waiting = await bench.waiting();
  assert.equal(waiting.join(), true);
  waiting.leave();
  assert.equal(bench.sent('withdraw').length, 0);
  waiting.leave();
  assert.equal(waiting.join(), false);
  await bench.settle();
  assert.equal(bench.sent('withdraw').length, 1);
});

test('an order that outlives its caller can be joined when that has left', async () => {
  const { bench, ticket } = await unwatched(testRequest({ detached: true }));
  ticket.leave();
  assert.equal(ticket.join(), true);
  const seen = watched(ticket);
  bench.pods.last.say('one').finish();
  await bench.settle();
  assert.deepEqual(seen, ['one', 'finish', 'ended done']);
});

test('an end is shown once, also when an uncertain settlement commits afterwards', async () => {
  const { bench, ticket } = await unwatched();
  const seen = watched(ticket);
  bench.journal.pause();
  bench.pods.last.say('one').finish();
  await bench.clock.advance(11_000);
  bench.journal.resume();
  await bench.settle();
  assert.deepEqual(seen, ['one', 'finish', 'ended error']);
});

test('an order that ended is no longer among the live orders', async () => {
  const { bench, ticket } = await unwatched();
  assert.equal(bench.orderService.ticket(ticket.orderId), ticket);
  bench.pods.last.finish();
  await bench.settle();
  assert.equal(bench.orderService.ticket(ticket.orderId), null);
});

test('a ticket says when its order last began to run, and nothing before that', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.waiting();
  assert.equal(ticket.admittedAtMs, 0);
  await bench.clock.advance(3000);
  await bench.admit(ticket.orderId);
  assert.equal(ticket.admittedAtMs, bench.clock.nowMs());
});
