import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationId } from '#generated/operations.ts';
import { cannedReply } from '#testing/mock-backend.ts';
import { chat } from './support/chat.ts';
import type { MakeBody } from './support/inference-outcomes.ts';
import { message } from './support/message.ts';
import { useServer } from './support/server.ts';

const shapes: Readonly<Record<string, MakeBody>> = {
  createChatCompletion: chat,
  createCompletion: (fields) => ({ model: 'tide', prompt: 'Hi', price_limit: 5, ...fields }),
  createResponse: (fields) => ({ model: 'tide', input: 'Hi', price_limit: 5, ...fields }),
  createMessage: message,
};
const RESET = { writes: [], instead: 'reset' } as const;

/** `repeat_guard_ms`: what the retries of a client get that repeats a request whatever the headers say. */
describe('repeats of a request that failed', () => {
  const server = useServer({ repeat_guard_ms: 5000 });
  for (const [name, make] of Object.entries(shapes)) {
    const id = name as OperationId;
    const ask = (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}, api = server.api) =>
      server.passTimeUntil(api.call(id, { body: make({ max_wait: 86_400, max_tokens: 7, ...fields }), headers }), 100);
    const ordersNow = async (api = server.api) =>
      (await api.call('listOrders', { query: { include: 'totals' } })).body(200).total_orders;

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
