import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { fixedListing, marketListing } from '#testing/listings.ts';
import { Listings } from './listing.ts';

const listings = new Listings(
  [
    marketListing({ aliases: ['tide'] }),
    fixedListing(),
    marketListing({ id: 'old', deprecated: true }),
    marketListing({ id: 'soon', preview: true }),
  ],
  'tide',
);

const refused = (code: string) => (error: unknown) => error instanceof Fault && error.code === code;

test('a listing is found by id and by alias', () => {
  assert.equal(listings.find('tide-70b'), listings.find('tide'));
  assert.equal(listings.find('nobody'), null);
});

test('without a name the default listing is used, which may be given as an alias', () => {
  assert.equal(listings.forInference(null).id, 'tide-70b');
  assert.equal(listings.forMarket(undefined).id, 'tide-70b');
});

test('inference on an unserved model is refused with model_not_found', () => {
  assert.throws(() => listings.forInference('nobody'), refused('model_not_found'));
});

test('inference on a deprecated model is refused with model_deprecated', () => {
  assert.throws(() => listings.forInference('old'), refused('model_deprecated'));
});

test('inference on a preview is refused with model_preview', () => {
  assert.throws(() => listings.forInference('soon'), refused('model_preview'));
});

test('market data of an unserved model is refused with unknown_model', () => {
  assert.throws(() => listings.forMarket('nobody'), refused('unknown_model'));
});

test('market data of a fixed-price model is refused with fixed_price_model', () => {
  assert.throws(() => listings.forMarket('ebb-8b'), refused('fixed_price_model'));
});

test('market data of deprecated models and previews can be read', () => {
  assert.equal(listings.forMarket('old').id, 'old');
  assert.equal(listings.forMarket('soon').id, 'soon');
});

test('two listings cannot share a name', () => {
  assert.throws(() => new Listings([marketListing(), fixedListing({ aliases: ['tide-70b'] })], 'ebb-8b'), /tide-70b/);
});

test('the default must be among the models', () => {
  assert.throws(() => new Listings([marketListing()], 'nobody'), /nobody/);
});
