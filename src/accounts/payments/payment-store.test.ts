/** Payments as entries: credited once, taken back as far as the balance goes, whatever arrives in whatever order. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { chargeOf } from '#ledger/tariff.ts';
import type { OrderRow } from '#orders/order.ts';
import { audit } from '#storage/audit/index.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, marketTariff, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { Accounts } from '../account/account-store.ts';
import { AccessStore } from '../keys/key-lookup.ts';
import { PaymentStore } from './payment-store.ts';
import { Payments } from './payments.ts';
import type { Payment, PaymentEvent, PaymentNews } from './provider.ts';

const USD = 1_000_000_000n;
const clock = new ManualClock(startMs);
const ids = idSource(clock);
/** Few tokens, which cost below $3, some, which cost below $10, and many, which cost between $10 and $20. */
const FEW = { uncached: 1_000_000, cached: 0, output: 0 };
const SOME = { uncached: 3_000_000, cached: 0, output: 0 };
const MANY = { uncached: 8_000_000, cached: 0, output: 0 };
const costOf = (tokens: typeof SOME) => chargeOf(marketTariff, 500_000_000, tokens);
const BOUNDS = { openMax: 3, sinceMs: startMs - 1000 };
let number = 0;

for (const tested of testedDatabases) {
  describe(`payments on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let store: PaymentStore;
    let accountId: string;
    /** What the audit must find in the end. */
    let expected: readonly RegExp[];

    before(async () => {
      opened = await openJournaled(tested, clock);
      store = new PaymentStore({ db: opened.db, clock, ids });
      await opened.journal.write({ kind: 'level', model: 'tide-70b', levelSeq: 1, level: 500_000_000, atMs: startMs });
    });
    after(() => opened?.drop());
    beforeEach(async () => {
      accountId = await fundedAccount(opened.db, clock, 10n * USD);
      expected = [];
    });
    afterEach(async () => {
      const { findings } = await audit(opened.db, null, { nowMs: startMs });
      await opened.db.knex('payment_events').where({ outcome: 'refused' }).delete();
      assert.equal(findings.length, expected.length, findings.join('\n'));
      for (const [index, finding] of findings.entries()) assert.match(finding, expected[index] ?? /^$/);
    });

    test('a payment without news ends, and is credited when its event comes after all', async () => {
      const payment = await open();
      await store.opened(payment.id, 'cs_late');
      await store.expire(startMs);
      const status = async () => (await store.list({ accountId, limit: 1 }))[0]?.status;
      assert.equal(await status(), 'open');
      await store.expire(startMs + 1);
      assert.equal(await status(), 'expired');
      const money = { currency: 'usd', cents: 2_000 };
      const paid = { kind: 'paid', paymentId: payment.id, accountId, sessionId: 'cs_late', intent: 'pi_late' } as const;
      assert.equal(await outcome({ ...paid, ...money }), 'credited');
      assert.equal(await status(), 'paid');
    });

    const open = (amount = 20n * USD) => store.open({ accountId, amount, provider: 'stripe' }, BOUNDS);
    const balance = async () => (await new Accounts({ db: opened.db, clock, ids }).show(accountId)).balance;
    const owed = async () => Number((await opened.db.knex('accounts').where({ id: accountId }).first('owed')).owed);
    const entries = async () => (await opened.db.knex('entries').where({ account_id: accountId })).length;
    const outcome = async (news: PaymentNews, id?: string) => (await store.handle(eventOf(news, id))).outcome;
    const paidFor = async (amount = 20n * USD) => {
      const payment = await open(amount);
      assert.equal(await outcome(paid(payment)), 'credited');
      return payment;
    };
    const settle = (order: OrderRow, tokens = SOME) =>
      opened.journal.write(settleUnit(order, costOf(tokens), { tokens }));
    /** An order that runs and holds this much. */
    const runs = async (hold: bigint) => {
      const order = orderRow({ accountId });
      const { result } = await opened.journal.write(acceptUnit(order, { admission: admissionOf(hold) }));
      return { order, result };
    };

    test('an event that is delivered ten times, one by one and at once, is credited once', async () => {
      const event = eventOf(paid(await open()));
      const first = await store.handle(event);
      const later = await Promise.all(Array.from({ length: 9 }, () => store.handle(event)));
      assert.deepEqual([first.outcome, ...later.map((one) => one.outcome)], ['credited', ...Array(9).fill('repeated')]);
      assert.deepEqual([await balance(), await entries()], [30n * USD, 2]);
    });

    test('ten deliveries at once to two gateways are credited once', async () => {
      const event = eventOf(paid(await open()));
      const other = new PaymentStore({ db: opened.db, clock, ids: idSource(clock) });
      const handled = await Promise.all(
        Array.from({ length: 10 }, (_, index) => (index % 2 ? store : other).handle(event)),
      );
      assert.equal(handled.filter((one) => one.outcome === 'credited').length, 1);
      assert.equal(await balance(), 30n * USD);
    });

    test('two events about one payment are credited once', async () => {
      const payment = await open();
      const handled = await Promise.all([1, 2, 3].map(() => store.handle(eventOf(paid(payment)))));
      assert.deepEqual(handled.map((one) => one.outcome).sort(), ['credited', 'repeated', 'repeated']);
      assert.equal(await balance(), 30n * USD);
    });

    test('an event that comes before the gateway noted the session is credited, and the session kept', async () => {
      const payment = await open();
      assert.equal(await outcome(paid(payment)), 'credited');
      await store.opened(payment.id, 'cs_late');
      const [listed] = await store.list({ accountId, limit: 1 });
      assert.deepEqual([listed?.status, listed?.sessionId, listed?.paidAtMs], ['paid', 'cs_1', startMs]);
    });

    test('an event for another account, session, amount or currency is refused, and the audit says so', async () => {
      const payment = await open();
      await store.opened(payment.id, 'cs_1');
      const before = await balance();
      const wrong: readonly Partial<Extract<PaymentNews, { kind: 'paid' }>>[] = [
        { accountId: 'another' },
        { sessionId: 'cs_2' },
        { cents: 2001 },
        { cents: 1999 },
        { cents: 20.5 },
        { currency: 'eur' },
      ];
      for (const change of wrong) assert.equal(await outcome({ ...paid(payment), ...change }), 'refused');
      assert.deepEqual([await balance(), await entries()], [before, 1]);
      assert.equal((await store.refused(10)).length, wrong.length);
      expected = wrong.map(() => /^Payment event evt_\d+ was refused: The payment is /);
      assert.equal(await outcome(paid(payment)), 'credited');
    });

    test('the money of one payment cannot be credited to a second one', async () => {
      await paidFor();
      const second = await open();
      assert.equal(await outcome({ ...paid(second), intent: 'pi_1', sessionId: 'cs_9' }), 'credited');
      const third = await open();
      assert.equal(await outcome({ ...paid(third), intent: 'pi_1' }), 'refused');
      expected = [/was refused: Its money was credited to payment/];
    });

    test('a payment that nobody began here is ignored', async () => {
      assert.equal(await outcome({ ...paid(await open()), paymentId: 'unknown' }), 'ignored');
      assert.equal(await outcome({ kind: 'other' }), 'ignored');
      assert.equal(await entries(), 1);
    });

    test('a payment ends when its session does, and news that it was paid count also after that', async () => {
      const payment = await open();
      assert.equal(await outcome({ kind: 'ended', paymentId: payment.id, status: 'expired' }), 'ended');
      assert.equal((await store.list({ accountId, limit: 1 }))[0]?.status, 'expired');
      assert.equal(await outcome(paid(payment)), 'credited');
      assert.equal(await outcome({ kind: 'ended', paymentId: payment.id, status: 'failed' }), 'ignored');
      assert.equal((await store.list({ accountId, limit: 1 }))[0]?.status, 'paid');
    });

    test('an account has a limit of payments that it began and did not pay', async () => {
      const [first] = [await open(), await open(), await open()];
      await assert.rejects(open(), { code: 'rate_limit_error' });
      await store.handle(eventOf(paid(first)));
      await open();
      const many = await Promise.allSettled(Array.from({ length: 3 }, () => open()));
      assert.ok(many.every(({ status }) => status === 'rejected'));
      await assert.rejects(store.open({ accountId: 'nobody', amount: USD, provider: 'stripe' }, BOUNDS), {
        code: 'not_found',
      });
    });

    test('payments that the provider could not begin do not count, and are credited if they are paid', async () => {
      const refuse = () => Promise.reject(new Error('The provider is down.'));
      const provider = { checkout: refuse, read: refuse, charge: refuse, forget: refuse };
      const payments = new Payments({ provider, store, clock, log: silentLog });
      for (let tried = 0; tried <= 20; tried++)
        await assert.rejects(payments.checkout(accountId, 20n * USD), { code: 'unavailable' });
      await payments.close();
      const [last] = await store.list({ accountId, limit: 1 });
      assert.ok(last);
      assert.equal(last.status, 'failed');
      assert.equal(await outcome(paid(last)), 'credited');
    });

    test('a refund is taken from the balance once, however often and by whichever event it is reported', async () => {
      const payment = await paidFor();
      const refund = reversal(payment, { cents: 500 });
      const told = await Promise.all([1, 2, 3].map(() => store.handle(eventOf(refund))));
      assert.deepEqual(told.map((one) => one.outcome).sort(), ['repeated', 'repeated', 'taken']);
      assert.deepEqual([await balance(), await entries(), await owed()], [25n * USD, 3, 0]);
      assert.equal((await store.list({ accountId, limit: 1 }))[0]?.reversed, 5n * USD);
    });

    test('a refund that failed is given back, and is not taken by news that are older', async () => {
      const payment = await paidFor();
      assert.equal(await outcome(reversal(payment)), 'taken');
      assert.equal(await outcome(reversal(payment, { state: 'returned' })), 'returned');
      assert.equal(await outcome(reversal(payment)), 'repeated');
      assert.deepEqual([await balance(), await owed()], [30n * USD, 0]);
    });

    test('that a dispute was won may be reported before that it was lost', async () => {
      const payment = await paidFor();
      assert.equal(await outcome(reversal(payment, { of: 'dispute', state: 'returned' })), 'returned');
      assert.equal(await outcome(reversal(payment, { of: 'dispute' })), 'repeated');
      assert.equal(await balance(), 30n * USD);
    });

    test('a refund that is reported before its payment waits for it', async () => {
      const payment = await open();
      assert.equal(await outcome(reversal(payment)), 'waiting');
      assert.equal(await balance(), 10n * USD);
      assert.equal(await outcome(paid(payment)), 'credited');
      assert.deepEqual([await balance(), await entries()], [10n * USD, 3]);
    });

    test('a refund in another currency, of another amount than before or above the payment is refused', async () => {
      const payment = await paidFor();
      const refund = reversal(payment, { cents: 500 });
      assert.equal(await outcome({ ...refund, currency: 'eur' }), 'refused');
      assert.equal(await outcome({ ...refund, cents: 2001 }), 'refused');
      assert.equal(await outcome({ ...refund, cents: 0 }), 'refused');
      assert.equal(await outcome(refund), 'taken');
      assert.equal(await outcome({ ...refund, cents: 600, state: 'returned' }), 'refused');
      assert.equal(await balance(), 25n * USD);
      expected = [/in usd/, /more than was paid/, /cannot be taken/, /another amount/];
      expected = expected.map(() => /^Payment event evt_\d+ was refused: /);
    });

    test('what orders hold is not taken: they are charged, nothing new starts, and what they free is taken', async () => {
      const payment = await paidFor();
      const { order } = await runs(25n * USD);
      assert.equal(await outcome(reversal(payment)), 'taken');
      assert.deepEqual([await balance(), await owed()], [25n * USD, Number(15n * USD)]);
      assert.equal((await runs(1n)).result, 'parked');
      await settle(order);
      const left = 25n * USD - costOf(SOME);
      assert.equal(await balance(), left);
      // Not collected yet, and already not to be held.
      assert.equal((await runs(left - 15n * USD + 1n)).result, 'unfunded');
      assert.equal((await new AccessStore(opened.db).funds(accountId))?.balance, left - 15n * USD);
      await store.collect();
      assert.deepEqual([await balance(), await owed()], [left - 15n * USD, 0]);
      assert.equal((await runs(left - 15n * USD)).result, 'executing');
    });

    test('an order that costs more than its hold is not charged from what is owed', async () => {
      const payment = await paidFor();
      const first = await runs(20n * USD);
      const second = await runs(5n * USD);
      assert.equal(await outcome(reversal(payment)), 'taken');
      await settle(first.order, FEW);
      await settle(second.order, MANY);
      // 25 were left and 15 of them owed: the hold and what is free beyond the debt pay.
      assert.equal(await balance(), 15n * USD);
      await store.collect();
      assert.deepEqual([await balance(), await owed()], [0n, 0]);
    });

    test('what is owed after everything was spent is taken from the next payment', async () => {
      const payment = await paidFor();
      const { order } = await runs(30n * USD);
      assert.equal(await outcome(reversal(payment)), 'taken');
      await settle(order, MANY);
      await store.collect();
      const debt = costOf(MANY) - 10n * USD;
      assert.deepEqual([await balance(), BigInt(await owed())], [0n, debt]);
      assert.equal((await runs(1n)).result, 'unfunded');
      await paidFor();
      assert.deepEqual([await balance(), await owed()], [20n * USD - debt, 0]);
    });

    test('accounts that cannot pay keep nobody from being collected from, and a hundred that can are not all', async () => {
      const owing: string[] = [];
      const held = (ids: readonly string[], column: string) =>
        opened.db
          .knex('accounts')
          .whereIn('id', ids)
          .update({ held: opened.db.knex.raw(column) });
      for (let count = 0; count < 102; count++) {
        accountId = await fundedAccount(opened.db, clock, 10n * USD);
        const payment = await paidFor();
        await held([accountId], 'balance');
        assert.equal(await outcome(reversal(payment)), 'taken');
        owing.push(accountId);
      }
      const [last = ''] = owing.sort().splice(-1);
      await held([last], '0');
      await store.collect();
      const debts = () =>
        opened.db
          .knex('accounts')
          .whereIn('id', [...owing, last])
          .where('owed', '>', 0)
          .pluck('id');
      assert.deepEqual((await debts()).sort(), owing);
      const entries = async () => (await opened.db.knex('entries').where({ kind: 'reversal' })).length;
      const taken = await entries();
      await store.collect();
      assert.equal(await entries(), taken);
      await held(owing, '0');
      await store.collect();
      assert.deepEqual(await debts(), []);
    });

    test('an account that always fails keeps no other from being collected from', async () => {
      const owing = [accountId, await fundedAccount(opened.db, clock, 10n * USD)].sort();
      for (const id of owing) {
        accountId = id;
        const payment = await paidFor();
        await runs(30n * USD);
        assert.equal(await outcome(reversal(payment)), 'taken');
      }
      await opened.db.knex('accounts').whereIn('id', owing).update({ held: 0 });
      const broken = () => opened.db.knex('payment_reversals').where({ account_id: owing[0] });
      await broken().update({ kind: 'unknown' });
      await assert.rejects(store.collect(), /unknown/);
      assert.equal(await owed(), 0);
      await broken().update({ kind: 'refund' });
      await store.collect();
      await opened.db.knex('orders').whereIn('account_id', owing).update({ hold: 0 });
    });

    test('a dispute that is won before all of it was taken gives back what was', async () => {
      const payment = await paidFor();
      const { order } = await runs(25n * USD);
      assert.equal(await outcome(reversal(payment, { of: 'dispute' })), 'taken');
      assert.equal(await outcome(reversal(payment, { of: 'dispute', state: 'returned' })), 'returned');
      assert.deepEqual([await balance(), await owed()], [30n * USD, 0]);
      await settle(order);
    });

    test('payments, their refunds and orders of one account at once leave books that agree', async () => {
      const wanted = { accountId, amount: 20n * USD, provider: 'stripe' } as const;
      const begun = await Promise.all(
        Array.from({ length: 12 }, () => store.open(wanted, { ...BOUNDS, openMax: 100 })),
      );
      const told = begun.flatMap((payment) => [paid(payment), reversal(payment, { cents: 1500 }), paid(payment)]);
      const lives = Array.from({ length: 12 }, async () => {
        const { order, result } = await runs(3n * USD);
        if (result === 'executing') await settle(order, FEW);
        return result === 'executing' ? costOf(FEW) : 0n;
      });
      const [charges] = await Promise.all([
        Promise.all(lives),
        ...told.map((news) => store.handle(eventOf(news))),
        ...Array.from({ length: 4 }, () => store.collect()),
      ]);
      await store.collect();
      const charged = charges.reduce((sum, charge) => sum + charge, 0n);
      assert.ok(charged > 0n);
      assert.deepEqual([await balance(), await owed()], [10n * USD + 12n * 5n * USD - charged, 0]);
    });

    test('the audit finds a credit, a reversal and a debt that do not agree', async () => {
      const payment = await paidFor();
      await outcome(reversal(payment, { reversalId: 're_audit' }));
      const { knex } = opened.db;
      await knex('payments').where({ id: payment.id }).update({ amount: '7' });
      await knex('payment_reversals').where({ id: 're_audit' }).update({ entered: '3' });
      await knex('accounts').where({ id: accountId }).update({ owed: '5' });
      await knex('entries').insert({
        ...{ account_id: accountId, unique_key: 'stripe:evt_stray', id: 'stray', kind: 'top_up', amount: '0' },
        ...{ created_at_ms: startMs },
      });
      expected = [
        /3 transfers are listed, 3 of them as they are, of 4\.$/,
        /^Payment .* is paid: 20000000000 was credited, not 7\.$/,
        /^Reversal re_audit: its entries sum to -20000000000, it has taken 3\.$/,
        /^Reversal re_audit: 3 is taken and 0 owed, together not 20000000000\.$/,
        /entry stripe:evt_stray belongs to no payment\.$/,
        /owes 5, its reversals 0\.$/,
      ];
    });
  });
}

function eventOf(news: PaymentNews, id = `evt_${++number}`): PaymentEvent {
  return { id, type: 'test', news };
}

function paid({ id, accountId, amount }: Payment): Extract<PaymentNews, { kind: 'paid' }> {
  const money = { currency: 'usd', cents: Number(amount / 10_000_000n) };
  return { kind: 'paid', paymentId: id, accountId, sessionId: 'cs_1', intent: `pi_${id}`, ...money };
}

/** The whole amount, unless given otherwise. */
function reversal(
  { id, amount }: Payment,
  change: Partial<Extract<PaymentNews, { kind: 'reversal' }>> = {},
): Extract<PaymentNews, { kind: 'reversal' }> {
  return {
    ...{ kind: 'reversal', reversalId: `re_${id}`, of: 'refund', intent: `pi_${id}`, state: 'taken' },
    ...{ currency: 'usd', cents: Number(amount / 10_000_000n) },
    ...change,
  };
}
