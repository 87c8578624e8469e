import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Voices } from './voices.ts';

const close = (actual: number, expected: number, part = 1e-9) =>
  assert.ok(Math.abs(actual - expected) <= part * expected, `${actual} is not near ${expected}`);

const named = (id: string) => ({ id, voice: null });

test('the locks of an account that is alone count whole, whether they start or not', () => {
  const voices = new Voices(0);
  for (let lock = 0; lock < 1000; lock++) {
    assert.equal(voices.weigh(named('ann'), lock * 100), 1);
    if (lock % 3 === 0) voices.claimed(named('ann'), 1, lock * 100);
  }
});

test('the locks of many equal accounts count whole', () => {
  const voices = new Voices(0);
  for (let lock = 0; lock < 5000; lock++) {
    const account = `${lock % 100}`;
    assert.equal(voices.weigh(named(account), lock * 50), 1);
    if (lock % 3 === 0) voices.claimed(named(account), 1, lock * 50);
  }
});

/** Forty accounts whose locks start, and one that sends five times as many as all of them, of which none starts. */
function flooded(): { voices: Voices; honest: number; flood: number } {
  const voices = new Voices(0);
  let [honest, flood] = [0, 0];
  for (let lock = 0; lock < 4000; lock++) {
    const account = `${lock % 40}`;
    honest += voices.weigh(named(account), lock * 100);
    voices.claimed(named(account), 1, lock * 100);
    for (let count = 0; count < 5; count++) flood += voices.weigh(named('flooder'), lock * 100);
  }
  return { voices, honest, flood };
}

test('the locks of a flooder that starts nothing count for little, and those of others whole', () => {
  const { honest, flood } = flooded();
  assert.ok(honest > 3990, `${honest} of 4000`);
  assert.ok(flood < 0.01 * 4000, `${flood} of 20000`);
});

test('an account counts for about twice its share of what was claimed', () => {
  const voices = new Voices(0);
  let weight = 0;
  for (let round = 0; round < 10_000; round++) {
    voices.claimed(named('big'), 0.9, 0);
    voices.claimed(named('small'), 0.1, 0);
    voices.weigh(named('big'), 0);
    for (let lock = 0; lock < 9; lock++) {
      const counted = voices.weigh(named('small'), 0);
      if (round >= 9000) weight += counted;
    }
  }
  // A fifth of all weights: a quarter of that of the other.
  close(weight, 1000 / 4, 0.02);
});

test('the voice of an account is what it started in a minute, and it fades over ten', () => {
  const voices = new Voices(0);
  assert.equal(voices.voice(named('ann'), 0), 0);
  for (let order = 0; order < 50; order++) voices.claimed(named('ann'), 0.5, 0);
  close(voices.voice(named('ann'), 0), 2.5);
  close(voices.voice(named('ann'), 600_000), 2.5 / Math.E);
  assert.equal(voices.voice(named('ben'), 0), 0);
});

test('taking claims back never takes those of others', () => {
  const voices = new Voices(0);
  voices.claimed(named('ann'), 10, 0);
  voices.claimed(named('ben'), 1, 0);
  // Half of the claim of ben decayed meanwhile.
  voices.claimed(named('ben'), -1, 600_000 * Math.LN2);
  const { all, accounts } = voices.state(600_000 * Math.LN2);
  assert.deepEqual(
    accounts.map(([account]) => account),
    ['ann'],
  );
  close(all[0], 5);
});

test('when the clock steps back nothing decays, and decay continues from there', () => {
  const voices = new Voices(3_600_000);
  voices.claimed(named('ann'), 10, 3_600_000);
  close(voices.voice(named('ann'), 0), 1);
  close(voices.voice(named('ann'), 600_000), 1 / Math.E);
});

test('voices restored from their state weigh as before', () => {
  const { voices } = flooded();
  const state = voices.state(400_000);
  const again = new Voices(500_000, JSON.parse(JSON.stringify(state)));
  assert.deepEqual(again.state(400_000), state);
  for (const account of ['flooder', '3', '39', 'new', 'flooder', '3']) {
    assert.equal(again.weigh(named(account), 500_000), voices.weigh(named(account), 500_000), account);
  }
  assert.equal(again.voice(named('3'), 500_000), voices.voice(named('3'), 500_000));
});

