import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest } from './nearest.ts';

test('the word with the fewest wrong letters is suggested', () => {
  assert.equal(nearest('flor', ['floor', 'four'], 2), 'floor');
  assert.equal(nearest('ceilin', ['ceiling'], 1), 'ceiling');
  assert.equal(nearest('ceiilng', ['ceiling'], 1), 'ceiling');
});

test('a word with too many wrong letters gets no suggestion', () => {
  assert.equal(nearest('colour', ['floor'], 2), null);
  assert.equal(nearest('x', ['id'], 2), null);
  assert.equal(nearest('x', [], 2), null);
});
