import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'node:test';

/** Records each call, waits while a file `hold` exists, and leaves what `npm ci` leaves. */
const NPM = `#!/bin/sh
echo "$@" >> calls
while [ -e hold ]; do sleep 0.01; done
rm -rf node_modules && mkdir node_modules && echo {} > node_modules/.package-lock.json
`;
const NPM_OFFLINE = '#!/bin/sh\necho "$@" >> calls\necho "npm error code ENOTFOUND"\nexit 1\n';
const SAYS_SO = /^Installing what package-lock\.json says .*\n$/;

describe('scripts/install', () => {
  let clone: string;

  beforeEach(async () => {
    clone = await mkdtemp(join(tmpdir(), 'sluice-install-'));
    for (const folder of ['scripts', 'bin']) await mkdir(join(clone, folder));
    await copyFile(new URL('install', import.meta.url), join(clone, 'scripts/install'));
    await writeFile(join(clone, 'package-lock.json'), '{"version": 1}');
    await npmIs(NPM);
  });
  afterEach(() => rm(clone, { recursive: true }));

  async function npmIs(script: string): Promise<void> {
    const npm = join(clone, 'bin/npm');
    await writeFile(npm, script);
    await chmod(npm, 0o755);
  }

  function run(): ChildProcessWithoutNullStreams {
    const env = { ...process.env, PATH: `${join(clone, 'bin')}:${process.env.PATH}` };
    return spawn(join(clone, 'scripts/install'), { env });
  }

  async function start(): Promise<{ code: number; stdout: string; stderr: string }> {
    const child = run();
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code, stdout, stderr };
  }

  const quiet = { code: 0, stdout: '', stderr: '' };
  const calls = async () => (await readFile(join(clone, 'calls'), 'utf8').catch(() => '')).split('\n').slice(0, -1);
  const age = (file: string, seconds: number) => utimes(join(clone, file), seconds, seconds);

  it('installs once, and reports it only on stderr', async () => {
    const { code, stdout, stderr } = await start();
    assert.deepEqual([code, stdout], [0, '']);
    assert.match(stderr, SAYS_SO);
    assert.deepEqual(await start(), quiet);
    assert.deepEqual(await calls(), ['ci']);
  });

  it('installs again when the content of the lockfile has changed, not when only its time has', async () => {
    await start();
    await age('node_modules/.package-lock.json', 1);
    assert.deepEqual(await start(), quiet);
    await writeFile(join(clone, 'package-lock.json'), '{"version": 2}');
    await age('node_modules/.package-lock.json', 1);
    assert.match((await start()).stderr, SAYS_SO);
    assert.deepEqual(await calls(), ['ci', 'ci']);
  });

  it('accepts what a plain `npm ci` installed, even after a checkout', async () => {
    await mkdir(join(clone, 'node_modules'));
    await writeFile(join(clone, 'node_modules/.package-lock.json'), '{}');
    await age('package-lock.json', 1);
    assert.deepEqual(await start(), quiet);
    await age('node_modules/.package-lock.json', 0);
    assert.deepEqual(await start(), quiet);
    assert.deepEqual(await calls(), []);
  });

  it('begins again after an interrupted installation', async () => {
    await mkdir(join(clone, 'node_modules'));
    assert.match((await start()).stderr, SAYS_SO);
  });

  it('installs once for two simultaneous starts: the second waits', async () => {
    await writeFile(join(clone, 'hold'), '');
    const first = run();
    assert.match(String(await once(first.stderr, 'data')), SAYS_SO);
    const second = run();
    assert.match(String(await once(second.stderr, 'data')), /^Waiting for an installation/);
    const ends = [once(first, 'close'), once(second, 'close')];
    await rm(join(clone, 'hold'));
    for (const [code] of await Promise.all(ends)) assert.equal(code, 0);
    assert.deepEqual(await calls(), ['ci']);
  });

  it('says what failed and what to do, and tries again at the next start', async () => {
    await npmIs(NPM_OFFLINE);
    const { code, stderr } = await start();
    assert.equal(code, 1);
    assert.match(
      stderr,
      /npm error code ENOTFOUND\nThe installation failed, .* try again, or run 'npm ci' in \S+ your/,
    );
    await npmIs(NPM);
    assert.equal((await start()).code, 0);
    assert.deepEqual(await calls(), ['ci', 'ci']);
  });
});
