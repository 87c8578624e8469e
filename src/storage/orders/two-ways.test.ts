/** What a start alone does with the orders of earlier boots, and what an adopter does with those of a dead gateway. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adoptOrders } from '#orders/adopting.ts';
import type { OrderRow } from '#orders/order.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { keyOf } from '#testing/order-units.ts';
import { createAdoptionStore } from './adoption.ts';
import { recover } from './recovery.ts';

const TABLES = ['orders', 'idempotency_keys', 'order_bodies', 'order_days', 'order_hours', 'usage_records'];
const CHANGES: readonly Partial<OrderRow>[] = [
  {},
  { resultState: 'promised' },
  { outlives: true },
  { outlives: true, detached: true, resultState: 'promised' },
  { outlives: true, batchId: 'batch_1' },
];

/** The same orders in each database: queued, executing, queued again after a failure, and done. */
const orders = CHANGES.flatMap((change) =>
  ['queued', 'executing', 'requeued', 'done'].map((was) => ({ was, row: orderRow({ accountId: '', ...change }) })),
);

for (const tested of testedDatabases) {
  test(`leave the same rows on ${tested.name}`, { skip: tested.skip }, async () => {
    const recovered = await rowsAfter((opened, clock) => recover(opened.db, { bootEpoch: 2, clock }));
    const adopted = await rowsAfter(async ({ db, journal }, clock) => {
      for await (const page of createAdoptionStore(db).liveOrders(1)) {
        assert.deepEqual(await adoptOrders(page.orders, { clock, journal, from: 1, to: 2 }), []);
      }
    });
    assert.deepEqual(adopted, recovered);
    assert.equal(recovered.orders?.length, orders.length);
  });

  async function rowsAfter(take: (opened: OpenedJournal, clock: ManualClock) => Promise<unknown>) {
    const clock = new ManualClock(startMs);
    const opened = await openJournaled(tested, clock);
    const { db, journal } = opened;
    try {
      const accountId = await fundedAccount(db, clock, 10n ** 12n);
      for (const { was, row } of orders) await bring(journal, { ...row, accountId }, was);
      await clock.advance(1_000);
      await take(opened, clock);
      const { held, balance } = await db.knex('accounts').where({ id: accountId }).first('held', 'balance');
      const found: Record<string, unknown[]> = { accounts: [Number(held), String(balance)] };
      for (const table of TABLES) {
        const rows: Record<string, unknown>[] = await db.knex(table);
        // Whose an ended order was says nothing any more.
        for (const row of rows) if (row.finished_at_ms !== null) delete row.boot_epoch;
        const texts = rows.map((row) =>
          JSON.stringify(row, (_name, value) => (typeof value === 'bigint' ? String(value) : value)).replaceAll(
            accountId,
            'the account',
          ),
        );
        found[table] = texts.sort().map((text) => JSON.parse(text));
      }
      return found;
    } finally {
      await opened.drop();
    }
  }
}

async function bring(journal: OpenedJournal['journal'], order: OrderRow, to: string): Promise<void> {
  const { id: orderId, accountId } = order;
  const idempotency = order.outlives ? null : keyOf(order, { key: orderId });
  const admission = to === 'queued' ? null : admissionOf(60n);
  await journal.write(acceptUnit(order, { admission, idempotency, body: order.outlives ? '{}' : null }));
  if (to === 'done') await journal.write(settleUnit(order, 10n));
  if (to === 'requeued') {
    const ran = { orderId, accountId, attempt: 1, expiresAtMs: startMs + 700_000, failures: 1 };
    await journal.write({ kind: 'requeue', ...ran });
  }
}
