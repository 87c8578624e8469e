/** A gateway whose database was moved, or whose lease another one has: it answers nothing more. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OperationId, operations } from './support/operations.ts';
import { useServer } from './support/server.ts';

describe('a gateway that has lost its database', () => {
  const server = useServer();

  it('503 with Retry-After for every operation and page', async () => {
    await server.afterLoss(async () => {
      for (const id of Object.keys(operations) as OperationId[]) {
        if (id === 'getHealth') continue;
        const names = operations[id].path.match(/(?<={)\w+/g) ?? [];
        const params = Object.fromEntries(names.map((name) => [name, 'any']));
        const reply = await server.api.call(id, { params, key: null });
        assert.equal(reply.status, 503, id);
        assert.equal(reply.headers['retry-after'], '5', id);
      }
      for (const path of ['/', '/docs', '/settings', '/console'])
        assert.equal((await (await server.api.request('GET', path, { key: null })).whole()).status, 503, path);
    });
  });
});
