import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Claims, claimOf } from './claims.ts';

const named = (id: string) => ({ id, claim: null });

test('an order claims a part of a slot up to four seconds and a whole one from then on', () => {
  assert.deepEqual(
    [0, 1000, 3999, 4000, 60_000].map((heldMs) => claimOf(heldMs)),
    [0, 0.25, 0.99975, 1, 1],
  );
});

test('an order that ended before it began, because the clock stepped back, counts whole', () => {
  assert.equal(claimOf(-1), 1);
});

test('an unknown account is expected to claim a whole slot, and a known one its mean', () => {
  const claims = new Claims();
  assert.equal(claims.expected(named('ann')), 1);
  claims.learn(named('ann'), 0.5);
  assert.equal(claims.expected(named('ann')), 0.9);
  claims.learn(named('ann'), 0.5);
  assert.ok(Math.abs(claims.expected(named('ann')) - 0.82) < 1e-12);
  assert.equal(claims.expected(named('ben')), 1);
});

test('however many orders claimed nothing, the next is expected to claim a 256th of a slot', () => {
  const claims = new Claims();
  for (let order = 0; order < 5000; order++) claims.learn(named('ann'), 0);
  assert.equal(claims.expected(named('ann')), 1 / 256);
});

test('of more than ten thousand accounts those that ended an order longest ago are forgotten', () => {
  const claims = new Claims();
  for (let account = 0; account < 10_000; account++) claims.learn(named(`${account}`), 0);
  claims.learn(named('0'), 0);
  claims.learn(named('new'), 0);
  assert.ok(claims.expected(named('0')) < 0.7);
  assert.equal(claims.expected(named('1')), 1);
  assert.equal(claims.expected(named('2')), 0.8);
});

test('an account that was forgotten and is kept by its market begins anew', () => {
  const claims = new Claims();
  const ann = named('ann');
  claims.learn(ann, 0);
  assert.equal(claims.expected(ann), 0.8);
  for (let account = 0; account < 10_000; account++) claims.learn(named(`${account}`), 0);
  assert.equal(claims.expected(ann), 1);
  claims.learn(ann, 0.5);
  assert.deepEqual([claims.expected(ann), claims.expected(named('ann'))], [0.9, 0.9]);
});

test('the accounts that claim less than a slot continue after a restart, the newest five hundred', () => {
  const claims = new Claims();
  claims.learn(named('whole'), 1);
  for (let account = 0; account < 501; account++) claims.learn(named(`${account}`), 0);
  const state = claims.state();
  assert.equal(state.length, 500);
  const again = new Claims(JSON.parse(JSON.stringify(state)));
  assert.deepEqual(
    [again.expected(named('whole')), again.expected(named('0')), again.expected(named('1'))],
    [1, 1, 0.8],
  );
  assert.deepEqual(again.state(), state);
});

test('what is stored is the same object until an order ends', () => {
  const claims = new Claims();
  const none = claims.state();
  assert.equal(claims.state(), none);
  claims.learn(named('ann'), 0);
  const one = claims.state();
  assert.deepEqual(one, [['ann', 0.8]]);
  claims.expected(named('ben'));
  assert.equal(claims.state(), one);
  claims.learn(named('ann'), 1);
  assert.deepEqual(claims.state(), [['ann', 0.8 + 0.2 * (1 - 0.8)]]);
});
