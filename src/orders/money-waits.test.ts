/** Orders that wait for money of their key or account: refused, held back while others run, and tried again. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KeyBudget } from '#base/key-budget.ts';
import { wholeAccount } from '#base/reach.ts';
import { benchListing, faultOf, OrderServiceBench, testLine, testRequest } from '#testing/order-service-bench.ts';
import { LiveOrder } from './live-order.ts';
import { holdOf } from './terms.ts';

/** The hold of an order with 100 prompt and 50 output tokens at 1 dollar. */
const HOLD = 1_111_112n;
const NOTHING = { promptTokens: 0, outputTokens: 0 };

function benchWith(amount: bigint, options: ConstructorParameters<typeof OrderServiceBench>[0] = {}) {
  const bench = new OrderServiceBench(options);
  bench.journal.budgets.set('key', { amount, spent: 0n, held: 0n });
  const customer = { ...bench.customer, budget: 'counted' } as const;
  const budget = () => bench.journal.budgets.get('key');
  /** Changes the budget as another gateway would. */
  const setBudget = (change: { amount?: bigint; spent?: bigint }) =>
    bench.journal.budgets.set('key', { amount, spent: 0n, held: 0n, ...budget(), ...change });
  /** A new order that rests in the book. */
  const waiting = async (request = testRequest()) => {
    const { id, submission } = await bench.submit(request, { customer });
    await bench.rest(id);
    await submission;
    return id;
  };
  /** A new order that is chosen at once. */
  const chosen = async () => {
    const { id, submission } = await bench.submit(testRequest(), { customer });
    await bench.admit(id);
    return { id, submission };
  };
  const rests = () => bench.sent('rest').map(({ order }) => order);
  return { bench, customer, budget, setBudget, waiting, chosen, rests };
}

test('an order that the budget covers runs, and is settled from it', async () => {
  const { bench, budget, chosen } = benchWith(HOLD);
  const { id } = await chosen();
  assert.equal(bench.row(id).budgetFromMs, 0);
  assert.deepEqual(budget(), { amount: HOLD, spent: 0n, held: HOLD });
  bench.pods.last.finish({ promptTokens: 10, cachedTokens: 4, outputTokens: 5 });
  await bench.settle();
  assert.deepEqual(budget(), { amount: HOLD, spent: 97_778n, held: 0n });
  bench.audit();
});

test('an order whose hold the budget can never cover is refused with 402, new or waiting', async () => {
  const { bench, waiting, chosen } = benchWith(HOLD - 1n);
  const first = await chosen();
  await assert.rejects(first.submission, { code: 'key_budget_exceeded', status: 402, orderId: first.id });
  const second = await waiting();
  await bench.admit(second);
  assert.deepEqual([bench.row(second).status, bench.row(second).error], ['error', 'key_budget_exceeded']);
  assert.equal(bench.pods.attempts.length, 0);
  assert.deepEqual(
    bench.sent('release').map(({ reason }) => reason),
    ['refused', 'refused'],
  );
  assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 });
});

test('a waiting caller is refused when the budget is spent', async () => {
  const { bench, setBudget, customer } = benchWith(HOLD);
  const waiting = await bench.waiting(testRequest(), { customer });
  setBudget({ spent: 1n });
  await bench.admit(waiting.orderId);
  assert.deepEqual(
    [faultOf(await waiting.outcome).code, faultOf(await waiting.outcome).status],
    ['key_budget_exceeded', 402],
  );
});

test('while its key holds the budget an order waits, with the others of the key and no others', async () => {
  const { bench, waiting, chosen, rests } = benchWith(HOLD);
  await chosen();
  const [second, third] = [await waiting(), await waiting()];
  const other = await bench.waiting();
  const before = rests().length;
  await bench.admit(second);
  assert.equal(bench.row(second).status, 'queued');
  assert.deepEqual(
    bench.sent('withdraw').map(({ order }) => order),
    [third],
  );
  assert.deepEqual(
    bench.orderService.standing('tide').rests.map(({ order }) => order),
    [other.orderId],
  );
  // The run ends, and both return to their places.
  bench.pods.last.finish(NOTHING);
  await bench.settle();
  assert.deepEqual(rests().slice(before).sort(), [second, third]);
  assert.ok(
    bench
      .sent('rest')
      .slice(before)
      .every(({ restedSeq }) => restedSeq !== null),
  );
  await bench.admit(second);
  assert.equal(bench.row(second).status, 'executing');
  bench.audit();
});

for (const [name, end] of [
  ['fails', { kind: 'refused', message: 'planted' }],
  ['is requeued', { kind: 'failed', reason: 'planted' }],
] as const) {
  test(`a run that ${name} lets those that wait for its budget try again`, async () => {
    const { bench, waiting, chosen, rests } = benchWith(HOLD);
    await chosen();
    const second = await waiting();
    await bench.admit(second);
    const before = rests().length;
    bench.pods.last.end(end);
    await bench.settle();
    assert.ok(rests().slice(before).includes(second));
  });
}

