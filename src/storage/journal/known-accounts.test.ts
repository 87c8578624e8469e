/** What a journal knows of accounts, and what a transaction does that relies on it: on MariaDB, where others write, too. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { COMMAND_LINE } from '#access/member.ts';
import { Transfers } from '#accounts/ledger/transfers.ts';
import { idSource } from '#base/id.ts';
import { fundedAccount, type OpenedDatabase } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { openMariadb, skipMariadb } from '#testing/mariadb.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { CHARGE, HOLD } from '#testing/order-units.ts';
import { audit } from '../audit/index.ts';
import { mysql } from '../database/dialects/mysql.ts';
import { applyUnits } from './apply-units.ts';
import { messagesOf } from './bulk-statements.ts';
import { type AccountState, KnownAccounts } from './known-accounts.ts';
import { MysqlDriver } from './mysql-driver.ts';
import type { RoundResult } from './operations.ts';
import { runSync } from './rounds.ts';
import type { JournalUnit } from './units.ts';
import { WANTS } from './webhook-event.ts';

const FUNDS = 10n * HOLD;
const RICH: AccountState = { balance: FUNDS, held: 0n, owed: 0n, storedBytes: 0, house: false, wants: 0 };

describe('accounts that a journal knows', () => {
  let known: KnownAccounts;
  beforeEach(() => {
    known = new KnownAccounts();
  });
  const keep = (id: string, atMs: number, relied = false) => known.keep([[id, RICH]], relied, atMs);
  /** How many transactions in a row read, before one relies on what is known. */
  const reading = () => {
    for (let count = 0; ; count++) if (known.mayRely(startMs)) return count;
  };

  test('are relied on only for a second after they were left, and never before that', () => {
    assert.equal(known.mayRely(startMs), false);
    keep('a', startMs);
    assert.equal(known.mayRely(startMs + 1000), true);
    assert.equal(known.mayRely(startMs + 1001), false);
    assert.equal(known.mayRely(startMs - 1), false);
  });

  test('a thousand are known, and the one that was left longest ago is forgotten first', () => {
    for (let at = 0; at < 1000; at++) keep(`a${at}`, startMs);
    keep('a0', startMs);
    keep('one more', startMs);
    assert.deepEqual([known.get('a0'), known.get('a1'), known.get('a2')], [RICH, undefined, RICH]);
  });

  test('an account that was wrong repeatedly is relied on ever more rarely, and more often once it is right again', () => {
    keep('a', startMs);
    const pauses = Array.from({ length: 9 }, () => {
      known.pause();
      return reading();
    });
    assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 64, 64, 64]);
    for (let right = 0; right < 5; right++) keep('a', startMs, true);
    known.pause();
    assert.equal(reading(), 4);
  });
});

