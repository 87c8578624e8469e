import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationId } from '#generated/operations.ts';
import { cannedReply, errorReply } from '#testing/mock-backend.ts';
import { chat } from './support/chat.ts';
import type { MakeBody } from './support/inference-outcomes.ts';
import { message } from './support/message.ts';
import { type TestServer, useServer } from './support/server.ts';

const shapes: Readonly<Record<string, MakeBody>> = {
  createChatCompletion: chat,
  createCompletion: (fields) => ({ model: 'tide', prompt: 'Hi', price_limit: 5, ...fields }),
  createResponse: (fields) => ({ model: 'tide', input: 'Hi', price_limit: 5, ...fields }),
  createMessage: message,
};
/** The attempts so far; a pod that failed is tried with requests of its own. */
const attemptsOn = ({ backend }: TestServer) =>
  backend.requests.filter(({ headers }) => !String(headers['x-request-id']).startsWith('trial-')).length;
const RESET = { writes: [], instead: 'reset' } as const;

/** `repeat_guard_ms`: what the retries of a client get that repeats a request whatever the headers say. */
describe('repeats of a request that failed', () => {
  const server = useServer({ repeat_guard_ms: 5000 });
  for (const [name, make] of Object.entries(shapes)) {
    const id = name as OperationId;
    const ask = (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}, api = server.api) =>
      server.passTimeUntil(api.call(id, { body: make({ max_wait: 86_400, max_tokens: 7, ...fields }), headers }), 100);
    const ordersNow = async (api = server.api) =>
      Number((await api.call('listOrders', { query: { include: 'totals' } })).body(200).total_orders);

    it(`502 ${name} again for five seconds, of the one order, whole or streamed; then 200`, async () => {
      server.answer(RESET);
      const failed = await ask();
      failed.refusal(502, 'backend_error');
      assert.equal(failed.headers['idempotent-replayed'], undefined);
      const orders = await ordersNow();
      server.answer(cannedReply());
      for (const fields of [{}, { stream: true }]) {
        const repeated = await server.uncharged(() => ask(fields));
        repeated.refusal(502, 'backend_error');
        const { headers } = repeated;
        assert.deepEqual(
          [repeated.orderId, headers['idempotent-replayed'], headers['x-should-retry']],
          [failed.orderId, 'true', 'false'],
        );
      }
      assert.equal(await ordersNow(), orders);
      await server.pass(5000);
      assert.equal((await ask()).status, 200);
      assert.equal((await ask()).status, 200);
    });

    it(`200 ${name} at once: another body, another API key, another Idempotency-Key, or a stream that did not fail`, async () => {
      const { key } = await server.createAccount({ creditUsd: 10 });
      server.answer(RESET);
      (await ask({ max_tokens: 8 }, { 'idempotency-key': `a ${name}` })).refusal(502, 'backend_error');
      server.answer(cannedReply());
      (await ask({ max_tokens: 8 }, { 'idempotency-key': `a ${name}` })).refusal(502, 'backend_error');
      assert.equal((await ask({ max_tokens: 9 }, { 'idempotency-key': `b ${name}` })).status, 200);
      assert.equal((await ask({ max_tokens: 8 }, { 'idempotency-key': `c ${name}` })).status, 200);
      assert.equal((await ask({ max_tokens: 8 })).status, 200);
      assert.equal((await ask({ max_tokens: 8 }, {}, server.api.as(key))).status, 200);
    });

    it(`200 ${name} for all who repeat a request while its order is retried, also when its first caller leaves`, async () => {
      const fields = { max_tokens: 11, max_wait: 86_400 };
      const [orders, before] = [await ordersNow(), await server.charged()];
      const [attempts, requests] = [attemptsOn(server), server.backend.requests.length];
      const released = Promise.withResolvers<void>();
      server.answer((count) => (count === 0 ? RESET : { ...cannedReply(), headAfter: released.promise }));
      const first = await server.api.open(id, { body: make({ ...fields, stream: true }) });
      await server.passTimeUntil(server.backend.requested(requests + 2), 100);
      const joined = await server.api.open(id, { body: make({ ...fields, stream: true }) });
      const whole = server.api.call(id, { body: make(fields) });
      await server.pass(1000);
      first.leave();
      await server.pass(1000);
      released.resolve();
      for (const reply of await server.passTimeUntil(Promise.all([joined.end(), whole]), 100)) {
        const { status, headers, orderId } = reply;
        assert.deepEqual(
          [status, headers['idempotent-replayed'], orderId],
          [200, 'true', first.headers['x-service-order-id']],
        );
      }
      assert.equal(first.headers['idempotent-replayed'], undefined);
      assert.equal(attemptsOn(server), attempts + 2);
      assert.equal(await ordersNow(), orders + 1);
      assert.equal((await server.charged()).settled, before.settled + 1);
      server.answer(cannedReply());
      assert.notEqual((await ask({ max_tokens: 11 })).orderId, first.headers['x-service-order-id']);
    });

    it(`502 or 400 ${name} for all of them when that is how the order ends`, async () => {
      for (const [status, code, attempts] of [
        [500, 'backend_error', 4],
        [400, 'model_refused', 2],
      ] as const) {
        const call = {
          body: make({ max_tokens: status, max_wait: 86_400 }),
          headers: { 'idempotency-key': code + name },
        };
        const [orders, before, requests] = [await ordersNow(), attemptsOn(server), server.backend.requests.length];
        const released = Promise.withResolvers<void>();
        const failing = { ...errorReply(status, 'no'), headAfter: released.promise };
        server.answer((count) => (count === 0 ? RESET : failing));
        const first = server.api.call(id, call);
        await server.passTimeUntil(server.backend.requested(requests + 2), 100);
        const other = server.api.call(id, call);
        await server.pass(1000);
        released.resolve();
        const [one, two] = await server.passTimeUntil(Promise.all([first, other]), 100);
        for (const reply of [one, two]) reply.refusal(status === 500 ? 502 : 400, code);
        assert.equal(two.orderId, one.orderId);
        assert.equal(one.headers['idempotent-replayed'], undefined);
        assert.equal(two.headers['idempotent-replayed'], status === 500 ? 'true' : undefined);
        assert.deepEqual([await ordersNow(), attemptsOn(server)], [orders + 1, before + attempts]);
      }
      server.answer(cannedReply());
    });

    it(`502 ${name} after a stream that failed in the middle`, async () => {
      const { writes } = cannedReply();
      server.answer({ writes: writes.slice(0, 4), write: 'each', after: 'reset' });
      const first = await ask({ max_tokens: 10, stream: true });
      assert.equal(first.status, 200);
      server.answer(cannedReply());
      const repeated = await ask({ max_tokens: 10 });
      repeated.refusal(502, 'backend_error');
      assert.equal(repeated.orderId, first.orderId);
    });
  }
});

