/** Acknowledged findings of the audit. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { auditStore } from './audit.ts';
import { withOperatorStore } from './operator-store.ts';

test('an acknowledged finding is left out until its figures change', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-'));
  try {
    await withOperatorStore(`sqlite:${join(folder, 'a.sqlite')}`, async (store) => {
      const sources = { data: { dataFolder: folder, dataBucket: null }, config: null };
      const { id } = await store.accounts.create({ name: 'Odd' }, COMMAND_LINE);
      await store.db.knex('accounts').where({ id }).update({ balance: 5 });
      const failed = await auditStore(store, sources);
      assert.equal(failed.exitCode, 1);
      const [finding = ''] = failed.json.findings as string[];
      const acknowledging = { id: finding.slice(0, 12), reason: 'set by hand in a test' };
      await assert.rejects(
        auditStore(store, { ...sources, acknowledging: { ...acknowledging, id: 'unknown' } }),
        /no finding/,
      );
      const passed = await auditStore(store, { ...sources, acknowledging });
      assert.deepEqual([passed.exitCode, passed.json.acknowledged, passed.json.findings], [0, 1, []]);
      await store.db.knex('accounts').where({ id }).update({ balance: 6 });
      assert.equal((await auditStore(store, sources)).exitCode, 1);
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