describe('a transaction that relies on what is known', () => {
  let known: KnownAccounts;
  beforeEach(() => {
    known = new KnownAccounts();
    known.keep([['a', RICH]], false, startMs);
  });

  /** The messages of these units; the server has two rich accounts and no orders, and fails the messages with these numbers. */
  function messages(units: readonly JournalUnit[], ...fails: number[]): string[] {
    return applied(units, fails).sent;
  }

  function applied(units: readonly JournalUnit[], fails: readonly number[]) {
    const sent: string[] = [];
    const { failure } = runSync(
      applyUnits(mysql, units, false, { fence: null, known, nowMs: startMs }),
      (round): RoundResult => {
        for (const { text } of messagesOf(round)) sent.push(text);
        if (fails.includes(sent.length - 1))
          throw Object.assign(new Error('out of range'), { code: 'ER_DATA_OUT_OF_RANGE', sqlState: '22003' });
        return round.map(({ shape }) =>
          shape.act === 'read' && shape.table === 'accounts' ? [row('a'), row('b')] : [],
        );
      },
    );
    return { sent, failure };
  }
  const row = (id: string) => ({ id, balance: FUNDS, held: 0, owed: 0, stored_bytes: 0, house: 0, webhooks: 0 });
  const accept = (accountId = 'a') => acceptUnit(orderRow({ accountId }), { admission: admissionOf(HOLD) });

  test('is one message', () => {
    const order = orderRow({ accountId: 'a' });
    const sent = messages([settleUnit(order, 42n, { hold: 0n }), accept()]);
    assert.equal(sent.length, 1);
    assert.match(sent[0] ?? '', /^START TRANSACTION; .*; COMMIT$/s);
    assert.doesNotMatch(sent[0] ?? '', /FOR UPDATE/);
  });

  test('is two when an account is not known, or a unit looks up anything else', () => {
    assert.equal(messages([accept(), accept('b')]).length, 2);
    assert.equal(messages([{ kind: 'result-removed', accountId: 'a', orderId: 'some order' }]).length, 2);
  });

  test('is never tried for an account with webhooks for its orders, and others do not pause for it', () => {
    known.keep(
      [
        ['a', { ...RICH, wants: WANTS.orders }],
        ['b', RICH],
      ],
      false,
      startMs,
    );
    const told = messages([settleUnit(orderRow({ accountId: 'a' }), 42n, { hold: 0n })]);
    assert.match(told[0] ?? '', /^START TRANSACTION; SELECT .* FROM accounts .* FOR UPDATE/);
    assert.equal(messages([accept('b')]).length, 1);
  });

  test('whose message fails is undone and started again, and reads; so does the next one', () => {
    const [one, undone, read] = messages([accept()], 0);
    assert.match(one ?? '', /^START TRANSACTION; UPDATE .*COMMIT$/s);
    assert.equal(undone, 'ROLLBACK');
    assert.match(read ?? '', /^START TRANSACTION; SELECT .* FROM accounts .* FOR UPDATE$/);
    assert.equal(messages([accept()]).length, 2);
    assert.equal(messages([accept()]).length, 1);
  });

  test('that cannot be undone is the end of its session: to begin the next one would commit what it wrote', () => {
    const { sent, failure } = applied([accept()], [0, 1]);
    assert.deepEqual([sent.length, sent[1], failure], [2, 'ROLLBACK', 'out of range']);
  });
});