test('within a second an order learns of a budget that was raised, or of a new period', async () => {
  const { bench, setBudget, waiting, chosen, rests } = benchWith(HOLD);
  await chosen();
  const second = await waiting();
  await bench.admit(second);
  const before = rests().length;
  setBudget({ amount: 2n * HOLD });
  await bench.clock.advance(1000);
  assert.deepEqual(rests().slice(before), [second]);
  await bench.admit(second);
  assert.equal(bench.row(second).status, 'executing');
  await bench.clock.advance(1000);
  assert.equal(rests().length, before + 1, 'nothing waits any more');
});

test('of many that wait eight return at once, and each that starts or is refused lets one more follow', async () => {
  const { bench, setBudget, waiting, chosen, rests } = benchWith(HOLD);
  await chosen();
  const many: string[] = [];
  for (let made = 0; made < 12; made++) many.push(await waiting());
  await bench.admit(many[11] ?? '');
  const before = rests().length;
  bench.pods.last.finish(NOTHING);
  await bench.settle();
  const returned = rests().slice(before);
  assert.equal(returned.length, 8);
  setBudget({ spent: 1n });
  await bench.admit(returned[0] ?? '');
  assert.equal(bench.row(returned[0] ?? '').error, 'key_budget_exceeded');
  assert.equal(rests().length, before + 9);
  setBudget({ spent: 0n });
  await bench.admit(returned[1] ?? '');
  assert.equal(rests().length, before + 10);
  await bench.clock.advance(1000);
  assert.equal(rests().length, before + 12, 'the review brings the rest');
});

test('the review tries others each second, as long as no run of the key ends', async () => {
  const { bench, waiting, chosen, rests } = benchWith(HOLD);
  await chosen();
  const large: string[] = [];
  for (let made = 0; made < 8; made++) large.push(await waiting(testRequest({ limit: 4e9 })));
  const small = await waiting(testRequest({ limit: 2e9 }));
  const [one = ''] = large;
  await bench.admit(one);
  for (const expected of [large, [small], [...large, small]]) {
    const before = rests().length;
    await bench.clock.advance(1000);
    const back = rests().slice(before);
    assert.ok(expected.slice(0, 8).every((id) => back.includes(id)) && back.length <= 8, back.join());
    // The first of them is refused again, and takes the others of the key out of their book with it.
    await bench.admit(back[0] ?? '');
  }
});

test('orders of a market that sells nothing keep none of another market waiting', async () => {
  const { bench, waiting, chosen, rests } = benchWith(HOLD, {
    listings: [benchListing(), { ...benchListing(), id: 'reef' }],
  });
  await chosen();
  for (let made = 1; made <= 20; made++) {
    const { id, submission } = await bench.submit(testRequest({ limit: 1e9 }, { model: 'reef' }), {
      customer: { ...bench.customer, budget: 'counted' },
    });
    await bench.emit({ type: 'rested', model: 'reef', seq: made, order: id, restedSeq: made });
    await submission;
  }
  const sold = await waiting(testRequest({ limit: 2e9 }));
  await bench.admit(sold);
  const before = rests().length;
  bench.pods.last.finish(NOTHING);
  await bench.settle();
  assert.equal(rests().length, before + 9);
  assert.ok(rests().slice(before).includes(sold));
});

test('the best bid returns first, and the oldest of equal ones', async () => {
  const { bench, waiting, chosen, rests } = benchWith(HOLD);
  await chosen();
  const [low, high, also] = [
    await waiting(testRequest({ limit: 2e9 })),
    await waiting(testRequest({ limit: 4e9 })),
    await waiting(testRequest({ limit: 4e9 })),
  ];
  const before = rests().length;
  await bench.admit(also);
  bench.pods.last.finish(NOTHING);
  await bench.settle();
  assert.deepEqual(rests().slice(before), [high, also, low]);
});

test('an order that waits for a budget can be canceled and expires, and does not return', async () => {
  const { bench, waiting, chosen, rests } = benchWith(HOLD);
  await chosen();
  const [canceled, expired] = [await waiting(), await waiting(testRequest({ maxWaitS: 20 }))];
  await bench.admit(canceled);
  await bench.orderService.cancel(wholeAccount('acct'), canceled);
  await bench.clock.advance(20_000);
  assert.deepEqual([bench.row(canceled).status, bench.row(expired).status], ['canceled', 'expired']);
  const before = rests().length;
  bench.pods.last.finish(NOTHING);
  await bench.settle();
  assert.equal(rests().length, before);
  assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 });
});

