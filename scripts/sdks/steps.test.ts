import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { programOf, stepsOf } from './steps.ts';

describe('the steps of the scenario', () => {
  it('are read from its description, each one once', async () => {
    const steps = await stepsOf();
    assert.equal(steps[0], 'list models');
    assert.equal(steps.at(-1), 'catch a refusal');
    assert.equal(new Set(steps).size, steps.length);
  });
});

describe('the program of a README', () => {
  const markdown = 'Text\n\n```sh\nmake\n```\n\n```go\npackage main\n\nfunc main() {}\n```\n\n```go\nsecond\n```\n';

  it('is the first one in the language, without the fences', () => {
    assert.equal(programOf(markdown, 'go'), 'package main\n\nfunc main() {}\n');
  });

  it('must be there', () => {
    assert.throws(() => programOf(markdown, 'java'), /There is no program in java/);
  });
});
