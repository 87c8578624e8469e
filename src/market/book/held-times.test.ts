import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeldTimes, type Runner } from './held-times.ts';

const account = (id: string): Runner => ({ id, runs: null });

/** An account whose orders held their slots for so long, one after the other. */
function ran(runs: HeldTimes, id: string, ...heldMs: number[]): Runner {
  const own = account(id);
  for (const ms of heldMs) runs.learn(own, ms, 0);
  return own;
}

test('an unknown account counts little when it starts; a known one its mean', () => {
  const runs = new HeldTimes(0);
  const ann = account('ann');
  assert.deepEqual([runs.ofStart(ann), runs.ofWaiting(ann), runs.isKnown(ann)], [1000, 4000, false]);
  runs.learn(ann, 20_000, 0);
  assert.deepEqual([runs.ofStart(ann), runs.ofWaiting(ann), runs.isKnown(ann)], [20_000, 20_000, false]);
  assert.equal(runs.isKnown(ran(runs, 'ben', 1, 1, 1, 1, 1)), true);
});

test('short orders after long ones count together no more than the long one did once more', () => {
  const runs = new HeldTimes(0);
  const ann = ran(runs, 'ann', ...Array.from({ length: 20 }, () => 20), 60_000);
  let counted = 0;
  for (let at = 0; at < 100; at++) {
    counted += runs.ofStart(ann) - 20;
    runs.learn(ann, 20, 0);
  }
  assert.ok(counted < 60_000, `${counted}`);
});

test('credit comes from holding slots, is forgotten in a minute or so, and is spent once', () => {
  const runs = new HeldTimes(0);
  const ann = ran(runs, 'ann', 20_000);
  assert.equal(runs.spend(ann, 5000, 0), 0);
  const held = runs.takes(ann, 0);
  const after = runs.spend(ann, 1e9, 1000);
  assert.ok(after > 980 && after <= 1000, `${after} after a second`);
  assert.equal(runs.spend(ann, 1e9, 1000), 0);
  assert.ok(runs.spend(ann, 1e9, 1_000_000) < 60_001);
  runs.spend(ann, -10_000, 1_000_000);
  runs.gives(held, 1_000_000);
  assert.ok(runs.spend(ann, 1e9, 1_060_000) < 3700);
});

test('accounts of which no order has ended share one credit', () => {
  const runs = new HeldTimes(0);
  runs.takes(account('ann'), 0);
  const spent = [1, 2, 3].map((at) => runs.spend(account(`new ${at}`), 4000, 6000));
  assert.ok(spent[0] === 4000 && (spent[1] ?? 0) < 2000 && spent[2] === 0, `${spent}`);
});

test('a restart goes on with the accounts that ended an order last', () => {
  const runs = new HeldTimes(0);
  for (let at = 0; at < 400; at++) ran(runs, `account ${at}`, 1000 + at);
  const state = runs.state(1000);
  assert.deepEqual([state.accounts.length, state.accounts.at(-1)], [300, ['account 399', 1399, 1, 0]]);
  const again = new HeldTimes(1000, state);
  assert.deepEqual([again.ofStart(account('account 399')), again.ofStart(account('account 0'))], [1399, 1000]);
  assert.deepEqual(again.state(1000), state);
});