test('an order that ended while it waited is dropped at once, however long the others wait', async () => {
  const { bench, waiting, chosen } = benchWith(HOLD);
  await chosen();
  for (let made = 0; made < 9; made++) await waiting();
  const { id, submission } = await bench.submit(testRequest({ limit: 1e9 }), {
    customer: { ...bench.customer, budget: 'counted' },
  });
  await bench.admit(id);
  const accepted = await submission;
  assert.ok(accepted.type === 'order' && accepted.ticket instanceof LiveOrder);
  const held = () => accepted.ticket instanceof LiveOrder && accepted.ticket.heldBack;
  assert.ok(held());
  await bench.orderService.cancel(wholeAccount('acct'), id);
  assert.equal(held(), null);
});

test('an order that waits for a budget is repriced at once, and gets a new place when it returns', async () => {
  const { bench, waiting, chosen } = benchWith(HOLD);
  await chosen();
  const second = await waiting();
  await bench.admit(second);
  const answer = await bench.orderService.reprice(wholeAccount('acct'), [second], 3e9);
  assert.deepEqual(answer, [{ orderId: second, refusal: null }]);
  assert.deepEqual([bench.row(second).bid, bench.row(second).limit, bench.row(second).restedSeq], [3e9, 3e9, null]);
  assert.deepEqual(bench.sent('reprice'), []);
  bench.pods.last.finish(NOTHING);
  await bench.settle();
  const back = bench.sent('rest').at(-1);
  assert.deepEqual([back?.order, back?.bid, back?.restedSeq], [second, 3e9, null]);
});

test('lines of a batch wait for the budget of its key, too', async () => {
  const { bench, customer, chosen, rests } = benchWith(HOLD);
  await chosen();
  const { id, submission } = await bench.submit(testRequest(), { customer, line: testLine() });
  await bench.admit(id);
  await submission;
  assert.equal(bench.row(id).status, 'queued');
  const before = rests().length;
  bench.pods.last.finish(NOTHING);
  await bench.settle();
  assert.deepEqual(rests().slice(before), [id]);
});

const KNOWN: KeyBudget = { amount: HOLD, reset: 'never', fromMs: 0, spent: 0n, held: 0n };

test('a request that the rest of the budget cannot cover is refused before it is an order', async () => {
  const bench = new OrderServiceBench();
  const covered = { ...bench.customer, budget: KNOWN };
  const { submission } = await bench.submit(testRequest({}, { outputCap: 50 }), { customer: covered });
  void submission.catch(() => {});
  const spent = { ...bench.customer, budget: { ...KNOWN, spent: 1n } };
  const refused = await bench.submit(testRequest({}, { outputCap: 50 }), { customer: spent });
  await assert.rejects(refused.submission, { code: 'key_budget_exceeded', status: 402, orderId: null });
});

test('a new period covers it again', async () => {
  const { bench } = benchWith(HOLD);
  const spent = { ...KNOWN, reset: 'day', fromMs: bench.clock.nowMs() - 86_400_000, spent: HOLD } as const;
  const { id } = await bench.submit(testRequest({}, { outputCap: 50 }), {
    customer: { ...bench.customer, budget: spent },
  });
  await bench.admit(id);
  assert.equal(bench.row(id).status, 'executing');
});

test('a default cap is lowered to what the budget covers', async () => {
  const { bench } = benchWith(20_000_000n);
  const customer = { ...bench.customer, budget: { ...KNOWN, amount: 20_000_000n } };
  const { id } = await bench.submit(testRequest({}, { outputCap: null }), { customer });
  await bench.admit(id);
  const { outputCap, hold } = bench.row(id);
  assert.ok(outputCap > 1024 && outputCap < 4096 && hold <= 20_000_000n, `${outputCap} tokens, ${hold} held`);
});

test('a model that the key may not use is refused with 403, whatever its price', async () => {
  const bench = new OrderServiceBench();
  const customer = { ...bench.customer, models: ['harbor'] };
  const refused = await bench.submit(testRequest({ limit: null }), { customer });
  await assert.rejects(refused.submission, {
    code: 'model_not_allowed',
    status: 403,
    param: 'model',
    message: 'This API key may not use tide; it may use harbor. Nothing was charged.',
  });
  const allowed = await bench.submit(testRequest(), { customer: { ...bench.customer, models: ['tide'] } });
  await bench.admit(allowed.id);
  assert.equal(bench.row(allowed.id).status, 'executing');
});

