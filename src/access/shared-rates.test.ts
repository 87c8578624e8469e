/** Request rates that several gateways count together. The homes are played by the test. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { principalWith } from '#testing/principals.ts';
import { limitDefaults } from './limits.ts';
import type { Caller, RateClass } from './request-rates.ts';
import { SharedRates, type Taking } from './shared-rates.ts';

const caller: Caller = { principal: principalWith({ key: { id: 'k1' } }), address: '' };
const address: Caller = { principal: null, address: '192.0.2.1' };

/** Gateways 0 to 2; every bucket is at gateway 0. */
function gateways(perMinute: number) {
  const clock = new ManualClock();
  const limits = {
    ...limitDefaults,
    inferenceRequestsPerMinutePerKey: perMinute,
    publicRequestsPerMinutePerAddress: perMinute,
  };
  const world = { clock, asked: [] as Taking[], reachable: true };
  const all: SharedRates[] = [0, 1, 2].map(
    (self) =>
      new SharedRates({
        limits,
        clock,
        homes: {
          gateways: 3,
          homeOf: () => (self === 0 ? null : 0),
          async take(_home, taking) {
            world.asked.push(taking);
            await Promise.resolve();
            if (!world.reachable) throw new Fault('unavailable');
            const grant = all[0]?.serve(taking);
            assert.ok(grant);
            return grant;
          },
        },
      }),
  );
  const request = async (at: number, rateClass: RateClass = 'inference', who = caller): Promise<number | null> => {
    try {
      await all[at]?.count(rateClass, who);
      return null;
    } catch (fault) {
      assert.ok(fault instanceof Fault && fault.code === 'rate_limit_error');
      return fault.retryAfterS;
    }
  };
  const taken = async (at: number, times: number) => {
    let count = 0;
    for (let index = 0; index < times; index++) if ((await request(at)) === null) count++;
    return count;
  };
  return { ...world, world, all, request, taken };
}

test('a caller whose bucket is here is counted at once', () => {
  const { all, asked } = gateways(1);
  assert.equal(all[0]?.count('inference', caller), undefined);
  assert.throws(() => all[0]?.count('inference', caller), { code: 'rate_limit_error', retryAfterS: 60 });
  assert.deepEqual(asked, []);
});

test('a small bucket is counted exactly by all gateways together', async () => {
  const { clock, request } = gateways(2);
  assert.equal(await request(1), null);
  assert.equal(await request(2), null);
  for (const at of [0, 1, 2]) assert.equal(await request(at), 30);
  await clock.advance(30_000);
  assert.equal(await request(2), null);
  assert.equal(await request(1), 30);
});

test('all gateways together never grant more than the bucket has, nor much less', async () => {
  const { taken } = gateways(1_200);
  const counts = [await taken(1, 500), await taken(2, 500), await taken(0, 500)];
  const sum = counts.reduce((one, other) => one + other);
  assert.ok(sum <= 1_200 && sum >= 1_200 - 2 * 120, `${sum}`);
});

test('a busy caller asks seldom, and never for more than a tenth of the bucket', async () => {
  const { taken, asked } = gateways(1_200);
  assert.equal(await taken(1, 1_000), 1_000);
  assert.ok(asked.length < 20, `${asked.length} questions`);
  assert.equal(Math.max(...asked.map(({ wanted }) => wanted)), 120);
});

test('a caller who comes seldom takes little in advance', async () => {
  const { clock, taken, request, asked } = gateways(1_200);
  for (let minute = 0; minute < 5; minute++) {
    await taken(1, 3);
    await clock.advance(60_001);
  }
  assert.ok(asked.every(({ wanted }) => wanted <= 4));
  assert.equal(await request(1), null);
});

test('requests that come together wait for the same answers', async () => {
  const { request, asked } = gateways(100);
  const refused = (await Promise.all(Array.from({ length: 120 }, () => request(1)))).filter((wait) => wait !== null);
  assert.equal(refused.length, 20);
  assert.ok(asked.length < 25, `${asked.length} questions`);
});

test('without its home a gateway grants its share of the limit, and asks again after a second', async () => {
  const { world, clock, taken, asked } = gateways(60);
  world.reachable = false;
  assert.equal(await taken(1, 100), 20);
  assert.equal(asked.length, 1);
  world.reachable = true;
  await clock.advance(1_000);
  assert.equal(await taken(1, 100), 60);
});

test('streams and public requests of an address share a bucket everywhere', async () => {
  const { request } = gateways(2);
  assert.equal(await request(1, 'public', address), null);
  assert.equal(await request(1, 'stream', address), null);
  assert.equal(await request(1, 'stream', address), 30);
  assert.equal(await request(0, 'public', address), 30);
  assert.equal(await request(1, 'free', address), null);
});
