import assert from 'node:assert/strict';
import { test } from 'node:test';
import { smallSize } from './clusters.ts';
import { live } from './life.ts';
import { faults } from './simulated-cluster.ts';
import { type Mistake, mistakes } from './simulated-gateway.ts';

const SEEDS = Array.from({ length: 25 }, (_, index) => index + 1);

async function firstBroken(mistake: Mistake | null, seeds = SEEDS): Promise<string | null> {
  for (const seed of seeds) {
    const [what] = (await live(seed, smallSize(seed), mistake)).broken;
    if (what) return `life ${seed}: ${what}`;
  }
  return null;
}

test('small clusters keep what they promise through all kinds of faults', async () => {
  const happened = new Set<string>();
  for (const seed of SEEDS) {
    const life = await live(seed, smallSize(seed));
    assert.deepEqual(life.broken, [], `life ${seed}`);
    for (const name of [...life.faults.keys(), ...life.happened.keys()]) happened.add(name);
  }
  for (const name of [...faults, 'admissions', 'refused by the fence', 'adopted', 'takeovers', 'burials'])
    assert.ok(happened.has(name), `${name} happened`);
});

test('a life is the same whenever it is lived', async () => {
  const [one, two] = [await live(3, smallSize(3)), await live(3, smallSize(3))];
  assert.deepEqual(two, one);
});

for (const mistake of mistakes) {
  test(`a planted mistake is found: ${mistake}`, async () => {
    assert.ok(await firstBroken(mistake, [...SEEDS, ...SEEDS.map((seed) => 100 + seed)]), 'it was not found');
  });
}
