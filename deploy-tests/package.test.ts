/** The npm package that `npm run artifacts` builds, installed into an empty folder, and unpacked. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const VERSION = readJson(join(ROOT, 'package.json')).version;
const NPM = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
const SIZE_MAX = 3_000_000;

describe('the npm package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-package-'));
  const installed = join(folder, 'node_modules/sluice');
  // As on a machine of its own: without the Node and the programs of this checkout.
  const path = (process.env.PATH ?? '').split(':').filter((part) => !part.includes('node_modules'));
  const options = { cwd: folder, env: { PATH: path.join(':'), HOME: process.env.HOME, PORT: '0', METRICS_PORT: '0' } };
  let file: string;

  before(() => {
    const [built] = globSync('artifacts/sluice-*.tgz', { cwd: ROOT });
    file = join(ROOT, built ?? assert.fail('npm run artifacts builds the package'));
    writeFileSync(join(folder, 'package.json'), '{"private": true}');
    execFileSync('npm', ['install', ...NPM, file], { ...options, stdio: 'pipe' });
  });
  after(() => rmSync(folder, { recursive: true }));

  function sluice(...args: string[]): Promise<{ status: unknown; stdout: string; stderr: string }> {
    return new Promise((resolve) => {
      execFile('npx', ['--no-install', 'sluice', ...args], options, (error, stdout, stderr) =>
        resolve({ status: error?.code ?? 0, stdout, stderr }),
      );
    });
  }

  test('has the program, its pages and documents, and no TypeScript, test or secret', () => {
    const names = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }).trim().split('\n');
    for (const name of [
      'src/cli.js',
      'src/storage/journal/sqlite-worker.js',
      'generated/openapi.json',
      'generated/console-api/openapi.json',
      'generated/console/console.html',
      'generated/docs/pages/docs/sell/deploy.html',
      'docs/understand/market.svg',
      'deploy/systemd/sluice-ctl',
      'CHANGELOG.md',
      'npm-shrinkwrap.json',
    ])
      assert.ok(names.includes(`package/${name}`), name);
    const unwanted =
      /\.ts$|\.test\.js$|-tests?\/|package\/benchmarks|\/testing\/|\/sdks\/|compose|node_modules|\.env|docs\/.*\.md/;
    assert.deepEqual(
      names.filter((name) => unwanted.test(name)),
      [],
    );
    assert.ok(statSync(file).size < SIZE_MAX, `${statSync(file).size} bytes`);
  });

  test('has the modules of the image, line for line', () => {
    const sources = globSync('{src,simulations}/**/*.ts', { cwd: ROOT }).filter((name) => !name.endsWith('.test.ts'));
    const modules = globSync('{src,simulations}/**/*.js', { cwd: installed, exclude: ['**/sign-in.js'] });
    assert.deepEqual(modules.sort(), sources.map((name) => name.replace(/ts$/, 'js')).sort());
    const lines = (of: string, name: string) =>
      readFileSync(join(of, name), 'utf8')
        .split('\n')
        .map((line) => line.length);
    assert.deepEqual(lines(installed, 'src/cli.js'), lines(ROOT, 'src/cli.ts'));
  });

  test('unpacked, npm ci takes each dependency in the version of package-lock.json', () => {
    execFileSync('tar', ['-xzf', file, '-C', folder]);
    const unpacked = join(folder, 'package');
    // It fails where the two files of the package disagree. To install them a second time would take a minute.
    execFileSync('npm', ['ci', ...NPM, '--dry-run'], { ...options, cwd: unpacked, stdio: 'pipe' });
    const { packages } = readJson(join(unpacked, 'npm-shrinkwrap.json'));
    const locked = readJson(join(ROOT, 'package-lock.json')).packages;
    const names = Object.keys(packages).filter((name) => name !== '');
    assert.ok(names.length > 150, String(names.length));
    for (const name of names) assert.deepEqual(packages[name], locked[name], name);
  });

  test('has notes on this version in CHANGELOG.md, with its date and what an upgrade needs', () => {
    const versions = readFileSync(join(installed, 'CHANGELOG.md'), 'utf8').split(/^## /m).slice(1);
    assert.ok(versions[0]?.startsWith(`${VERSION} - 20`), versions[0]);
    for (const [at, notes] of versions.entries()) {
      assert.match(notes, /^\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d\n/);
      if (at < versions.length - 1) assert.match(notes, /^### Before you upgrade$/m);
    }
  });

  test('npx sluice says its version, and checks a configuration', async () => {
    assert.equal((await sluice('--version')).stdout.trim(), VERSION);
    copyFileSync(join(installed, 'sluice.yaml'), join(folder, 'sluice.yaml'));
    const checked = await sluice('config', 'check');
    assert.equal(checked.status, 0, checked.stderr);
    assert.match(checked.stdout, /tide-70b/);
  });

  test('npx sluice serve sells an order and shows its pages', async () => {
    // What npx runs: npx itself would end before the gateway has.
    const gateway = spawn(join(folder, 'node_modules/.bin/sluice'), ['serve', '--json'], {
      ...options,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { url } = await addressOf(gateway);
    const json = async (...args: string[]) =>
      JSON.parse((await sluice(...args, '--json')).stdout.trim().split('\n').at(-1) ?? '');
    const { account_id } = await json('account', 'create', 'packed', '--credit', '10');
    const { api_key } = await json('key', 'create', account_id);
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'tide-70b', price_limit: 10, messages: [{ role: 'user', content: 'Hi' }] }),
    });
    assert.equal(answer.status, 200, await answer.text());
    for (const page of ['/', '/console', '/docs/sell/deploy', '/docs/reference', '/openapi.json'])
      assert.equal((await fetch(url + page)).status, 200, page);
    const ended = once(gateway, 'exit');
    gateway.kill('SIGTERM');
    await ended;
    assert.equal((await sluice('audit')).status, 0);
  });
});

/** The first JSON line: where it serves. */
async function addressOf(gateway: ChildProcess): Promise<{ url: string }> {
  for await (const line of createInterface({ input: gateway.stdout ?? assert.fail() }))
    if (line.startsWith('{"')) {
      const parsed = JSON.parse(line);
      if (parsed.url) return parsed;
    }
  assert.fail('it ended before it served');
}
