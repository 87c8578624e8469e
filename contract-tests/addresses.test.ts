import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operations } from '#generated/operations.ts';
import { refusalIn } from './support/reply.ts';
import { useServer } from './support/server.ts';

/** Rules for every address: these answers belong to no operation. */
describe('any address', () => {
  const server = useServer();

  async function ask(method: string, path: string, headers: Record<string, string> = {}) {
    // Without it the root is the page for people.
    const all = { accept: 'application/json', ...headers };
    return (await server.api.request(method, path, { headers: all })).whole();
  }

  it('404 for an unknown address, in the envelope of its routes', async () => {
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

  it('404 names the right address: the reference for the root, and the route for a base address that is off by /v1', async () => {
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
    for (const path of ['/docs/', '/docs/reference', '/openapi.json'])
      assert.equal((await ask('GET', path)).status, 200);
  });

  it('405 with Allow for a method that an address does not support', async () => {
    const reply = await ask('DELETE', '/v1/chat/completions');
    assert.equal(reply.status, 405);
    assert.equal(reply.headers.allow, 'POST');
    refusalIn(reply.text, 'method_not_allowed');
    assert.match(String((await ask('POST', '/v1/account')).headers.allow), /GET/);
  });

  // Spec 4.1-3
  it('401 before any other check, on every operation that needs a key', async () => {
    for (const { method, path, security } of Object.values(operations)) {
      if (security === 'open') continue;
      const reply = await server.api.request(method, path.replaceAll(/\{\w+\}/g, 'x'), { key: null, raw: '{bad' });
      assert.equal(reply.status, 401, `${method} ${path}`);
      await reply.whole();
    }
  });

  it('204 for the preflight of a browser, and every answer is open to other origins', async () => {
    const question = { origin: 'https://example.org', 'access-control-request-method': 'POST' };
    const reply = await ask('OPTIONS', '/v1/chat/completions', question);
    assert.equal(reply.status, 204);
    assert.match(String(reply.headers['access-control-allow-headers']), /authorization/);
    const models = await ask('GET', '/v1/models', { origin: 'https://example.org' });
    assert.equal(models.headers['access-control-allow-origin'], '*');
    assert.match(String(models.headers['access-control-expose-headers']), /x-service-order-id/);
  });

  it('204 allows every header that the official clients send', async () => {
    const families = [
      'x-stainless-helper',
      'x-stainless-helper-method',
      'x-stainless-poll-helper',
      'x-stainless-custom-poll-interval',
      'x-stainless-retry-count',
      'x-stainless-timeout',
      'openai-beta',
      'openai-organization',
      'openai-project',
      'anthropic-beta',
      'anthropic-dangerous-direct-browser-access',
      'anthropic-user-profile-id',
      'anthropic-version',
      'anthropic-workspace-id',
    ];
    const always = ['authorization', 'x-api-key', 'content-type', 'user-agent', 'if-none-match', 'idempotency-key'];
    const names = [...always, ...families, 'x-client-request-id', 'traceparent', 'tracestate'];
    const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': names.join(',') };
    const allowed = async (headers: Record<string, string>) => {
      const reply = await ask('OPTIONS', '/v1/messages', { origin: 'https://example.org', ...headers });
      return String(reply.headers['access-control-allow-headers']).split(', ');
    };
    const missing = (from: readonly string[], found: readonly string[]) => from.filter((name) => !found.includes(name));
    assert.deepEqual(missing(names, await allowed(asked)), []);
    assert.deepEqual(missing(always, await allowed({})), []);
  });

  it('204 repeats no other name, and not without end', async () => {
    const many = Array.from({ length: 500 }, (_, at) => `openai-${at}`);
    const names = ['cookie', 'x-forwarded-for', 'openai-', 'openai-ä', `openai-${'x'.repeat(100)}`, ...many];
    const reply = await ask('OPTIONS', '/v1/models', { 'access-control-request-headers': names.join(', ') });
    const allowed = String(reply.headers['access-control-allow-headers']).split(', ');
    assert.deepEqual(
      allowed.filter((name) => name.startsWith('openai-')),
      many.slice(0, 50),
    );
    assert.ok(!allowed.includes('cookie') && !allowed.includes('x-forwarded-for'));
  });

  it('200 the documentation and the reference load nothing from another origin', async () => {
    for (const path of ['/docs/', '/docs/buy/errors', '/docs/reference']) {
      const page = await ask('GET', path);
      assert.equal(page.status, 200);
      assert.match(String(page.headers['content-type']), /text\/html/);
      assert.doesNotMatch(page.text, /(src|href)="(https?:)?\/\//);
    }
  });
});
