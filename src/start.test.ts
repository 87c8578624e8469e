import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { NODE_FLAGS } from '#testing/gateway-process.ts';

/** Packages that only some gateways need, or only some requests: memory and time that every start would pay for. */
const LOADED_WHEN_NEEDED = ['mysql2', 'ws', '@aws-sdk/client-s3', 'stripe'];

/** Imports the gateway, as `serve` does, and prints every module that was loaded, Node's own too. */
const PROGRAM = `
  import { registerHooks } from 'node:module';
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  await import(${JSON.stringify(new URL('cli/serve.ts', import.meta.url).href)});
  console.log(JSON.stringify([...urls, ...process.moduleLoadList]));
`;

describe('the start', () => {
  let modules: string[];

  before(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM]);
    modules = JSON.parse(stdout);
    for (const known of ['/node_modules/knex/', 'NativeModule _http_server'])
      assert.ok(modules.some((name) => name.includes(known)));
  });

  it('loads no package that a gateway on SQLite, alone, and without a bucket does without', () => {
    const isLoaded = (name: string) => modules.some((url) => url.includes(`/node_modules/${name}/`));
    assert.deepEqual(LOADED_WHEN_NEEDED.filter(isLoaded), []);
  });

  it('loads of undici what sends requests, and not fetch', () => {
    const loaded = modules.filter((name) => name.includes('/node_modules/undici/'));
    assert.ok(loaded.some((name) => name.endsWith('/lib/dispatcher/pool.js')));
    assert.deepEqual(
      loaded.filter((name) => name.includes('/lib/web/fetch/index.js')),
      [],
    );
  });

  it('loads nothing that only people who sign in or pay need', () => {
    const own = ['/src/http/console/', '/src/members/sessions.ts', '/src/storage/members/sessions.ts', '/console-api/'];
    for (const part of [...own, '@node-rs/argon2', '/src/payments/', '/src/storage/payments/']) {
      assert.deepEqual(
        modules.filter((name) => name.includes(part)),
        [],
        part,
      );
    }
  });

  it("does not load Node's own copy of undici, as an import of node:http would", () => {
    assert.deepEqual(
      modules.filter((name) => name.includes('internal/deps/undici')),
      [],
    );
  });

  it('gives Node the flags that are tested and measured, also in the image', () => {
    const [script, image] = ['scripts/sluice', 'Dockerfile'].map((file) =>
      readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'),
    );
    assert.ok(script?.includes(`exec "$node" ${NODE_FLAGS.join(' ')} "$program"`));
    assert.ok(
      image?.includes(`"/nodejs/bin/node", ${NODE_FLAGS.map((flag) => `"${flag}", `).join('')}"/app/src/cli.ts"`),
    );
  });
});
