import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { operatorBrowser } from './support/operator-browser.ts';
import { useServer } from './support/server.ts';

const PLANTED = 'planted-where-nobody-may-look';

describe('GET /console/api/configuration', () => {
  const server = useServer({ trust_proxy: 1 });

  it('200 every setting in force, and what the file says otherwise since the start; never a secret', async () => {
    const browser = await operatorBrowser(server, 'viewer');
    const show = async () => {
      const reply = await browser.call('getConfiguration');
      assert.ok(!reply.text.includes(PLANTED));
      return reply.body(200);
    };
    const first = await show();
    assert.match(first.version, /^\d+\.\d+\.\d+/);
    assert.ok(Date.parse(first.started_at) <= Date.parse(first.at));
    const value = (name: string) => first.settings.find(({ setting }) => setting === name)?.value;
    assert.deepEqual([value('default_model'), value('trust_proxy'), value('console.enabled')], ['tide', '1', 'true']);
    assert.equal(value('pods[tide-1].slots'), '8');
    const isDefault = (name: string) => first.settings.find(({ setting }) => setting === name)?.is_default;
    const named = ['trust_proxy', 'models[tide].ceiling', 'pods[tide-1].slots'];
    assert.deepEqual(named.map(isDefault), [false, false, false]);
    const others = ['drain_announce_ms', 'models[tide].preview', 'models[tide].created', 'limits.streams_per_address'];
    assert.deepEqual(others.map(isDefault), [true, true, true, true]);
    assert.deepEqual([first.file.state, first.file.line, first.differences], ['same', null, []]);

    const file = join(server.dataFolder, 'contract-test.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('"ceiling":100', '"ceiling":50'));
    const changed = await show();
    assert.equal(changed.file.state, 'different');
    const difference = { setting: 'models[tide].ceiling', in_force: '100.00', in_file: '50.00' };
    assert.deepEqual(changed.differences, [difference]);
    assert.deepEqual(changed.settings, first.settings);

    await writeFile(file, `default_model: tide\nmodels: ${PLANTED}\n`);
    const refused = await show();
    assert.deepEqual([refused.file.state, refused.file.line, refused.differences], ['invalid', 2, []]);
    await writeFile(file, text);
    assert.equal((await show()).file.state, 'same');
  });
});
