import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { programOf } from './program.ts';

describe('the program of a README', () => {
  const markdown = 'Text\n\n```sh\nmake\n```\n\n```go\npackage main\n\nfunc main() {}\n```\n\n```go\nsecond\n```\n';

  it('is the first in its language, without the fences', () => {
    assert.equal(programOf(markdown, 'go'), 'package main\n\nfunc main() {}\n');
  });

  it('is the first with a word, where one is given', () => {
    assert.equal(programOf(markdown, 'go', 'second'), 'second\n');
  });

  it('must exist', () => {
    assert.throws(() => programOf(markdown, 'java'), /There is no program in java\./);
    assert.throws(() => programOf(markdown, 'go', 'third'), /There is no program in go with third\./);
  });
});
