import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { batchOf, batchWhen, ended, line } from './support/batches.ts';
import type { Client } from './support/client.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { type StoredFile, upload } from './support/files.ts';
import { useServer } from './support/server.ts';

const NOBODY = `file-${'0'.repeat(32)}`;

describe('GET /v1/files', () => {
  const server = useServer();
  itNeedsAKey(server, 'listFiles');
  itSurvivesAnOutage(server, 'listFiles');
  itHasARate('file_operations_per_minute_per_account', 'listFiles');

  let api: Client;
  /** Newest first. */
  const files: StoredFile[] = [];
  before(async () => {
    api = server.api.as((await server.createAccount()).key);
    for (let made = 0; made < 23; made++) files.unshift(await upload(api, `${made}\n`, `${made}.jsonl`));
  });

  const list = async (query: Record<string, string | number> = {}, as = api) =>
    (await as.call('listFiles', { query })).body(200);
  const ids = (page: { readonly data: readonly StoredFile[] }) => page.data.map(({ id }) => id);

  it('200 an empty list for an account without files', async () => {
    const page = await list({}, server.api.as((await server.createAccount()).key));
    assert.deepEqual(page, { object: 'list', data: [], first_id: null, last_id: null, has_more: false });
  });

  it('200 newest first, twenty on a page', async () => {
    const page = await list();
    assert.deepEqual(page.data, files.slice(0, 20));
    assert.deepEqual([page.object, page.first_id, page.last_id], ['list', files[0]?.id, files[19]?.id]);
    assert.equal(page.has_more, true);
    const rest = await list({ after: page.last_id ?? '' });
    assert.deepEqual([rest.data, rest.has_more], [files.slice(20), false]);
  });

  // Spec 4.8-12
  it('200 the output of a batch stands where it was written, before files that are newer than the batch', async () => {
    const { key } = await server.createAccount();
    const owner = server.api.as(key);
    const finish = server.holdAnswers();
    const { id, input_file_id } = await batchOf(owner, [line('runs')]);
    await batchWhen(server, id, ({ status }) => status === 'in_progress', owner);
    await server.pass(1000);
    const later = await upload(owner);
    await server.pass(1000);
    finish();
    const { output_file_id } = await ended(server, id, owner);
    const whole = [output_file_id, later.id, input_file_id];
    assert.deepEqual(ids(await list({}, owner)), whole);
    for (const [read, after] of whole.entries()) {
      assert.deepEqual(ids(await list({ after: after ?? '' }, owner)), whole.slice(read + 1));
    }
  });

  // Spec 4.8-15
  it('200 a full page says that there is more, even when the next one is empty', async () => {
    const page = await list({ limit: 23 });
    assert.deepEqual([page.data.length, page.has_more], [23, true]);
    const rest = await list({ limit: 23, after: page.last_id ?? '' });
    assert.deepEqual(rest, { object: 'list', data: [], first_id: null, last_id: null, has_more: false });
  });

  it('200 a limit above 100 counts as 100', async () => {
    assert.equal((await list({ limit: 101 })).data.length, 23);
    assert.equal((await list({ limit: '9'.repeat(300) })).data.length, 23);
  });

  it('200 begins again with the newest after an unknown file, a deleted one, or someone else’s', async () => {
    const deleted = await upload(api);
    (await api.call('deleteFile', { params: { id: deleted.id } })).body(200);
    const theirs = await upload(server.api);
    for (const after of [NOBODY, deleted.id, theirs.id, 'nonsense', "' OR 1=1 --"]) {
      assert.deepEqual((await list({ after, limit: 2 })).data, files.slice(0, 2));
    }
  });

  it('200 only files of one purpose', async () => {
    assert.deepEqual(ids(await list({ purpose: 'batch', limit: 3 })), ids({ data: files.slice(0, 3) }));
    assert.deepEqual((await list({ purpose: 'batch_output' })).data, []);
    assert.deepEqual((await list({ purpose: 'batch_errors' })).data, []);
  });

  it('400 for a page size below one or a fraction, and for an unknown purpose', async () => {
    for (const query of [{ limit: 0 }, { limit: -1 }, { limit: '1.5' }, { limit: 'all' }, { purpose: 'fine-tune' }]) {
      const reply = await api.call('listFiles', { query: query as Record<string, string> });
      assert.equal(reply.refusal(400, 'invalid_request').param, Object.keys(query)[0]);
    }
  });
});
