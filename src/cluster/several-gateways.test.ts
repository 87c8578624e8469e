/**
 * Three gateways with one market, one database and sessions that delay and break; gateways end, stand still and wake,
 * are declared dead, and others come. At every commit no pod has more orders than slots and no admission names a level
 * that is not there; in the end every order has ended once, and the market has every order that waits.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BenchOptions, ClusterBench } from '#testing/cluster/cluster-bench.ts';

const SEEDS = 40;

/** Trades through all kinds of faults, looks at the book while it is quiet, and lets everything end. */
async function trade(seed: number, options: BenchOptions = {}): Promise<ClusterBench> {
  const bench = new ClusterBench(seed, options);
  await bench.pass(1_000);
  for (let step = 0; step < 150; step++) {
    bench.act();
    bench.fail();
    await bench.pass(bench.draw() * 120);
  }
  bench.heal();
  await bench.pass(25_000);
  await bench.checkBook();
  await bench.end();
  return bench;
}

test(`the books agree over ${SEEDS} random lives of three gateways`, async () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const bench = await trade(seed).catch((error) => {
      throw new Error(`seed ${seed}: ${error.message}`, { cause: error });
    });
    for (const what of bench.seen) seen.add(what);
  }
  for (const what of [
    'done',
    'canceled',
    'error',
    'takeover',
    'handover',
    'burial',
    'adopted',
    'stale-epoch',
    'parked',
  ])
    assert.ok(seen.has(what), `${what} happened`);
});

const planted = {
  'slots given back before the commit': { commits: true },
  'an owner that waits for nobody': { barrier: true },
  'levels that are told before they have committed': { levels: true },
  'a fence that does not compare epochs': { epochs: true },
} as const;

for (const [what, omit] of Object.entries(planted)) {
  test(`the test finds ${what}`, async () => {
    for (let seed = 1; seed <= 200; seed++) {
      try {
        await trade(seed, { omit });
      } catch (error) {
        assert.ok(error instanceof assert.AssertionError, String(error));
        return;
      }
    }
    assert.fail('it was not found');
  });
}
