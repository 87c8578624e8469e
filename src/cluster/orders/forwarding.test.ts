/** Orders and batches of other gateways are canceled and repriced as if they were this one's. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { wholeAccount } from '#base/reach.ts';
import type { RepricedOrder } from '#orders/order-port.ts';
import { joinedCalls } from '#testing/joined-calls.ts';
import type { Homes } from '../ports.ts';
import { forwardedBatches, forwardedOrders } from './forwarding.ts';

/** Gateways with orders and batches in memory (`here`), and what the database says about whose they are (`homes`). */
async function gateways() {
  const joined = await joinedCalls(3);
  const homes = new Map<string, number>();
  const here = new Map<string, number>();
  const done: string[] = [];
  const reads: string[] = [];
  const store: Homes = {
    /** The orders are those of one key. */
    async ofOrders({ keyId }, ids) {
      reads.push(...ids);
      if (keyId !== null && keyId !== 'key') return new Map();
      return new Map(ids.flatMap((id) => (homes.has(id) ? [[id, homes.get(id) ?? 0]] : [])));
    },
    ofBatch: async (id) => homes.get(id) ?? null,
  };
  const faults = new Map<number, Fault>();
  const gateway = (self: number) => {
    const calls = joined.calls(self);
    const isHere = (id: string) => here.get(id) === self;
    const fails = () => {
      const fault = faults.get(self);
      if (fault) throw fault;
    };
    const orders = forwardedOrders({
      ...{ self, homes: store, calls, isHere },
      orders: {
        async cancel({ accountId }, id) {
          fails();
          if (!isHere(id)) throw new Fault(id === 'ended' ? 'order_not_cancelable' : 'not_found', { orderId: id });
          done.push(`${self} cancels ${id} of ${accountId}`);
        },
        async reprice({ accountId }, ids, limit): Promise<RepricedOrder[]> {
          fails();
          done.push(`${self} moves ${ids.join(' ')} of ${accountId} to ${limit}`);
          return ids.map((orderId) => ({ orderId, refusal: isHere(orderId) ? null : 'not_queued' }));
        },
      },
    });
    const batches = forwardedBatches({
      ...{ self, homes: store, calls },
      batches: {
        isRunning: isHere,
        async cancel(account, id) {
          if (!isHere(id)) throw new Fault('batch_not_cancelable');
          done.push(`${self} cancels ${id} of ${account}`);
        },
      },
    });
    return { orders, batches };
  };
  const all = [gateway(1), gateway(2), gateway(3)] as const;
  const lives = (id: string, at: number, inMemory = true) => {
    homes.set(id, at);
    if (inMemory) here.set(id, at);
  };
  /** The outcome, after enough time for it. */
  async function outcome<Answer>(answer: Promise<Answer>): Promise<Answer | string> {
    const settled = answer.catch((fault: Fault) => [fault.code, fault.retryAfterS, fault.orderId].join(' '));
    await joined.clock.advance(7_000);
    return settled;
  }
  return { ...joined, all, homes, here, done, reads, faults, lives, outcome };
}

test('an order of this gateway is canceled here, without a read', async () => {
  const { all, done, reads, lives, outcome } = await gateways();
  lives('mine', 1);
  await outcome(all[0].orders.cancel(wholeAccount('a'), 'mine'));
  assert.deepEqual([done, reads], [['1 cancels mine of a'], []]);
});

test('an order of another gateway is canceled there', async () => {
  const { all, done, lives, outcome } = await gateways();
  lives('theirs', 2);
  await outcome(all[0].orders.cancel(wholeAccount('a'), 'theirs'));
  assert.deepEqual(done, ['2 cancels theirs of a']);
});

test('an order out of the reach of a key is asked for nowhere else', async () => {
  const { all, done, lives, outcome } = await gateways();
  lives('theirs', 2);
  const narrow = { accountId: 'a', keyId: 'another' };
  assert.equal(await outcome(all[0].orders.cancel(narrow, 'theirs')), 'not_found  theirs');
  const repriced = await outcome(all[0].orders.reprice(narrow, ['theirs'], 5));
  assert.deepEqual(repriced, [{ orderId: 'theirs', refusal: 'not_queued' }]);
  assert.deepEqual(done, ['1 moves theirs of a to 5']);
});

test('an order that has ended, or never was, gets the same answer as ever', async () => {
  const { all, outcome } = await gateways();
  assert.equal(await outcome(all[0].orders.cancel(wholeAccount('a'), 'ended')), 'order_not_cancelable  ended');
  assert.equal(await outcome(all[0].orders.cancel(wholeAccount('a'), 'nothing')), 'not_found  nothing');
});

