import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { upload } from './support/files.ts';
import { useServer } from './support/server.ts';

const NOBODY = `file-${'0'.repeat(32)}`;

describe('GET /v1/files/{id}', () => {
  const server = useServer();
  itNeedsAKey(server, 'getFile', { params: { id: NOBODY } });
  itSurvivesAnOutage(server, 'getFile', { params: { id: NOBODY } });
  itHasARate('file_operations_per_minute_per_account', 'getFile', { params: { id: NOBODY } });

  const get = (id: string, api = server.api) => api.call('getFile', { params: { id } });

  it('200 the same body as the upload', async () => {
    const stored = await upload(server.api);
    assert.deepEqual((await get(stored.id)).body(200), stored);
  });

  it('404 for a malformed id, an unknown one, and someone else’s, with the same message', async () => {
    const { id } = await upload(server.api);
    const other = server.api.as((await server.createAccount()).key);
    const unknown = (await get(NOBODY)).refusal(404, 'not_found');
    for (const malformed of ['nonsense', id.toUpperCase(), id.slice(0, -1), `${id}0`, '../files', "' OR 1=1 --"]) {
      assert.deepEqual((await get(malformed)).refusal(404, 'not_found'), unknown);
    }
    assert.deepEqual((await get(id, other)).refusal(404, 'not_found'), unknown);
  });
});
