/** The database file of a running gateway is moved, deleted or replaced; or another gateway starts on it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { audit } from '#storage/audit/index.ts';
import { openDatabase } from '#storage/database/database.ts';
import { freePort } from '#testing/free-port.ts';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { marketModel, selling } from '#testing/test-config.ts';
import { until } from '#testing/until.ts';

/** Longer than the pause between two tries to write what a deleted file held. */
const DRAIN_MS = 7_000;
const CONFIGURATION = selling([marketModel('tide', 4)], { drain_timeout_ms: DRAIN_MS });
/** What systemd does not restart: deploy/systemd/sluice.service. */
const MISSING_EXIT = 66;
const MEMORY = '/dev/shm';
const noOtherDisk = !existsSync(MEMORY) || statSync(MEMORY).dev === statSync(tmpdir()).dev;

describe('a gateway whose database file', () => {
  let site: Site;
  let gateway: GatewayProcess;
  let metricsPort: string;
  let apiKey: string;
  let elsewhere: string;
  let acknowledged: string[];
  let loading: boolean;
  let load: Promise<unknown>;

  beforeEach(async () => {
    metricsPort = String(await freePort());
    site = await makeSite(CONFIGURATION, { METRICS_PORT: metricsPort });
    ({ apiKey } = await site.openAccount('test', '1000'));
    gateway = await site.start();
    acknowledged = [];
    elsewhere = join(site.folder, 'elsewhere');
    mkdirSync(elsewhere);
  });
  afterEach(async () => {
    loading = false;
    await load;
    await gateway.kill();
    rmSync(elsewhere, { recursive: true, force: true });
    site.remove();
  });

  const file = () => join(site.folder, 'sluice.sqlite');

  const chat = (simulate: object = { output_tokens: 2 }) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        messages: [{ role: 'user', content: 'hello' }],
        price_limit: 10,
        x_simulate: simulate,
      }),
    });

  /** Four callers who send one order after the other, and keep what was acknowledged. */
  async function startLoad(): Promise<void> {
    loading = true;
    const caller = async () => {
      while (loading) {
        const reply = await chat().catch(() => null);
        const body = (await reply?.json().catch(() => null)) as { id: string } | null;
        if (reply?.status === 200 && body) acknowledged.push(orderOf(body));
      }
    };
    load = Promise.all([caller(), caller(), caller(), caller()]);
    await until(async () => acknowledged.length > 20);
  }

  async function untilExecuting(): Promise<void> {
    const db = openDatabase(String(site.environment.DATABASE_URL));
    await until(async () => (await db.knex('orders').where({ status: 'executing' })).length > 0);
    await db.close();
  }

  /** Runs a shell command on the files of the database while orders run, and waits until the gateway has ended. */
  async function during(command: string): Promise<void> {
    await startLoad();
    execFileSync('sh', ['-c', command], { env: { ...process.env, FILE: file(), TO: elsewhere } });
    await until(async () => !(await gateway.lives(0)));
    assert.equal(await gateway.stop(), MISSING_EXIT);
    loading = false;
    await load;
  }

  /** Every acknowledged order is settled in that file, and its books agree. */
  async function hasAll(database: string): Promise<void> {
    const db = openDatabase(`sqlite:${database}`);
    const done = new Set(await db.knex('orders').where({ status: 'done' }).pluck('id'));
    assert.deepEqual((await audit(db, null)).findings, []);
    await db.close();
    assert.deepEqual(
      acknowledged.filter((id) => !done.has(id)),
      [],
    );
  }

  test('is moved ends with one sentence, and every acknowledged order is in the moved file', async () => {
    await during('mv "$FILE"* "$TO"');
    assert.match(gateway.log(), new RegExp(`was moved to ${elsewhere}/sluice.sqlite while this gateway served it`));
    assert.deepEqual(
      readdirSync(site.folder).filter((name) => /^sluice\.sqlite(?!\.moved-)/.test(name)),
      [],
    );
    await hasAll(join(elsewhere, 'sluice.sqlite'));
    execFileSync('sh', ['-c', 'mv "$TO"/* "$(dirname "$FILE")"'], {
      env: { ...process.env, FILE: file(), TO: elsewhere },
    });
    gateway = await site.start();
    assert.equal((await chat()).status, 200);
  });

  test('is moved without its log has everything in the moved file', async () => {
    await during('mv "$FILE" "$TO"');
    await hasAll(join(elsewhere, 'sluice.sqlite'));
  });

  test('is moved to another disk has everything in the moved file', { skip: noOtherDisk }, async () => {
    elsewhere = mkdtempSync(join(MEMORY, 'sluice-'));
    await during('mv "$FILE"* "$TO"');
    assert.match(gateway.log(), /was deleted while this gateway served it/);
    await hasAll(join(elsewhere, 'sluice.sqlite'));
  });

  test('is deleted saves what it holds beside it', async () => {
    await during('rm "$FILE"*');
    const [saved = ''] = /[^" ]+\.rescued-\d+/.exec(gateway.log()) ?? [];
    assert.equal(statSync(saved).mode & 0o777, 0o600);
    await hasAll(saved);
  });

  test('is deleted just before a signal stops the gateway saves what it holds', async () => {
    await startLoad();
    loading = false;
    await load;
    process.kill(gateway.pid, 'SIGSTOP');
    execFileSync('sh', ['-c', 'rm "$FILE"*'], { env: { ...process.env, FILE: file() } });
    const ended = gateway.stop();
    process.kill(gateway.pid, 'SIGCONT');
    assert.equal(await ended, MISSING_EXIT);
    const [saved = ''] = /[^" ]+\.rescued-\d+/.exec(gateway.log()) ?? [];
    await hasAll(saved);
  });

  test('is deleted with its whole folder saves what it holds in a new one', async () => {
    await during('rm -rf "$(dirname "$FILE")"');
    const [saved = ''] = /[^" ]+\.rescued-\d+/.exec(gateway.log()) ?? [];
    await hasAll(saved);
  });

  describe('is deleted, and whose folder cannot be written', () => {
    let folder: string;

    beforeEach(async () => {
      await gateway.stop();
      folder = join(site.folder, 'own');
      const moved = 'mkdir "$TO" && mv "$FILE" "$TO"';
      execFileSync('sh', ['-c', moved], { env: { ...process.env, FILE: file(), TO: folder } });
      site.environment.DATABASE_URL = `sqlite:${folder}/sluice.sqlite`;
      gateway = await site.start();
      await startLoad();
    });

    /** Deletes the folder, and puts a file in its place. */
    async function deleteFolder(): Promise<void> {
      rmSync(folder, { recursive: true });
      writeFileSync(folder, '');
      await until(async () => gateway.log().includes('could not be written'));
      loading = false;
      await load;
    }

    const copyIn = (where: string) =>
      readdirSync(where, { withFileTypes: true })
        .filter((entry) => entry.isFile() && /^sluice\.sqlite\.rescued-\d+$/.test(entry.name))
        .map(({ name }) => join(where, name));

    test('saves all of it after a signal, once the folder can be written', async () => {
      await deleteFolder();
      const ended = gateway.stop();
      await until(async () => gateway.log().includes('Still trying to save'));
      rmSync(folder);
      assert.equal(await ended, MISSING_EXIT);
      const [saved = ''] = copyIn(folder);
      assert.ok(gateway.log().includes(saved));
      await hasAll(saved);
    });

    test('leaves all of it in the nearest folder when the time of a drain is over', async () => {
      await deleteFolder();
      assert.equal(await gateway.stop(), MISSING_EXIT);
      const [spare = ''] = copyIn(site.folder);
      assert.match(gateway.log(), new RegExp(`"copy":"${spare}".*is in this file only`));
      await hasAll(spare);
    });

    test('stays behind the drain that was under way, and leaves all of it in the nearest folder', async () => {
      loading = false;
      await load;
      const running = chat({ output_tokens: 10, token_ms: 200 }).catch(() => null);
      await untilExecuting();
      const ended = gateway.stop();
      const role = async () => ((await (await fetch(`${gateway.url}/healthz`)).json()) as { role: string }).role;
      await until(async () => (await role()) === 'draining');
      await deleteFolder();
      assert.equal(await ended, MISSING_EXIT);
      await running;
      const [spare = ''] = copyIn(site.folder);
      assert.match(gateway.log(), new RegExp(`"copy":"${spare}".*is in this file only`));
      await hasAll(spare);
    });

    test('ends at once at a second signal, and says where all of it is', async () => {
      await deleteFolder();
      const ended = gateway.stop();
      await until(async () => gateway.log().includes('Still trying to save'));
      while (await gateway.lives(300)) process.kill(gateway.pid, 'SIGTERM');
      assert.equal(await ended, MISSING_EXIT);
      assert.match(gateway.log(), /Second signal.*\n.*is in this file only/);
      await hasAll(copyIn(site.folder)[0] ?? '');
    });
  });

  test('loses only its write-ahead log has everything in the file', async () => {
    await during('rm "$FILE-wal"');
    await hasAll(file());
  });

  test('loses its write-ahead log to a killed gateway is refused until that is accepted, and then warned of', async () => {
    await startLoad();
    process.kill(gateway.pid, 'SIGSTOP');
    rmSync(`${file()}-wal`);
    loading = false;
    await gateway.kill();
    await load;
    const lost =
      /sluice\.sqlite-wal was deleted, and with it the last commits \(\d+ pages\); put it back, or remove .*-shm/;
    await assert.rejects(site.start(), lost);
    const refused = await site.command('account', 'list');
    assert.match(JSON.stringify(refused.json), lost);
    rmSync(`${file()}-shm`);
    gateway = await site.start();
    assert.match(gateway.log(), /was killed, and the -wal file of its last commits is not there/);
    assert.equal(await gateway.stop(), 0);
    const db = openDatabase(`sqlite:${file()}`);
    assert.deepEqual((await audit(db, null)).findings, []);
    await db.close();
    gateway = await site.start();
    assert.doesNotMatch(gateway.log(), /-wal/);
  });

  test('is moved and restored from a backup ends, and the restored file is as it was', async () => {
    const backup = join(site.folder, 'backup.tar');
    assert.equal((await site.command('backup', backup)).exitCode, 0);
    assert.equal((await site.command('restore', backup)).exitCode, 1, 'a gateway serves there');
    await startLoad();
    execFileSync('sh', ['-c', 'mv "$FILE"* "$TO"'], { env: { ...process.env, FILE: file(), TO: elsewhere } });
    assert.equal((await site.command('restore', backup)).exitCode, 0);
    await until(async () => !(await gateway.lives(0)));
    assert.equal(await gateway.stop(), MISSING_EXIT);
    loading = false;
    await load;
    await hasAll(join(elsewhere, 'sluice.sqlite'));
    const db = openDatabase(`sqlite:${file()}`);
    assert.deepEqual(await db.knex('orders'), []);
    await db.close();
  });

  test('is moved refuses everything, while an order that runs is settled in the moved file', async () => {
    const running = chat({ output_tokens: 10, token_ms: 500 });
    await untilExecuting();
    execFileSync('sh', ['-c', 'mv "$FILE"* "$TO"'], { env: { ...process.env, FILE: file(), TO: elsewhere } });
    // The health check looks, and is the first.
    assert.equal((await fetch(`${gateway.url}/healthz`)).status, 503);
    const paths = ['/v1/models', '/v1/market/summary', '/', '/docs', '/console'].map((path) => gateway.url + path);
    const asked = [...paths, `http://127.0.0.1:${metricsPort}/metrics`].map((url) => fetch(url));
    // Beside each other: they are refused only for as long as the order runs.
    for (const { status, url } of await Promise.all([...asked, chat()])) assert.equal(status, 503, url);
    const reply = await running;
    acknowledged.push(orderOf((await reply.json()) as { id: string }));
    assert.equal(reply.status, 200);
    await until(async () => !(await gateway.lives(0)));
    await hasAll(join(elsewhere, 'sluice.sqlite'));
  });

  test('is served already refuses a second gateway by any of its names', async () => {
    await startLoad();
    // No file beside the database keeps others out, as the lock of version 0.1.0 did.
    rmSync(`${file()}.lock`, { force: true });
    const link = join(elsewhere, 'link.sqlite');
    symlinkSync(file(), link);
    const mounted = mkdtempSync(join(tmpdir(), 'sluice-'));
    const canMount = mount(site.folder, mounted);
    const single = join(elsewhere, 'single.sqlite');
    writeFileSync(single, '');
    const canMountFile = canMount && mount(file(), single);
    try {
      for (const name of [file(), link, ...(canMount ? [join(mounted, 'sluice.sqlite')] : [])]) await refuses(name);
      if (canMountFile) await refuses(single);
    } finally {
      if (canMountFile) execFileSync('umount', [single]);
      if (canMount) execFileSync('umount', [mounted]);
      rmSync(mounted, { recursive: true, force: true });
    }
    loading = false;
    await load;
    assert.equal(await gateway.stop(), 0);
    await hasAll(file());
  });

  async function refuses(name: string): Promise<void> {
    const second = await makeSite(CONFIGURATION, { DATABASE_URL: `sqlite:${name}`, PORT: String(await freePort()) });
    await assert.rejects(second.start(), /another gateway serves it \(process \d+ on .+\); stop that one/);
    second.remove();
  }
});

/** False where this user may not. */
function mount(from: string, to: string): boolean {
  try {
    execFileSync('mount', ['--bind', from, to], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function orderOf({ id }: { readonly id: string }): string {
  return id.replace('chatcmpl-', '');
}
