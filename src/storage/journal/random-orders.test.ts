/**
 * Random lives of orders, some units written twice at once, against a model of a few lines. At the end the model and
 * the database agree on every balance and every budget of a key, and the audit finds nothing.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { COMMAND_LINE } from '#access/member.ts';
import { Accounts } from '#accounts/account/account-store.ts';
import { Keys } from '#accounts/keys/key-store.ts';
import { Transfers } from '#accounts/ledger/transfers.ts';
import { UsageStore } from '#accounts/ledger/usage-store.ts';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { wholeAccount } from '#base/reach.ts';
import { chargeOf } from '#ledger/tariff.ts';
import type { OrderRow } from '#orders/order.ts';
import { audit } from '#storage/audit/index.ts';
import { openTested, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, marketTariff, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { createOrderStore } from '../orders/store.ts';
import { createJournal, type Journal } from './journal.ts';
import type { JournalUnit } from './units.ts';

const LEVEL = 500_000_000;
const clock = new ManualClock(startMs);
const ids = idSource(clock);

/** One event: for the account `who`, mostly about one of its orders. */
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
          { seed: 1, numRuns: runs },
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

/** What the orders of a key may cost. */
const BUDGET = 6000n;

interface AccountBalance {
  readonly id: string;
  /** Its key with a budget, with which all its orders are submitted; null for none. */
  readonly key: { readonly id: string; spent: bigint; held: bigint } | null;
  balance: bigint;
  held: bigint;
  readonly orders: Modelled[];
}

/** The model, and the units of each event. */
class World {
  readonly #db: Parameters<typeof audit>[0];
  readonly #journal: Journal;
  readonly #balances: AccountBalance[] = [];

  constructor(db: Parameters<typeof audit>[0], journal: Journal) {
    this.#db = db;
    this.#journal = journal;
  }

