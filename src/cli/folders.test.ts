import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseConfig } from '#config/config.ts';
import { prepareFolders } from './serve.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-folders-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'file');
writeFileSync(file, '');

const MODELS =
  'default_model: a\nmodels: [{id: a, type: fixed, context_length: 10, max_output_length: 5, usd_per_million: {cached: 1, uncached: 1, output: 1}}]\n';

function configOf(data: string, rest = '') {
  return parseConfig(MODELS + rest, 'sluice.yaml', { SLUICE_DATA: data });
}

test('the folders of the configuration are created', () => {
  const [data, records] = [join(folder, 'a', 'data'), join(folder, 'b', 'records')];
  prepareFolders(configOf(data, `market: {recording: ${records}}`));
  assert.ok(existsSync(data) && existsSync(records));
  prepareFolders(configOf(data));
});

test('an error about a folder names the setting, the path and what to do', () => {
  assert.throws(() => prepareFolders(configOf(file)), {
    message: `The folder ${file} of SLUICE_DATA cannot be used: it is a file; name a folder.`,
  });
  assert.throws(() => prepareFolders(configOf(folder, `market: {recording: ${file}/records}`)), {
    message: `The folder ${file}/records of market.recording cannot be used: a part of its path is a file; name a folder.`,
  });
});
