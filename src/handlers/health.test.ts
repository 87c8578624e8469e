import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LevelBoard } from '#market/data/market-view.ts';
import { Listings } from '#market/listing.ts';
import { marketListing } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { type HealthOptions, processHealth } from './system.ts';

function healthWith(change: Partial<HealthOptions> = {}) {
  const clock = new ManualClock();
  const listings = new Listings([marketListing()], 'tide-70b');
  const health = processHealth({
    askDatabase: async () => {},
    clock,
    journal: { stalled: false },
    exchange: { tickedAtMs: clock.monotonicMs() },
    market: new LevelBoard(listings.all, [], clock.nowMs()),
    listings,
    orderService: { counts: () => ({ queued: 2, inflight: 1 }) },
    pods: { counts: () => [{ healthy: true }, { healthy: false }] },
    drain: { leaving: false },
    disk: { low: false },
    right: { clockAheadMs: null, check: () => true },
    ...change,
  });
  return { clock, health };
}

test('a gateway is ok when its database answers and its markets move, whatever its pods do', async () => {
  const { clock, health } = healthWith();
  const { ok, db, market_loop, role, queued, inflight, pods, healthy_pods } = await health();
  assert.deepEqual([ok, db, market_loop, role], [true, true, true, 'leader']);
  assert.deepEqual([queued, inflight, pods, healthy_pods], [2, 1, 2, 1]);
  assert.equal(clock.pending, 0);
  assert.equal((await healthWith({ pods: { counts: () => [] } }).health()).ok, true);
});

test('a disk below its reserve is reported, and the gateway is ok', async () => {
  const { ok, disk_low } = await healthWith({ disk: { low: true } }).health();
  assert.deepEqual([ok, disk_low], [true, true]);
});

test('a clock that differs from the database is reported, and the gateway is ok', async () => {
  const { ok, clock_ahead_ms } = await healthWith({ right: { clockAheadMs: -3000, check: () => true } }).health();
  assert.deepEqual([ok, clock_ahead_ms], [true, -3000]);
});

test('a database that fails, hangs, does not commit or was moved is reported', async () => {
  const failing = healthWith({ askDatabase: () => Promise.reject(new Error('gone')) });
  assert.equal((await failing.health()).db, false);
  const stalled = healthWith({ journal: { stalled: true } });
  assert.equal((await stalled.health()).ok, false);
  const moved = healthWith({ right: { clockAheadMs: null, check: () => false } });
  assert.equal((await moved.health()).ok, false);
  const hanging = healthWith({ askDatabase: () => new Promise(() => {}) });
  const state = hanging.health();
  await hanging.clock.advance(2000);
  assert.deepEqual([(await state).ok, (await state).db], [false, false]);
});

test('markets that stand still are reported, unless the gateway is draining', async () => {
  const still = healthWith({ exchange: { tickedAtMs: -10_000 } });
  assert.deepEqual([(await still.health()).ok, (await still.health()).market_loop], [false, false]);
  const leaving = await healthWith({ exchange: { tickedAtMs: -10_000 }, drain: { leaving: true } }).health();
  assert.deepEqual([leaving.ok, leaving.role], [true, 'draining']);
});
