/** A whole transaction in one message to MariaDB, whose connection breaks: no answer says whether it has committed. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { BreakingLink } from '#testing/breaking-link.ts';
import { fundedAccount, type OpenedDatabase } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { openMariadb, skipMariadb } from '#testing/mariadb.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { CHARGE, HOLD } from '#testing/order-units.ts';
import { audit } from '../audit/index.ts';
import { MysqlDriver } from './mysql-driver.ts';
import type { JournalUnit } from './units.ts';

const FUNDS = 10n * HOLD;

describe('a transaction whose connection breaks, on MariaDB', { skip: skipMariadb }, () => {
  const clock = new ManualClock(startMs);
  let opened: OpenedDatabase;
  let link: BreakingLink;
  let driver: MysqlDriver;
  let accountId: string;

  beforeEach(async () => {
    opened = await openMariadb();
    accountId = await fundedAccount(opened.db, clock, FUNDS);
    link = new BreakingLink(opened.url);
    driver = new MysqlDriver(await link.open(opened.url), { fence: null, clock });
    const { model } = orderRow({ accountId });
    await outcomes([{ kind: 'level', model, levelSeq: 1, level: 500_000_000, atMs: startMs }]);
  });
  afterEach(async () => {
    await driver.close();
    await link.close();
    await opened.drop();
  });

  const accept = (order: ReturnType<typeof orderRow>) => acceptUnit(order, { admission: admissionOf(HOLD) });
  const settle = (order: ReturnType<typeof orderRow>) => settleUnit(order, CHARGE, { hold: HOLD });

  async function outcomes(units: readonly JournalUnit[]): Promise<unknown[]> {
    const { results, failure } = await driver.apply(units, false);
    assert.equal(failure, null);
    return results.map((result) => ('outcome' in result ? result.outcome.result : result.error));
  }

  /** The only one of these tests' accounts, with the books. */
  async function assertAccount(balance: bigint, held: bigint): Promise<void> {
    const row = await opened.db.knex('accounts').where({ id: accountId }).first('balance', 'held');
    assert.deepEqual([BigInt(row.balance), BigInt(row.held)], [balance, held]);
    assert.deepEqual((await audit(opened.db, null, { nowMs: startMs })).findings, []);
  }

  for (const kind of ['answer', 'message'] as const)
    test(`whose ${kind} is lost takes effect once`, async () => {
      const [one, other] = [orderRow({ accountId }), orderRow({ accountId })];
      assert.deepEqual(await outcomes([accept(one)]), ['executing']);
      const lost = link.lose(kind);
      assert.deepEqual(await outcomes([settle(one), accept(other)]), ['settled', 'executing']);
      await lost;
      await assertAccount(FUNDS - CHARGE, HOLD);
      assert.deepEqual(await outcomes([settle(other)]), ['settled']);
      await assertAccount(FUNDS - 2n * CHARGE, 0n);
    });

  test('on which the server still works takes effect once, in either order', async () => {
    const [one, other] = [orderRow({ accountId }), orderRow({ accountId })];
    assert.deepEqual(await outcomes([accept(one)]), ['executing']);
    const lock = await opened.db.knex.transaction();
    await lock('accounts').where({ id: accountId }).update({ name: 'locked' });
    const ended = link.lose('client');
    const applied = outcomes([settle(one), accept(other)]);
    await lock.commit();
    assert.deepEqual(await applied, ['settled', 'executing']);
    await ended;
    await assertAccount(FUNDS - CHARGE, HOLD);
  });
});
