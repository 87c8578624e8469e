/** Point (9) of the audit: what a lock bids, against the quote of its number. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { OrderRow } from '#orders/order.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, orderRow, startMs } from '#testing/order-fixtures.ts';
import { audit } from './index.ts';

const QUOTE = 700_000_000;

for (const tested of testedDatabases) {
  describe(`the audit of locks on ${tested.name}`, { skip: tested.skip }, () => {
    const clock = new ManualClock(startMs);
    let opened: OpenedJournal;
    let accountId: string;

    beforeEach(async () => {
      opened = await openJournaled(tested, clock);
      accountId = await fundedAccount(opened.db, clock, 10n ** 12n);
      for (const [index, price] of [QUOTE + 1, QUOTE, QUOTE - 1].entries()) {
        const atMs = startMs + index * 10_000;
        const window = { quoteSeq: index + 5, price, atMs, untilMs: atMs + 10_000 };
        await opened.journal.write({ kind: 'quote', model: 'tide-70b', ...window, state: null });
      }
    });
    afterEach(() => opened.drop());

    /** What the audit says about a lock at this quote. */
    async function findings(change: Partial<OrderRow>): Promise<string> {
      const lock = { bid: QUOTE, limit: QUOTE + 5, priceLock: true, quoteAtSubmission: QUOTE };
      const order = orderRow({ accountId, ...lock, ...change });
      await opened.journal.write(acceptUnit(order));
      const kept: { quote_seq: unknown } | undefined = await opened.db.knex('orders').where({ id: order.id }).first();
      assert.equal(kept?.quote_seq === null ? null : Number(kept?.quote_seq), change.quoteSeq ?? null);
      const { findings } = await audit(opened.db, null);
      return findings.join('\n').replaceAll(order.id, '…');
    }

    test('a lock agrees with the quote on which it relied, whatever the clock of its gateway said', async () => {
      assert.equal(await findings({ quoteSeq: 6, createdAtMs: startMs + 5_000 }), '');
    });

    test('a lock that relied on another price is found, although one of that price stood', async () => {
      assert.match(
        await findings({ quoteSeq: 5, createdAtMs: startMs + 15_000 }),
        /^Order …: quote 5 was 700000001\.$/m,
      );
    });

    test('a lock that relied on a quote long after its window is found', async () => {
      assert.equal(await findings({ quoteSeq: 6, createdAtMs: startMs + 80_000, expiresAtMs: startMs + 90_000 }), '');
      assert.match(
        await findings({ quoteSeq: 6, createdAtMs: startMs + 80_001, expiresAtMs: startMs + 90_000 }),
        /^Order …: quote 6 had ended when it was made\.$/m,
      );
    });

    test('a lock that relied on a quote that never was is found, and one of before the stored quotes is not', async () => {
      assert.equal(await findings({ quoteSeq: 4, createdAtMs: startMs + 5_000 }), '');
      assert.match(
        await findings({ quoteSeq: 8, createdAtMs: startMs + 5_000 }),
        /^Order …: there is no quote 8, on which it relied\.$/m,
      );
    });

    test('a lock of before the numbers were stored agrees with a quote that stood then', async () => {
      assert.equal(await findings({ createdAtMs: startMs + 15_000 }), '');
      assert.match(await findings({ createdAtMs: startMs + 5_000 }), /no quote of 700000000 stood when it was made/);
    });
  });
}
