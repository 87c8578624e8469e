/** The refusals that operations share: no key, a suspended account, too many requests. Spec 5, 8. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationId } from '#generated/operations.ts';
import type { RequestOptions } from './client.ts';
import { IDLE_STEP_MS } from './pace.ts';
import { type TestServer, useServer } from './server.ts';

/** Declares the tests of 401 and 403 for an operation that needs a key; `options` make the request otherwise valid. */
export function itNeedsAKey(server: TestServer, id: OperationId, options: RequestOptions = {}): void {
  // Spec 4.2-50, 5-5
  it('401 without a key, with one that was never issued, and with one that is not a key at all', async () => {
    const headers = [
      {},
      { authorization: 'Bearer sk-sluice-0000000000000000000000000000000000000000000' },
      { authorization: "Bearer ' OR sleep(5) --" },
      { authorization: 'Basic dXNlcjpwYXNz' },
      { authorization: '' },
    ];
    for (const wrong of headers) {
      const reply = await server.api.call(id, { ...options, key: null, headers: { ...options.headers, ...wrong } });
      const { type } = reply.refusal(401, 'invalid_api_key');
      assert.equal(type, 'authentication_error');
    }
  });

  // Spec 4.2-50, 5-6
  it('403 when the account behind the key is suspended', async () => {
    const reply = await server.api.call(id, { ...options, key: await server.suspendedKey() });
    assert.equal(reply.refusal(403, 'account_suspended').type, 'permission_error');
  });
}

/** Declares the test of 503 while the database cannot be reached; `options` make the request otherwise valid. */
export function itSurvivesAnOutage(server: TestServer, id: OperationId, options: RequestOptions = {}): void {
  it('503 with Retry-After while the database cannot be reached, and not after', async () => {
    await server.withoutDatabase(async () => {
      const reply = await server.api.call(id, options);
      assert.equal(reply.refusal(503, 'unavailable').type, 'server_error');
      assert.ok(Number(reply.headers['retry-after']) >= 1);
    });
    assert.ok((await server.api.call(id, options)).status < 500);
  });
}

/**
 * Declares the test of 429 over a rate: on a server of its own, where `limit` (a key of `limits:`) is three a minute,
 * the fourth request is refused, and after the twenty seconds of Retry-After the next one succeeds.
 */
export function itHasARate(
  limit: string,
  id: OperationId,
  options: RequestOptions | (() => RequestOptions) = {},
): void {
  describe('over its rate', () => {
    const server = useServer({ limits: { [limit]: 3 } });

    // Spec 8-2, 8-3
    it('429 with Retry-After once the budget is spent, until it has refilled', async () => {
      // A separate key: starting the server has used the other budgets.
      const api = server.api.as((await server.createAccount()).key);
      const ask = () => api.call(id, typeof options === 'function' ? options() : options);
      let reply = await ask();
      for (let asked = 1; asked < 4 && reply.status !== 429; asked++) reply = await ask();
      assert.equal(reply.refusal(429, 'rate_limit_error').type, 'rate_limit_error');
      const retryAfterS = Number(reply.headers['retry-after']);
      assert.ok(retryAfterS >= 1 && retryAfterS <= 20, `Retry-After is ${retryAfterS}`);
      await server.pass(retryAfterS * 1000, IDLE_STEP_MS);
      assert.notEqual((await ask()).status, 429);
    });
  });
}

/** Declares the test of 304 for an open operation; `seconds` is how long its answer may be cached. */
export function itKeepsItsAnswer(
  server: TestServer,
  id: OperationId,
  { seconds = /^60$/, ...options }: RequestOptions & { readonly seconds?: RegExp } = {},
): void {
  it('304 for a caller that has the answer, and 200 for one that has another', async () => {
    const first = await server.api.call(id, options);
    assert.equal(first.status, 200);
    const [how, maxAge = ''] = String(first.headers['cache-control']).split('max-age=');
    assert.equal(how, 'public, ');
    assert.match(maxAge, seconds);
    const etag = first.headers.etag ?? '';
    const again = await server.api.call(id, { ...options, headers: { 'if-none-match': etag } });
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag]);
    assert.equal((await server.api.call(id, { ...options, headers: { 'if-none-match': '"other"' } })).text, first.text);
  });
}
