import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimedIn, claimOf, HeldTimes, type Runner } from './held-times.ts';

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
  assert.deepEqual([runs.ofStart(ann), runs.ofWaiting(ann), runs.ended(ann)], [1000, 4000, 0]);
  runs.learn(ann, 20_000, 0);
  assert.deepEqual([runs.ofStart(ann), runs.ofWaiting(ann), runs.ended(ann)], [20_000, 20_000, 1]);
  assert.equal(runs.ended(ran(runs, 'ben', 1, 1, 1, 1, 1, 1, 1)), 5);
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

test('accounts without an ended order share one credit', () => {
  const runs = new HeldTimes(0);
  runs.takes(account('ann'), 0);
  const spent = [1, 2, 3].map((at) => runs.spend(account(`new ${at}`), 4000, 6000));
  assert.ok(spent[0] === 4000 && (spent[1] ?? 0) < 2000 && spent[2] === 0, `${spent}`);
});

test('an order claims a part of a slot up to four seconds and a whole one from then on, and after a step back of the clock', () => {
  assert.deepEqual(
    [-1, 0, 1000, 3999, 4000, 60_000].map((heldMs) => claimOf(heldMs)),
    [1, 0, 0.25, 0.99975, 1, 1],
  );
});

test('an unknown account is expected to claim a whole slot, a known one its mean, and never less than a 256th', () => {
  const runs = new HeldTimes(0);
  assert.equal(runs.claimOf(account('ann')), 1);
  assert.equal(runs.claimOf(ran(runs, 'ann', 2000)), 0.9);
  assert.equal(runs.claimOf(ran(runs, 'ben', ...Array.from({ length: 500 }, () => 0))), 1 / 256);
});

test('of more than ten thousand accounts those that ended an order longest ago are forgotten', () => {
  const runs = new HeldTimes(0);
  const first = ran(runs, '0', 1000);
  for (let at = 1; at < 10_000; at++) ran(runs, `${at}`, 1000);
  ran(runs, '0', 1000);
  ran(runs, 'new', 1000);
  assert.deepEqual([runs.ofStart(first), runs.ofWaiting(account('1')), runs.claimOf(account('2'))], [1000, 4000, 0.85]);
});

/** An order of the account starts, claims a whole slot and ends. */
function starts(runs: HeldTimes, own: Runner, nowMs: number): void {
  const run = runs.takes(own, nowMs);
  runs.claims(run, 1, nowMs);
  runs.gives(run, nowMs);
}

test('the locks of an account that is alone, and of many equal ones, count whole', () => {
  for (const accounts of [1, 100]) {
    const runs = new HeldTimes(0);
    const all = Array.from({ length: accounts }, (_, at) => ran(runs, `account ${at}`, 4000));
    for (let lock = 0; lock < 5000; lock++) {
      const own = all[lock % accounts];
      assert.ok(own);
      assert.equal(runs.weigh(own, true, lock * 50), 1);
      if (lock % 3 === 0) starts(runs, own, lock * 50);
    }
  }
});

/** Forty accounts whose locks start, and others that send five times as many. None of theirs starts. */
function flooded(flooderOf: (lock: number) => Runner) {
  const runs = new HeldTimes(0);
  const all = Array.from({ length: 40 }, (_, at) => ran(runs, `${at}`, 4000));
  let [honest, flood] = [0, 0];
  for (let lock = 0; lock < 4000; lock++) {
    const own = all[lock % 40];
    assert.ok(own);
    honest += runs.weigh(own, true, lock * 100);
    starts(runs, own, lock * 100);
    for (let count = 0; count < 5; count++) flood += runs.weigh(flooderOf(lock * 5 + count), true, lock * 100);
  }
  return { runs, honest, flood };
}

test('the locks of accounts that start nothing count for little, one or one each, and those of others whole', () => {
  for (const flooderOf of [() => account('flooder'), (lock: number) => account(`flooder ${lock}`)]) {
    const { honest, flood } = flooded(flooderOf);
    assert.ok(honest > 3990, `${honest} of 4000`);
    assert.ok(flood < 0.01 * 4000, `${flood} of 20000`);
  }
});

test('taking claims back never takes those of others', () => {
  const runs = new HeldTimes(0);
  const [ann, ben] = [ran(runs, 'ann', 4000), ran(runs, 'ben', 4000)];
  starts(runs, ann, 0);
  // Half of it is forgotten meanwhile.
  runs.claims(runs.takes(ann, 0), -1, 600_000 * Math.LN2);
  starts(runs, ben, 600_000 * Math.LN2);
  const claimed = claimedIn(runs.state(600_000 * Math.LN2));
  assert.deepEqual(claimed, [
    ['ann', 0],
    ['ben', 1],
  ]);
});

test('a restart goes on with the accounts that ended an order last, and their locks weigh as before', () => {
  const { runs } = flooded(() => account('flooder'));
  for (let at = 0; at < 400; at++) ran(runs, `account ${at}`, 1000 + at);
  for (let at = 0; at < 40; at++) ran(runs, `${at}`, 4000);
  const state = runs.state(400_000);
  assert.deepEqual([state.accounts.length, state.accounts.at(-1)?.[0]], [300, '39']);
  const again = new HeldTimes(500_000, JSON.parse(JSON.stringify(state)));
  assert.deepEqual(again.state(400_000), state);
  assert.deepEqual([again.ofStart(account('account 399')), again.ofStart(account('account 0'))], [1399, 1000]);
  for (const id of ['flooder', '3', '39', 'new', 'flooder', '3']) {
    const [one, other] = [again, runs].map((each) => each.weigh(account(id), true, 500_000));
    assert.ok(
      one !== undefined && other !== undefined && Math.abs(one - other) < 0.01 + 0.1 * other,
      `${id} ${one} ${other}`,
    );
  }
});
