import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'node:test';

/** Says its version; otherwise prints its name, where compiled code is kept, and what it was to run. */
const nodeOf = (name: string, version: string) => `#!/bin/sh
if [ "$*" = --version ]; then echo "${version}"; else echo "${name} $NODE_COMPILE_CACHE $*"; fi
`;

describe('scripts/sluice', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'sluice-start-'));
    for (const folder of ['scripts', 'node_modules/.bin', 'bin']) await mkdir(join(root, folder), { recursive: true });
    await copyFile(new URL('sluice', import.meta.url), join(root, 'scripts/sluice'));
    await program('scripts/install', '#!/bin/sh\n');
    await program('node_modules/.bin/node', nodeOf('packaged', 'v24.21.0'));
    await program('bin/node', nodeOf('machine', 'v26.0.1'));
  });
  afterEach(() => rm(root, { recursive: true }));

  async function program(name: string, script: string): Promise<void> {
    await writeFile(join(root, name), script);
    await chmod(join(root, name), 0o755);
  }

  async function start({ command = 'scripts/sluice', keptIn = '' } = {}) {
    const env = { ...process.env, PATH: `${join(root, 'bin')}:${process.env.PATH}`, NODE_COMPILE_CACHE: keptIn };
    const child = spawn(join(root, command), ['serve', '--json'], { env });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code, stdout, stderr };
  }

  it('starts the command line on the packaged Node, and keeps what it compiles beside the packages', async () => {
    const { code, stdout } = await start();
    assert.equal(code, 0);
    const [name, cache, ...words] = stdout.trimEnd().split(' ');
    assert.deepEqual([name, cache], ['packaged', join(root, 'node_modules/.cache/sluice')]);
    assert.deepEqual(words.slice(-3), [join(root, 'src/cli.ts'), 'serve', '--json']);
  });

  it('keeps compiled code where the operator sets it', async () => {
    assert.match((await start({ keptIn: '/elsewhere' })).stdout, /^packaged \/elsewhere /);
  });

  it('finds its folder through a symbolic link, as npx makes one', async () => {
    await symlink('../../scripts/sluice', join(root, 'node_modules/.bin/sluice'));
    const { stdout } = await start({ command: 'node_modules/.bin/sluice' });
    assert.ok(stdout.includes(` ${join(root, 'src/cli.ts')} `), stdout);
  });

  for (const [state, script] of [
    ['is too old', nodeOf('packaged', 'v20.19.0')],
    ['does not run here', '#!/bin/sh\nexit 126\n'],
    ['says nothing that could be a version', '#!/bin/sh\necho hello\n'],
  ] as const) {
    it(`takes the machine's own Node when the packaged one ${state}`, async () => {
      await program('node_modules/.bin/node', script);
      const { stdout, stderr } = await start();
      assert.match(stdout, /^machine /);
      assert.equal(stderr, '');
    });
  }

  it('says what is missing when no Node is new enough', async () => {
    for (const name of ['node_modules/.bin/node', 'bin/node']) await program(name, nodeOf('old', 'v20.19.0'));
    const { code, stdout, stderr } = await start();
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^Sluice needs Node 24 or newer but this machine has v20\.19\.0: run 'npm ci' in /);
  });
});
