/** Real outages: a database locked by another process, a file not there yet, a connection or a process killed. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { Accounts } from '#accounts/account/account-store.ts';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { wholeAccount } from '#base/reach.ts';
import { audit } from '#storage/audit/index.ts';
import { fundedAccount, type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit } from '#testing/order-fixtures.ts';
import { recover } from '../orders/recovery.ts';
import { createOrderStore } from '../orders/store.ts';
import { createJournal } from './journal.ts';
import { SqliteDriver } from './sqlite-driver.ts';

const ids = idSource(systemClock);

const richAccount = ({ db }: OpenedDatabase) => fundedAccount(db, systemClock, 10n ** 12n);

for (const tested of testedDatabases) {
  describe(`outages on ${tested.name}`, { skip: tested.skip }, () => {
    test('units wait for a lock that another process holds', async () => {
      const opened = await openTested(tested);
      const journal = createJournal(opened.db, { clock: systemClock, log: silentLog });
      try {
        const accountId = await richAccount(opened);
        const lock = await opened.db.knex.transaction();
        await lock('accounts').where({ id: accountId }).update({ name: 'locked' });
        const order = orderRow({ accountId });
        const written = journal.write(acceptUnit(order, { admission: admissionOf(60n) }));
        assert.equal(await Promise.race([written, Promise.resolve('waits')]), 'waits');
        await lock.commit();
        assert.equal((await written).result, 'executing');
      } finally {
        await journal.close();
        await opened.drop();
      }
    });

    test('every settlement acknowledged before a kill survives it, and no hold is left', async () => {
      const opened = await openTested(tested);
      try {
        const accountId = await richAccount(opened);
        const { knex } = opened.db;
        await knex('levels').insert({ model: 'tide-70b', level_seq: 1, level: 500_000_000, at_ms: 1 });
        await knex('markets').insert({ model: 'tide-70b', level_seq: 1, level: 500_000_000, at_ms: 1 });
        const acknowledged = await settleUntilKilled(opened.url, accountId, 300);
        const store = createOrderStore(opened.db);
        for (const id of acknowledged) assert.equal((await store.find(wholeAccount(accountId), id))?.status, 'done');
        await recover(opened.db, { bootEpoch: 2, clock: systemClock });
        const report = await audit(opened.db, null);
        assert.deepEqual(report.findings, []);
        assert.ok(report.orders >= acknowledged.length);
      } finally {
        await opened.drop();
      }
    });
  });
}

/** Runs orders in another process, kills it without warning after `lines` acknowledgements, and returns those. */
async function settleUntilKilled(url: string, accountId: string, lines: number): Promise<string[]> {
  const script = `
    const { openDatabase } = await import('#storage/database/database.ts');
    const { createJournal } = await import('#storage/journal/journal.ts');
    const { systemClock } = await import('#base/clock.ts');
    const { silentLog } = await import('#base/log.ts');
    const { idSource } = await import('#base/id.ts');
    const { chargeOf } = await import('#ledger/tariff.ts');
    const { acceptUnit, admissionOf, marketTariff, orderRow, settleUnit } = await import('#testing/order-fixtures.ts');
    const [, url, accountId] = process.argv;
    const ids = idSource(systemClock);
    const journal = createJournal(openDatabase(url), { clock: systemClock, log: silentLog });
    const unit = settleUnit(orderRow({ accountId }), 0n);
    const charge = chargeOf(marketTariff, unit.price, unit.tokens);
    const lane = async () => {
      for (;;) {
        const order = orderRow({ accountId, id: ids.uuid() });
        await journal.write(acceptUnit(order, { admission: admissionOf(charge) }));
        await journal.write(settleUnit(order, charge));
        process.stdout.write(order.id + '\\n');
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, url, accountId], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  // A child that never gets that far must not outlive the test.
  const patience = systemClock.after(120_000, () => child.kill('SIGKILL'));
  const seen: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    seen.push(line);
    if (seen.length === lines) child.kill('SIGKILL');
  }
  await exit;
  patience.cancel();
  assert.ok(seen.length >= lines, 'the child settled orders');
  return seen;
}

describe('outages on SQLite alone', () => {
  test('a file that cannot be opened is a failure that is retried', async () => {
    const sqlite = testedDatabases.find(({ name }) => name === 'SQLite');
    assert.ok(sqlite);
    const opened = await openTested(sqlite);
    const { address } = opened.db;
    assert.equal(address.type, 'sqlite');
    const filename = address.type === 'sqlite' ? address.filename : '';
    const driver = new SqliteDriver(`${filename}.moved`);
    try {
      const order = orderRow({ accountId: await richAccount(opened) });
      await opened.db.close();
      const first = await driver.apply([acceptUnit(order)], false);
      assert.deepEqual([first.results, first.failure === null], [[], false]);
      await rename(filename, `${filename}.moved`);
      assert.deepEqual(await driver.apply([acceptUnit(order)], true), {
        results: [{ outcome: { result: 'queued' } }],
        failure: null,
      });
    } finally {
      await driver.close();
      await opened.drop();
    }
  });
});

describe('outages on MariaDB alone', {
  skip: testedDatabases.find(({ name }) => name === 'MariaDB')?.skip ?? false,
}, () => {
  test('a lost connection is replaced, and its transaction is applied once', async () => {
    const tested = testedDatabases.find(({ name }) => name === 'MariaDB');
    assert.ok(tested);
    const opened = await openTested(tested);
    const journal = createJournal(opened.db, { clock: systemClock, log: silentLog });
    try {
      const accountId = await richAccount(opened);
      const order = orderRow({ accountId });
      await journal.write(acceptUnit(order, { admission: admissionOf(60n) }));
      const [connections] = await opened.db.knex.raw(
        'SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()',
      );
      for (const { id } of connections) await opened.db.knex.raw(`KILL ${Number(id)}`).catch(() => {});
      assert.equal((await journal.write(settleUnit(order, 42n))).result, 'settled');
      const account = await new Accounts({ db: opened.db, clock: systemClock, ids }).show(accountId);
      assert.deepEqual([account.balance, account.held], [10n ** 12n - 42n, 0n]);
    } finally {
      await journal.close();
      await opened.drop();
    }
  });
});