  async open(): Promise<void> {
    for (let index = 0; index < 3; index++) {
      const { id } = await new Accounts({ db: this.#db, clock, ids }).create({ name: `random ${index}` }, COMMAND_LINE);
      const key =
        index === 0
          ? null
          : (await new Keys({ db: this.#db, clock, ids }).create(id, { budget: BUDGET }, COMMAND_LINE)).key;
      this.#balances.push({ id, key: key && { id: key.id, spent: 0n, held: 0n }, balance: 0n, held: 0n, orders: [] });
    }
  }

  async apply(event: Event): Promise<void> {
    const balance = this.#balances[event.who];
    assert.ok(balance);
    if (event.act === 'credit') return this.#credit(balance, event.hold + 1n);
    if (event.act === 'rest' || event.act === 'accept') return this.#accept(balance, event);
    const chosen = balance.orders[event.which % Math.max(1, balance.orders.length)];
    if (!chosen) return;
    if (event.act === 'refund') return this.#refund(balance, chosen, event.hold + 1n);
    await this.#change(balance, chosen, event);
  }

  async check(): Promise<void> {
    const usage = new UsageStore(this.#db);
    for (const balance of this.#balances) {
      const account = await new Accounts({ db: this.#db, clock, ids }).show(balance.id);
      assert.deepEqual([account.balance, account.held], [balance.balance, balance.held]);
      const [key] = await new Keys({ db: this.#db, clock, ids }).list(balance.id);
      assert.deepEqual([key?.budget?.spent, key?.budget?.held], [balance.key?.spent, balance.key?.held]);
      const charged = balance.orders.reduce((sum, order) => sum + order.charged, 0n);
      const requests = balance.orders.filter(({ status }) => status === 'done').length;
      const totals = await usage.totals({ ...wholeAccount(balance.id), model: null, fromMs: null, toMs: null });
      assert.deepEqual(totals, { requests, charged });
      for (const { order, status } of balance.orders) {
        const row = await createOrderStore(this.#db).find(wholeAccount(balance.id), order.id);
        assert.equal(
          row && (row.finishedAtMs === null ? row.status : row.status === 'done' ? 'done' : 'ended'),
          status,
        );
      }
    }
  }

  async #credit(balance: AccountBalance, amount: bigint): Promise<void> {
    await new Transfers({ db: this.#db, clock, ids }).credit(balance.id, amount, { force: true }, COMMAND_LINE);
    balance.balance += amount;
  }

  async #refund(balance: AccountBalance, chosen: Modelled, amount: bigint): Promise<void> {
    const transfers = new Transfers({ db: this.#db, clock, ids });
    const refund = transfers.refund(balance.id, amount, { orderId: chosen.order.id }, COMMAND_LINE);
    if (chosen.status !== 'done' || amount > chosen.charged) return assert.rejects(refund);
    await refund;
    chosen.charged -= amount;
    balance.balance += amount;
    if (balance.key) balance.key.spent -= amount;
  }

  async #accept(balance: AccountBalance, { act, hold, twice }: Event): Promise<void> {
    const { key } = balance;
    const order = orderRow({ accountId: balance.id, ...(key ? { keyId: key.id, budgetFromMs: 0 } : {}) });
    const modelled: Modelled = { order, status: 'queued', attempt: 0, hold: 0n, charged: 0n };
    balance.orders.push(modelled);
    const admission = act === 'accept' ? admissionOf(hold, key ? { budgetKey: key.id } : {}) : null;
    await this.#write(acceptUnit(order, { admission }), twice);
    if (admission) this.#admit(balance, modelled, hold);
  }

  async #change(balance: AccountBalance, chosen: Modelled, event: Event): Promise<void> {
    const { order, attempt } = chosen;
    const name = { orderId: order.id, accountId: balance.id };
    const finishedAtMs = startMs + 5;
    const budget = balance.key ? { budgetKey: balance.key.id } : {};
    switch (event.act) {
      case 'admit':
        await this.#write(
          { kind: 'admit', ...name, admission: admissionOf(event.hold, { attempt: attempt + 1, ...budget }) },
          event.twice,
        );
        if (chosen.status === 'queued') this.#admit(balance, chosen, event.hold);
        return;
      case 'settle': {
        const tokens = { uncached: 10, cached: 90, output: event.output };
        const charge = chargeOf(marketTariff, LEVEL, tokens);
        await this.#write(settleUnit(order, charge, { attempt, tokens, finishedAtMs, hold: chosen.hold }), event.twice);
        if (chosen.status === 'executing') this.#settle(balance, chosen, charge);
        return;
      }
      case 'fail':
        await this.#write(
          { kind: 'fail', ...name, attempt, finishedAtMs, error: 'backend_error', errorMessage: 'x' },
          event.twice,
        );
        if (chosen.status === 'executing') this.#release(balance, chosen, 'ended');
        return;
      case 'requeue':
        await this.#write(
          { kind: 'requeue', ...name, attempt, expiresAtMs: order.expiresAtMs, failures: 1 },
          event.twice,
        );
        if (chosen.status === 'executing') this.#release(balance, chosen, 'queued');
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

  #admit(balance: AccountBalance, modelled: Modelled, hold: bigint): void {
    const { key } = balance;
    if (key && hold > 0n && BUDGET - key.spent - key.held < hold) {
      if (BUDGET - key.spent >= hold) return;
      modelled.attempt++;
      modelled.status = 'ended';
      return;
    }
    if (balance.balance - balance.held >= hold) {
      balance.held += hold;
      if (key) key.held += hold;
      modelled.attempt++;
      modelled.hold = hold;
      modelled.status = 'executing';
    } else if (balance.held === 0n) {
      modelled.attempt++;
      modelled.status = 'ended';
    }
  }

  #settle(balance: AccountBalance, modelled: Modelled, charge: bigint): void {
    const { key } = balance;
    const cover = key ? modelled.hold + BUDGET - key.spent - key.held : charge;
    this.#release(balance, modelled, 'done');
    const free = balance.balance - balance.held;
    modelled.charged = [charge, cover, free].reduce((least, one) => (one < least ? one : least));
    balance.balance -= modelled.charged;
    if (key) key.spent += modelled.charged;
  }

  #release(balance: AccountBalance, modelled: Modelled, status: Modelled['status']): void {
    balance.held -= modelled.hold;
    if (balance.key) balance.key.held -= modelled.hold;
    modelled.hold = 0n;
    modelled.status = status;
  }
}