describe('repeats of a detached request that failed', () => {
  const server = useServer({ repeat_guard_ms: 5000, responses: { background: true } });
  for (const [id, fields] of [
    ['createChatCompletion', { detached: true }],
    ['createCompletion', { detached: true }],
    ['createResponse', { background: true }],
  ] as const) {
    it(`the order of the first ${id} while it is retried, and its 502 once it failed`, async () => {
      const ask = () => server.api.call(id, { body: shapes[id]?.({ max_wait: 86_400, ...fields }) });
      const attempts = server.backend.requests.length;
      const released = Promise.withResolvers<void>();
      const failing = { ...errorReply(500, 'no'), headAfter: released.promise };
      server.answer((count) => (count === 0 ? RESET : failing));
      const first = await ask();
      await server.passTimeUntil(server.backend.requested(attempts + 2), 100);
      const again = await ask();
      assert.deepEqual(
        [again.status, again.orderId, again.headers['idempotent-replayed']],
        [first.status, first.orderId, 'true'],
      );
      released.resolve();
      await server.passTimeUntil(server.orders({ queued: 0, executing: 0 }), 100);
      const failed = await ask();
      failed.refusal(502, 'backend_error');
      assert.equal(failed.orderId, first.orderId);
      // The pod is healthy again.
      server.answer(cannedReply());
      await server.passTimeUntil(server.api.call('createChatCompletion', { body: chat({ max_wait: 86_400 }) }), 100);
    });
  }
});

describe('repeats of a request that failed, without the setting', () => {
  const server = useServer();
  it('200 a new order', async () => {
    const ask = () =>
      server.passTimeUntil(server.api.call('createChatCompletion', { body: chat({ max_wait: 86_400 }) }), 100);
    server.answer(RESET);
    (await ask()).refusal(502, 'backend_error');
    server.answer(cannedReply());
    assert.equal((await ask()).status, 200);
  });
});
