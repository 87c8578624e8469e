/** Acknowledged findings of the audit, and the files of receipts that it reads. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
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

test('receipts are found in answers, signed receipts and lines, and what is no JSON is named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-'));
  const kept = join(folder, 'kept');
  await mkdir(join(kept, 'older'), { recursive: true });
  const wire = (id: string) => ({
    order_id: id,
    pricing: 'market',
    level_at_execution: 0.5,
    bid: 1,
    charged_usd: 0.00064,
  });
  const claims = { order_id: 'signed', level_nano_usd: 5, bid_nano_usd: 6, charged_nano_usd: 7, prompt_tokens: 1 };
  const line = (id: string) =>
    JSON.stringify({ custom_id: 'a', response: { body: { usage: { x_market: wire(id) } } } });
  await writeFile(join(kept, 'answer.json'), JSON.stringify({ id: 'chat', usage: { x_market: wire('answer') } }));
  await writeFile(join(kept, 'older/signed.json'), JSON.stringify({ jws: 'a.b.c', receipt: claims }));
  await writeFile(join(kept, 'batch.jsonl'), `${line('first')}\n\n${line('second')}\n{"custom_id": "to`);
  await writeFile(join(kept, 'usage.json'), JSON.stringify({ data: [{ ...wire('net of refunds'), bid: undefined }] }));
  await writeFile(join(kept, 'notes.txt'), line('none'));
  const found = (findings: unknown) =>
    (findings as string[]).map((each) => each.replace(/^\w+ /, '').replace(/ and the .+\(|\)\.$/g, '')).sort();
  try {
    await withOperatorStore(`sqlite:${join(folder, 'a.sqlite')}`, async (store) => {
      const sources = { data: { dataFolder: folder, dataBucket: null }, config: null, receiptsFolder: kept };
      const { exitCode, json, text } = await auditStore(store, sources);
      assert.deepEqual([exitCode, json.ok, json.receipts], [1, false, 4]);
      assert.match(text, /^.*The audit failed: 0 accounts and 0 orders, 4 receipts of clients compared\./);
      assert.deepEqual(found(json.findings), [
        'Order answer: its receipt says 640000 nano-dollars,receipt in answer.json',
        'Order first: its receipt says 640000 nano-dollars,receipt in batch.jsonl line 1',
        'Order second: its receipt says 640000 nano-dollars,receipt in batch.jsonl line 3',
        'Order signed: its receipt says 7 nano-dollars,receipt in older/signed.json',
        'batch.jsonl line 4: it is no JSON, so its receipts cannot be compared.',
      ]);
      for (const [place, why] of [
        ['older/none', /none is no folder; name one/],
        ['batch.jsonl', /batch\.jsonl is no folder; name one/],
      ] as const)
        await assert.rejects(auditStore(store, { ...sources, receiptsFolder: join(kept, place) }), why);
      await rm(join(kept, 'older/signed.json'));
      const empty = auditStore(store, { ...sources, receiptsFolder: join(kept, 'older') });
      await assert.rejects(empty, /There is no receipt in .*older; keep answers/);
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
