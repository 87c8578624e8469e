import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useServer } from './support/server.ts';

describe('HEAD /api/hello', () => {
  const server = useServer();

  it('200 without a body', async () => {
    const reply = await server.api.call('headHello', { key: null });
    assert.equal(reply.status, 200);
    assert.equal(reply.text, '');
  });
});
