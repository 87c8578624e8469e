import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrderFlow } from './order-flow.ts';

const USD = 1e9;

/** A flow that saw `perSecond` for so many seconds, a function of the second. */
function flowOf(seconds: number, perSecond: (second: number) => number, running = 0): OrderFlow {
  const flow = new OrderFlow(0);
  for (let second = 1; second <= seconds; second++) {
    for (let order = 0; order < perSecond(second); order++) flow.arrives(order % 2 ? USD : 2 * USD);
    flow.tick(running, second * 1000);
  }
  return flow;
}

const close = (actual: number, expected: number, share: number) =>
  assert.ok(Math.abs(actual - expected) <= share * expected, `${actual} instead of ${expected}`);

test('arrivals above a price are known after ten seconds as after an hour', () => {
  for (const seconds of [10, 60, 3600]) {
    const { now, usual } = flowOf(seconds, () => 4).above(1.5 * USD);
    close(now, 2, 0.06);
    close(usual, 2, 0.06);
  }
});

test('a rush shows at once in what is now, and late in what is usual', () => {
  const { now, usual } = flowOf(3600, (second) => (second > 3540 ? 40 : 4)).above(0);
  assert.ok(now > 20 && usual < 8, `${now}, ${usual}`);
});

test('orders that come one by one are not bursty, those that come together are', () => {
  assert.equal(flowOf(600, () => 4).burstiness, 1);
  close(flowOf(1000, (second) => (second % 10 === 0 ? 40 : 0)).burstiness, 20, 0.05);
  assert.equal(new OrderFlow(0).burstiness, 1);
});

test('those that give up count at their bids: at the floor they say nothing of those above', () => {
  const flow = new OrderFlow(0);
  for (let second = 1; second <= 1800; second++) {
    for (let order = 0; order < 50; order++) flow.leaves(0.01 * USD);
    if (second % 2 === 0) flow.leaves(USD);
    flow.tick(0, second * 1000);
  }
  close(flow.above(0.5 * USD).givenUp, 0.5, 0.02);
  close(flow.above(0).givenUp, 50.5, 0.02);
});

test('the run time is what ran by what ended, also in a market that is never full, and rests with it', () => {
  const flow = new OrderFlow(0);
  for (let second = 1; second <= 1200; second++) {
    if (second % 5 === 0) flow.ends();
    flow.tick(4, second * 1000);
  }
  close(flow.runs.ranS / flow.runs.ended, 20, 0.02);
  const before = flow.runs;
  for (let second = 1; second <= 3600; second++) flow.tick(0, (1200 + second) * 1000);
  assert.deepEqual(flow.runs, before);
});

test('readings change nothing: arrivals are forgotten at the same tick, however many look', () => {
  const read = flowOf(60, () => 4);
  const unread = flowOf(60, () => 4);
  for (let second = 61; second <= 4 * 3600; second++) {
    read.tick(0, second * 1000);
    unread.tick(0, second * 1000);
    if (second % 2 === 0) read.above(0);
    if (second % 600 === 0) assert.deepEqual([read.bounds, read.above(0)], [unread.bounds, unread.above(0)]);
  }
  assert.deepEqual(unread.bounds, []);
});
