/**
 * That a fence which writes holds where several nodes write and keep locks for themselves, and that one which only locks
 * does not. `scripts/with-galera npm run test:unit -- src/storage/leases/several-nodes.long.test.ts`.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Connection } from 'mysql2/promise';
import { type Database, openDatabase } from '../database/database.ts';
import { errorCode } from '../database/dialects/dialect.ts';
import { migrate } from '../database/migrations/migrate.ts';
import { openConnection } from '../database/mysql-connection.ts';
import { MysqlClusterStore } from './cluster-store.ts';
import { type Fence, fenceOf } from './fence.ts';
import { registerGateway } from './gateway-rows.ts';
import type { FenceKind } from './leases.ts';
import { checkServer } from './server-kind.ts';

const [here, there] = (process.env.TEST_DATABASE_NODES ?? '').split(' ');
const skip = there ? false : 'no Galera cluster in TEST_DATABASE_NODES; scripts/with-galera starts one';
const MARKET = 'market:tide';

interface Gateway {
  readonly id: number;
  readonly epoch: number;
  readonly fence: Fence;
  readonly store: MysqlClusterStore;
}

describe('two gateways at two nodes', { skip }, () => {
  const schema = `sluice_nodes_${randomBytes(6).toString('hex')}`;
  let db: Database;
  let paused: Connection;
  let stores: MysqlClusterStore[];
  const at = (node: string | undefined) => new URL(`/${schema}`, node).href;

  beforeEach(async () => {
    const administrator = openDatabase(String(here));
    await administrator.knex.raw(`CREATE DATABASE ${schema}`);
    await administrator.close();
    db = openDatabase(at(here));
    await migrate(db);
    paused = await openConnection(at(here));
    stores = [];
  });
  afterEach(async () => {
    paused.destroy();
    for (const store of stores) await store.leave().catch(() => {});
    await db.knex.raw(`DROP DATABASE ${schema}`);
    await db.close();
  });

  async function join(node: string | undefined, kind: FenceKind): Promise<Gateway> {
    const connection = await openConnection(at(node));
    const { gateway: id, lease } = await registerGateway(connection, {
      address: 'host:1',
      protocol: 1,
      listingHash: '',
    });
    await connection.query("UPDATE leases SET process = NULL, state = 'serving' WHERE name = ?", [lease.name]);
    connection.destroy();
    const store = new MysqlClusterStore({ url: at(node), lease, gateway: id, fence: kind });
    stores.push(store);
    return { id, epoch: lease.epoch, fence: fenceOf(lease, () => {}, { kind }), store };
  }

  /** Begins a transaction of the gateway, which names the market, and stops before its commit. */
  async function begin({ fence }: Gateway): Promise<void> {
    const { sql, params } = fence.readWith([MARKET]);
    await paused.query('START TRANSACTION');
    if (fence.count) await paused.query(fence.count.sql, [...fence.count.params]);
    await paused.query(sql, [...params]);
    await paused.query("INSERT INTO counters (name, value) VALUES ('late', 1)");
  }

  /** Keeps the first node busy with what the second has written: it commits on before it sees what follows. */
  async function lag(): Promise<void> {
    const connection = await openConnection(at(there));
    await connection.query("INSERT INTO counters (name, value) SELECT CONCAT('row ', seq), 1 FROM seq_1_to_300000");
    connection.destroy();
  }

  /** Whether the transaction comes through. */
  const commits = () =>
    paused.query('COMMIT').then(
      () => true,
      (error) => {
        assert.equal(errorCode(error), 'ER_LOCK_DEADLOCK');
        return false;
      },
    );

  for (const [kind, isLate] of [
    ['locks', true],
    ['writes', false],
  ] as const) {
    test(`a commit after its gateway was declared dead ${isLate ? 'comes through' : 'fails'} with ${kind}`, async () => {
      const [one, two] = [await join(here, kind), await join(there, kind)];
      await begin(one);
      await db.knex.raw('UPDATE beats SET beat_at = beat_at - INTERVAL 11 SECOND WHERE gateway = ?', [String(one.id)]);
      await lag();
      assert.equal(await two.store.bury(one.id, one.epoch), true);
      assert.equal(await commits(), isLate);
    });

    test(`a commit after its market changed hands ${isLate ? 'comes through' : 'fails'} with ${kind}`, async () => {
      const [one, two] = [await join(here, kind), await join(there, kind)];
      const epoch = await one.store.take(MARKET, 0);
      await begin(one);
      await lag();
      assert.ok(await two.store.take(MARKET, epoch ?? 0));
      assert.equal(await commits(), isLate);
    });
  }

  test('a gateway there writes its fence, alone and beside others', async () => {
    for (const several of [false, true])
      assert.deepEqual(await checkServer(db, several), { fence: 'writes', warning: null });
  });
});
