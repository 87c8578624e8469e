/** Units that name the epoch of their market: what commits when the market changes hands before, during and after. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { fundedAccount, type OpenedDatabase, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { openMariadb, skipMariadb, untilBlocked } from '#testing/mariadb.ts';
import { acceptUnit, admissionOf, orderRow, startMs } from '#testing/order-fixtures.ts';
import { openConnection } from '../database/mysql-connection.ts';
import { fenceOf } from '../leases/fence.ts';
import { type HeldLease, NEXT_EPOCH } from '../leases/leases.ts';
import type { UnitResult } from './apply-units.ts';
import { MysqlDriver } from './mysql-driver.ts';
import type { JournalUnit } from './units.ts';

const MODEL = 'tide-70b';
const clock = new ManualClock(startMs);

describe('the epochs of markets in the journal, on MariaDB', { skip: skipMariadb }, () => {
  let opened: OpenedDatabase;
  let driver: MysqlDriver;
  let accountId: string;
  let epoch: number;

  beforeEach(async () => {
    opened = await openMariadb();
    accountId = await fundedAccount(opened.db, clock, 10n ** 12n);
    const lease = await take('gateway:7', '7');
    epoch = (await take(`market:${MODEL}`, '7')).epoch;
    driver = new MysqlDriver(opened.url, { fence: fenceOf(lease, () => {}), clock });
  });
  afterEach(async () => {
    await driver.close();
    await opened.drop();
  });

  /** Takes a lease on a connection of its own. */
  async function take(name: string, holder: string): Promise<HeldLease> {
    const connection = await openConnection(opened.url);
    try {
      await connection.query('INSERT IGNORE INTO leases (name, epoch) VALUES (?, 0)', [name]);
      await connection.query(`UPDATE leases SET holder = ?, epoch = ${NEXT_EPOCH} WHERE name = ?`, [holder, name]);
      const row = await opened.db.knex('leases').where({ name }).first('epoch');
      return { name, epoch: Number(row.epoch) };
    } finally {
      connection.destroy();
    }
  }

  const changeHands = () => take(`market:${MODEL}`, '8');
  const admission = () => admissionOf(60n, { model: MODEL, epoch });
  const accept = (order = orderRow({ accountId })) => acceptUnit(order, { admission: admission() });
  const level = (levelSeq = 1) =>
    ({ kind: 'level', model: MODEL, levelSeq, level: 500_000_000, atMs: startMs, epoch }) as const;
  const quote = () => {
    const window = { quoteSeq: 1, price: 600_000_000, atMs: startMs, untilMs: startMs + 10_000 };
    return { kind: 'quote', model: MODEL, ...window, state: '{}', epoch } as const;
  };
  const locks = () => {
    const counts = { minuteMs: startMs, started: 3, missed: 1, scarceStarted: 1, scarceMissed: 0 };
    return { kind: 'locks', model: MODEL, ...counts, epoch } as const;
  };

  async function apply(units: readonly JournalUnit[], again = false): Promise<readonly UnitResult[]> {
    const { results, failure } = await driver.apply(units, again);
    assert.equal(failure, null);
    return results;
  }

  const outcomes = (results: readonly UnitResult[]) =>
    results.map((result) => ('outcome' in result ? result.outcome.result : result.error));
  const statuses = async () => (await opened.db.knex('orders').orderBy('id').select('status')).map((row) => row.status);

  test('a journal that relies on what it just committed learns of the next owner, too', async () => {
    assert.deepEqual(outcomes(await apply([accept()])), ['executing']);
    assert.deepEqual(outcomes(await apply([accept()])), ['executing']);
    await changeHands();
    assert.deepEqual(outcomes(await apply([accept(), level()])), ['stale-epoch', 'stale']);
    assert.deepEqual(outcomes(await apply([accept()])), ['stale-epoch']);
  });

  test('under the present epoch everything commits', async () => {
    const waiting = orderRow({ accountId });
    await apply([acceptUnit(waiting)]);
    const admit = { kind: 'admit', orderId: waiting.id, accountId, admission: admission() } as const;
    const results = await apply([level(), quote(), locks(), accept(), admit]);
    assert.deepEqual(outcomes(results), ['changed', 'changed', 'changed', 'executing', 'executing']);
  });

  test('under an earlier epoch a unit is refused alone, and the rest of its transaction commits', async () => {
    const waiting = orderRow({ accountId });
    const parted = orderRow({ accountId });
    await apply([acceptUnit(waiting)]);
    const admit = { kind: 'admit', orderId: waiting.id, accountId, admission: admission() } as const;
    await changeHands();
    const results = await apply([level(), quote(), locks(), accept(), admit, acceptUnit(parted)]);
    assert.deepEqual(outcomes(results), ['stale', 'stale', 'stale', 'stale-epoch', 'stale-epoch', 'queued']);
    assert.deepEqual(await statuses(), ['queued', 'queued']);
    for (const table of ['levels', 'quotes', 'lock_minutes', 'quote_states', 'markets'])
      assert.deepEqual(await opened.db.knex(table), [], table);
    assert.equal(Number((await opened.db.knex('accounts').first('held'))?.held), 0);
  });

  test('a refused admission leaves its Idempotency-Key free, and the next owner admits the order', async () => {
    const order = orderRow({ accountId });
    const times = { createdAtMs: startMs, expiresAtMs: startMs + 1000 };
    const idempotency = { accountId, endpoint: 'chat', key: 'once', orderId: order.id, fingerprint: 'f', ...times };
    const unit = acceptUnit(order, { admission: admission(), idempotency });
    const next = await changeHands();
    assert.deepEqual(outcomes(await apply([unit])), ['stale-epoch']);
    assert.deepEqual(await opened.db.knex('idempotency_keys'), []);
    const chosenAgain = admissionOf(60n, { model: MODEL, epoch: next.epoch });
    assert.deepEqual(outcomes(await apply([{ ...unit, admission: chosenAgain }])), ['executing']);
  });

  test('what had committed before the market changed hands is answered as committed, when its answer was lost', async () => {
    const waiting = orderRow({ accountId });
    await apply([acceptUnit(waiting)]);
    const admit = { kind: 'admit', orderId: waiting.id, accountId, admission: admission() } as const;
    const units = [level(), quote(), accept(), admit];
    await apply(units);
    await changeHands();
    const late = accept();
    const results = await apply([...units, late, level(2)], true);
    assert.deepEqual(outcomes(results), ['changed', 'changed', 'executing', 'executing', 'stale-epoch', 'stale']);
    assert.deepEqual(await statuses(), ['executing', 'executing']);
  });

  test('a market that nobody has taken yet admits nothing', async () => {
    await opened.db
      .knex('leases')
      .where({ name: `market:${MODEL}` })
      .delete();
    assert.deepEqual(outcomes(await apply([accept()])), ['stale-epoch']);
  });

  test('the epoch of one market says nothing about another', async () => {
    const other = await take('market:ebb-7b', '8');
    const order = orderRow({ accountId, model: 'ebb-7b' });
    const admitted = admissionOf(60n, { model: 'ebb-7b', epoch: other.epoch });
    await changeHands();
    const results = await apply([acceptUnit(order, { admission: admitted }), accept()]);
    assert.deepEqual(outcomes(results), ['executing', 'stale-epoch']);
  });

  test('units that are applied one by one, beside one that fails, are refused just the same', async () => {
    await apply([level()]);
    await changeHands();
    const faulty = { kind: 'level', model: MODEL, levelSeq: 1, level: 1, atMs: startMs } as const;
    const results = await apply([faulty, accept()]);
    assert.equal('error' in (results[0] ?? {}), false);
    assert.deepEqual(outcomes(results), ['stale', 'stale-epoch']);
  });

  test('the gateway that takes the market waits for an admission whose transaction is open, and then sees it', async () => {
    const lock = await opened.db.knex.transaction();
    await lock('accounts').where({ id: accountId }).update({ name: 'locked' });
    const admitted = apply([accept()]);
    await untilBlocked(opened.db, '%FROM accounts%');
    const taken = changeHands();
    await untilBlocked(opened.db, 'UPDATE leases%');
    assert.deepEqual(await statuses(), [], 'the row of the market is locked before the admission has an effect');
    await lock.commit();
    assert.deepEqual(outcomes(await admitted), ['executing']);
    await taken;
    assert.deepEqual(await statuses(), ['executing']);
    assert.deepEqual(outcomes(await apply([accept()])), ['stale-epoch']);
  });

  test('a unit without an epoch reads no lease but that of its gateway', async () => {
    const lock = await opened.db.knex.transaction();
    await lock('leases')
      .where({ name: `market:${MODEL}` })
      .update({ holder: 'locked' });
    const unit = acceptUnit(orderRow({ accountId }), { admission: admissionOf(60n) });
    assert.deepEqual(outcomes(await apply([unit])), ['executing']);
    await lock.rollback();
  });
});

for (const tested of testedDatabases) {
  test(`without a fence an epoch is ignored, on ${tested.name}`, { skip: tested.skip }, async () => {
    const opened = await openJournaled(tested, clock);
    try {
      const accountId = await fundedAccount(opened.db, clock, 10n ** 12n);
      const admission = admissionOf(60n, { model: MODEL, epoch: 5 });
      const { result } = await opened.journal.write(acceptUnit(orderRow({ accountId }), { admission }));
      assert.equal(result, 'executing');
    } finally {
      await opened.drop();
    }
  });
}
