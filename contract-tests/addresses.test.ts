import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operations } from '#generated/operations.ts';
import { refusalIn } from './support/reply.ts';
import { useServer } from './support/server.ts';

/** What holds for every address: these answers belong to no operation. */
describe('any address', () => {
  const server = useServer();

  async function ask(method: string, path: string, headers: Record<string, string> = {}) {
    const { statusCode, headers: answered, body } = await server.api.request(method, path, { headers });
    return { status: statusCode, headers: answered, text: await body.text() };
  }

  it('404 where there is nothing, in the envelope of the place', async () => {
    for (const path of ['/', '/v1', '/v1/nothing', '/v1/orders/a/b', '/V1/models', '/v1/%ff', '/%']) {
      const reply = await ask('GET', path);
      assert.equal(reply.status, 404, path);
      assert.equal(refusalIn(reply.text, 'not_found').type, 'not_found_error');
    }
    const reply = await ask('GET', '/v1/messages/nothing');
    assert.equal(reply.status, 404);
    const body = JSON.parse(reply.text);
    assert.deepEqual([body.type, body.error.type, body.error.code], ['error', 'not_found_error', 'not_found']);
  });

  it('404 says where to go: to the reference from the root, and to what a base address that is off by /v1 misses', async () => {
    const hints = [
      ['GET', '/', /nothing at this address\. \/docs is .* \/openapi\.json/],
      ['POST', '/chat/completions', /Did you mean \/v1\/chat\/completions\?$/],
      ['POST', '/v1/v1/chat/completions', /Did you mean \/v1\/chat\/completions\?$/],
      ['GET', '/v1/api/hello', /Did you mean \/api\/hello\?$/],
      ['GET', '/v1/nothing', /nothing at this address\.$/],
    ] as const;
    for (const [method, path, sentence] of hints) {
      assert.match(refusalIn((await ask(method, path)).text, 'not_found').message, sentence, path);
    }
    for (const path of ['/docs/', '/openapi.json']) assert.equal((await ask('GET', path)).status, 200);
  });

  it('405 with Allow for a method that an address does not take', async () => {
    const reply = await ask('DELETE', '/v1/chat/completions');
    assert.equal(reply.status, 405);
    assert.equal(reply.headers.allow, 'POST');
    refusalIn(reply.text, 'method_not_allowed');
    assert.match(String((await ask('POST', '/v1/account')).headers.allow), /GET/);
  });

  it('401 before anything else is looked at, on every operation that needs a key', async () => {
    for (const { method, path, security } of Object.values(operations)) {
      if (security === 'open') continue;
      const reply = await server.api.request(method, path.replaceAll(/\{\w+\}/g, 'x'), { key: null, raw: '{bad' });
      assert.equal(reply.statusCode, 401, `${method} ${path}`);
      await reply.body.dump();
    }
  });

  it('204 to the question that a browser asks first, and every answer is open to other origins', async () => {
    const question = { origin: 'https://example.org', 'access-control-request-method': 'POST' };
    const reply = await ask('OPTIONS', '/v1/chat/completions', question);
    assert.equal(reply.status, 204);
    assert.match(String(reply.headers['access-control-allow-headers']), /authorization/);
    const models = await ask('GET', '/v1/models', { origin: 'https://example.org' });
    assert.equal(models.headers['access-control-allow-origin'], '*');
    assert.match(String(models.headers['access-control-expose-headers']), /x-service-order-id/);
  });

  it('200 the reference at /docs works without any other origin', async () => {
    const page = await ask('GET', '/docs/');
    assert.equal(page.status, 200);
    assert.match(String(page.headers['content-type']), /text\/html/);
    assert.doesNotMatch(page.text, /(src|href)="(https?:)?\/\//);
  });
});
