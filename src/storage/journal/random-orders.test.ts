/**
 * Random lives of orders, some units written twice and in one breath, against a model of a few lines. At the end the
 * model and the database agree on every balance, and the audit finds nothing.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { chargeOf } from '#ledger/tariff.ts';
import type { JournalUnit } from '#orders/journal-port.ts';
import type { OrderRow } from '#orders/order.ts';
import { Accounts } from '#storage/accounts.ts';
import { audit } from '#storage/audit/index.ts';
import { createOrderStore } from '#storage/orders.ts';
import { Treasury } from '#storage/treasury.ts';
import { createUsageStore } from '#storage/usage.ts';
import { openTested, testedDatabases } from '#testing/databases.ts';
import { acceptUnit, admissionOf, marketTariff, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { createJournal, type Journal } from './index.ts';

const LEVEL = 500_000_000;
const clock = new ManualClock(startMs);
const ids = idSource(clock);

/** One thing that happens: to the account `who`, mostly to one of its orders. */
const events = fc.array(
  fc.record({
    act: fc.constantFrom('accept', 'rest', 'admit', 'settle', 'fail', 'requeue', 'close', 'credit', 'refund'),
    who: fc.integer({ min: 0, max: 2 }),
    which: fc.nat(),
    output: fc.integer({ min: 0, max: 1000 }),
    hold: fc.bigInt({ min: 0n, max: 4000n }),
    twice: fc.boolean(),
  }),
  { minLength: 10, maxLength: 60 },
);

for (const tested of testedDatabases) {
  describe(`random lives of orders on ${tested.name}`, { skip: tested.skip }, () => {
    test('balances follow the model and the audit is clean', async () => {
      const opened = await openTested(tested);
      const journal = createJournal(opened.db, { clock, log: silentLog });
      try {
        await journal.write({ kind: 'level', model: 'tide-70b', levelSeq: 1, level: LEVEL, atMs: startMs });
        const runs = tested.name === 'SQLite' ? 40 : 15;
        await fc.assert(
          fc.asyncProperty(events, async (list) => {
            const world = new World(opened.db, journal);
            await world.open();
            for (const event of list) await world.apply(event);
            await world.check();
          }),
          { numRuns: runs },
        );
        const report = await audit(opened.db, null);
        assert.deepEqual(report.findings, []);
        assert.equal(report.accounts, runs * 3);
      } finally {
        await journal.close();
        await opened.drop();
      }
    });
  });
}

type Event = typeof events extends fc.Arbitrary<(infer One)[]> ? One : never;

interface Modelled {
  readonly order: OrderRow;
  status: 'queued' | 'executing' | 'ended' | 'done';
  attempt: number;
  hold: bigint;
  charged: bigint;
}

interface Purse {
  readonly id: string;
  balance: bigint;
  held: bigint;
  readonly orders: Modelled[];
}

/** The model, and the units that go with each event. */
class World {
  readonly #db: Parameters<typeof audit>[0];
  readonly #journal: Journal;
  readonly #purses: Purse[] = [];

  constructor(db: Parameters<typeof audit>[0], journal: Journal) {
    this.#db = db;
    this.#journal = journal;
  }

