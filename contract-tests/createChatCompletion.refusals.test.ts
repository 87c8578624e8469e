import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { errorReply } from '#testing/mock-backend.ts';
import { chat } from './support/chat.ts';
import { itHasARate, itNeedsAKey } from './support/common-refusals.ts';
import { itNamesAnUnfundedOrder } from './support/inference-outcomes.ts';
import { TestServer, useServer } from './support/server.ts';

const MIB = 1024 * 1024;

describe('POST /v1/chat/completions refuses before there is an order', () => {
  const server = useServer();

  /** Asks, and asserts the refusal, that nothing was charged, and that the backend received nothing. */
  async function refused(
    status: number,
    code: string,
    fields: Record<string, unknown>,
    headers: Record<string, string> = {},
  ) {
    const heard = server.backend.requests.length;
    const reply = await server.uncharged(() =>
      server.api.call('createChatCompletion', { body: chat(fields), headers }),
    );
    assert.equal(server.backend.requests.length, heard, 'The backend was asked.');
    assert.equal(reply.headers['x-service-order-id'], undefined, 'An order was made.');
    return reply.refusal(status, code);
  }

  itNeedsAKey(server, 'createChatCompletion', { body: chat() });
  // Spec 8-5, 8-3, 7-25
  itHasARate('inference_requests_per_minute_per_key', 'createChatCompletion', { body: chat() });

  // Spec 4.2-26, 7-2
  it('400 missing_price_limit on a market model when no price is set, or only null', async () => {
    await refused(400, 'missing_price_limit', { price_limit: undefined });
    await refused(400, 'missing_price_limit', { price_limit: null });
    await refused(400, 'missing_price_limit', { price_limit: undefined, price_lock: true });
  });

  it('400 for a price limit that is negative, above a billion or not a number, on a fixed-price model too', async () => {
    for (const price_limit of [-1, 1_000_000_001, '5', {}, true]) {
      for (const model of ['tide', 'harbor']) {
        const { param } = await refused(400, 'invalid_price_limit', { model, price_limit });
        assert.equal(param, 'price_limit');
      }
    }
  });

  it('400 for a bad X-Price-Limit even when the body has a good one', async () => {
    for (const value of ['abc', '-1', '1000000001', '']) {
      await refused(400, 'invalid_price_limit', {}, { 'x-price-limit': value });
    }
  });

  it('400 without messages, with none, with an empty role, or with content of another type', async () => {
    await refused(400, 'invalid_request', { messages: undefined });
    await refused(400, 'invalid_request', { messages: [] });
    await refused(400, 'invalid_request', { messages: 'hello' });
    await refused(400, 'invalid_request', { messages: ['hello'] });
    const { param } = await refused(400, 'invalid_request', { messages: [{ role: '', content: 'a' }] });
    assert.equal(param, 'messages[0].role');
    await refused(400, 'invalid_request', { messages: [{ content: 'a' }] });
    await refused(400, 'invalid_request', { messages: [{ role: 'user', content: 5 }] });
  });

  it('400 for n or best_of above 1', async () => {
    assert.equal((await refused(400, 'invalid_request', { n: 2 })).param, 'n');
    assert.equal((await refused(400, 'invalid_request', { best_of: 2 })).param, 'best_of');
  });

  it('400 invalid_output_cap for a cap that is 0, negative, a fraction, too large or not a number', async () => {
    for (const cap of [0, -1, 1.5, 10_000_001, '5']) {
      await refused(400, 'invalid_output_cap', { max_tokens: cap });
      await refused(400, 'invalid_output_cap', { max_completion_tokens: cap });
    }
  });

  it('400 for temperature or top_p outside its bounds', async () => {
    for (const temperature of [2.1, -0.1, 'hot']) await refused(400, 'invalid_request', { temperature });
    for (const top_p of [1.1, -0.1]) await refused(400, 'invalid_request', { top_p });
  });

  it('400 for five stop strings, for one of 257 characters, and for values that are not strings', async () => {
    for (const stop of [['a', 'b', 'c', 'd', 'e'], ['x'.repeat(257)], 'x'.repeat(257), [5], 5]) {
      await refused(400, 'invalid_request', { stop });
    }
  });

  it('400 for a max_wait of 0, above thirty days, a fraction or text, under either name and in the header', async () => {
    for (const wait of [0, -1, 2_592_001, 1.5, '60']) {
      await refused(400, 'invalid_max_wait', { max_wait: wait });
      await refused(400, 'invalid_max_wait', { expires_after: wait });
    }
    for (const wait of ['0', 'soon', '1.5', '2592001']) {
      await refused(400, 'invalid_max_wait', {}, { 'x-expires-after': wait });
    }
  });

  it('400 for negative or fractional retention_days', async () => {
    for (const retention_days of [-1, 1.5, '3']) await refused(400, 'invalid_request', { retention_days });
  });

  it('400 for switches that are not booleans', async () => {
    for (const name of ['stream', 'price_lock', 'detached', 'store']) {
      await refused(400, 'invalid_request', { [name]: 'yes' });
    }
  });

  it('400 for a stream of a detached request', async () => {
    await refused(400, 'invalid_request', { detached: true, stream: true });
  });

  it('400 for an Idempotency-Key that is empty or longer than 255 characters', async () => {
    await refused(400, 'invalid_request', {}, { 'idempotency-key': '' });
    await refused(400, 'invalid_request', {}, { 'idempotency-key': 'k'.repeat(256) });
  });

  // Spec 7-4, 7-6, 9-6
  it('400 model_preview on a market in preview, and model_deprecated on a deprecated model', async () => {
    await refused(400, 'model_preview', { model: 'surge' });
    await refused(400, 'model_deprecated', { model: 'ebb' });
  });

  it('404 model_not_found for a model that is not served', async () => {
    const { param, type } = await refused(404, 'model_not_found', { model: 'nobody' });
    assert.equal(param, 'model');
    assert.equal(type, 'not_found_error');
  });

  it('400 for a body that is not JSON, not an object, empty, not UTF-8 or in an unknown encoding', async () => {
    const send = (raw: string | Uint8Array, headers: Record<string, string> = {}) =>
      server.api.call('createChatCompletion', { raw, headers });
    (await send('{"messages":')).refusal(400, 'invalid_json');
    (await send('')).refusal(400, 'invalid_json');
    (await send(Uint8Array.of(0x22, 0xff, 0x22))).refusal(400, 'invalid_json');
    (await send('[]')).refusal(400, 'invalid_request');
    (await send('null')).refusal(400, 'invalid_request');
    (await send('{}', { 'content-encoding': 'compress' })).refusal(400, 'unsupported_encoding');
    (await send('not gzip', { 'content-encoding': 'gzip' })).refusal(400, 'invalid_request');
  });

  // Spec 4.2-56
  it('413 for a body over 8 MiB, plain or decompressed, and not for one of exactly 8 MiB', async () => {
    const body = (bytes: number) => {
      const text = JSON.stringify(chat({ model: 'nobody', padding: '' }));
      return text.replace('"padding":""', `"padding":"${'x'.repeat(bytes - text.length)}"`);
    };
    const send = (raw: string | Uint8Array, headers: Record<string, string> = {}) =>
      server.api.call('createChatCompletion', { raw, headers });
    (await send(body(8 * MIB + 1))).refusal(413, 'request_too_large');
    (await send(gzipSync(body(64 * MIB)), { 'content-encoding': 'gzip' })).refusal(413, 'request_too_large');
    (await send(body(8 * MIB))).refusal(404, 'model_not_found');
    (await send(gzipSync(body(8 * MIB)), { 'content-encoding': 'gzip' })).refusal(404, 'model_not_found');
  });

  itNamesAnUnfundedOrder(server, 'createChatCompletion', chat);

  // Spec 4.2-51, 7-9, 7-10, 8-45
  it('402 when the balance cannot cover the request at the level, without an order', async () => {
    const poor = server.api.as((await server.createAccount({ creditUsd: 0.0001 })).key);
    for (const fields of [
      {},
      { stream: true },
      { model: 'harbor', messages: [{ role: 'user', content: 'x'.repeat(16000) }] },
    ]) {
      const reply = await server.uncharged(
        () => poor.call('createChatCompletion', { body: chat({ max_tokens: 1000, ...fields }) }),
        poor,
      );
      assert.equal(reply.refusal(402, 'insufficient_balance').type, 'insufficient_quota');
      assert.equal(reply.headers['x-service-order-id'], undefined);
    }
    assert.equal((await poor.call('listOrders')).body(200).data.length, 0);
  });

  // Spec 8-12
  it('429 when the account has its maximum of queued orders', async () => {
    const limited = new TestServer({ limits: { queued_orders_per_account: 2 } });
    await limited.start();
    try {
      const waiting = { body: chat({ model: 'reef', detached: true }) };
      (await limited.api.call('createChatCompletion', waiting)).body(202);
      (await limited.api.call('createChatCompletion', waiting)).body(202);
      const reply = await limited.api.call('createChatCompletion', waiting);
      assert.equal(reply.refusal(429, 'rate_limit_error').type, 'rate_limit_error');
      (await limited.api.call('createChatCompletion', { body: chat() })).body(200);
    } finally {
      await limited.close();
    }
  });

  // Spec 4.2-49
  it('400 model_refused when the model refuses the request, without a charge', async () => {
    for (const status of [400, 413, 422]) {
      server.answer(errorReply(status, 'too many images'));
      const reply = await server.uncharged(() => server.api.call('createChatCompletion', { body: chat() }));
      assert.match(reply.refusal(400, 'model_refused').message, /./);
      const order = (await server.api.call('getOrder', { params: { id: reply.orderId } })).body(200);
      assert.equal(order.status, 'error');
    }
  });
});
