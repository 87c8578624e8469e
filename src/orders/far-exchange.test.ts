/**
 * The order service and the exchange with a slow connection between them: messages are cloned and delayed, callers leave
 * and cancel at odd moments, pods fail, money runs short. Whatever happens, the books agree at the end, no pod was given
 * more orders than it has slots, and nothing is left hanging.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, seededRandom } from '#base/random.ts';
import { LocalExchange } from '#market/exchange/local-exchange.ts';
import { someQuotes } from '#testing/listings.ts';
import { benchListing, OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';
import { slowExchange } from '#testing/slow-exchange.ts';
import type { OrderEnd, Ticket } from './order-port.ts';

const PODS = [
  { pod: 'pod-1', slots: 3 },
  { pod: 'pod-2', slots: 2 },
];
const ORDERS = 150;

function farBench(seed: number) {
  const random = seededRandom(seed);
  const bench = new OrderServiceBench({
    exchange(clock) {
      const near = new LocalExchange({
        listings: [benchListing({ floor: 2e8 })],
        levelTimeConstantMs: 20_000,
        recovered: [],
        ...someQuotes(),
        clock,
      });
      for (const { pod, slots } of PODS) near.send({ type: 'capacity', model: 'tide', pod, slots, healthy: true });
      return slowExchange(near, { clock, random: seededRandom(seed + 1) });
    },
  });
  return { bench, random };
}

/** Plays the pods: each running attempt goes on a little, ends well, or fails in some way. */
function playPods(bench: OrderServiceBench, random: Random): void {
  for (const attempt of bench.pods.attempts) {
    if (attempt.ended) continue;
    const draw = random.next();
    if (draw < 0.1) attempt.say('more');
    else if (draw < 0.16) attempt.say('done').finish({ promptTokens: 90, cachedTokens: 30, outputTokens: 20 });
    else if (draw < 0.17) attempt.finish(null);
    else if (draw < 0.19) attempt.end({ kind: 'failed', reason: 'planted' });
    else if (draw < 0.195) attempt.end({ kind: 'no-slot' });
    else if (draw < 0.2) attempt.end({ kind: 'refused', message: 'planted' });
  }
}

function assertWithinSlots(bench: OrderServiceBench): void {
  for (const { pod, slots } of PODS) {
    const running = bench.pods.attempts.filter((attempt) => !attempt.ended && attempt.request.pod === pod);
    assert.ok(running.length <= slots, `${pod} runs ${running.length} of ${slots}`);
  }
}

/** A new price, and the answer to the caller: null when the market did not confirm in time. */
type RepriceAnswer = { readonly orderId: string; readonly limit: number; readonly changed: boolean | null };

function reprice(bench: OrderServiceBench, orderId: string, limit: number, repriced: RepriceAnswer[]): void {
  bench.orderService.reprice('acct', [orderId], limit).then(
    ([answer]) => repriced.push({ orderId, limit, changed: answer?.refusal === null }),
    () => repriced.push({ orderId, limit, changed: null }),
  );
}

function assertWritten(bench: OrderServiceBench, orderId: string, limit: number): void {
  const written = bench.journal.units.some(
    (unit) => unit.kind === 'reprice' && unit.orderId === orderId && unit.bid === limit,
  );
  assert.ok(written, `${orderId} was said to rest at ${limit}`);
}

async function trade(seed: number) {
  const { bench, random } = farBench(seed);
  // Enough for about three holds at once, so that orders are parked and come back, and some cannot be paid at all.
  bench.setBalance(600_000n);
  const ends: OrderEnd[] = [];
  const refused: unknown[] = [];
  const tickets: Ticket[] = [];
  const repriced: RepriceAnswer[] = [];
  for (let made = 0; made < ORDERS; made++) {
    const limit = Math.ceil(random.next() * 8) * 1e8;
    const wishes = { limit, maxWaitS: random.next() < 0.2 ? 10 : 600, priceLock: random.next() < 0.2 };
    bench.orderService.submit(bench.customer, testRequest(wishes)).then(
      (submission) => {
        if (submission.type !== 'order') return;
        tickets.push(submission.ticket);
        submission.ticket.watch({ events: () => {}, ended: (end) => ends.push(end) });
      },
      (error) => refused.push(error),
    );
    await bench.clock.advance(Math.floor(random.next() * 30));
    if (made % 4 === 0) bench.credit(150_000n);
    playPods(bench, random);
    assertWithinSlots(bench);
    const chosen = tickets[Math.floor(random.next() * tickets.length)];
    if (chosen && random.next() < 0.1) chosen.leave();
    if (chosen && random.next() < 0.2) reprice(bench, chosen.orderId, Math.ceil(random.next() * 8) * 1e8, repriced);
    if (chosen && random.next() < 0.1) await bench.orderService.cancel('acct', chosen.orderId).catch(() => {});
  }
  for (
    let turn = 0;
    turn < 2000 && bench.orderService.counts().queued + bench.orderService.counts().inflight > 0;
    turn++
  ) {
    await bench.clock.advance(100);
    playPods(bench, random);
    assertWithinSlots(bench);
  }
  return { bench, ends, refused, repriced };
}

for (const seed of [1, 2, 3, 4, 5]) {
  test(`the books agree after trading over a slow connection (seed ${seed})`, async () => {
    const { bench, refused, repriced } = await trade(seed);
    assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 });
    const statuses = new Set([...bench.journal.orders.values()].map((row) => row.status));
    assert.ok(statuses.has('done') && !statuses.has('queued') && !statuses.has('executing'), [...statuses].join());
    assert.equal(bench.journal.orders.size + refused.length >= ORDERS, true);
    bench.audit();
    for (const { orderId, limit, changed } of repriced) if (changed) assertWritten(bench, orderId, limit);
    assert.ok(
      repriced.some(({ changed }) => changed),
      'some orders were repriced',
    );
    assert.ok(bench.journal.parked > 0, 'money ran short');
    // Every slot came back: as many orders as there are slots start at once.
    bench.setBalance(10_000_000_000n);
    const before = bench.pods.attempts.length;
    for (let slot = 0; slot < 5; slot++) void bench.orderService.submit(bench.customer, testRequest());
    await bench.clock.advance(2_000);
    assert.equal(bench.pods.attempts.length - before, 5);
  });
}
