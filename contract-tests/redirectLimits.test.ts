import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itHasARate } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

describe('GET /v1/limits', () => {
  const server = useServer();
  itHasARate('public_requests_per_minute_per_address', 'redirectLimits');

  it('308 to /v1/rate-limits', async () => {
    const reply = await server.api.call('redirectLimits', { key: null });
    assert.equal(reply.status, 308);
    assert.equal(reply.headers.location, '/v1/rate-limits');
  });
});
