/** That other users of the machine read nothing that a gateway or a command writes. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { makeSite, type Site } from '#testing/gateway-process.ts';
import { marketModel, selling } from '#testing/test-config.ts';
import { narrowOld } from './private-files.ts';

let site: Site;
let umask: number;

beforeEach(async () => {
  umask = process.umask(0o022);
  site = await makeSite(selling([{ ...marketModel('tide', 4, 4), context_length: 1_000_000 }]));
});
afterEach(() => {
  process.umask(umask);
  site.remove();
});

const data = () => join(site.folder, 'data');
const modeOf = (path: string) => statSync(path).mode & 0o777;

/** Everything below the site's folder, except the configuration that the test made. */
function open(): string[] {
  const names = readdirSync(site.folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name !== 'sluice.yaml' && (modeOf(join(site.folder, name)) & 0o077) !== 0);
}

test('everything that a gateway and the commands write is for its user alone', async () => {
  const { apiKey } = await site.openAccount('test', '10');
  const gateway = await site.start();
  const headers = { authorization: `Bearer ${apiKey}` };
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob(['{}']), 'lines.jsonl');
  assert.equal((await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers, body: form })).status, 200);
  const large = {
    messages: [{ role: 'user', content: 'x'.repeat(200_000) }],
    price_limit: 10,
    max_tokens: 4,
    detached: true,
  };
  const body = JSON.stringify(large);
  const json = { ...headers, 'content-type': 'application/json' };
  assert.equal(
    (await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers: json, body })).status,
    202,
  );
  assert.equal((await site.command('backup', join(site.folder, 'backup.tar'))).exitCode, 0);
  assert.deepEqual(open(), []);
  await gateway.stop();
  const elsewhere = { DATABASE_URL: `sqlite:${join(site.folder, 'other/sluice.sqlite')}` };
  const other = await makeSite('', { ...elsewhere, SLUICE_DATA: join(site.folder, 'other/data') });
  assert.equal((await other.command('restore', join(site.folder, 'backup.tar'))).exitCode, 0);
  other.remove();
  assert.deepEqual(open(), []);
});

test('a start narrows what an earlier version left open, and only warns of a folder', () => {
  const lines: string[] = [];
  const note = (_fields: object, sentence: string) => void lines.push(sentence);
  const config = { databaseUrl: `sqlite:${site.folder}/sluice.sqlite`, dataFolder: data() };
  mkdirSync(join(data(), 'results'), { recursive: true });
  writeFileSync(join(site.folder, 'sluice.sqlite'), '');
  writeFileSync(join(site.folder, 'sluice.sqlite-wal'), '');
  mkdirSync(join(data(), 'files'));
  chmodSync(join(data(), 'files'), 0o750);
  const log = { debug: note, info: note, warn: note, error: note };
  narrowOld(config, log);
  assert.equal(modeOf(join(site.folder, 'sluice.sqlite')), 0o600);
  assert.equal(modeOf(join(site.folder, 'sluice.sqlite-wal')), 0o600);
  assert.equal(modeOf(join(data(), 'results')), 0o700);
  assert.equal(modeOf(join(data(), 'files')), 0o750, 'a group that the operator chose');
  assert.equal(modeOf(data()), 0o755);
  assert.deepEqual(lines, [
    'Other users of this machine could read these: they are private now.',
    'Other users of this machine can list this folder: run chmod 700 on it.',
  ]);
  narrowOld(config, log);
  assert.equal(lines.length, 3);
});