// Without blocks as on MySQL, which answers each statement by itself.
for (const blocks of [true, false]) {
  describe(`a journal that relies on what it knows, on MariaDB ${blocks ? 'with' : 'without'} blocks`, {
    skip: skipMariadb,
  }, () => {
    const clock = new ManualClock(startMs);
    let opened: OpenedDatabase;
    let driver: MysqlDriver;
    let accountId: string;

    beforeEach(async () => {
      opened = await openMariadb();
      accountId = await fundedAccount(opened.db, clock, FUNDS);
      driver = new MysqlDriver(opened.url, { fence: null, clock, blocks });
      const level = {
        kind: 'level',
        model: orderRow({ accountId }).model,
        levelSeq: 1,
        level: 500_000_000,
        atMs: startMs,
      } as const;
      assert.deepEqual(await outcomes([level]), ['changed']);
    });
    afterEach(async () => {
      await driver.close();
      await opened.drop();
    });

    const accept = (order = orderRow({ accountId }), hold = HOLD) =>
      acceptUnit(order, { admission: admissionOf(hold) });
    const settle = (order: ReturnType<typeof orderRow>, charge = CHARGE) => settleUnit(order, charge, { hold: HOLD });

    async function outcomes(units: readonly JournalUnit[], by = driver): Promise<unknown[]> {
      const { results, failure } = await by.apply(units, false);
      assert.equal(failure, null);
      return results.map((result) => ('outcome' in result ? result.outcome.result : result.error));
    }

    const account = async () => {
      const { balance, held } = await opened.db.knex('accounts').where({ id: accountId }).first('balance', 'held');
      return [BigInt(balance), BigInt(held)];
    };
    const findings = async () => (await audit(opened.db, null, { nowMs: startMs })).findings;

    test('decides from money that came in between', async () => {
      assert.deepEqual(await outcomes([accept()]), ['executing']);
      await new Transfers({ db: opened.db, clock, ids: idSource(clock) }).credit(
        accountId,
        20n * HOLD,
        {
          force: true,
        },
        COMMAND_LINE,
      );
      assert.deepEqual(await outcomes([accept(undefined, 15n * HOLD)]), ['executing']);
      assert.deepEqual(await account(), [30n * HOLD, 16n * HOLD]);
    });

    test('decides from money that went in between', async () => {
      assert.deepEqual(await outcomes([accept()]), ['executing']);
      await opened.db
        .knex('accounts')
        .where({ id: accountId })
        .update({ owed: FUNDS - HOLD });
      assert.deepEqual(await outcomes([accept()]), ['parked']);
      assert.deepEqual(await account(), [FUNDS, HOLD]);
    });

    test('charges nothing for an order that somebody else ended, nor its neighbours less', async () => {
      const [one, other] = [orderRow({ accountId }), orderRow({ accountId })];
      await outcomes([accept(one), accept(other)]);
      await opened.db.knex('orders').where({ id: one.id }).update({ status: 'error' });
      assert.deepEqual(await outcomes([settle(one), settle(other)]), ['stale', 'settled']);
      assert.deepEqual(await account(), [FUNDS - CHARGE, HOLD]);
    });

    test('two that change the same account in turn never lose a hold or a charge', async () => {
      const other = new MysqlDriver(opened.url, { fence: null, clock, blocks });
      const story = fc.array(fc.record({ whose: fc.boolean(), ends: fc.boolean(), both: fc.boolean() }), {
        minLength: 12,
      });
      try {
        await fc.assert(
          fc.asyncProperty(story, async (steps) => {
            const running: ReturnType<typeof orderRow>[] = [];
            for (const { whose, ends, both } of steps) {
              const [one, two] = whose ? [driver, other] : [other, driver];
              const ended = ends ? running.splice(0, 2) : [];
              const begun = [orderRow({ accountId }), orderRow({ accountId })];
              const [ours = [], theirs = []] = await Promise.all([
                outcomes([...ended.map((order) => settle(order)), accept(begun[0])], one),
                both ? outcomes([accept(begun[1])], two) : [],
              ]);
              const answers = [ours.at(-1), theirs[0]];
              running.push(...begun.filter((_, at) => answers[at] === 'executing'));
            }
            await outcomes(running.map((order) => settle(order)));
            assert.equal((await account())[1], 0n);
          }),
          { seed: 60, numRuns: 6 },
        );
        assert.deepEqual(await findings(), []);
      } finally {
        await other.close();
      }
    });

    test('fails as a whole, also when its texts take several messages and the last of them fails', async () => {
      const [one, logged] = [orderRow({ accountId }), orderRow({ accountId })];
      await outcomes([accept(one)]);
      const body = 'x'.repeat(2_000_000);
      await opened.db
        .knex('request_logs')
        .insert({ order_id: logged.id, account_id: accountId, body: '', expires_at_ms: startMs });
      const refused = { ...accept(logged), requestLog: { body, expiresAtMs: startMs + 1 } };
      const [settled, error] = await outcomes([settle(one), refused]);
      assert.equal(settled, 'settled');
      assert.match(String(error), /Duplicate entry/);
      assert.deepEqual(await account(), [FUNDS - CHARGE, 0n]);
      assert.deepEqual(await findings(), []);
    });

    test('a broken session does not repeat what it may have committed', async () => {
      for (let round = 0; round < 10; round++) {
        const order = orderRow({ accountId });
        await outcomes([accept(order)]);
        // Its session is the newest. It may not yet count as asleep when its answer is here.
        const [[{ id }]] = await opened.db.knex.raw(
          'SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID() ORDER BY id DESC LIMIT 1',
        );
        await opened.db.knex.raw(`KILL ${id}`);
        assert.deepEqual(await outcomes([settle(order)]), ['settled']);
      }
      assert.deepEqual(await account(), [FUNDS - 10n * CHARGE, 0n]);
      assert.deepEqual(await findings(), []);
    });
  });
}
