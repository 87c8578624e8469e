import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itHasARate, itKeepsItsAnswer } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

const LIMIT = 3;

describe('GET /v1/rate-limits', () => {
  const server = useServer({
    limits: { request_body_bytes: 600, inference_requests_per_minute_per_key: LIMIT, active_keys_per_account: 7 },
  });
  const get = async () => (await server.api.call('getRateLimits', { key: null })).body(200);
  itHasARate('public_requests_per_minute_per_address', 'getRateLimits');
  itKeepsItsAnswer(server, 'getRateLimits');

  it('200 every limit, without a key', async () => {
    const limits = await get();
    assert.equal(limits.object, 'rate_limits');
    assert.equal(limits.batch.min_retention_days, 1);
    assert.deepEqual(limits.storage, { retention_days_max: 30, bytes_max_per_account: 100 * 1024 ** 3 });
    assert.deepEqual(
      [limits.orders.timeout_seconds_min, limits.orders.timeout_seconds_max, limits.orders.price_lock_window_seconds],
      [10, 2_592_000, 10],
    );
  });

  it('200 shows what the operator configured, and those limits apply', async () => {
    const { inference, account } = await get();
    assert.equal(inference.requests_per_minute_per_key, LIMIT);
    assert.equal(inference.request_body_bytes_max, 600);
    assert.equal(account.active_keys_max, 7);
    const ask = (content: string) =>
      server.api.call('createChatCompletion', { body: { model: 'tide', messages: [{ role: 'user', content }] } });
    (await ask('x'.repeat(600))).refusal(413, 'request_too_large');
    const spent: number[] = [];
    for (let asked = 0; asked < LIMIT; asked++) spent.push((await ask('Hello?')).status);
    assert.deepEqual(spent, [400, 400, 429]);
  });

  describe('of JSON', () => {
    const plain = useServer();

    it('200 shows the maximum depth and number of values of a body, and those limits apply', async () => {
      const { inference } = (await plain.api.call('getRateLimits', { key: null })).body(200);
      const { request_body_nesting_max: depth, request_body_values_max: values } = inference;
      assert.deepEqual([depth, values], [256, 100_000]);
      const codeOf = async (raw: string) => {
        const reply = await plain.api.call('updateAccount', { raw });
        return JSON.parse(reply.text).error.code;
      };
      // The object itself counts as a level; at the bound the only refusal is an unknown field.
      const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
      assert.deepEqual(
        [await codeOf(nested(depth)), await codeOf(nested(depth + 1))],
        ['invalid_request', 'invalid_json'],
      );
      const holding = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":0`).join()}}`;
      assert.deepEqual(
        [await codeOf(holding(values)), await codeOf(holding(values + 1))],
        ['invalid_request', 'invalid_json'],
      );
    });
  });

  it('308 leads here from its former address', async () => {
    const { headers } = await server.api.call('redirectLimits', { key: null });
    assert.equal(headers.location, '/v1/rate-limits');
  });
});
