/** Transfers by the operator: a refused one moves no money, and a repeated one moves it once, on every database. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { idSource } from '#base/id.ts';
import { chargeOf } from '#ledger/tariff.ts';
import { audit } from '#storage/audit/index.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, marketTariff, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { Accounts } from '../account/account-store.ts';
import { Transfers } from './transfers.ts';

const clock = new ManualClock(startMs);
const ids = idSource(clock);
const USD = 1_000_000_000n;
/** What the tokens of a settled order cost. */
const COST = chargeOf(marketTariff, 500_000_000, { uncached: 10, cached: 90, output: 5 });
/** The most that an account may have. */
const MOST = 4_000_000_000n * USD;

for (const tested of testedDatabases) {
  describe(`transfers on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let transfers: Transfers;
    let accounts: Accounts;

    beforeEach(async () => {
      opened = await openJournaled(tested, clock);
      const parts = { db: opened.db, clock, ids };
      [transfers, accounts] = [new Transfers(parts), new Accounts(parts)];
      await opened.journal.write({ kind: 'level', model: 'tide-70b', levelSeq: 1, level: 500_000_000, atMs: startMs });
    });
    // Whatever was refused or repeated, every sum matches its rows in the end.
    afterEach(async () => {
      const { findings } = await audit(opened.db, null, { nowMs: startMs });
      await opened.drop();
      assert.deepEqual(findings, []);
    });

    const account = (balance = 10n * USD) => fundedAccount(opened.db, clock, balance);
    const balanceOf = async (id: string) => (await accounts.show(id)).balance;
    const entriesOf = async (id: string) => (await opened.db.knex('entries').where({ account_id: id })).length;

    /** An order that was charged, up to what its account could pay. */
    async function settled(accountId: string): Promise<string> {
      const order = orderRow({ accountId });
      await opened.journal.write(acceptUnit(order, { admission: admissionOf(1n) }));
      await opened.journal.write(settleUnit(order, COST));
      return order.id;
    }

    test('the whole charge of an order can be refunded, and not a nano-dollar more', async () => {
      const id = await account();
      const orderId = await settled(id);
      for (const tooMuch of [COST + 1n, 2n ** 63n, 10n ** 21n])
        await assert.rejects(transfers.refund(id, tooMuch, { orderId }, COMMAND_LINE), { code: 'invalid_request' });
      assert.equal((await transfers.refund(id, COST, { orderId }, COMMAND_LINE)).balance, 10n * USD);
      await assert.rejects(transfers.refund(id, 1n, { orderId }, COMMAND_LINE), { code: 'invalid_request' });
      assert.equal(await balanceOf(id), 10n * USD);
    });

    test('without an order, no more is refunded than the account was charged, and only with a reason', async () => {
      const id = await account();
      const reason = 'goodwill';
      await assert.rejects(transfers.refund(id, 1n, { reason }, COMMAND_LINE), {
        code: 'invalid_request',
        message: /is more than is left of the account's charges: \$0\.00\./,
      });
      const [first, second] = [await settled(id), await settled(id)];
      await transfers.refund(id, COST - 1n, { orderId: first }, COMMAND_LINE);
      for (const none of [{}, { reason: '' }, { reason: ' ' }])
        await assert.rejects(transfers.refund(id, 1n, none, COMMAND_LINE), { code: 'invalid_request' });
      await assert.rejects(transfers.refund(id, COST + 2n, { reason }, COMMAND_LINE), { code: 'invalid_request' });
      const given = await Promise.allSettled(
        Array.from({ length: 3 }, () => transfers.refund(id, (COST + 1n) / 2n, { reason }, COMMAND_LINE)),
      );
      assert.equal(given.filter(({ status }) => status === 'fulfilled').length, 2);
      // An order's own refund is bounded by its charge alone.
      await transfers.refund(id, COST, { orderId: second }, COMMAND_LINE);
    });

    test('a debit takes at most what is free of holds, needs a reason, and is logged also for the command line', async () => {
      const id = await account();
      await opened.journal.write(acceptUnit(orderRow({ accountId: id }), { admission: admissionOf(4n * USD) }));
      const reason = 'credited twice';
      await assert.rejects(transfers.debit(id, 6n * USD + 1n, { reason }, COMMAND_LINE), {
        code: 'invalid_request',
        message: /is more than is free: \$6\.00 of \$10\.00;/,
      });
      for (const amount of [0n, -1n])
        await assert.rejects(transfers.debit(id, amount, { reason }, COMMAND_LINE), { code: 'invalid_request' });
      await assert.rejects(transfers.debit(id, 1n, {}, COMMAND_LINE), { code: 'invalid_request' });
      const details = { reason, idempotencyKey: 'd' };
      const { balance, entry } = await transfers.debit(id, 6n * USD, details, COMMAND_LINE);
      assert.deepEqual([balance, entry.kind, entry.amount], [4n * USD, 'reversal', -6n * USD]);
      assert.equal((await transfers.debit(id, 6n * USD, details, COMMAND_LINE)).repeated, true);
      const rows = await opened.db.knex('audit_log').where({ account_id: id, what: 'account.debit' });
      assert.deepEqual(
        rows.map(({ subject }) => subject),
        [entry.id],
      );
    });

    test('debits in parallel with a hundred orders never take a balance below 0, and no order is written off', async () => {
      const id = await account(100n * COST);
      const orders = Array.from({ length: 100 }, () => settled(id));
      const debits = Array.from({ length: 100 }, () => transfers.debit(id, COST, { reason: 'r' }, COMMAND_LINE));
      const ended = await Promise.allSettled([...orders, ...debits]);
      const taken = ended.slice(100).filter(({ status }) => status === 'fulfilled').length;
      const { balance, held } = await accounts.show(id);
      assert.ok(balance >= 0n && held === 0n, `${balance} with ${held} held`);
      const usage = await opened.db.knex('usage_records').where({ account_id: id });
      const charged = usage.reduce((sum, row) => sum + BigInt(row.charged), 0n);
      assert.equal(balance, 100n * COST - charged - BigInt(taken) * COST);
    });

    test('what was written off is not refunded', async () => {
      const id = await account(COST - 5n);
      const orderId = await settled(id);
      await assert.rejects(transfers.refund(id, COST - 4n, { orderId }, COMMAND_LINE), { code: 'invalid_request' });
      assert.equal((await transfers.refund(id, COST - 5n, { orderId }, COMMAND_LINE)).balance, COST - 5n);
    });

    test('of concurrent refunds only those within the charge succeed', async () => {
      const id = await account();
      const orderId = await settled(id);
      const third = COST / 3n;
      const given = await Promise.allSettled(
        Array.from({ length: 5 }, () => transfers.refund(id, third, { orderId }, COMMAND_LINE)),
      );
      assert.equal(given.filter(({ status }) => status === 'fulfilled').length, 3);
      assert.equal(await balanceOf(id), 10n * USD - COST + 3n * third);
    });

    test('an order that is queued, running or failed has nothing to refund', async () => {
      const id = await account();
      const [waits, runs, fails] = [
        orderRow({ accountId: id }),
        orderRow({ accountId: id }),
        orderRow({ accountId: id }),
      ];
      await opened.journal.write(acceptUnit(waits));
      for (const order of [runs, fails]) {
        await opened.journal.write(acceptUnit(order, { admission: admissionOf(1n) }));
      }
      const why = { error: 'backend_error', errorMessage: 'It failed.', finishedAtMs: startMs + 3 };
      await opened.journal.write({ kind: 'fail', orderId: fails.id, accountId: id, attempt: 1, ...why });
      for (const { id: orderId } of [waits, runs, fails]) {
        await assert.rejects(transfers.refund(id, 1n, { orderId }, COMMAND_LINE), { code: 'not_found' });
      }
      assert.deepEqual([await balanceOf(id), await entriesOf(id)], [10n * USD, 1]);
    });

    test("another account's order is not refunded, not even to that account", async () => {
      const [mine, theirs] = [await account(), await account()];
      const orderId = await settled(theirs);
      await assert.rejects(transfers.refund(mine, 1n, { orderId }, COMMAND_LINE), { code: 'not_found' });
      assert.deepEqual([await balanceOf(mine), await balanceOf(theirs)], [10n * USD, 10n * USD - COST]);
    });

    test('a refund beyond the largest balance is not recorded on its order either', async () => {
      const id = await account();
      const orderId = await settled(id);
      await transfers.credit(id, MOST - 10n * USD + COST, { force: true }, COMMAND_LINE);
      await assert.rejects(transfers.refund(id, 1n, { orderId }, COMMAND_LINE), { code: 'invalid_request' });
      assert.equal(await balanceOf(id), MOST);
      const usage = await opened.db.knex('usage_records').where({ order_id: orderId }).first();
      assert.equal(Number(usage.refunded), 0);
    });

    test('a balance never exceeds the largest one', async () => {
      const id = await account(0n);
      await assert.rejects(transfers.credit(id, MOST + 1n, { force: true }, COMMAND_LINE), { code: 'invalid_request' });
      assert.equal((await transfers.credit(id, MOST, { force: true }, COMMAND_LINE)).balance, MOST);
      await assert.rejects(transfers.credit(id, 1n, { force: true }, COMMAND_LINE), { code: 'invalid_request' });
      await assert.rejects(transfers.refund(id, 1n, {}, COMMAND_LINE), { code: 'invalid_request' });
      assert.deepEqual([await balanceOf(id), await entriesOf(id)], [MOST, 1]);
    });

    test('0 and negative amounts are neither a top-up nor a refund', async () => {
      const id = await account();
      for (const amount of [0n, -1n, -(10n ** 18n)]) {
        await assert.rejects(transfers.credit(id, amount, { force: true }, COMMAND_LINE), { code: 'invalid_request' });
        await assert.rejects(transfers.refund(id, amount, {}, COMMAND_LINE), { code: 'invalid_request' });
      }
      assert.deepEqual([await balanceOf(id), await entriesOf(id)], [10n * USD, 1]);
    });

    test('one key is one transfer: another amount, kind or order is refused', async () => {
      const id = await account();
      const [orderId, other] = [await settled(id), await settled(id)];
      const idempotencyKey = 'r';
      const first = await transfers.refund(id, 5n, { orderId, idempotencyKey }, COMMAND_LINE);
      const again = await transfers.refund(id, 5n, { orderId, idempotencyKey }, COMMAND_LINE);
      assert.deepEqual(again, { entry: first.entry, balance: first.balance, repeated: true });
      for (const attempt of [
        () => transfers.refund(id, 6n, { orderId, idempotencyKey }, COMMAND_LINE),
        () => transfers.refund(id, 5n, { orderId: other, idempotencyKey }, COMMAND_LINE),
        () => transfers.refund(id, 5n, { idempotencyKey, reason: 'r' }, COMMAND_LINE),
        () => transfers.credit(id, 5n, { force: true, idempotencyKey }, COMMAND_LINE),
      ]) {
        await assert.rejects(attempt, { code: 'idempotency_error' });
      }
      assert.equal(await balanceOf(id), first.balance);
    });

    test('a repetition returns the first entry and the current balance', async () => {
      const id = await account();
      const first = await transfers.credit(id, 10n * USD, { idempotencyKey: 'k', reason: 'first' }, COMMAND_LINE);
      await transfers.credit(id, 30n * USD, {}, COMMAND_LINE);
      await clock.advance(1000);
      const again = await transfers.credit(id, 10n * USD, { idempotencyKey: 'k', reason: 'second' }, COMMAND_LINE);
      assert.deepEqual(again, { entry: first.entry, balance: 50n * USD, repeated: true });
    });

    test('a key belongs to its account, and the key of a refused transfer is free', async () => {
      const [one, other] = [await account(), await account()];
      const orderId = await settled(one);
      const idempotencyKey = 'x'.repeat(255);
      await assert.rejects(transfers.refund(one, COST + 1n, { orderId, idempotencyKey }, COMMAND_LINE), {
        code: 'invalid_request',
      });
      assert.equal((await transfers.refund(one, COST, { orderId, idempotencyKey }, COMMAND_LINE)).repeated, false);
      assert.equal((await transfers.credit(other, 10n * USD, { idempotencyKey }, COMMAND_LINE)).repeated, false);
      await assert.rejects(transfers.credit(one, 10n * USD, { idempotencyKey: `${idempotencyKey}x` }, COMMAND_LINE), {
        code: 'invalid_request',
      });
    });

    test('keys that differ in anything are different keys, and none ends in a space', async () => {
      const id = await account(0n);
      const keys = ['k', 'K', ' k', 'k\t', 'ḱ', 'k\u0301'];
      for (const idempotencyKey of keys) {
        const { repeated } = await transfers.credit(id, 10n * USD, { idempotencyKey }, COMMAND_LINE);
        assert.equal(repeated, false, JSON.stringify(idempotencyKey));
      }
      for (const idempotencyKey of ['k ', ' ']) {
        await assert.rejects(transfers.credit(id, 10n * USD, { idempotencyKey }, COMMAND_LINE), {
          code: 'invalid_request',
        });
      }
      assert.equal(await balanceOf(id), BigInt(keys.length) * 10n * USD);
    });

    test('a suspended account is topped up and refunded like any other', async () => {
      const id = await account();
      const orderId = await settled(id);
      await accounts.suspend(id, COMMAND_LINE);
      await transfers.refund(id, COST, { orderId }, COMMAND_LINE);
      assert.equal((await transfers.credit(id, 10n * USD, {}, COMMAND_LINE)).balance, 20n * USD);
      assert.equal((await accounts.show(id)).status, 'suspended');
    });

    test('a top-up while orders hold and settle is lost on neither side', async () => {
      const id = await account();
      const moves = Array.from({ length: 20 }, async (_, at) => {
        await settled(id);
        await transfers.credit(id, 10n * USD, { idempotencyKey: `${at}` }, COMMAND_LINE);
      });
      await Promise.all(moves);
      assert.equal(await balanceOf(id), 210n * USD - 20n * COST);
    });
  });
}
