/** Which gateway counts for a caller. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinedCalls } from '#testing/joined-calls.ts';
import { homeGateways } from './home-gateways.ts';

const keys = Array.from({ length: 3_000 }, (_, index) => `inference key-${index}`);

async function homes() {
  const { calls, clock, network } = await joinedCalls(3);
  const view = { living: [1, 2, 3] };
  const all = [1, 2, 3].map((self) =>
    homeGateways<string, string>({
      ...{ self, calls: calls(self), living: () => view.living },
      serve: (taking) => `${self}: ${taking}`,
    }),
  );
  const homeOf = (key: string) => all.map((each, index) => each.homeOf(key) ?? index + 1);
  return { all, clock, network, homeOf, view };
}

test('all gateways agree, and each has its share', async () => {
  const { homeOf } = await homes();
  const counts = [0, 0, 0, 0];
  for (const key of keys) {
    const [home = 0, ...others] = homeOf(key);
    assert.deepEqual(others, [home, home]);
    counts[home] = (counts[home] ?? 0) + 1;
  }
  for (const count of counts.slice(1)) assert.ok(count > 900 && count < 1_100, `${counts}`);
});

test('a gateway that leaves moves only the callers that it had', async () => {
  const { all, view } = await homes();
  const [one] = all;
  assert.ok(one);
  const before = keys.map((key) => one.homeOf(key) ?? 1);
  view.living = [1, 2];
  keys.forEach((key, index) => {
    if (before[index] !== 3) assert.equal(one.homeOf(key) ?? 1, before[index]);
    else assert.notEqual(one.homeOf(key), 3);
  });
  assert.equal(one.gateways, 2);
  view.living = [1];
  assert.deepEqual([one.gateways, one.homeOf('x')], [1, null]);
});

test('a home is asked, and one that cannot be reached is not waited for', async () => {
  const { all, clock, network } = await homes();
  const [one] = all;
  const answer = one?.take(2, 'a');
  await clock.advance(50);
  assert.equal(await answer, '2: a');
  network.isolate(2);
  const late = assert.rejects(one?.take(2, 'b') ?? Promise.resolve(), { code: 'unavailable' });
  await clock.advance(300);
  await late;
});
