import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operations } from '#generated/console-api/operations.ts';
import { operations as publicOperations } from '#generated/operations.ts';
import { useServer } from './support/server.ts';

describe('GET /console/openapi.json', () => {
  const server = useServer();
  const read = () => server.api.call('getConsoleOpenapi', { key: null });

  it('200 the second interface, which shares no address and no name with the first', async () => {
    const document = (await read()).body(200);
    const publicPaths: string[] = Object.values(publicOperations).map((entry) => entry.path);
    for (const [id, { path, method }] of Object.entries(operations)) {
      assert.ok(method in ((document.paths as Record<string, object>)[path] ?? {}), `${method} ${path}`);
      assert.ok(!(id in publicOperations), id);
      assert.ok(!publicPaths.includes(path), path);
    }
  });

  it('says of every operation who may call it, and asks for the CSRF token wherever something changes', () => {
    for (const [id, { method, security, ...entry }] of Object.entries(operations)) {
      if (security === 'open') assert.ok(!('roles' in entry), id);
      else assert.ok(security.startsWith(method === 'get' ? 'session' : 'session-csrf'), id);
    }
  });

  it('404 and 405 below its addresses are problem documents, and no page of another site may read any', async () => {
    for (const path of ['/settings/api', '/settings/api/nothing', '/console/api/nothing', '/console/api/']) {
      const answer = await (await server.api.request('GET', path, { key: null })).whole();
      assert.equal(answer.status, 404, path);
      assert.equal(answer.headers['content-type'], 'application/problem+json');
      assert.equal(answer.headers['access-control-allow-origin'], undefined);
    }
    for (const method of ['PATCH', 'OPTIONS']) {
      const answer = await (await server.api.request(method, '/settings/api/session', { key: null })).whole();
      assert.equal(answer.status, 405);
      assert.equal(answer.headers.allow, 'GET, DELETE, HEAD');
      assert.equal(JSON.parse(answer.text).code, 'method_not_allowed');
    }
  });

  it('429 over its rate', async () => {
    let reply = await read();
    for (let count = 0; count < 60 && reply.status === 200; count++) reply = await read();
    reply.refusal(429, 'rate_limit_error');
    assert.equal(reply.headers['retry-after'], '1');
  });
});

describe('console: {enabled: false}', () => {
  const server = useServer({ console: { enabled: false } });

  it('404 everything, as at any unknown address', async () => {
    for (const { method, path } of Object.values(operations)) {
      const answer = await (await server.api.request(method.toUpperCase(), path, { key: null })).whole();
      assert.equal(answer.status, 404, path);
      assert.equal(JSON.parse(answer.text).error.code, 'not_found');
    }
  });
});
