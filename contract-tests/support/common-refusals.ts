/** The refusals that operations share: who has no key, whose account is suspended, who asks too often. Spec 5, 8. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationId } from '#generated/operations.ts';
import type { RequestParts } from './client.ts';
import { type TestServer, useServer } from './server.ts';

/** Declares the tests of 401 and 403 for an operation that needs a key; `parts` make a request good otherwise. */
export function itNeedsAKey(server: TestServer, id: OperationId, parts: RequestParts = {}): void {
  it('401 without a key, with one that was never issued, and with one that is not a key at all', async () => {
    const headers = [
      {},
      { authorization: 'Bearer sk-sluice-0000000000000000000000000000000000000000000' },
      { authorization: "Bearer ' OR sleep(5) --" },
      { authorization: 'Basic dXNlcjpwYXNz' },
      { authorization: '' },
    ];
    for (const wrong of headers) {
      const reply = await server.api.call(id, { ...parts, key: null, headers: { ...parts.headers, ...wrong } });
      const { type } = reply.refusal(401, 'invalid_api_key');
      assert.equal(type, 'authentication_error');
    }
  });

  it('403 when the account behind the key is suspended', async () => {
    const reply = await server.api.call(id, { ...parts, key: await server.suspendedKey() });
    assert.equal(reply.refusal(403, 'account_suspended').type, 'permission_error');
  });
}

/** Declares the test of 503 while the database cannot be reached; `parts` make a request good otherwise. */
export function itSurvivesAnOutage(server: TestServer, id: OperationId, parts: RequestParts = {}): void {
  it('503 with Retry-After while the database cannot be reached, and not after', async () => {
    await server.withoutDatabase(async () => {
      const reply = await server.api.call(id, parts);
      assert.equal(reply.refusal(503, 'unavailable').type, 'server_error');
      assert.ok(Number(reply.headers['retry-after']) >= 1);
    });
    assert.ok((await server.api.call(id, parts)).status < 500);
  });
}

/**
 * Declares the test of 429 over a rate: on a server of its own, where `limit` (a key of `limits:`) is three a
 * minute, the fourth request is refused and the twenty seconds that Retry-After names bring the next one.
 */
export function itHasARate(limit: string, id: OperationId, parts: RequestParts | (() => RequestParts) = {}): void {
  describe('over its rate', () => {
    const server = useServer({ limits: { [limit]: 3 } });

    it('429 with Retry-After once the budget is spent, until it has refilled', async () => {
      // A key of its own: starting the server has used the other budgets.
      const api = server.api.as((await server.createAccount()).key);
      const ask = () => api.call(id, typeof parts === 'function' ? parts() : parts);
      let reply = await ask();
      for (let asked = 1; asked < 4 && reply.status !== 429; asked++) reply = await ask();
      assert.equal(reply.refusal(429, 'rate_limit_error').type, 'rate_limit_error');
      const retryAfterS = Number(reply.headers['retry-after']);
      assert.ok(retryAfterS >= 1 && retryAfterS <= 20, `Retry-After is ${retryAfterS}`);
      await server.pass(retryAfterS * 1000);
      assert.notEqual((await ask()).status, 429);
    });
  });
}

/** Declares the test of 304 for an open operation; `seconds` is how long its answer may be kept. */
export function itKeepsItsAnswer(
  server: TestServer,
  id: OperationId,
  { seconds = /^60$/, ...parts }: RequestParts & { readonly seconds?: RegExp } = {},
): void {
  it('304 for a reader that has the answer, and 200 for one that has another', async () => {
    const first = await server.api.call(id, parts);
    assert.equal(first.status, 200);
    const [how, maxAge = ''] = String(first.headers['cache-control']).split('max-age=');
    assert.equal(how, 'public, ');
    assert.match(maxAge, seconds);
    const etag = first.headers.etag ?? '';
    const again = await server.api.call(id, { ...parts, headers: { 'if-none-match': etag } });
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag]);
    assert.equal((await server.api.call(id, { ...parts, headers: { 'if-none-match': '"other"' } })).text, first.text);
  });
}
