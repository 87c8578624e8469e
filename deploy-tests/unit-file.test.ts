/** deploy/systemd/sluice.service, judged by systemd's own tools; nothing is started: service.test.ts runs its settings. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { parseConfig } from '#config/config.ts';

const ROOT = join(import.meta.dirname, '..');
const text = readFileSync(join(ROOT, 'deploy/systemd/sluice.service'), 'utf8');
/** The highest exposure that is accepted, in tenths of what systemd-analyze shows: from 0 to 10, and below 2 is good. */
const EXPOSURE_TENTHS = 20;

const skip = spawnSync('systemd-analyze', ['--version']).error ? 'systemd-analyze is not installed here' : false;

describe('the service of systemd', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-unit-'));
  const file = join(folder, 'sluice.service');
  // The program must exist to be judged, and is in this folder instead of /opt/sluice.
  writeFileSync(file, text.replaceAll('/opt/sluice/', `${ROOT}/`));
  const dropIns = `${file}.d`;
  after(() => rmSync(folder, { recursive: true }));

  function analyze(...args: string[]): { status: number | null; said: string } {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' });
    return { status, said: stdout + stderr };
  }

  test('systemd understands every line of it', () => {
    assert.deepEqual(analyze('verify', '--man=no', '--recursive-errors=no'), { status: 0, said: '' });
  });

  test('systemd understands the drop-in for MariaDB', () => {
    mkdirSync(dropIns);
    copyFileSync(join(ROOT, 'deploy/systemd/mariadb.conf'), join(dropIns, 'mariadb.conf'));
    assert.deepEqual(analyze('verify', '--man=no', '--recursive-errors=no'), { status: 0, said: '' });
  });

  test('it reaches little of the machine', () => {
    const { status, said } = analyze('security', '--offline=true', `--threshold=${EXPOSURE_TENTHS}`);
    assert.equal(status, 0, said);
  });
});

test('systemd waits longer than a drain before it kills', () => {
  const config = parseConfig(readFileSync(join(ROOT, 'sluice.yaml'), 'utf8'), 'sluice.yaml', {});
  assert.ok(
    Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1]) * 1000 >= config.drainAnnounceMs + config.drainTimeoutMs + 10_000,
  );
});

test('a gateway that has lost its database, which ends with 66, is not started again', () => {
  assert.match(text, /^RestartPreventExitStatus=66$/m);
});

test('a reload is the signal that reads the configuration again', () => {
  assert.match(text, /^ExecReload=\/bin\/kill -HUP \$MAINPID$/m);
});

test('threads of low priority may become so, or large bodies could not be read', () => {
  assert.match(text, /^SystemCallFilter=~@privileged\n(?:#.*\n)*SystemCallFilter=setpriority$/m);
});
