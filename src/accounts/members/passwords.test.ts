import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Passwords } from './passwords.ts';

test('a password is verified by its hash, which does not contain it and differs each time', async () => {
  const passwords = new Passwords();
  const [one, other] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')]);
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.notEqual(one, other);
  assert.ok(!one.includes('correct'));
  assert.equal(await passwords.verify(one, 'correct horse'), true);
  assert.equal(await passwords.verify(one, 'correct horsf'), false);
});

test('without a hash no password is right, and it is hashed all the same', async () => {
  const passwords = new Passwords();
  for (const password of ['', 'x', 'correct horse']) assert.equal(await passwords.verify(null, password), false);
});

test('more than fifty at once are refused instead of waiting', async () => {
  const passwords = new Passwords();
  const tries = await Promise.allSettled(Array.from({ length: 60 }, () => passwords.verify(null, 'x')));
  const refused = tries.filter((one) => one.status === 'rejected');
  assert.equal(refused.length, 10);
  for (const { reason } of refused) assert.equal(reason.code, 'unavailable');
  assert.equal(await passwords.verify(null, 'x'), false);
});
