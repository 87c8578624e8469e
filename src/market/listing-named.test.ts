import assert from 'node:assert/strict';
import { test } from 'node:test';
import { someListings } from '#testing/listings.ts';

test('a model is found by id or alias, and refused when unknown', () => {
  assert.equal(someListings().named('tide')?.id, 'tide-70b');
  assert.equal(someListings().named('gone-3b')?.id, 'gone-3b');
  assert.equal(someListings().named(null), null);
  assert.throws(() => someListings().named('nobody'), { code: 'unknown_model', param: 'model' });
});
