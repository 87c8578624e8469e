/**
 * How orders end in every shape: the statuses that all inference operations share. The tests of chat cover each of them
 * in more depth; these prove that the other shapes answer the same. Spec 4.2, 4.4.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { OperationId } from '#generated/operations.ts';
import { cannedReply, errorReply } from '#testing/mock-backend.ts';
import { itHasARate, itNeedsAKey } from './common-refusals.ts';
import { TestServer } from './server.ts';
import type { TestKeySettings } from './test-operator.ts';

const MIB = 1024 * 1024;

/** Makes a valid request to the market `tide`, changed by `fields`. */
export type MakeBody = (fields?: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/** The name of the price in a shape, and its code when no price is set. */
export interface PriceWords {
  readonly field: string;
  readonly missing: string;
}

/** Declares the tests; they restore the answers of their server's backend. */
export function itEndsAsOrdersDo(
  server: TestServer,
  id: OperationId,
  body: MakeBody,
  price: PriceWords = { field: 'price_limit', missing: 'missing_price_limit' },
): void {
  const ask = (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    server.api.call(id, { body: body(fields), headers });
  const cancelWaiting = async () => {
    const { data } = (await server.api.call('listOrders', { query: { status: 'queued' } })).body(200);
    (await server.api.call('cancelOrder', { params: { id: data[0]?.id ?? '' } })).body(200);
  };

  itNeedsAKey(server, id, { body: body() });
  itHasARate('inference_requests_per_minute_per_key', id, { body: body() });

  // Spec 4.4-35, 4.5-23
  it(`400 ${price.missing}, model_preview and model_deprecated, and 404 model_not_found, without an order`, async () => {
    const refused = async (status: number, code: string, fields: Record<string, unknown>) => {
      const reply = await server.uncharged(() => ask(fields));
      reply.refusal(status, code);
      assert.equal(reply.headers['x-service-order-id'], undefined);
    };
    await refused(400, price.missing, { [price.field]: undefined });
    await refused(400, 'model_preview', { model: 'surge' });
    await refused(400, 'model_deprecated', { model: 'ebb' });
    await refused(404, 'model_not_found', { model: 'nobody' });
  });

  it('400 model_refused when the model refuses, without a charge', async () => {
    server.answer(errorReply(400, 'no such thing'));
    (await server.uncharged(() => ask())).refusal(400, 'model_refused');
    server.answer(cannedReply());
  });

  it('402 when the balance cannot cover the request', async () => {
    const poor = server.api.as((await server.createAccount({ creditUsd: 0 })).key);
    (await poor.call(id, { body: body() })).refusal(402, 'insufficient_balance');
  });

  itNamesAnUnfundedOrder(server, id, body);

  it('401 for an expired key, 402 when the budget of the key is too small, and 403 for a model that it may not use', async () => {
    const refused = async (keySettings: TestKeySettings, status: number, code: string, afterMs = 0) => {
      const account = await server.createAccount({ keySettings });
      if (afterMs > 0) await server.pass(afterMs);
      const reply = await server.api.as(account.key).call(id, { body: body() });
      reply.refusal(status, code);
      assert.equal(reply.headers['x-service-order-id'], undefined);
    };
    await refused({ expiresAtMs: server.clock.nowMs() + 1000 }, 401, 'invalid_api_key', 1000);
    await refused({ budget: 1n, reset: 'day' }, 402, 'key_budget_exceeded');
    await refused({ models: ['reef'] }, 403, 'model_not_allowed');
  });

  // Spec 4.4-38, 4.5-24
  it('408 order_expired after max_wait, from the body or the header', async () => {
    for (const [fields, headers] of [
      [{ max_wait: 20 }, {}],
      [{}, { 'x-expires-after': '20' }],
    ] as const) {
      const asked = ask({ model: 'reef', ...fields }, headers);
      await server.orders({ queued: 1 });
      const reply = await server.uncharged(() => server.passTimeUntil(asked));
      reply.refusal(408, 'order_expired');
      assert.equal(reply.headers['x-should-retry'], 'false');
    }
  });

  it('409 order_canceled when it is canceled while it waits', async () => {
    const asked = ask({ model: 'reef' });
    await server.orders({ queued: 1 });
    await cancelWaiting();
    (await asked).refusal(409, 'order_canceled');
  });

  it('200 again for a repeated key, 409 idempotency_error for another request under it, 429 while it is in flight', async () => {
    const key = { 'idempotency-key': `${id}-1` };
    const before = await server.charged();
    const first = await ask({}, key);
    const second = await server.passTimeUntil(ask({}, key));
    assert.deepEqual([first.status, second.status, second.text], [200, 200, first.text]);
    const replayed = [first, second].map(({ headers }) => headers['idempotent-replayed']);
    assert.deepEqual(replayed, [undefined, 'true']);
    assert.equal((await server.charged()).settled, before.settled + 1);
    (await ask({ temperature: 1 }, key)).refusal(409, 'idempotency_error');
    const flying = ask({ model: 'reef' }, { 'idempotency-key': `${id}-2` });
    await server.orders({ queued: 1 });
    (await ask({ model: 'reef' }, { 'idempotency-key': `${id}-2` })).refusal(429, 'result_pending');
    await cancelWaiting();
    (await flying).refusal(409, 'order_canceled');
  });

  it('413 for a body over 8 MiB', async () => {
    (await ask({ padding: 'x'.repeat(8 * MIB) })).refusal(413, 'request_too_large');
  });

  it('429 capacity_unavailable for a lock that did not start in ten seconds', async () => {
    const asked = ask({ model: 'reef', price_lock: true });
    await server.orders({ queued: 1 });
    const reply = await server.uncharged(() => server.passTimeUntil(asked));
    reply.refusal(429, 'capacity_unavailable');
    assert.equal(reply.headers['retry-after'], undefined);
  });

  it('500 settlement_uncertain while nothing commits, and one charge in the end', async () => {
    const finish = server.holdAnswers();
    const before = await server.charged();
    const asked = ask();
    await server.orders({ executing: 1 });
    const reply = await server.withoutCommits((passTimeUntil) => {
      finish();
      return passTimeUntil(asked);
    });
    reply.refusal(500, 'settlement_uncertain');
    await server.orders({ executing: 0 });
    assert.equal((await server.charged()).settled, before.settled + 1);
  });

  it('502 backend_error after four failed attempts, without a charge', async () => {
    server.answer({ writes: [], instead: 'reset' });
    const reply = await server.uncharged(() => server.passTimeUntil(ask({ max_wait: 86_400 }), 100));
    reply.refusal(502, 'backend_error');
    server.answer(cannedReply());
  });

  it('503 for a waiting order when the gateway drains', async () => {
    const draining = new TestServer({});
    await draining.start();
    try {
      const waiting = draining.api.call(id, { body: body({ model: 'reef' }) });
      await draining.orders({ queued: 1 });
      const stopped = draining.stop();
      (await waiting).refusal(503, 'unavailable');
      await stopped;
    } finally {
      await draining.close();
    }
  });
}

/** Declares the test of 402 for an existing order; it resets the server's backend to its default answers. */
export function itNamesAnUnfundedOrder(server: TestServer, id: OperationId, body: MakeBody): void {
  /** A request whose output cap is not lowered to what the balance can pay. */
  const capped = { body: body({ [id === 'createResponse' ? 'max_output_tokens' : 'max_tokens']: 8 }) };
  /** The balance for one capped request, or a little more: less than the charge of that request. */
  const leastCredit = async () => {
    for (let creditUsd = 2e-5; ; creditUsd *= 1.15) {
      const { key } = await server.createAccount({ creditUsd });
      if ((await server.api.as(key).call(id, capped)).status === 200) return creditUsd;
    }
  };

  it('402 names the order whose money another order took while it waited', async () => {
    const { key } = await server.createAccount({ creditUsd: await leastCredit() });
    const poor = server.api.as(key);
    const finish = server.holdAnswers();
    const first = poor.call(id, capped);
    await server.orders({ executing: 1 }, poor);
    const second = poor.call(id, capped);
    await server.orders({ executing: 1, queued: 1 }, poor);
    finish();
    assert.equal((await first).status, 200);
    const reply = await second;
    reply.refusal(402, 'insufficient_balance');
    assert.ok(reply.orderId);
    server.answer(cannedReply());
  });
}
