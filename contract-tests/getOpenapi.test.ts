import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operations } from '#generated/operations.ts';
import { itHasARate, itKeepsItsAnswer } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

describe('GET /openapi.json', () => {
  const server = useServer();
  itHasARate('public_requests_per_minute_per_address', 'getOpenapi');
  itKeepsItsAnswer(server, 'getOpenapi', { key: null, seconds: /^300$/ });

  it('200 the whole interface', async () => {
    const document = (await server.api.call('getOpenapi', { key: null })).body(200);
    assert.match(document.openapi, /^3\.0\./);
    for (const { path, method } of Object.values(operations)) {
      assert.ok(method in ((document.paths as Record<string, object>)[path] ?? {}), `${method} ${path}`);
    }
  });
});
