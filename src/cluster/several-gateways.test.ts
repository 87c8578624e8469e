/**
 * Three gateways with one market and the real order service: they are killed and paused, leave, lose each other and the
 * database, and others come. At every commit no pod has more orders than slots and no admission names a level that is
 * not there; in the end every order has ended once, the market had every order that waited, and the money adds up.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live } from '#simulations/cluster/life.ts';
import type { Mistake } from '#simulations/cluster/simulated-gateway.ts';
import { StoredDatabase, StoredOrders } from '#testing/stored-cluster.ts';

const SEEDS = 25;
const SIZE = {
  ...{ gateways: 3, markets: 1, orders: 150, podSlots: 2 },
  ...{ faultMs: 700, tradingMs: 14_000, quoteIntervalMs: 10_000 },
};

/** What happened in a life. Throws AssertionError for what may not. */
async function trade(seed: number, mistake: Mistake | null = null, releaseAfterCommit = true): Promise<string[]> {
  let database: StoredDatabase | undefined;
  const { broken, happened } = await live(seed, SIZE, mistake, {
    databaseOf: (options) => {
      database = new StoredDatabase(options);
      return database;
    },
    ordersOf: (options) => {
      assert.ok(database);
      return new StoredOrders(options, database, releaseAfterCommit);
    },
  });
  assert.deepEqual(broken, [], `seed ${seed}`);
  assert.ok(database);
  database.audit();
  return [...happened.keys(), ...database.journal.orders.values().map(({ status }) => status)];
}

test(`the books agree over ${SEEDS} random lives of three gateways`, async () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= SEEDS; seed++) for (const what of await trade(seed)) seen.add(what);
  for (const what of ['done', 'canceled', 'error', 'takeovers', 'burials', 'adopted', 'stale-epoch', 'parked'])
    assert.ok(seen.has(what), `${what} happened`);
});

const planted: Readonly<Record<string, readonly [mistake: Mistake | null, releaseAfterCommit: boolean]>> = {
  'slots given back before the commit': [null, false],
  'an owner that waits for nobody': ['no barrier', true],
  'levels that are told before they have committed': ['early levels', true],
  'a fence that does not compare epochs': ['no fence', true],
};

for (const [what, plan] of Object.entries(planted)) {
  test(`the test finds ${what}`, async () => {
    for (let seed = 1; seed <= 200; seed++) {
      try {
        await trade(seed, ...plan);
      } catch (error) {
        assert.ok(error instanceof assert.AssertionError, String(error));
        return;
      }
    }
    assert.fail('it was not found');
  });
}
