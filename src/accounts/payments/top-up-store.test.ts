/** Automatic top-up: begun once, within its limits, and credited once, whatever the provider and its events do. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { audit } from '#storage/audit/index.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { startMs } from '#testing/order-fixtures.ts';
import { Accounts } from '../account/account-store.ts';
import { PaymentStore } from './payment-store.ts';
import type { ChargeOutcome, Payment, PaymentNews, SavedCard } from './provider.ts';
import { TopUpStore, type TopUpWishes } from './top-up-store.ts';
import { TopUps } from './top-ups.ts';

const USD = 1_000_000_000n;
const WISHES: TopUpWishes = {
  ...{ enabled: true, threshold: 15n * USD, amount: 20n * USD, perDayMax: 3, monthMax: 100n * USD },
};
const BOUNDS = { openMax: 20, sinceMs: 0 };
let number = 0;

for (const tested of testedDatabases) {
  describe(`automatic top-up on ${tested.name}`, { skip: tested.skip }, () => {
    const clock = new ManualClock(startMs);
    let opened: OpenedJournal;
    let payments: PaymentStore;
    let store: TopUpStore;
    let topUps: TopUps;
    let accountId: string;
    /** What the provider was asked, and what it answers. */
    let asked: { readonly payment: Payment; readonly card: SavedCard }[];
    let answer: ChargeOutcome | Error;

    before(async () => {
      opened = await openJournaled(tested, clock);
      const parts = { db: opened.db, clock, ids: idSource(clock) };
      payments = new PaymentStore(parts);
      store = new TopUpStore(parts);
    });
    after(() => opened?.drop());
    beforeEach(async () => {
      [asked, answer] = [[], { kind: 'accepted' }];
      topUps = anotherGateway();
      accountId = await fundedAccount(opened.db, clock, 10n * USD);
      await saved('pm_1');
    });
    afterEach(async () => {
      await topUps.close();
      await opened.db.knex('top_ups').update({ enabled: 0 });
      const { findings } = await audit(opened.db, null, { nowMs: clock.nowMs() });
      assert.deepEqual(findings, []);
    });

    const anotherGateway = () =>
      new TopUps({
        provider: {
          async charge(payment, card) {
            asked.push({ payment, card });
            if (answer instanceof Error) throw answer;
            return answer;
          },
        },
        ...{ store, clock, log: silentLog },
      });
    const told = async (news: PaymentNews, id = `evt_${++number}`) =>
      (await payments.handle({ id, type: 'test', news })).outcome;
    const saved = async (method: string) => {
      const payment = await payments.open({ accountId, amount: 10n * USD, provider: 'stripe' }, BOUNDS);
      const outcome = await told({ kind: 'card', paymentId: payment.id, accountId, customer: 'cus_1', method });
      return { payment, outcome };
    };
    const decide = (change: Partial<TopUpWishes> = {}) =>
      store.change({ email: 'ada@example.com', accountId }, { ...WISHES, ...change });
    const paid = ({ id, amount }: Payment): PaymentNews => ({
      ...{ kind: 'paid', paymentId: id, accountId, sessionId: null, intent: `pi_${id}` },
      ...{ currency: 'usd', cents: Number(amount / 10_000_000n) },
    });
    const balance = async () =>
      (await new Accounts({ db: opened.db, clock, ids: idSource(clock) }).show(accountId)).balance;
    const last = () => {
      const due = asked.at(-1);
      assert.ok(due);
      return due.payment;
    };
    /** Lets time pass without the timer, whose rounds a test could not wait for. */
    const later = async (ms: number) => {
      await topUps.close();
      await clock.advance(ms);
      topUps = anotherGateway();
      await topUps.run();
    };

    test('is off until its owner switches it on, which needs a card', async () => {
      await topUps.run();
      assert.equal(asked.length, 0);
      const other = await fundedAccount(opened.db, clock, USD);
      const off = await store.find(other);
      assert.deepEqual([off.enabled, off.card, off.usedThisMonth], [false, null, 0n]);
      const by = { email: 'eve@example.com', accountId: other };
      await assert.rejects(store.change(by, WISHES), { code: 'invalid_request', param: 'enabled' });
      await store.change(by, { ...WISHES, enabled: false });
      await decide();
      const [row] = await opened.db.knex('audit_log').where({ what: 'top_up.change', account_id: accountId });
      assert.equal(row.who, 'ada@example.com');
      assert.equal(JSON.parse(row.after_json).amount_usd, '20.00');
    });

    test('a balance below the threshold is topped up once, and credited by the event alone, however often it comes', async () => {
      await decide();
      const gateways = [topUps, anotherGateway(), anotherGateway()];
      await Promise.all(gateways.map((gateway) => gateway.run()));
      await Promise.all(gateways.map((gateway) => gateway.close()));
      assert.equal(asked.length, 1);
      assert.deepEqual(asked[0]?.card, { customer: 'cus_1', method: 'pm_1' });
      assert.deepEqual([last().amount, last().automatic, await balance()], [20n * USD, true, 10n * USD]);
      await later(10 * MINUTE_MS);
      assert.equal(asked.length, 1, 'it waits for the event');
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => told(paid(last()), `evt_same_${accountId}`)));
      assert.deepEqual(outcomes.sort(), ['credited', 'repeated', 'repeated', 'repeated', 'repeated']);
      assert.equal(await told(paid(last())), 'repeated');
      assert.equal(await balance(), 30n * USD);
      await later(MINUTE_MS);
      assert.equal(asked.length, 1, 'the balance suffices');
      assert.equal((await store.find(accountId)).usedThisMonth, 20n * USD);
    });

    test('an event may come before the answer of the charge', async () => {
      await decide();
      const due = await store.take(accountId);
      assert.ok(due);
      assert.equal(await told(paid(due.payment)), 'credited');
      await store.accepted(due.payment);
      await store.declined(due.payment, 'card_declined');
      assert.equal(await balance(), 30n * USD);
      const state = await store.find(accountId);
      assert.deepEqual([state.enabled, state.offReason], [true, null]);
    });

    test('what was not answered is sent again a minute later, as the same payment, for twelve hours', async () => {
      await decide();
      answer = new Error('The provider is down.');
      await topUps.run();
      await later(30_000);
      assert.equal(asked.length, 1);
      await later(MINUTE_MS);
      assert.deepEqual([asked.length, asked[1]?.payment.id], [2, asked[0]?.payment.id]);
      await later(12 * HOUR_MS);
      const state = await store.find(accountId);
      assert.deepEqual([asked.length, state.enabled], [2, false]);
      assert.match(state.offReason ?? '', /could not be asked/);
      assert.equal(await told(paid(last())), 'credited');
      assert.equal(await balance(), 30n * USD);
    });

    test('a declined card is tried again after one hour and six, as other payments, and then no more', async () => {
      await decide();
      answer = { kind: 'declined', code: 'insufficient_funds' };
      await topUps.run();
      // The event of the same refusal counts for nothing.
      assert.equal(await told({ kind: 'declined', paymentId: last().id, code: 'insufficient_funds' }), 'ignored');
      await later(59 * MINUTE_MS);
      assert.equal(asked.length, 1);
      await later(MINUTE_MS);
      assert.equal(asked.length, 2);
      await later(6 * HOUR_MS - MINUTE_MS);
      assert.equal(asked.length, 2);
      await later(MINUTE_MS);
      assert.equal(new Set(asked.map(({ payment }) => payment.id)).size, 3);
      const state = await store.find(accountId);
      assert.deepEqual([state.enabled, state.offAtMs], [false, clock.nowMs()]);
      assert.equal(state.offReason, 'The card was declined 3 times; its bank says: insufficient_funds.');
      await later(DAY_MS);
      assert.deepEqual([asked.length, await balance()], [3, 10n * USD]);
      const [row] = await opened.db.knex('audit_log').where({ what: 'top_up.off', account_id: accountId });
      assert.equal(row.who, 'automatic top-up');
      answer = { kind: 'accepted' };
      assert.equal((await decide()).offReason, null);
      await topUps.run();
      assert.equal(asked.length, 4);
    });

    test('a refusal that only an event reports counts as well', async () => {
      await decide();
      await topUps.run();
      assert.equal(await told({ kind: 'declined', paymentId: last().id, code: 'do_not_honor' }), 'ended');
      await later(HOUR_MS);
      assert.equal(asked.length, 2);
    });

    for (const [kind, sentence] of [
      ['unconfirmed', /bank requires the holder/],
      ['gone', /card was removed/],
    ] as const)
      test(`a card that is ${kind} switches off at once, and says why`, async () => {
        await decide();
        answer = { kind };
        await topUps.run();
        const state = await store.find(accountId);
        assert.equal(state.enabled, false);
        assert.match(state.offReason ?? '', sentence);
        await later(DAY_MS);
        assert.equal(asked.length, 1);
        assert.equal((await payments.list({ accountId, limit: 1 }))[0]?.status, 'failed');
      });

    test('an event that never comes switches off after a day; nothing else begins until then', async () => {
      await decide({ perDayMax: 10 });
      await topUps.run();
      await later(23 * HOUR_MS);
      assert.equal(asked.length, 1);
      await later(HOUR_MS);
      assert.match((await store.find(accountId)).offReason ?? '', /did not report the outcome within a day/);
      assert.equal(await told(paid(last())), 'credited');
      assert.deepEqual([asked.length, await balance()], [1, 30n * USD]);
    });

    test('no more payments in 24 hours than the owner allows, and no more money in a month', async () => {
      await decide({ threshold: 1_000n * USD, perDayMax: 2, monthMax: 70n * USD });
      const pay = async () => {
        const count = asked.length;
        await later(5 * MINUTE_MS);
        if (asked.length > count) await told(paid(last()));
        return asked.length - count;
      };
      assert.deepEqual([await pay(), await pay(), await pay()], [1, 1, 0]);
      await later(DAY_MS);
      await told(paid(last()));
      assert.equal((await store.find(accountId)).usedThisMonth, 60n * USD);
      assert.deepEqual([await pay(), asked.length], [0, 3], 'the month has $10 left');
      const now = new Date(clock.nowMs());
      await later(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - clock.nowMs());
      assert.equal(asked.length, 4);
    });

    test('nothing begins for a suspended account, or one that owes', async () => {
      await decide();
      const accounts = new Accounts({ db: opened.db, clock, ids: idSource(clock) });
      await accounts.suspend(accountId, COMMAND_LINE);
      await topUps.run();
      await accounts.resume(accountId, COMMAND_LINE);
      await opened.db.knex('accounts').where({ id: accountId }).update({ owed: '1' });
      await later(5 * MINUTE_MS);
      assert.equal(asked.length, 0);
      await opened.db.knex('accounts').where({ id: accountId }).update({ owed: '0' });
      await later(5 * MINUTE_MS);
      assert.equal(asked.length, 1);
    });

    test('the card of the latest payment is kept, whichever news comes last', async () => {
      await clock.advance(1000);
      const { payment, outcome } = await saved('pm_2');
      assert.equal(outcome, 'saved');
      await clock.advance(1000);
      assert.equal((await saved('pm_3')).outcome, 'saved');
      const news = { paymentId: payment.id, accountId, customer: 'cus_1', method: 'pm_2' };
      assert.equal(await told({ kind: 'card', ...news }), 'repeated');
      assert.equal((await store.find(accountId)).card?.method, 'pm_3');
      for (const wrong of [{ paymentId: 'nobody' }, { accountId: 'another' }])
        assert.equal(await told({ kind: 'card', ...news, ...wrong }), 'ignored');
    });

    test('a removed card charges nothing, and what is paid late is credited', async () => {
      await decide();
      const due = await store.take(accountId);
      assert.ok(due);
      await store.forgetCard({ email: 'ada@example.com', accountId });
      await later(DAY_MS);
      const state = await store.find(accountId);
      assert.deepEqual([asked.length, state.enabled, state.card, state.customer], [0, false, null, 'cus_1']);
      assert.equal(await told(paid(due.payment)), 'credited');
    });

    test('a dispute switches off', async () => {
      await decide();
      await topUps.run();
      await told(paid(last()));
      const money = { currency: 'usd', cents: 2000, intent: `pi_${last().id}` };
      assert.equal(
        await told({ kind: 'reversal', reversalId: `dp_${accountId}`, of: 'dispute', state: 'taken', ...money }),
        'taken',
      );
      assert.equal((await store.find(accountId)).offReason, 'A payment was disputed.');
      await later(DAY_MS);
      assert.equal(asked.length, 1);
    });

    test('an event of a checkout does not credit an automatic payment, nor the other way round', async () => {
      await decide();
      await topUps.run();
      const { payment } = await saved('pm_9');
      for (const news of [
        { ...paid(last()), sessionId: 'cs_1' },
        { ...paid(payment), sessionId: null },
      ] as PaymentNews[])
        assert.equal(await told(news), 'refused');
      await opened.db.knex('payment_events').where({ outcome: 'refused' }).delete();
      assert.equal(await balance(), 10n * USD);
    });

    test('an account that always fails does not keep the next ones from being topped up', async () => {
      await decide();
      const [first = accountId, second = ''] = [accountId, await fundedAccount(opened.db, clock, 10n * USD)].sort();
      for (const id of [first, second]) {
        accountId = id;
        await saved('pm_2');
        await decide();
      }
      const broken = { account_id: first };
      await opened.db.knex('top_ups').where(broken).update({ payment_id: 'no such payment' });
      await topUps.run();
      assert.deepEqual(
        asked.map(({ payment }) => payment.accountId),
        [second],
      );
      await opened.db.knex('top_ups').where(broken).update({ payment_id: null });
    });

    test('every account gets its turn, however many there are', async () => {
      await decide();
      await opened.db.knex('top_ups').where({ account_id: accountId }).update({ enabled: 0 });
      for (const id of ['a', 'b', 'c'])
        await opened.db.knex('top_ups').insert({
          ...{ account_id: id, enabled: 1, threshold: 1, amount: 1, per_day_max: 1, month_max: 1, failures: 0 },
          ...{ accepted: 0, next_at_ms: 0, payment_id: 'p' },
        });
      assert.deepEqual(await store.due('', 2), { accountIds: [], next: 'b' });
      assert.deepEqual(await store.due('b', 2), { accountIds: [], next: null });
      await opened.db.knex('top_ups').whereIn('account_id', ['a', 'b', 'c']).delete();
    });
  });
}
