/** What an account sees of its books is what the ledger has, to the nano-dollar, on every database. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { idSource } from '#base/id.ts';
import { seededRandom } from '#base/random.ts';
import { DAY_MS, HOUR_MS } from '#base/time.ts';
import { chargeOf } from '#ledger/tariff.ts';
import { audit } from '#storage/audit/index.ts';
import type { RowKey } from '#storage/database/keyset.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, marketTariff, orderRow, settleUnit } from '#testing/order-fixtures.ts';
import { PaymentStore } from '../payments/payment-store.ts';
import type { PaymentNews } from '../payments/provider.ts';
import { AccountBooks } from './books.ts';
import type { BookedEntry } from './entry-rows.ts';
import { Transfers } from './transfers.ts';

const USD = 1_000_000_000n;
const COST = chargeOf(marketTariff, 500_000_000, { uncached: 10, cached: 90, output: 5 });
const MODELS = ['tide-70b', 'reef-8b'];
const FIRST_MS = Date.UTC(2026, 7, 30);
const monthOf = (month: number) => ({ fromMs: Date.UTC(2026, month), toMs: Date.UTC(2026, month + 1) });

for (const tested of testedDatabases) {
  describe(`the books of an account on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let clock: ManualClock;
    let books: AccountBooks;
    let transfers: Transfers;

    beforeEach(async () => {
      clock = new ManualClock(FIRST_MS);
      opened = await openJournaled(tested, clock);
      books = new AccountBooks({ db: opened.db, clock });
      transfers = new Transfers({ db: opened.db, clock, ids: idSource(clock) });
      for (const model of MODELS)
        await opened.journal.write({ kind: 'level', model, levelSeq: 1, level: 500_000_000, atMs: FIRST_MS });
    });
    afterEach(async () => {
      const { findings } = await audit(opened.db, null, { nowMs: clock.nowMs() });
      await opened.drop();
      assert.deepEqual(findings, []);
    });

    /** An order that was charged now; the audit reads its times, too. */
    async function settled(accountId: string, model = 'tide-70b'): Promise<string> {
      const nowMs = clock.nowMs();
      const order = orderRow({ accountId, model, createdAtMs: nowMs, expiresAtMs: nowMs + HOUR_MS });
      const admission = { ...admissionOf(2n * COST), atMs: nowMs };
      await opened.journal.write(acceptUnit(order, { admission }));
      await opened.journal.write(settleUnit(order, COST, { finishedAtMs: nowMs }));
      return order.id;
    }

    /** Three months of charges, top-ups, refunds of earlier months, payments and what was taken back of them. */
    async function lived(accountId: string): Promise<void> {
      const random = seededRandom(7);
      const payments = new PaymentStore({ db: opened.db, clock, ids: idSource(clock) });
      const charged: string[] = [];
      for (let step = 0; step < 60; step++) {
        await clock.advance(Math.floor(random.next() * 3 * DAY_MS));
        const dice = random.next();
        const orderId = charged[Math.floor(random.next() * charged.length)];
        if (dice < 0.6) charged.push(await settled(accountId, MODELS[step % 2]));
        else if (dice < 0.7) await transfers.credit(accountId, 10n * USD + BigInt(step), {}, COMMAND_LINE);
        else if (dice < 0.9 && orderId) await transfers.refund(accountId, 1n + BigInt(step), { orderId }, COMMAND_LINE);
        else if (dice < 0.95) await transfers.debit(accountId, 3n, { reason: 'wrong' }, COMMAND_LINE);
        else {
          const wanted = { accountId, amount: 20n * USD, provider: 'stripe' } as const;
          const { id } = await payments.open(wanted, { openMax: 9, sinceMs: 0 });
          const money = { currency: 'usd', intent: `pi_${id}` };
          const paid: PaymentNews = {
            ...{ kind: 'paid', paymentId: id, accountId, sessionId: 'cs' },
            ...money,
            cents: 2000,
          } as const;
          await payments.handle({ id: `evt_${id}`, type: 'paid', news: paid });
          const about = { kind: 'reversal', reversalId: `re_${id}`, of: 'refund', state: 'taken' } as const;
          const taken: PaymentNews = { ...about, ...money, cents: 501 };
          await payments.handle({ id: `evt_re_${id}`, type: 'refund', news: taken });
        }
      }
    }

    async function everyEntry(accountId: string, limit: number, only: 'charges' | 'transfers' | null = null) {
      const all: BookedEntry[] = [];
      for (let after: RowKey | null = null; ; ) {
        const page: BookedEntry[] = await books.entries(accountId, { only, limit, after });
        all.push(...page);
        after = page.at(-1) ?? null;
        if (page.length < limit) return all;
      }
    }

    test('every statement agrees with the entries of its month, and each begins with what the one before ended with', async () => {
      const accountId = await fundedAccount(opened.db, clock, 100n * USD);
      await lived(accountId);
      const entries = await opened.db.knex('entries').where({ account_id: accountId });
      let balance = 0n;
      for (const month of [6, 7, 8, 9, 10, 11]) {
        const { fromMs, toMs } = monthOf(month);
        const inMonth = entries.filter((row) => row.created_at_ms >= fromMs && row.created_at_ms < toMs);
        const sumOf = (kind: string) =>
          inMonth.filter((row) => row.kind === kind).reduce((sum, row) => sum + BigInt(row.amount), 0n);
        const statement = await books.statement(accountId, { fromMs, toMs });
        assert.equal(statement.opening, balance, `opening of ${month}`);
        for (const kind of ['top_up', 'charge', 'refund', 'reversal'] as const)
          assert.equal(statement.sums[kind], sumOf(kind), `${kind} of ${month}`);
        balance = statement.closing;
        const listed = statement.transfers.reduce((sum, { amount }) => sum + amount, 0n);
        assert.equal(listed, sumOf('top_up') + sumOf('refund') + sumOf('reversal'));
        assert.equal(statement.transfersLeftOut, 0);
        const requests = statement.charges.reduce((sum, row) => sum + row.requests, 0);
        assert.equal(requests, inMonth.filter(({ kind }) => kind === 'charge').length);
        assert.ok(statement.charges.every(({ day }) => day * DAY_MS >= fromMs && day * DAY_MS < toMs));
      }
      assert.equal(balance, (await books.standing(accountId)).balance);
      assert.ok(entries.some(({ kind }) => kind === 'reversal') && entries.length > 50);
    });

    test('pages of any size list every entry once, the newest first, and their sum is the balance', async () => {
      const accountId = await fundedAccount(opened.db, clock, 100n * USD);
      await settled(accountId);
      // At one moment, so that only the ids are in order.
      for (let count = 0; count < 5; count++) await transfers.credit(accountId, 10n * USD, {}, COMMAND_LINE);
      await lived(accountId);
      await settled(await fundedAccount(opened.db, clock, USD));
      const whole = await everyEntry(accountId, 1000);
      const known: string[] = await opened.db.knex('entries').where({ account_id: accountId }).pluck('id');
      assert.deepEqual(whole.map(({ id }) => id).sort(), known.sort());
      assert.equal(
        whole.reduce((sum, { amount }) => sum + amount, 0n),
        (await books.standing(accountId)).balance,
      );
      for (const limit of [1, 2, 7]) assert.deepEqual(await everyEntry(accountId, limit), whole);
      const [charges, others] = [
        await everyEntry(accountId, 3, 'charges'),
        await everyEntry(accountId, 3, 'transfers'),
      ];
      assert.ok(charges.every(({ kind, model }) => kind === 'charge' && model !== null));
      assert.ok(others.every(({ kind, model }) => kind !== 'charge' && model === null));
      assert.equal(charges.length + others.length, whole.length);
    });

    test('the pace is that of the last seven days, and of a younger account that of its age', async () => {
      const accountId = await fundedAccount(opened.db, clock, USD);
      const pace = async () => (await books.standing(accountId)).burnPerDay;
      assert.equal(await pace(), 0n);
      await settled(accountId);
      assert.equal(await pace(), COST);
      await clock.advance(2 * DAY_MS);
      assert.equal(await pace(), COST / 2n);
      await clock.advance(5 * DAY_MS);
      assert.equal(await pace(), 0n);
      await settled(accountId);
      await clock.advance(12 * HOUR_MS);
      assert.equal(await pace(), (COST * 2n) / 13n);
    });

    test('an unknown account has no books', async () => {
      await assert.rejects(books.standing('nobody'), { code: 'not_found' });
      await assert.rejects(books.statement('nobody', monthOf(8)), { code: 'not_found' });
      assert.deepEqual(await books.entries('nobody', { only: null, limit: 5, after: null }), []);
    });
  });
}
