import assert from 'node:assert/strict';
import { test } from 'node:test';
import { someListings } from '#testing/listings.ts';
import { listingNamed } from './listing-named.ts';

test('a model is found by id or alias, and refused when unknown', () => {
  assert.equal(listingNamed('tide', someListings())?.id, 'tide-70b');
  assert.equal(listingNamed('gone-3b', someListings())?.id, 'gone-3b');
  assert.equal(listingNamed(null, someListings()), null);
  assert.throws(() => listingNamed('nobody', someListings()), { code: 'unknown_model', param: 'model' });
});
