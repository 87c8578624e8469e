import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RenewedMap } from './market.ts';

test('values stay while others come and go, many of them or few', () => {
  for (const kept of [3, 20_000]) {
    const map = new RenewedMap<number>();
    for (let key = 0; key < kept; key++) map.set(`kept ${key}`, key);
    for (let key = 0; key < 50_000; key++) {
      map.set(`${key}`, key);
      map.delete(`${key - 5}`);
      assert.equal(map.get(`${key - 4}`), key < 4 ? undefined : key - 4);
      assert.equal(map.has(`${key - 5}`), false);
    }
    for (let key = 0; key < kept; key++) assert.equal(map.get(`kept ${key}`), key);
  }
});
