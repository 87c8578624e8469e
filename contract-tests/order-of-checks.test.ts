import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import type { RequestOptions } from './support/client.ts';
import { useServer } from './support/server.ts';

const TOO_LARGE = `{${' '.repeat(8 * 1024 * 1024)}`;

/**
 * A request can be wrong in several ways at once; the order of the checks is fixed and listed in docs/buy/errors.md. Each
 * test sends a request that fails one check and also the next.
 */
describe('the order of checks', () => {
  const server = useServer({ limits: { queued_orders_per_account: 1, inference_requests_per_minute_per_key: 20 } });

  async function refused(status: number, code: string, options: RequestOptions): Promise<void> {
    (await server.api.call('createChatCompletion', options)).refusal(status, code);
  }

  /** A key of an account that has one waiting order, has used the Idempotency-Key `used`, and has almost no money. */
  async function busyKey(): Promise<string> {
    const { key } = await server.createAccount({ creditUsd: 0.0005 });
    const api = server.api.as(key);
    const used = { body: chat({ max_tokens: 8 }), headers: { 'idempotency-key': 'used' } };
    (await api.call('createChatCompletion', used)).body(200);
    const waiting = { body: chat({ model: 'reef', max_tokens: 8, detached: true }) };
    (await api.call('createChatCompletion', waiting)).body(202);
    return key;
  }

  it('404 address before 405 method before 401 key', async () => {
    const status = async (method: string, path: string) => {
      const reply = await server.api.request(method, path, { key: null });
      return (await reply.whole()).status;
    };
    assert.equal(await status('PUT', '/v1/nothing'), 404);
    assert.equal(await status('PUT', '/v1/chat/completions'), 405);
    assert.equal(await status('POST', '/v1/chat/completions'), 401);
  });

  it('401 key before 403 account before 403 address before 403 scope before 413 size', async () => {
    await refused(401, 'invalid_api_key', { key: 'sk-none', raw: TOO_LARGE });
    await refused(403, 'account_suspended', { key: await server.suspendedKey(), raw: TOO_LARGE });
    const elsewhere = { scopes: ['read_own'], addresses: ['203.0.113.7'] } as const;
    const { id, key } = await server.createAccount({ keySettings: elsewhere });
    await server.whileSuspended({ id, key, keyId: '' }, () =>
      refused(403, 'account_suspended', { key, raw: TOO_LARGE }),
    );
    await refused(403, 'address_not_allowed', { key, raw: TOO_LARGE });
    const reader = await server.createAccount({ keySettings: { scopes: ['read_own'] } });
    await refused(403, 'missing_scope', { key: reader.key, raw: TOO_LARGE });
    await refused(413, 'request_too_large', { raw: TOO_LARGE });
  });

  it('429 rate before 413 size', async () => {
    const { key } = await server.createAccount();
    for (let asked = 0; asked < 20; asked++) await refused(400, 'invalid_json', { key, raw: '{' });
    await refused(429, 'rate_limit_error', { key, raw: TOO_LARGE });
  });

  it('413 size before 400 JSON before 400 fields before 404 model', async () => {
    await refused(413, 'request_too_large', { raw: TOO_LARGE });
    await refused(400, 'invalid_json', { raw: '{"model":"nobody","messages":' });
    await refused(400, 'invalid_request', { body: chat({ model: 'nobody', messages: [] }) });
    await refused(404, 'model_not_found', { body: chat({ model: 'nobody', price_limit: undefined }) });
  });

  it('400 deprecated and preview before 400 price', async () => {
    await refused(400, 'model_deprecated', { body: chat({ model: 'ebb', price_limit: undefined }) });
    await refused(400, 'model_preview', { body: chat({ model: 'surge', price_limit: undefined }) });
  });

  it("400 deprecated before 403 the key's models before 400 images and price", async () => {
    const { key } = await server.createAccount({ keySettings: { models: ['reef'] } });
    const image = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }];
    const messages = [{ role: 'user', content: image }];
    await refused(400, 'model_deprecated', { key, body: chat({ model: 'ebb', messages }) });
    await refused(403, 'model_not_allowed', { key, body: chat({ messages, price_limit: undefined }) });
  });

  it("429 queue before 402 the key's budget before 402 balance", async () => {
    const settings = { creditUsd: 0.0005, keySettings: { budget: 400_000n } };
    const { key } = await server.createAccount(settings);
    await refused(402, 'key_budget_exceeded', { key, body: chat({ model: 'reef', max_tokens: 1024 }) });
    const waiting = { key, body: chat({ model: 'reef', max_tokens: 8, detached: true }) };
    (await server.api.call('createChatCompletion', waiting)).body(202);
    await refused(429, 'rate_limit_error', { key, body: chat({ model: 'reef', max_tokens: 1024 }) });
  });

  it('400 price before 409 idempotency before 400 bound of the charge before 429 queue before 402 balance', async () => {
    const key = await busyKey();
    const headers = { 'idempotency-key': 'used' };
    const tooDear = { model: 'reef', max_tokens: 1024 };
    await refused(400, 'missing_price_limit', { key, headers, body: chat({ ...tooDear, price_limit: undefined }) });
    await refused(409, 'idempotency_error', { key, headers, body: chat({ ...tooDear, max_charge_usd: 0 }) });
    await refused(400, 'max_charge_too_low', { key, body: chat({ ...tooDear, max_charge_usd: 0 }) });
    await refused(429, 'rate_limit_error', { key, body: chat(tooDear) });
    const { data } = (await server.api.as(key).call('listOrders', { query: { status: 'queued' } })).body(200);
    (await server.api.call('cancelOrder', { key, params: { id: data[0]?.id ?? '' } })).body(200);
    await refused(402, 'insufficient_balance', { key, body: chat(tooDear) });
  });
});
