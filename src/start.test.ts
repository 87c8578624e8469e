import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

/** Packages that only some gateways need, or only some requests: memory and time that every start would pay for. */
const LOADED_WHEN_NEEDED = ['mysql2', 'ws', '@aws-sdk/client-s3'];

/** Imports the gateway, as `serve` does, and prints every module that was loaded. */
const PROGRAM = `
  import { registerHooks } from 'node:module';
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  await import(${JSON.stringify(new URL('main.ts', import.meta.url).href)});
  console.log(JSON.stringify(urls));
`;

describe('the start', () => {
  it('loads no package that a gateway on SQLite, alone, and without a bucket does without', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM]);
    const urls: string[] = JSON.parse(stdout);
    assert.ok(urls.some((url) => url.includes('/node_modules/better-sqlite3/') || url.includes('/node_modules/knex/')));
    const loaded = LOADED_WHEN_NEEDED.filter((name) => urls.some((url) => url.includes(`/node_modules/${name}/`)));
    assert.deepEqual(loaded, []);
  });
});
