/** Budgets of keys: admissions, ends, refunds, periods, kills and takeovers, on every database. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import type { KeySettings } from '#access/principal.ts';
import { Keys } from '#accounts/keys/key-store.ts';
import { Transfers } from '#accounts/ledger/transfers.ts';
import { idSource } from '#base/id.ts';
import { wholeAccount } from '#base/reach.ts';
import { DAY_MS } from '#base/time.ts';
import { chargeOf } from '#ledger/tariff.ts';
import type { OrderRow } from '#orders/order.ts';
import { audit } from '#storage/audit/index.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, marketTariff, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { recover } from '../orders/recovery.ts';
import { createOrderStore } from '../orders/store.ts';

const USD = 1_000_000_000n;
const HOLD = 100_000n;
/** What the tokens of the fixtures' settlement cost at its price. */
const COST = chargeOf(marketTariff, 500_000_000, { uncached: 10, cached: 90, output: 5 });

for (const tested of testedDatabases) {
  describe(`budgets of keys on ${tested.name}`, { skip: tested.skip }, () => {
    const clock = new ManualClock(startMs);
    let opened: OpenedJournal;
    let keys: Keys;
    let accountId: string;

    before(async () => {
      opened = await openJournaled(tested, clock);
      keys = new Keys({ db: opened.db, clock, ids: idSource(clock) });
      accountId = await fundedAccount(opened.db, clock, 1000n * USD);
      await opened.journal.write({ kind: 'level', model: 'tide-70b', levelSeq: 1, level: 500_000_000, atMs: startMs });
    });
    after(() => opened?.drop());

    async function keyWith(settings: KeySettings): Promise<string> {
      return (await keys.create(accountId, settings, COMMAND_LINE)).key.id;
    }

    /** A new order of the key, at once. */
    async function run(
      keyId: string,
      hold = HOLD,
      { atMs = startMs + 1, ...more }: Partial<OrderRow> & { atMs?: number } = {},
    ) {
      const order = orderRow({ accountId, keyId, budgetFromMs: 0, createdAtMs: Math.min(atMs, startMs), ...more });
      const { result } = await opened.journal.write(
        acceptUnit(order, { admission: admissionOf(hold, { budgetKey: keyId, atMs }) }),
      );
      return { order, result };
    }

    const budgetOf = async (keyId: string) => {
      const key = (await keys.list(accountId)).find(({ id }) => id === keyId);
      return key?.budget && { spent: key.budget.spent, held: key.budget.held };
    };

    const clean = async () => assert.deepEqual((await audit(opened.db, null)).findings, []);

    const charged = (order: OrderRow, hold = HOLD) => settleUnit(order, COST, { hold });

    test('of 500 admissions at once under a budget that covers 7, exactly 7 are granted', async () => {
      const keyId = await keyWith({ budget: 7n * HOLD + HOLD / 2n, reset: 'month' });
      const runs = await Promise.all(Array.from({ length: 500 }, () => run(keyId)));
      const granted = runs.filter(({ result }) => result === 'executing');
      assert.equal(granted.length, 7);
      assert.ok(runs.every(({ result }) => result === 'executing' || result === 'key-held'));
      assert.deepEqual(await budgetOf(keyId), { spent: 0n, held: 7n * HOLD });
      await clean();
      // Settled at less than their holds: what they leave is free again.
      for (const { order } of granted) await opened.journal.write(charged(order));
      assert.deepEqual(await budgetOf(keyId), { spent: 7n * COST, held: 0n });
      assert.equal((await run(keyId)).result, 'executing');
      await clean();
    });

    test('a key that has spent its budget is refused for good, while another key of the account runs', async () => {
      const [spent, other] = [await keyWith({ budget: HOLD + COST - 1n }), await keyWith({ budget: HOLD })];
      const first = await run(spent);
      await opened.journal.write(charged(first.order));
      const refused = await run(spent);
      assert.equal(refused.result, 'key-spent');
      const row = await createOrderStore(opened.db).find(wholeAccount(accountId), refused.order.id);
      assert.deepEqual([row?.status, row?.error, row?.hold], ['error', 'key_budget_exceeded', 0n]);
      assert.equal((await run(other)).result, 'executing');
      await clean();
    });

    test('an order that waited is refused in the same way, and held back while others of its key run', async () => {
      const keyId = await keyWith({ budget: HOLD });
      const first = await run(keyId);
      const waiting = orderRow({ accountId, keyId, budgetFromMs: 0, outlives: true });
      await opened.journal.write(acceptUnit(waiting));
      const admit = () =>
        opened.journal.write({
          ...{ kind: 'admit', orderId: waiting.id, accountId },
          admission: admissionOf(HOLD, { budgetKey: keyId }),
        });
      assert.equal((await admit()).result, 'key-held');
      await opened.journal.write(charged(first.order));
      assert.equal((await admit()).result, 'key-spent');
      assert.equal((await admit()).result, 'key-spent', 'repeated, it says the same');
      await clean();
    });

    test('an order that waits for its key says so again when its unit is repeated, and does not park the account', async () => {
      const keyId = await keyWith({ budget: HOLD });
      const first = await run(keyId);
      const order = orderRow({ accountId, keyId, budgetFromMs: 0 });
      const unit = acceptUnit(order, { admission: admissionOf(HOLD, { budgetKey: keyId }) });
      assert.equal((await opened.journal.write(unit)).result, 'key-held');
      assert.equal((await opened.journal.write(unit)).result, 'key-held');
      // What was in the way may have changed meanwhile: it waits for its key, and is refused when its turn comes.
      await opened.journal.write(charged(first.order));
      assert.equal((await opened.journal.write(unit)).result, 'key-held');
      await clean();
    });

    test('a failed and a requeued run give their hold back', async () => {
      const keyId = await keyWith({ budget: HOLD, reset: 'week' });
      const failed = await run(keyId);
      const of = { orderId: failed.order.id, accountId, attempt: 1 };
      const end = { finishedAtMs: startMs + 2, error: 'backend_error', errorMessage: 'x' };
      await opened.journal.write({ kind: 'fail', ...of, ...end });
      assert.deepEqual(await budgetOf(keyId), { spent: 0n, held: 0n });
      const requeued = await run(keyId);
      const name = { orderId: requeued.order.id, accountId, attempt: 1 };
      await opened.journal.write({ kind: 'requeue', ...name, expiresAtMs: startMs + 9, failures: 1 });
      assert.deepEqual(await budgetOf(keyId), { spent: 0n, held: 0n });
      await clean();
    });

    test('units of one order in one transaction leave nothing behind', async () => {
      const keyId = await keyWith({ budget: 10n * HOLD });
      const orders = [1, 2, 3].map(() => orderRow({ accountId, keyId, budgetFromMs: 0 }));
      const [one, two, three] = orders;
      assert.ok(one && two && three);
      const admission = admissionOf(HOLD, { budgetKey: keyId });
      const { journal } = opened;
      await Promise.all([
        ...orders.map((order) => journal.write(acceptUnit(order, { admission }))),
        journal.write(charged(one)),
        journal.write({
          ...{ kind: 'fail', orderId: two.id, accountId, attempt: 1, finishedAtMs: startMs + 2 },
          ...{ error: 'backend_error', errorMessage: 'x' },
        }),
        journal.write({
          ...{ kind: 'requeue', orderId: three.id, accountId, attempt: 1, expiresAtMs: startMs + 9, failures: 0 },
        }),
        journal.write({ kind: 'admit', orderId: three.id, accountId, admission: { ...admission, attempt: 2 } }),
      ]);
      assert.deepEqual(await budgetOf(keyId), { spent: COST, held: HOLD });
      await clean();
    });

    test('an order counts in the period in which it was admitted, whenever it is settled', async () => {
      const keyId = await keyWith({ budget: HOLD, reset: 'day' });
      const today = await run(keyId);
      assert.equal((await run(keyId)).result, 'key-held');
      // The next day has its own budget, though the order of the day before still runs.
      const tomorrow = await run(keyId, HOLD, { atMs: startMs + DAY_MS });
      assert.equal(tomorrow.result, 'executing');
      await opened.journal.write({ ...charged(today.order), finishedAtMs: startMs + DAY_MS + 1 });
      assert.deepEqual(await budgetOf(keyId), { spent: 0n, held: HOLD });
      await clean();
      await opened.journal.write({ ...charged(tomorrow.order), finishedAtMs: startMs + DAY_MS + 2 });
      assert.deepEqual(await budgetOf(keyId), { spent: COST, held: 0n });
      // A gateway whose clock is a day behind spends today's budget, and brings no day back.
      assert.equal((await run(keyId, HOLD - COST, { atMs: startMs + DAY_MS - 1 })).result, 'executing');
      assert.equal((await run(keyId, HOLD - COST, { atMs: startMs + DAY_MS - 1 })).result, 'key-held');
      await clean();
    });

    test('a refund gives the budget back what the present period was charged, and nothing of an earlier one', async () => {
      const keyId = await keyWith({ budget: HOLD, reset: 'day' });
      const transfers = new Transfers({ db: opened.db, clock, ids: idSource(clock) });
      const { order } = await run(keyId);
      await opened.journal.write(charged(order));
      await transfers.refund(accountId, 5n, { orderId: order.id }, COMMAND_LINE);
      assert.deepEqual(await budgetOf(keyId), { spent: COST - 5n, held: 0n });
      await clean();
      await run(keyId, 1n, { atMs: startMs + DAY_MS });
      await transfers.refund(accountId, 7n, { orderId: order.id }, COMMAND_LINE);
      assert.deepEqual(await budgetOf(keyId), { spent: 0n, held: 1n });
      await clean();
    });

    test('a charge beyond hold and budget is written off, as one beyond the balance is', async () => {
      const keyId = await keyWith({ budget: 12n });
      const { order } = await run(keyId, 10n);
      const outcome = await opened.journal.write(charged(order, 10n));
      assert.ok(outcome.result === 'settled');
      assert.deepEqual([outcome.charged, outcome.writtenOff], [12n, COST - 12n]);
      assert.deepEqual(await budgetOf(keyId), { spent: 12n, held: 0n });
      await clean();
    });

    test('a budget that is lowered stops new orders, and a granted hold stays covered', async () => {
      const keyId = await keyWith({ budget: 2n * HOLD });
      const { order } = await run(keyId);
      await keys.update(keyId, { budget: 1n }, COMMAND_LINE);
      assert.equal((await run(keyId)).result, 'key-spent');
      const outcome = await opened.journal.write(charged(order));
      assert.equal(outcome.result === 'settled' && outcome.charged, COST);
      await clean();
    });

    test('a budget that is taken away still counts its orders; set again, it knows them', async () => {
      const keyId = await keyWith({ budget: HOLD });
      const { order } = await run(keyId);
      await keys.update(keyId, { budget: null }, COMMAND_LINE);
      assert.equal((await run(keyId)).result, 'executing', 'submitted before, and now free');
      await keys.update(keyId, { budget: 2n * HOLD }, COMMAND_LINE);
      assert.deepEqual(await budgetOf(keyId), { spent: 0n, held: 2n * HOLD });
      await opened.journal.write(charged(order));
      assert.deepEqual(await budgetOf(keyId), { spent: COST, held: HOLD });
      await clean();
    });

    test('an order without a price passes a budget that is spent', async () => {
      const keyId = await keyWith({ budget: COST });
      const { order } = await run(keyId, COST);
      await opened.journal.write(charged(order, COST));
      assert.equal((await run(keyId, 0n)).result, 'executing');
    });

    test('a key whose account has no money is refused for that, and its budget stays as it is', async () => {
      const poor = await fundedAccount(opened.db, clock, 0n);
      const { key } = await keys.create(poor, { budget: HOLD }, COMMAND_LINE);
      const order = orderRow({ accountId: poor, keyId: key.id, budgetFromMs: 0 });
      const admission = admissionOf(HOLD, { budgetKey: key.id });
      assert.equal((await opened.journal.write(acceptUnit(order, { admission }))).result, 'unfunded');
      assert.equal((await keys.list(poor))[0]?.budget?.held, 0n);
      await clean();
    });

    test('after a kill nothing is held any more, and what was spent stays', async () => {
      const keyId = await keyWith({ budget: 10n * HOLD });
      const done = await run(keyId);
      await opened.journal.write(charged(done.order));
      await run(keyId);
      await run(keyId, HOLD, { outlives: true });
      assert.deepEqual(await budgetOf(keyId), { spent: COST, held: 2n * HOLD });
      await recover(opened.db, { bootEpoch: 2, clock: new ManualClock(startMs + 2 * DAY_MS) });
      assert.deepEqual(await budgetOf(keyId), { spent: COST, held: 0n });
      await clean();
    });

    test('the audit finds a budget that is not the sum of its orders', async () => {
      const keyId = await keyWith({ budget: 10n * HOLD });
      await run(keyId);
      for (const column of ['budget_spent', 'budget_held']) {
        await opened.db.knex('api_keys').where({ id: keyId }).increment(column, 1);
        const [finding, ...others] = (await audit(opened.db, null)).findings;
        assert.match(finding ?? '', new RegExp(`^Key ${keyId}: .* of its budget is ${column.slice(7)}, `));
        assert.deepEqual(others, []);
        await opened.db.knex('api_keys').where({ id: keyId }).decrement(column, 1);
      }
      await clean();
    });

    test('a key without a budget is not touched', async () => {
      const keyId = await keyWith({});
      const order = orderRow({ accountId, keyId });
      await opened.db.knex('api_keys').where({ id: keyId }).update({ budget_reset: 'unknown' });
      await opened.journal.write(acceptUnit(order, { admission: admissionOf(HOLD) }));
      await opened.journal.write(charged(order));
      const row = await createOrderStore(opened.db).find(wholeAccount(accountId), order.id);
      assert.deepEqual([row?.status, row?.budgetFromMs], ['done', null]);
      await opened.db.knex('api_keys').where({ id: keyId }).update({ budget_reset: 'never' });
    });
  });
}