test('a refusal of the other gateway is passed on', async () => {
  const { all, faults, lives, outcome } = await gateways();
  lives('theirs', 2);
  faults.set(2, new Fault('order_not_cancelable', { orderId: 'theirs' }));
  assert.equal(await outcome(all[0].orders.cancel(wholeAccount('a'), 'theirs')), 'order_not_cancelable  theirs');
});

test('an order whose gateway cannot be reached is unavailable for a second', async () => {
  const { all, network, lives, outcome } = await gateways();
  lives('theirs', 2);
  network.crash(2);
  assert.equal(await outcome(all[0].orders.cancel(wholeAccount('a'), 'theirs')), 'unavailable 1 ');
});

test('an order that is between two gateways is unavailable, and no call is passed on twice', async () => {
  const { all, done, lives, outcome } = await gateways();
  lives('adopted', 1, false);
  assert.equal(await outcome(all[0].orders.cancel(wholeAccount('a'), 'adopted')), 'unavailable 1 ');
  assert.equal(await outcome(all[1].orders.cancel(wholeAccount('a'), 'adopted')), 'unavailable 1 ');
  assert.deepEqual(done, []);
});

test('orders are repriced where they are, and answered in the order of their ids', async () => {
  const { all, done, lives, outcome } = await gateways();
  for (const [id, at] of [
    ['c', 3],
    ['a', 1],
    ['b', 2],
    ['d', 2],
  ] as const)
    lives(id, at);
  const answers = await outcome(all[0].orders.reprice(wholeAccount('acc'), ['d', 'x', 'c', 'a', 'b'], 7));
  assert.deepEqual(answers, [
    { orderId: 'd', refusal: null },
    { orderId: 'x', refusal: 'not_queued' },
    { orderId: 'c', refusal: null },
    { orderId: 'a', refusal: null },
    { orderId: 'b', refusal: null },
  ]);
  assert.deepEqual(done.sort(), ['1 moves x a of acc to 7', '2 moves d b of acc to 7', '3 moves c of acc to 7']);
});

test('orders of this gateway alone are repriced as ever, its faults included', async () => {
  const { all, reads, faults, lives, outcome } = await gateways();
  lives('mine', 1);
  assert.deepEqual(await outcome(all[0].orders.reprice(wholeAccount('a'), ['mine'], 7)), [
    { orderId: 'mine', refusal: null },
  ]);
  assert.deepEqual(reads, []);
  faults.set(1, new Fault('unavailable', { retryAfterS: 5 }));
  assert.equal(await outcome(all[0].orders.reprice(wholeAccount('a'), ['mine'], 7)), 'unavailable 5 ');
});

test('a part that fails is unavailable for its ids; when every part fails, so does the request', async () => {
  const { all, network, faults, lives, outcome } = await gateways();
  lives('mine', 1);
  lives('theirs', 2);
  lives('adopted', 1, false);
  network.crash(2);
  assert.deepEqual(await outcome(all[0].orders.reprice(wholeAccount('a'), ['theirs', 'mine', 'adopted'], 7)), [
    { orderId: 'theirs', refusal: 'unavailable' },
    { orderId: 'mine', refusal: null },
    { orderId: 'adopted', refusal: 'unavailable' },
  ]);
  faults.set(1, new Fault('gateway_restarted'));
  assert.equal(await outcome(all[0].orders.reprice(wholeAccount('a'), ['theirs'], 7)), 'unavailable 1 ');
  assert.match(
    String(await outcome(all[0].orders.reprice(wholeAccount('a'), ['theirs', 'mine'], 7))),
    /^unavailable|^gateway_rest/,
  );
});

test('a batch is canceled where it runs, and known to run everywhere', async () => {
  const { all, done, network, lives, outcome } = await gateways();
  lives('mine', 1);
  lives('theirs', 2);
  lives('adopted', 1, false);
  for (const id of ['mine', 'theirs', 'adopted']) assert.equal(await all[0].batches.isRunning(id), true);
  assert.equal(await all[0].batches.isRunning('ended'), false);
  await outcome(all[0].batches.cancel('a', 'mine'));
  await outcome(all[0].batches.cancel('a', 'theirs'));
  assert.deepEqual(done, ['1 cancels mine of a', '2 cancels theirs of a']);
  assert.equal(await outcome(all[0].batches.cancel('a', 'ended')), 'batch_not_cancelable  ');
  assert.equal(await outcome(all[0].batches.cancel('a', 'adopted')), 'unavailable 1 ');
  assert.equal(await outcome(all[2].batches.cancel('a', 'adopted')), 'unavailable 1 ');
  network.crash(2);
  assert.equal(await outcome(all[0].batches.cancel('a', 'theirs')), 'unavailable 1 ');
});
