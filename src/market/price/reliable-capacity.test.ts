import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normal, seededRandom } from '#base/random.ts';
import { reliableCapacity } from './quote.ts';

test('promising half of the cases keeps nothing back', () => {
  for (const starts of [0, 0.3, 4, 250]) assert.ok(Math.abs(reliableCapacity(starts, 0.5) - starts) < 1e-9);
});

test('the higher the promise and the smaller the market, the larger the share kept back', () => {
  const part = (starts: number, promised: number) => reliableCapacity(starts, promised) / starts;
  assert.ok(part(4, 0.95) > 0.2 && part(4, 0.95) < 0.3);
  assert.ok(part(32, 0.95) > 0.55 && part(32, 0.95) < 0.6);
  assert.ok(part(256, 0.95) > 0.8 && part(256, 0.95) < 0.9);
  assert.ok(part(32, 0.99) < part(32, 0.95));
  assert.ok(reliableCapacity(0.01, 0.999) > 0 && reliableCapacity(0, 0.999) < 1e-12);
});

test('promises are kept: with claims of fourfold variance, the starts cover the promised share of cases', () => {
  const random = seededRandom(1);
  for (const promised of [0.9, 0.95, 0.99]) {
    const claims = reliableCapacity(100, promised);
    let met = 0;
    for (let draw = 0; draw < 20_000; draw++) if (claims + normal(random) * Math.sqrt(4 * claims) <= 100) met++;
    assert.ok(Math.abs(met / 20_000 - promised) < 0.005, `${met / 20_000} for ${promised}`);
  }
});
