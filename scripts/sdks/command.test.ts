import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CommandFailed, runCommand } from './command.ts';

describe('a command', () => {
  const shell = (script: string, env = {}) => ({ line: ['sh', '-c', script] as const, folder: '/', env });

  it('returns what it printed on both streams, and reports every line as it comes', async () => {
    const lines: string[] = [];
    assert.equal(await runCommand(shell('echo $NAME; pwd', { NAME: 'one' }), (line) => lines.push(line)), 'one\n/');
    assert.deepEqual(lines, ['one', '/']);
  });

  it('fails with its code and what it printed', async () => {
    await assert.rejects(runCommand(shell('echo oh no >&2; exit 3')), (error) => {
      assert.ok(error instanceof CommandFailed);
      assert.match(error.message, /ended with 3/);
      assert.equal(error.printed, 'oh no');
      return true;
    });
  });

  it('fails when there is no such program', async () => {
    await assert.rejects(runCommand({ line: ['no-such-program'], folder: '/' }), /ENOENT/);
  });
});
