import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { upload } from './support/files.ts';
import { useServer } from './support/server.ts';

const NOBODY = `file-${'0'.repeat(32)}`;

describe('DELETE /v1/files/{id}', () => {
  const server = useServer();
  itNeedsAKey(server, 'deleteFile', { params: { id: NOBODY } });
  itSurvivesAnOutage(server, 'deleteFile', { params: { id: NOBODY } });
  // Spec 8-8
  itHasARate('file_operations_per_minute_per_account', 'deleteFile', { params: { id: NOBODY } });

  const remove = (id: string, api = server.api) => api.call('deleteFile', { params: { id } });

  it('200 the file is gone from everywhere, and 404 on a repeat', async () => {
    const { id } = await upload(server.api);
    const folder = join(server.dataFolder, 'files', id.slice(-3));
    assert.deepEqual(await readdir(folder), [id]);
    assert.deepEqual((await remove(id)).body(200), { id, object: 'file', deleted: true });
    assert.deepEqual(await readdir(folder), []);
    (await server.api.call('getFile', { params: { id } })).refusal(404, 'not_found');
    (await server.api.call('getFileContent', { params: { id } })).refusal(404, 'not_found');
    const { data } = (await server.api.call('listFiles', { query: { limit: 100 } })).body(200);
    assert.ok(data.every((file) => file.id !== id));
    (await remove(id)).refusal(404, 'not_found');
  });

  it('200 for one of many simultaneous deletes, 404 for the others', async () => {
    const { id } = await upload(server.api);
    const replies = await Promise.all(Array.from({ length: 8 }, () => remove(id)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 404)]);
  });

  it('404 for a malformed id, an unknown one, and someone else’s, which stays', async () => {
    const stored = await upload(server.api);
    const other = server.api.as((await server.createAccount()).key);
    const unknown = (await remove(NOBODY)).refusal(404, 'not_found');
    for (const reply of [await remove('nonsense'), await remove(stored.id, other)]) {
      assert.deepEqual(reply.refusal(404, 'not_found'), unknown);
    }
    assert.deepEqual((await server.api.call('getFile', { params: { id: stored.id } })).body(200), stored);
  });
});
