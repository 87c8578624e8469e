import assert from 'node:assert/strict';
import { test } from 'node:test';
import { someListings } from '#testing/listings.ts';
import { modelNamed } from './model-named.ts';

test('a model is found by id or alias, and refused when unknown', () => {
  assert.equal(modelNamed('tide', someListings()), 'tide-70b');
  assert.equal(modelNamed('gone-3b', someListings()), 'gone-3b');
  assert.equal(modelNamed(null, someListings()), null);
  assert.throws(() => modelNamed('nobody', someListings()), { code: 'unknown_model', param: 'model' });
});
