import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { play, stepsOf } from './scenario.ts';

describe('the steps of the scenario', () => {
  it('are read from its description, each one once', async () => {
    const steps = await stepsOf();
    assert.equal(steps[0], 'list models');
    assert.equal(steps.at(-1), 'pay once with two clients');
    assert.equal(new Set(steps).size, steps.length);
  });
});

describe('a program that runs it', () => {
  const program = (...lines: string[]) => ({ line: ['printf', '%s\n', ...lines] as const, folder: '/' });
  const steps = ['read', 'write'];

  it('has taken the steps that it names, whatever else it printed', async () => {
    await play(program('hello', 'ok read', 'ok write'), steps);
  });

  it('fails when it ends without a step', async () => {
    await assert.rejects(play(program('ok read'), steps), /ended without the step "write"/);
  });

  it('fails when a step comes too early', async () => {
    await assert.rejects(play(program('ok write', 'ok read'), steps), /ended without the step "write"/);
  });

  it('fails with its code and what it printed on both streams', async () => {
    const line = ['sh', '-c', 'echo ok read; echo oh no >&2; exit 3'] as const;
    await assert.rejects(play({ line, folder: '/' }, ['read']), { message: /ended with 3/, printed: 'ok read\noh no' });
  });

  it('fails when there is no such program', async () => {
    await assert.rejects(play({ line: ['no-such-program'], folder: '/' }, []), /ENOENT/);
  });
});
