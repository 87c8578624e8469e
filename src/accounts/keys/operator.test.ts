/** The operator's side of accounts, money and keys, on every database. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { Fault, type FaultCode } from '#base/fault.ts';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { wholeAccount } from '#base/reach.ts';
import { createJournal, type Journal } from '#storage/journal/journal.ts';
import { createOrderStore } from '#storage/orders/store.ts';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { Accounts } from '../account/account-store.ts';
import { Transfers } from '../ledger/transfers.ts';
import { UsageStore } from '../ledger/usage-store.ts';
import { hashKey, isApiKey } from './api-key.ts';
import { AccessStore } from './key-lookup.ts';
import { Keys } from './key-store.ts';

const clock = new ManualClock(startMs);
const ids = idSource(clock);
const USD = 1_000_000_000n;

for (const tested of testedDatabases) {
  describe(`operator on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;
    let accounts: Accounts;
    let transfers: Transfers;
    let keys: Keys;
    let journal: Journal;

    before(async () => {
      opened = await openTested(tested);
      const parts = { db: opened.db, clock, ids };
      accounts = new Accounts(parts);
      transfers = new Transfers(parts);
      keys = new Keys(parts);
      journal = createJournal(opened.db, { clock, log: silentLog });
    });
    after(async () => {
      await journal?.close();
      await opened?.drop();
    });

    async function settledOrder(accountId: string, charge: bigint): Promise<string> {
      const order = orderRow({ accountId });
      await journal.write(acceptUnit(order, { admission: admissionOf(charge) }));
      await journal.write(settleUnit(order, charge));
      return order.id;
    }

    test('a new account has no money, 30 days of retention, a wait of ten minutes and no price limits', async () => {
      assert.equal(await accounts.isEmpty(), true);
      const account = await accounts.create({ name: 'Ada & “Söhne”' }, COMMAND_LINE);
      const { id, ...rest } = await accounts.show(account.id);
      assert.ok(id);
      assert.deepEqual(rest, {
        name: 'Ada & “Söhne”',
        status: 'active',
        balance: 0n,
        held: 0n,
        priceLimits: {},
        priceLock: false,
        orderTimeoutS: 600,
        retentionDays: 30,
        logPayloads: false,
        house: false,
        createdAtMs: startMs,
      });
      assert.equal(await accounts.isEmpty(), false);
    });

    test('an account with a bad name or retention is refused', async () => {
      await refused('invalid_request', accounts.create({ name: ' ' }, COMMAND_LINE));
      await refused('invalid_request', accounts.create({ name: 'x'.repeat(256) }, COMMAND_LINE));
      for (const retentionDays of [-1, 31, 1.5]) {
        await refused('invalid_request', accounts.create({ name: 'x', retentionDays }, COMMAND_LINE));
      }
    });

    test('accounts are listed page by page', async () => {
      for (let index = 0; index < 3; index++) await accounts.create({ name: `page ${index}` }, COMMAND_LINE);
      const all = await accounts.list({ limit: 100, after: null });
      const [first, second] = [all[0], all[1]];
      assert.ok(first && second);
      assert.deepEqual(await accounts.list({ limit: 1, after: first.id }), [second]);
    });

    test('an account is suspended and resumed, and its price limits are merged', async () => {
      const { id } = await accounts.create({ name: 'standing' }, COMMAND_LINE);
      assert.equal((await accounts.suspend(id, COMMAND_LINE)).status, 'suspended');
      assert.equal((await new AccessStore(opened.db).account(id))?.status, 'suspended');
      assert.equal((await accounts.resume(id, COMMAND_LINE)).status, 'active');
      await accounts.setDefaults(id, { priceLimits: { a: 10 ** 18, b: 2 } });
      const { priceLimits } = await accounts.setDefaults(id, { priceLimits: { b: null, c: 3 } });
      assert.deepEqual(priceLimits, { a: 10 ** 18, c: 3 });
    });

    test('an account changes its own defaults, each alone or all at once', async () => {
      const { id } = await accounts.create({ name: 'defaults' }, COMMAND_LINE);
      await accounts.setDefaults(id, { priceLimits: { a: 1, b: 2 }, priceLock: true, orderTimeoutS: 10 });
      await accounts.setDefaults(id, { priceLimits: { b: null } });
      const kept = await accounts.setDefaults(id, { orderTimeoutS: 2_592_000 });
      assert.deepEqual([kept.priceLimits, kept.priceLock, kept.orderTimeoutS], [{ a: 1 }, true, 2_592_000]);
      assert.equal((await accounts.setDefaults(id, { priceLock: false })).priceLock, false);
      assert.deepEqual(await accounts.setDefaults(id, {}), await accounts.show(id));
      await refused('not_found', accounts.setDefaults('nobody', {}));
    });

    test('no operation finds an unknown account', async () => {
      await refused('not_found', accounts.show('nobody'));
      await refused('not_found', accounts.suspend('nobody', COMMAND_LINE));
      await refused('not_found', transfers.credit('nobody', 10n * USD, {}, COMMAND_LINE));
      await refused('not_found', transfers.refund('nobody', 1n, { reason: 'r' }, COMMAND_LINE));
      await refused('not_found', keys.create('nobody', {}, COMMAND_LINE));
      await refused('not_found', keys.list('nobody'));
      await refused('not_found', keys.revoke('nobody', COMMAND_LINE));
      assert.equal(await new AccessStore(opened.db).funds('nobody'), null);
    });

    test('a top-up is $10 to $10,000 unless it is forced, and never 0', async () => {
      const { id } = await accounts.create({ name: 'bounds' }, COMMAND_LINE);
      await refused('invalid_request', transfers.credit(id, 10n * USD - 1n, {}, COMMAND_LINE));
      await refused('invalid_request', transfers.credit(id, 10_000n * USD + 1n, {}, COMMAND_LINE));
      await refused('invalid_request', transfers.credit(id, 0n, { force: true }, COMMAND_LINE));
      await refused('invalid_request', transfers.credit(id, 5n * 10n ** 18n, { force: true }, COMMAND_LINE));
      await refused('invalid_request', transfers.credit(id, 10n * USD, { idempotencyKey: '' }, COMMAND_LINE));
      await refused('invalid_request', transfers.credit(id, 10n * USD, { reason: 'x'.repeat(1001) }, COMMAND_LINE));
      assert.equal((await transfers.credit(id, 10n * USD, {}, COMMAND_LINE)).balance, 10n * USD);
      assert.equal((await transfers.credit(id, 10_000n * USD, {}, COMMAND_LINE)).balance, 10_010n * USD);
      assert.equal((await transfers.credit(id, 1n, { force: true }, COMMAND_LINE)).balance, 10_010n * USD + 1n);
    });

    test('an amount too large for a double is exact to the nano-dollar', async () => {
      const { id } = await accounts.create({ name: 'exact' }, COMMAND_LINE);
      await transfers.credit(id, 2n ** 53n + 1n, { force: true }, COMMAND_LINE);
      assert.equal((await accounts.show(id)).balance, 2n ** 53n + 1n);
    });

    test('a top-up repeated with its key, even concurrently, moves money once', async () => {
      const { id } = await accounts.create({ name: 'twice' }, COMMAND_LINE);
      const credit = () => transfers.credit(id, 20n * USD, { idempotencyKey: 'k' }, COMMAND_LINE);
      const moved = await Promise.all([credit(), credit(), credit(), credit()]);
      assert.equal(moved.filter(({ repeated }) => !repeated).length, 1);
      assert.deepEqual(new Set(moved.map(({ entry }) => entry.id)).size, 1);
      assert.equal((await accounts.show(id)).balance, 20n * USD);
      await refused('idempotency_error', transfers.credit(id, 21n * USD, { idempotencyKey: 'k' }, COMMAND_LINE));
      await refused(
        'idempotency_error',
        transfers.refund(id, 20n * USD, { idempotencyKey: 'k', reason: 'r' }, COMMAND_LINE),
      );
    });

    test('an idempotency key that looks like an order id does not block the charge of that order', async () => {
      const { id } = await accounts.create({ name: 'clash' }, COMMAND_LINE);
      const order = orderRow({ accountId: id });
      await transfers.credit(id, 10n * USD, { idempotencyKey: order.id }, COMMAND_LINE);
      await journal.write(acceptUnit(order, { admission: admissionOf(5n) }));
      assert.equal((await journal.write(settleUnit(order, 5n))).result, 'settled');
    });

    test('refunds of an order never exceed its charge and are shown wherever the charge is', async () => {
      const { id } = await accounts.create({ name: 'refund' }, COMMAND_LINE);
      await transfers.credit(id, 10n * USD, {}, COMMAND_LINE);
      const orderId = await settledOrder(id, 100n);
      await refused('invalid_request', transfers.refund(id, 101n, { orderId }, COMMAND_LINE));
      await refused('invalid_request', transfers.refund(id, 0n, { orderId }, COMMAND_LINE));
      assert.equal(
        (await transfers.refund(id, 60n, { orderId, idempotencyKey: 'r' }, COMMAND_LINE)).balance,
        10n * USD - 40n,
      );
      assert.equal((await transfers.refund(id, 60n, { orderId, idempotencyKey: 'r' }, COMMAND_LINE)).repeated, true);
      await refused('invalid_request', transfers.refund(id, 41n, { orderId }, COMMAND_LINE));
      const usage = new UsageStore(opened.db);
      const filter = { ...wholeAccount(id), model: null, fromMs: null, toMs: null };
      assert.deepEqual(await usage.totals(filter), { requests: 1, charged: 40n });
      assert.equal((await usage.list(filter, { limit: 1, after: null }))[0]?.charged, 40n);
      assert.equal((await createOrderStore(opened.db).find(wholeAccount(id), orderId))?.usage?.charged, 40n);
    });

    test("a refund names one of the account's own settled orders, or none", async () => {
      const { id } = await accounts.create({ name: 'own' }, COMMAND_LINE);
      const { id: other } = await accounts.create({ name: 'other' }, COMMAND_LINE);
      await transfers.credit(other, 10n * USD, {}, COMMAND_LINE);
      const orderId = await settledOrder(other, 100n);
      await refused('not_found', transfers.refund(id, 1n, { orderId }, COMMAND_LINE));
      await refused('invalid_request', transfers.refund(id, 7n, { reason: 'goodwill' }, COMMAND_LINE));
      const { entry, balance } = await transfers.refund(other, 7n, { reason: 'goodwill' }, COMMAND_LINE);
      assert.deepEqual([entry.kind, entry.reason, balance], ['refund', 'goodwill', 10n * USD - 93n]);
    });

    test('a key is found by its hash, shown once, and revoked for good', async () => {
      const { id } = await accounts.create({ name: 'keys' }, COMMAND_LINE);
      const { key, secret } = await keys.create(id, { name: 'laptop', priceLimits: { m: 5 } }, COMMAND_LINE);
      assert.ok(isApiKey(secret));
      const found = await new AccessStore(opened.db).findByHash(hashKey(secret));
      assert.deepEqual(found?.owner.key, key);
      assert.equal(found?.owner.account.id, id);
      assert.equal(await new AccessStore(opened.db).findByHash(hashKey(`${secret}x`)), null);
      assert.equal((await keys.revoke(key.id, COMMAND_LINE)).revokedAtMs, startMs);
      assert.equal((await keys.revoke(key.id, COMMAND_LINE)).revokedAtMs, startMs);
      assert.deepEqual(
        (await keys.list(id)).map(({ hint }) => hint),
        [key.hint],
      );
      assert.ok(!JSON.stringify(await opened.db.knex('api_keys'), (_, value) => String(value)).includes(secret));
    });

    test('a key is revoked by itself as well, and no refusal repeats what looks like a key', async () => {
      const { id } = await accounts.create({ name: 'leaked' }, COMMAND_LINE);
      const { key, secret } = await keys.create(id, {}, COMMAND_LINE);
      const mistyped = secret.slice(0, -1);
      await assert.rejects(
        keys.revoke(mistyped, COMMAND_LINE),
        (error) => error instanceof Fault && !error.message.includes('sk-'),
      );
      assert.equal((await keys.list(id))[0]?.revokedAtMs, null);
      const revoked = await keys.revoke(secret, COMMAND_LINE);
      assert.deepEqual([revoked.id, revoked.revokedAtMs], [key.id, startMs]);
    });

    test('a key needs a name', async () => {
      const { id } = await accounts.create({ name: 'names' }, COMMAND_LINE);
      await refused('invalid_request', keys.create(id, { name: '' }, COMMAND_LINE));
      await refused('invalid_request', keys.create(id, { name: 'x'.repeat(256) }, COMMAND_LINE));
    });

    test('the 51st active key is refused, even among concurrent requests', async () => {
      const { id } = await accounts.create({ name: 'many' }, COMMAND_LINE);
      const made = await Promise.allSettled(Array.from({ length: 52 }, () => keys.create(id, {}, COMMAND_LINE)));
      const refusals = made.filter((one) => one.status === 'rejected');
      assert.equal(refusals.length, 2);
      for (const { reason } of refusals) assert.equal(reason instanceof Fault && reason.code, 'too_many_keys');
      const [first] = await keys.list(id);
      assert.ok(first);
      await keys.revoke(first.id, COMMAND_LINE);
      assert.ok((await keys.create(id, {}, COMMAND_LINE)).secret);
    });

    test('an operator may set another limit on keys', async () => {
      const { id } = await accounts.create({ name: 'few' }, COMMAND_LINE);
      await keys.create(id, { activeMax: 1 }, COMMAND_LINE);
      await assert.rejects(keys.create(id, { activeMax: 1 }, COMMAND_LINE), {
        code: 'too_many_keys',
        message: /already has 1 active key,/,
      });
      assert.ok((await keys.create(id, { activeMax: 2 }, COMMAND_LINE)).secret);
    });

    test('the house account is created once', async () => {
      const [one, two] = await Promise.all([accounts.house(), accounts.house()]);
      assert.deepEqual(one, two);
      assert.equal(one.house, true);
    });
  });
}

async function refused(code: FaultCode, attempt: Promise<unknown>): Promise<void> {
  await assert.rejects(attempt, (error) => error instanceof Fault && error.code === code);
}