describe('orders that wait for money of their account', () => {
  /** The hold of an order of so many output tokens. */
  const holdAt = (outputCap: number) => holdOf(benchListing().tariff, 1e9, { promptBound: 100, outputCap });

  /** An account with a part held by a run, and an order that would take more than the rest. */
  async function short(free: bigint, outputCap = 50) {
    const bench = new OrderServiceBench();
    bench.setBalance(holdAt(outputCap) + free);
    await bench.running(testRequest({}, { outputCap }));
    const run = bench.pods.last;
    const waiting = async (outputCap: number, limit = 5e9) =>
      (await bench.waiting(testRequest({ limit }, { outputCap }))).orderId;
    const rests = () => bench.sent('rest').map(({ order }) => order);
    return { bench, run, waiting, rests };
  }

  test('one large order keeps none waiting that the balance covers: they stay in their book', async () => {
    const { bench, waiting } = await short(3n * HOLD, 4000);
    const large = await waiting(4000, 9e9);
    const small = [await waiting(50), await waiting(50), await waiting(50)];
    await bench.admit(large);
    assert.equal(bench.row(large).status, 'queued');
    assert.deepEqual(bench.sent('withdraw'), []);
    assert.deepEqual(
      bench.orderService.standing('tide').rests.map(({ order }) => order),
      small,
    );
    for (const id of small) {
      await bench.admit(id);
      assert.equal(bench.row(id).status, 'executing');
    }
    bench.audit();
  });

  test('what would hold as much leaves its book with the refused one, before the slot is given back', async () => {
    const { bench, waiting } = await short(HOLD / 2n);
    const [first, second] = [await waiting(50), await waiting(50)];
    await bench.admit(first);
    assert.deepEqual(
      bench.commands.slice(-2).map((command) => ('order' in command ? [command.type, command.order] : [])),
      [
        ['withdraw', second],
        ['release', first],
      ],
    );
    assert.deepEqual(
      [bench.sent('withdraw')[0]?.waitsForMoney, bench.sent('release').at(-1)?.reason],
      [true, 'refused'],
    );
  });

  test('a new order that is known not to fit waits outside the market, within the limit of its account', async () => {
    const bench = new OrderServiceBench({ limits: { queuedOrdersPerAccount: 2 } });
    bench.setBalance(HOLD + HOLD / 2n);
    await bench.running();
    const first = await bench.submit();
    await bench.admit(first.id);
    const [written, sent] = [bench.journal.parked, bench.commands.length];
    const { submission } = await bench.submit();
    const second = await submission;
    assert.ok(second.type === 'order');
    assert.deepEqual([bench.row(second.ticket.orderId).status, bench.journal.parked], ['queued', written]);
    const refused = await bench.submit();
    await assert.rejects(refused.submission, { code: 'queue_full' });
    assert.ok(bench.commands.slice(sent).every(({ type }) => type === 'withdraw'));
    bench.pods.last.finish(NOTHING);
    await bench.settle();
    assert.deepEqual(
      bench
        .sent('rest')
        .slice(-2)
        .map(({ order, restedSeq }) => [order, restedSeq]),
      [
        [first.id, 2],
        [second.ticket.orderId, null],
      ],
    );
    bench.audit();
  });

  test('an order returns when what is free covers its hold, and not before', async () => {
    const { bench, run, waiting, rests } = await short(holdAt(4000) - HOLD);
    const other = await bench.running();
    const large = await waiting(4000);
    await bench.admit(large);
    const before = rests().length;
    await bench.clock.advance(3000);
    bench.pods.last.finish(NOTHING);
    await other.outcome;
    assert.equal(rests().length, before, 'one hold more is not enough');
    run.finish(NOTHING);
    await bench.settle();
    assert.deepEqual(rests().slice(before), [large]);
    await bench.admit(large);
    assert.equal(bench.row(large).status, 'executing');
    bench.audit();
  });

  test('when nothing is held an order that the balance does not cover returns, to be refused for good', async () => {
    const { bench, run, waiting } = await short(HOLD, 4000);
    const large = await waiting(4000);
    await bench.admit(large);
    bench.setFunds({ ...bench.funds, balance: bench.funds.held });
    run.finish({ promptTokens: 100, outputTokens: 4000 });
    await bench.settle();
    await bench.admit(large);
    assert.deepEqual([bench.row(large).status, bench.row(large).error], ['error', 'insufficient_balance']);
    assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 });
  });

  test('a reading that fails leaves the order waiting until the next one', async (t) => {
    const { bench, waiting, rests } = await short(HOLD / 2n);
    await bench.admit(await waiting(50));
    const before = rests().length;
    bench.credit(HOLD);
    t.mock.method(bench.journal, 'funds', () => Promise.reject(new Error('planted')), { times: 1 });
    await bench.clock.advance(1000);
    assert.equal(rests().length, before);
    await bench.clock.advance(1000);
    assert.equal(rests().length, before + 1);
  });

  test('an order waits for its account when its key has room, and counts as waiting for money', async () => {
    const { bench, waiting } = await short(HOLD / 2n);
    await bench.admit(await waiting(50));
    assert.deepEqual([bench.orderService.waitingForMoney('tide'), bench.orderService.waitingForMoney('reef')], [1, 0]);
  });
});
