import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { languagesFrom } from './generate.ts';

describe('the languages of a command line', () => {
  it('are all of them when none is named', () => {
    assert.deepEqual(languagesFrom([]), ['typescript', 'python', 'go', 'java']);
  });

  it('may be some, in any order, TypeScript also by its short name', () => {
    assert.deepEqual(languagesFrom(['go', 'ts']), ['go', 'typescript']);
  });

  it('are refused when unknown', () => {
    assert.throws(
      () => languagesFrom(['rust']),
      /There is no client rust; the clients are typescript, python, go, java/,
    );
  });
});
