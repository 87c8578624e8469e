import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useServer } from './support/server.ts';

describe('GET /api/hello', () => {
  const server = useServer();

  it('200 for anyone, without a key', async () => {
    (await server.api.call('getHello', { key: null })).body(200);
  });

  it('200 with a new request id each time, or the one that the caller sent', async () => {
    const first = await server.api.call('getHello');
    const second = await server.api.call('getHello');
    assert.ok(first.headers['x-request-id']);
    assert.notEqual(first.headers['x-request-id'], second.headers['x-request-id']);
  });

  it('200 has no x-ratelimit header and no X-Powered-By', async () => {
    const { headers } = await server.api.call('getHello');
    const names = Object.keys(headers);
    assert.ok(!names.some((name) => name.startsWith('x-ratelimit')));
    assert.ok(!names.includes('x-powered-by'));
  });
});
