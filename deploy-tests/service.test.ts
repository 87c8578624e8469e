/**
 * sluice.service with the drop-in for MariaDB, as sluice-ctl runs it: a user of this machine, and two users of a real
 * MariaDB. The gateway's user may change no table. systemd itself does not run here.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freePort } from '#testing/free-port.ts';
import { marketModel, selling } from '#testing/test-config.ts';
import { until } from '#testing/until.ts';
import { type OwnMariadb, startMariadb } from './own-mariadb.ts';

const ROOT = join(import.meta.dirname, '..');
const DEPLOY = join(ROOT, 'deploy');
const CTL = join(DEPLOY, 'systemd/sluice-ctl');
const skip = process.getuid?.() === 0 ? false : 'needs root, to become the user of the service';

/** Another user than root, unless this checkout is in a folder that only root may read. */
const reads = (name: string) =>
  spawnSync('setpriv', [`--reuid=${name}`, '--clear-groups', 'test', '-r', CTL], { env: {} }).status === 0;
const USER = reads('nobody') ? 'nobody' : 'root';

describe('the service on MariaDB', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-service-'));
  const unit = join(folder, 'sluice.service');
  const migrating = join(folder, 'etc/migrate');
  let url: string;
  let server: OwnMariadb;
  let gateway: ChildProcess | null = null;
  let account: string;
  let key: string;

  before(async () => {
    server = await startMariadb();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    chmodSync(folder, 0o755);
    mkdirSync(`${unit}.d`);
    mkdirSync(join(folder, 'etc'));
    // Below the folder of the test instead of the machine's own.
    const moved = (file: string) =>
      readFileSync(join(DEPLOY, 'systemd', file), 'utf8')
        .replaceAll('/opt/sluice/', `${ROOT}/`)
        .replaceAll('/etc/sluice/', `${folder}/etc/`)
        .replaceAll('/var/lib/sluice', `${folder}/lib`)
        .replaceAll('/var/cache/sluice', `${ROOT}/node_modules/.cache/compiled`)
        .replace('User=sluice', `User=${USER}`);
    writeFileSync(unit, moved('sluice.service'));
    writeFileSync(join(`${unit}.d`, 'mariadb.conf'), moved('mariadb.conf'));
    writeFileSync(join(folder, 'etc/environment'), `# Settings\nPORT=${port}\nMETRICS_PORT="0"\n`);
    writeFileSync(join(folder, 'etc/sluice.yaml'), selling([marketModel('tide', 8)]));
  });
  after(async () => {
    await stopped();
    server?.stop();
    rmSync(folder, { recursive: true });
  });

  function mariadb(sql: string, ...args: readonly string[]): string {
    const at = ['--no-defaults', '--host=127.0.0.1', `--port=${server.port}`, '--user=root', ...args];
    return execFileSync('mariadb', at, { input: sql, encoding: 'utf8' });
  }

  function ctl(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
    const env = { PATH: process.env.PATH, SLUICE_UNIT: unit, DATABASE_URL: 'sqlite:of-the-shell', PORT: '1' };
    return spawnSync(CTL, args, { env, encoding: 'utf8' });
  }

  function done(...args: readonly string[]): Record<string, unknown> {
    const { status, stdout, stderr } = ctl(...args, '--json');
    assert.equal(status, 0, stdout + stderr);
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  }

  async function started(): Promise<void> {
    const child = spawn(CTL, ['serve'], { env: { PATH: process.env.PATH, SLUICE_UNIT: unit }, stdio: 'pipe' });
    gateway = child;
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => {
        said += bytes.toString();
      });
    await until(async () => {
      assert.equal(child.exitCode, null, said);
      return (await fetch(`${url}/healthz`).catch(() => null))?.status === 200;
    });
  }

  async function stopped(): Promise<void> {
    if (!gateway || gateway.exitCode !== null) return;
    const ended = once(gateway, 'exit');
    // The gateway is a child of sluice-ctl, and would outlive it.
    execFileSync('pkill', ['-TERM', '-P', String(gateway.pid)]);
    await ended;
  }

  test('make-users writes two addresses that only root may read, and makes no others in their place', () => {
    const make = ['etc', `127.0.0.1:${server.port}`] as const;
    const run = () =>
      spawnSync(join(DEPLOY, 'mariadb/make-users'), [join(folder, make[0]), make[1]], { encoding: 'utf8' });
    const sql = run().stdout;
    mariadb(sql);
    for (const file of ['database-url', 'migrate'])
      assert.equal(statSync(join(folder, 'etc', file)).mode & 0o777, 0o600);
    assert.match(run().stderr, /database-url is there already/);
    const page = readFileSync(join(ROOT, 'docs/sell/deploy.md'), 'utf8').match(/^GRANT .*$/gm) ?? [];
    assert.deepEqual(sql.match(/^GRANT .*$/gm)?.sort(), page.sort());
  });

  test('a gateway that may change no tables does not make them, and one sentence says what to do', () => {
    const { status, stderr } = ctl('serve');
    assert.equal(status, 1);
    assert.match(stderr, /^.*lacks the right to CREATE.*run `sluice migrate` once with .*all rights\.\n$/);
  });

  test('sluice-ctl migrates as the user with all rights, and runs other commands as the one without', () => {
    assert.notDeepEqual(done('--environment', migrating, 'migrate').applied, []);
    assert.deepEqual(done('migrate').applied, []);
    account = String(done('account', 'create', 'served', '--credit', '100').account_id);
    key = String(done('key', 'create', account).api_key);
    assert.equal(statSync(join(folder, 'lib')).uid, Number(execFileSync('id', ['-u', USER], { encoding: 'utf8' })));
  });

  test('the gateway serves and settles with these rights, and the books agree', async () => {
    await started();
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'tide', price_limit: 10, messages: [{ role: 'user', content: 'Hi' }] }),
    });
    const { usage } = (await response.json()) as { usage: { x_market: { order_id: string; charged_usd: number } } };
    assert.ok(usage.x_market.charged_usd > 0);
    assert.match(mariadb('SHOW PROCESSLIST'), /\bsluice\b/);
    assert.equal(done('order', 'show', usage.x_market.order_id).status, 'done');
    assert.equal(done('account', 'debit', account, '1', '--reason', 'a test').status ?? 'done', 'done');
    await stopped();
    assert.equal(gateway?.exitCode, 0);
    assert.equal(ctl('audit').status, 0);
  });

  test('a right that is taken away is named at the next start', () => {
    mariadb("REVOKE DELETE ON sluice.* FROM sluice@'127.0.0.1'");
    const { status, stderr } = ctl('serve');
    assert.equal(status, 1);
    assert.match(stderr, /lacks the right to DELETE; grant SELECT, INSERT, UPDATE and DELETE on the database\.\n$/);
  });

  test('sluice-ctl says which credential, file or unit is missing', () => {
    rmSync(join(folder, 'etc/database-url'));
    assert.match(ctl('account', 'list').stderr, /^sluice-ctl: the credential database-url of .* cannot be read from/);
    assert.match(ctl('--environment', '/nowhere', 'migrate').stderr, /^sluice-ctl: /);
    const missing = spawnSync(CTL, ['account', 'list'], { env: { PATH: process.env.PATH, SLUICE_UNIT: '/nowhere' } });
    assert.match(String(missing.stderr), /^sluice-ctl: there is no \/nowhere; docs\/sell\/deploy\.md/);
  });
});
