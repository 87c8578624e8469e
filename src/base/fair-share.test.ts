import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairShare } from './fair-share.ts';

test('an account may use as much as it leaves free', () => {
  const share = new FairShare(100);
  assert.equal(share.roomFor('a'), 50);
  share.add('a', 50);
  assert.deepEqual([share.roomFor('a'), share.roomFor('b')], [0, 25]);
  share.add('b', 25);
  share.add('a', 10);
  assert.deepEqual([share.roomFor('a'), share.total, share.of('a')], [-22.5, 85, 60]);
});

test('what is given back is free again', () => {
  const share = new FairShare(100);
  share.add('a', 50);
  share.add('a', -50);
  assert.deepEqual([share.total, share.of('a'), share.roomFor('b')], [0, 0, 50]);
});

test('however many accounts take what they may, the next one finds as much', () => {
  const share = new FairShare(10_000);
  for (let round = 0; round < 200; round++)
    for (let account = 0; account < 50; account++)
      if (share.roomFor(String(account)) >= 1) share.add(String(account), 1);
  const each = share.of('0');
  assert.ok(each > 190 && each < 200, String(each));
  assert.ok(share.roomFor('next') >= each / 2);
});

const REFUSAL = { message: 'No more.', retryAfterS: 3 };

test('beside its share an account has at most what each may have', () => {
  const share = new FairShare(Number.POSITIVE_INFINITY, 2);
  share.take('a', REFUSAL);
  const giveBack = share.take('a', REFUSAL);
  assert.throws(() => share.take('a', REFUSAL), { code: 'rate_limit_error', message: 'No more.', retryAfterS: 3 });
  share.take('b', REFUSAL);
  giveBack();
  giveBack();
  share.take('a', REFUSAL);
  assert.throws(() => share.require('a', REFUSAL), { code: 'rate_limit_error' });
});

test('a reading counts from its first piece to its end, also when it is left early', async () => {
  const share = new FairShare(8, 1);
  const pieces = async function* () {
    yield 1;
    yield 2;
  };
  const reading = share.during('a', pieces(), REFUSAL);
  assert.equal(share.total, 0);
  assert.deepEqual(await reading.next(), { value: 1, done: false });
  assert.equal(share.of('a'), 1);
  await assert.rejects(share.during('a', pieces(), REFUSAL).next(), { code: 'rate_limit_error' });
  await reading.return(null);
  assert.equal(share.total, 0);
});
