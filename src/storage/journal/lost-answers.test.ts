/** A whole transaction in one message to MariaDB, whose connection breaks: nobody is told whether it has committed. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { fundedAccount, type OpenedDatabase } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { openMariadb, skipMariadb } from '#testing/mariadb.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { CHARGE, HOLD } from '#testing/order-units.ts';
import { audit } from '../audit/index.ts';
import { MysqlDriver } from './mysql-driver.ts';
import type { JournalUnit } from './units.ts';

const FUNDS = 10n * HOLD;

/** What becomes of the next message: its answer is lost, it is lost, or the client is gone while the server works on it. */
type Loss = 'answer' | 'message' | 'client';

/** A TCP proxy that breaks a connection where the test says so. */
class BreakingLink {
  readonly #to: { host: string; port: number };
  readonly #server: Server = createServer((near) => this.#join(near));
  readonly #sockets = new Set<Socket>();
  #loss: { kind: Loss; done(): void } | null = null;

  constructor(url: string) {
    const { hostname: host, port } = new URL(url);
    this.#to = { host, port: Number(port) };
  }

  /** Listens, and returns the URL of what it passes on to `url`. */
  async open(url: string): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    assert.ok(address && typeof address === 'object');
    return Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(address.port) }).href;
  }

  /** Breaks the connection with the next message. Resolves when the server has dealt with it, or will never get it. */
  lose(kind: Loss): Promise<void> {
    return new Promise((done) => {
      this.#loss = { kind, done };
    });
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(near: Socket): void {
    const far = connect(this.#to);
    let loss: { kind: Loss; done(): void } | null = null;
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        near.destroy();
        if (loss?.kind !== 'client') far.destroy();
      });
    }
    near.on('data', (bytes) => {
      [loss, this.#loss] = [loss ?? this.#loss, null];
      if (loss?.kind !== 'message') far.write(bytes);
      if (loss && loss.kind !== 'answer') near.destroy();
      if (loss?.kind === 'message') loss.done();
    });
    far.on('data', (bytes) => {
      if (!loss) return void near.write(bytes);
      near.destroy();
      far.destroy();
      loss.done();
    });
  }
}

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

  test('on which the server still works takes effect once, whoever comes first', async () => {
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