  async open(): Promise<void> {
    for (let index = 0; index < 3; index++) {
      const { id } = await new Accounts({ db: this.#db, clock, ids }).create({ name: `random ${index}` });
      this.#purses.push({ id, balance: 0n, held: 0n, orders: [] });
    }
  }

  async apply(event: Event): Promise<void> {
    const purse = this.#purses[event.who];
    assert.ok(purse);
    if (event.act === 'credit') return this.#credit(purse, event.hold + 1n);
    if (event.act === 'rest' || event.act === 'accept') return this.#accept(purse, event);
    const chosen = purse.orders[event.which % Math.max(1, purse.orders.length)];
    if (!chosen) return;
    if (event.act === 'refund') return this.#refund(purse, chosen, event.hold + 1n);
    await this.#change(purse, chosen, event);
  }

  async check(): Promise<void> {
    const usage = createUsageStore(this.#db);
    for (const purse of this.#purses) {
      const account = await new Accounts({ db: this.#db, clock, ids }).show(purse.id);
      assert.deepEqual([account.balance, account.held], [purse.balance, purse.held]);
      const charged = purse.orders.reduce((sum, order) => sum + order.charged, 0n);
      const requests = purse.orders.filter(({ status }) => status === 'done').length;
      const totals = await usage.totals({ accountId: purse.id, model: null, fromMs: null, toMs: null });
      assert.deepEqual(totals, { requests, charged });
      for (const { order, status } of purse.orders) {
        const row = await createOrderStore(this.#db).find(purse.id, order.id);
        assert.equal(
          row && (row.finishedAtMs === null ? row.status : row.status === 'done' ? 'done' : 'ended'),
          status,
        );
      }
    }
  }

  async #credit(purse: Purse, amount: bigint): Promise<void> {
    await new Treasury({ db: this.#db, clock, ids }).credit(purse.id, amount, { force: true });
    purse.balance += amount;
  }

  async #refund(purse: Purse, chosen: Modelled, amount: bigint): Promise<void> {
    const treasury = new Treasury({ db: this.#db, clock, ids });
    const refund = treasury.refund(purse.id, amount, { orderId: chosen.order.id });
    if (chosen.status !== 'done' || amount > chosen.charged) return assert.rejects(refund);
    await refund;
    chosen.charged -= amount;
    purse.balance += amount;
  }

  async #accept(purse: Purse, { act, hold, twice }: Event): Promise<void> {
    const order = orderRow({ accountId: purse.id });
    const modelled: Modelled = { order, status: 'queued', attempt: 0, hold: 0n, charged: 0n };
    purse.orders.push(modelled);
    const admission = act === 'accept' ? admissionOf(hold) : null;
    await this.#write(acceptUnit(order, { admission }), twice);
    if (admission) this.#admit(purse, modelled, hold);
  }

  async #change(purse: Purse, chosen: Modelled, event: Event): Promise<void> {
    const { order, attempt } = chosen;
    const name = { orderId: order.id, accountId: purse.id };
    const finishedAtMs = startMs + 5;
    switch (event.act) {
      case 'admit':
        await this.#write(
          { kind: 'admit', ...name, admission: admissionOf(event.hold, { attempt: attempt + 1 }) },
          event.twice,
        );
        if (chosen.status === 'queued') this.#admit(purse, chosen, event.hold);
        return;
      case 'settle': {
        const tokens = { uncached: 10, cached: 90, output: event.output };
        const charge = chargeOf(marketTariff, LEVEL, tokens);
        await this.#write(settleUnit(order, charge, { attempt, tokens, finishedAtMs, hold: chosen.hold }), event.twice);
        if (chosen.status === 'executing') this.#settle(purse, chosen, charge);
        return;
      }
      case 'fail':
        await this.#write(
          { kind: 'fail', ...name, attempt, finishedAtMs, error: 'backend_error', errorMessage: 'x' },
          event.twice,
        );
        if (chosen.status === 'executing') this.#release(purse, chosen, 'ended');
        return;
      case 'requeue':
        await this.#write(
          { kind: 'requeue', ...name, attempt, expiresAtMs: order.expiresAtMs, failures: 1 },
          event.twice,
        );
        if (chosen.status === 'executing') this.#release(purse, chosen, 'queued');
        return;
      case 'close':
        await this.#write(
          { kind: 'close', ...name, status: 'canceled', error: 'order_canceled', errorMessage: 'x', finishedAtMs },
          event.twice,
        );
        if (chosen.status === 'queued') chosen.status = 'ended';
    }
  }

  /** Twice without waiting: both copies usually share a transaction. */
  async #write(unit: JournalUnit, twice: boolean): Promise<void> {
    await Promise.all(twice ? [this.#journal.write(unit), this.#journal.write(unit)] : [this.#journal.write(unit)]);
  }

  #admit(purse: Purse, modelled: Modelled, hold: bigint): void {
    if (purse.balance - purse.held >= hold) {
      purse.held += hold;
      modelled.attempt++;
      modelled.hold = hold;
      modelled.status = 'executing';
    } else if (purse.held === 0n) {
      modelled.attempt++;
      modelled.status = 'ended';
    }
  }

  #settle(purse: Purse, modelled: Modelled, charge: bigint): void {
    this.#release(purse, modelled, 'done');
    const free = purse.balance - purse.held;
    modelled.charged = charge < free ? charge : free;
    purse.balance -= modelled.charged;
  }

  #release(purse: Purse, modelled: Modelled, status: Modelled['status']): void {
    purse.held -= modelled.hold;
    modelled.hold = 0n;
    modelled.status = status;
  }
}