test('the five hundred accounts with the most claims are stored, and all of them count in the whole', () => {
  const voices = new Voices(0);
  for (let account = 0; account < 600; account++) voices.claimed(named(`${account}`), 1 + account, 0);
  const { all, accounts } = voices.state(0);
  assert.deepEqual([accounts.length, accounts[0]?.[0], accounts.at(-1)?.[0]], [500, '100', '599']);
  assert.equal(all[0], (600 * 601) / 2);
});

test('of accounts with equally many claims those used last are stored, and the order of use is kept', () => {
  const voices = new Voices(0);
  for (let account = 0; account < 600; account++) voices.claimed(named(`${account}`), account === 7 ? 2 : 1, 0);
  const names = voices.state(0).accounts.map(([account]) => account);
  assert.deepEqual([names.length, names[0], names[1], names.at(-1)], [500, '7', '101', '599']);
});

test('accounts that only send do not push out of the stored state those that run', () => {
  const voices = new Voices(0);
  for (let account = 0; account < 300; account++) voices.claimed(named(`runs ${account}`), 1, 0);
  for (let account = 0; account < 600; account++) voices.weigh(named(`sends ${account}`), 0);
  const { accounts } = voices.state(0);
  assert.equal(accounts.length, 500);
  assert.equal(accounts.filter(([account]) => account.startsWith('runs')).length, 300);
});

test('of what is restored, and of what is too much to be stored, nothing is remembered longer', () => {
  const voices = new Voices(0);
  for (let account = 0; account < 501; account++) voices.claimed(named(`${account}`), account === 0 ? 0.1 : 1, 0);
  const state = voices.state(0);
  // The one that is not stored is forgotten after 600 s × ln 2, the others after 600 s × ln 20.
  assert.equal(voices.state(400_000), state);
  assert.notEqual(voices.state(420_000), state);
  const again = new Voices(0, state);
  assert.equal(again.state(1_790_000), state);
  assert.deepEqual(again.state(1_800_000).accounts, []);
});

test('what is stored is the same object while only time passes, and a restart decays it as far', () => {
  const voices = new Voices(0);
  voices.claimed(named('ann'), 10, 0);
  voices.weigh(named('ben'), 0);
  const state = voices.state(0);
  assert.equal(voices.state(1_000_000), state);
  close(voices.voice(named('ann'), 1_000_000), new Voices(2_000_000, state).voice(named('ann'), 1_000_000));
  assert.equal(new Voices(1_000_000, state).state(1_000_000), state);
  voices.claimed(named('ann'), 1, 1_000_000);
  const next = voices.state(1_000_000);
  assert.deepEqual([next.atMs, next === state], [1_000_000, false]);
  // Another clock was set back: what is stored would decay too late.
  assert.equal(voices.state(999_999).atMs, 999_999);
});

test('accounts of which nothing is left are forgotten', () => {
  const voices = new Voices(0);
  const ann = named('ann');
  voices.claimed(ann, 1, 0);
  voices.weigh(named('ben'), 0);
  assert.equal(voices.state(600_000).accounts.length, 2);
  assert.equal(voices.state(3_600_000).accounts.length, 0);
  // Its market may still keep the account.
  assert.equal(voices.voice(ann, 3_600_000), 0);
  voices.claimed(ann, 10, 3_600_000);
  assert.deepEqual([voices.voice(ann, 3_600_000), voices.voice(named('ann'), 3_600_000)], [1, 1]);
});

test('an account in use is not forgotten for the newcomers, however many', () => {
  const voices = new Voices(0);
  for (let order = 0; order < 20_000; order++) {
    voices.claimed(named('resident'), 1, 0);
    voices.weigh(named(`newcomer ${order}`), 0);
  }
  assert.equal(voices.voice(named('resident'), 0), 2000);
});
