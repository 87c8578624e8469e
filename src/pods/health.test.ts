import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { PodHealth } from './health.ts';
import type { Ping } from './pod.ts';

let clock: ManualClock;
let answer: Ping | Promise<Ping>;
let pings: number;
let trial: Ping | Promise<Ping>;
let trials: number;
let changes: string[];

beforeEach(() => {
  clock = new ManualClock();
  answer = 'alive';
  pings = 0;
  trial = 'failing';
  trials = 0;
  changes = [];
});

/** The health of a pod after its first ping; its pings return `answer`. */
async function started(): Promise<PodHealth> {
  const health: PodHealth = new PodHealth({
    clock,
    random: { next: () => 0 },
    ping: async () => {
      pings++;
      return answer;
    },
    trial: async () => {
      trials++;
      return trial;
    },
    onChange: (reason) => changes.push(`${health.healthy ? 'healthy' : 'unhealthy'}: ${reason}`),
  });
  assert.equal(health.healthy, false);
  health.start();
  await clock.advance(0);
  return health;
}

test('a pod is healthy after its first successful ping, and is pinged every ten seconds', async () => {
  const health = await started();
  assert.equal(health.healthy, true);
  await clock.advance(30_000);
  assert.equal(pings, 4);
  assert.deepEqual(changes, ['healthy: its ping passed']);
});

test('a pod that is down at first is pinged again with doubling delays up to half a minute', async () => {
  answer = 'refused';
  const health = await started();
  for (const waitMs of [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    const before = pings;
    await clock.advance(waitMs - 1);
    assert.equal(pings, before);
    await clock.advance(1);
    assert.equal(pings, before + 1);
  }
  assert.deepEqual(
    changes,
    ['unhealthy: it refuses connections'],
    'reported once, so that nobody wonders why orders wait',
  );
  answer = 'alive';
  await clock.advance(30_000);
  assert.equal(health.healthy, true);
});

test('a pod that refuses the key is reported once with that reason', async () => {
  answer = 'denied';
  await started();
  await clock.advance(60_000);
  assert.deepEqual(changes, ['unhealthy: it refuses the key']);
});

test('one missed ping is tolerated, three in a row are not', async () => {
  const health = await started();
  answer = 'failing';
  await clock.advance(10_000 + 500);
  assert.equal(health.healthy, true);
  await clock.advance(500);
  assert.equal(health.healthy, false);
  assert.deepEqual(changes.slice(1), ['unhealthy: its pings fail']);
});

test('a refused connection is not tolerated, neither of a ping nor of an attempt', async () => {
  const health = await started();
  answer = 'refused';
  await clock.advance(10_000);
  assert.equal(health.healthy, false);
  answer = 'alive';
  await clock.advance(500);
  assert.equal(health.healthy, true);
  health.connectionRefused();
  assert.equal(health.healthy, false);
});

test('failed attempts of three orders in a row start a trial; an answer in between resets the count', async () => {
  const health = await started();
  health.failed('a');
  health.failed('b');
  health.served();
  health.failed('c');
  health.failed('d');
  await clock.advance(0);
  assert.equal(trials, 0);
  health.failed('e');
  await clock.advance(0);
  assert.equal(trials, 1);
  assert.equal(health.healthy, false);
  assert.deepEqual(changes.slice(1), ['unhealthy: its attempts fail']);
});

test('an order that keeps failing counts once', async () => {
  const health = await started();
  for (let attempt = 0; attempt < 9; attempt++) health.failed('poison');
  await clock.advance(0);
  assert.equal(trials, 0);
});

const fail = (health: PodHealth) => {
  for (const order of ['a', 'b', 'c']) health.failed(order);
};

test('a pod that passes its trial stays healthy: the orders were at fault', async () => {
  const health = await started();
  trial = 'alive';
  for (let round = 1; round <= 5; round++) {
    fail(health);
    assert.equal(health.healthy, true);
    await clock.advance(0);
    assert.equal(trials, round);
    fail(health);
    await clock.advance(500);
    assert.equal(trials, round, 'and it is trusted for a while');
  }
  assert.equal(health.healthy, true);
  assert.equal(changes.length, 1);
});

test('a clock that steps back neither ends nor extends the grace period after a trial', async () => {
  const health = await started();
  trial = 'alive';
  fail(health);
  await clock.advance(0);
  clock.step(-3_600_000);
  fail(health);
  await clock.advance(0);
  assert.equal(trials, 1);
  await clock.advance(500);
  fail(health);
  await clock.advance(0);
  assert.equal(trials, 2);
});

test('a pod whose trial takes too long is unhealthy until it has answered', async () => {
  const health = await started();
  const late = Promise.withResolvers<Ping>();
  trial = late.promise;
  fail(health);
  await clock.advance(9_999);
  assert.equal(health.healthy, true);
  await clock.advance(1);
  assert.equal(health.healthy, false);
  await clock.advance(60_000);
  assert.equal(trials, 1);
  late.resolve('alive');
  await clock.advance(0);
  assert.deepEqual(changes.slice(1), ['unhealthy: its attempts fail', 'healthy: it answered a trial']);
});

test('a pod that fails its trials stays unhealthy and is tried ever less often, whatever its pings say', async () => {
  const health = await started();
  fail(health);
  await clock.advance(0);
  for (const waitMs of [500, 1_000, 2_000]) {
    const before = trials;
    await clock.advance(waitMs - 1);
    assert.equal(trials, before);
    await clock.advance(1);
    assert.equal(trials, before + 1);
    assert.equal(health.healthy, false);
  }
  assert.equal(pings, 1);
  trial = 'alive';
  await clock.advance(4_000);
  assert.equal(health.healthy, true);
  await clock.advance(10_000);
  assert.equal(pings, 2, 'and then it is pinged as before');
  trial = 'failing';
  fail(health);
  await clock.advance(500);
  assert.equal(trials, 7, 'the waits start again');
});

test('a ping that was in flight when the attempts failed does not end the trial', async () => {
  const health = await started();
  const late = Promise.withResolvers<Ping>();
  answer = late.promise;
  await clock.advance(10_000);
  trial = new Promise(() => {});
  fail(health);
  late.resolve('alive');
  await clock.advance(10_000);
  assert.equal(health.healthy, false);
  assert.deepEqual([pings, trials], [2, 1]);
});

test('failures of attempts that end while the pod is unhealthy change nothing', async () => {
  const health = await started();
  fail(health);
  await clock.advance(0);
  for (let order = 0; order < 9; order++) health.failed(`${order}`);
  health.connectionRefused();
  assert.equal(changes.length, 2);
  trial = 'alive';
  await clock.advance(500);
  assert.equal(health.healthy, true);
  assert.equal(trials, 2);
});

test('after close there are no pings and no timers', async () => {
  const health = await started();
  health.close();
  assert.equal(clock.pending, 0);
  health.connectionRefused();
  assert.equal(clock.pending, 0);
});
