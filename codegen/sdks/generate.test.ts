import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { languagesFrom } from './generate.ts';

describe('the languages of a command line', () => {
  it('are all of them when none is named', () => {
    assert.deepEqual(languagesFrom([]), ['typescript', 'python', 'go', 'java']);
  });

  it('may be some, in any order, TypeScript by its short name too', () => {
    assert.deepEqual(languagesFrom(['go', 'ts']), ['go', 'typescript']);
  });

  it('are refused when there is no such client', () => {
    assert.throws(
      () => languagesFrom(['rust']),
      /There is no client called rust; there are typescript, python, go, java/,
    );
  });
});
