import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationId } from '#generated/operations.ts';
import { cannedReply } from '#testing/mock-backend.ts';
import { chat } from './support/chat.ts';
import type { Client } from './support/client.ts';
import type { MakeBody } from './support/inference-outcomes.ts';
import { message } from './support/message.ts';
import type { Reply } from './support/reply.ts';
import { useServer } from './support/server.ts';

const TIMES = 20;
const bodies: Readonly<Record<string, MakeBody>> = {
  createChatCompletion: chat,
  createCompletion: (fields) => ({ model: 'tide', prompt: 'Hi', price_limit: 5, ...fields }),
  // In this shape `store` is the vendor's word for something else.
  createResponse: (fields) => ({ model: 'tide', input: 'Hi', price_limit: 5, retention_days: 0, ...fields }),
  createMessage: message,
};
const shapes = Object.entries(bodies) as [OperationId, MakeBody][];

/** A key is never ignored: whatever is stored of the answer, the requests under one key are one order and one charge. */
describe('POST with an Idempotency-Key where nothing is stored', () => {
  const server = useServer();
  const asking =
    (api: Client, id: OperationId, body: object, key = 'one') =>
    () =>
      api.call(id, { body, headers: { 'idempotency-key': key } });
  const newAccount = async (wishes = {}) => server.api.as((await server.createAccount(wishes)).key);

  for (const [id, make] of shapes)
    for (const stream of [false, true]) {
      // Spec 4.2-55
      it(`410 after the one charge of ${id}${stream ? ', streamed' : ''}: ${TIMES} at once, ${TIMES} in turn`, async () => {
        const api = await newAccount();
        const before = await server.charged(api);
        const ask = asking(api, id, make({ store: false, stream }));
        const replies = await Promise.all(Array.from({ length: TIMES }, ask));
        const answers = replies.filter(({ status }) => status === 200);
        assert.equal(answers.length, 1);
        const [first] = answers;
        assert.equal(first?.headers['idempotent-replayed'], undefined);
        for (const reply of replies) if (reply !== first && reply.status !== 410) reply.refusal(429, 'result_pending');
        for (let time = 0; time < TIMES; time++) isGone(await ask(), first?.orderId);
        const other = asking(api, id, make({ store: false, stream, temperature: 1 }));
        (await other()).refusal(409, 'idempotency_error');
        await chargedOnce(api, before);
      });
    }

  it('410 also with retention_days 0, and in an account that keeps nothing', async () => {
    for (const [fields, wishes] of [
      [{ retention_days: 0 }, {}],
      [{}, { retentionDays: 0 }],
    ] as const) {
      const api = await newAccount(wishes);
      const before = await server.charged(api);
      const ask = asking(api, 'createChatCompletion', chat(fields));
      const first = await ask();
      assert.equal(first.status, 200);
      isGone(await ask(), first.orderId);
      await chargedOnce(api, before);
    }
  });

  it('202 with the same order whenever a detached request is repeated, and 410 where its result is asked for', async () => {
    for (const [id, make] of shapes.slice(0, 2)) {
      const api = await newAccount();
      const before = await server.charged(api);
      const ask = asking(api, id, make({ store: false, detached: true }));
      const replies = await Promise.all(Array.from({ length: TIMES }, ask));
      await server.orders({ queued: 0, executing: 0 }, api);
      for (let time = 0; time < TIMES; time++) replies.push(await ask());
      const [first] = replies;
      for (const reply of replies) assert.deepEqual([reply.status, reply.text], [202, first?.text]);
      assert.equal(replies.filter(({ headers }) => headers['idempotent-replayed'] === undefined).length, 1);
      (await asking(api, id, make({ detached: true }))()).refusal(409, 'idempotency_error');
      const result = await api.call('getOrderResult', { params: { id: first?.orderId ?? '' } });
      result.refusal(410, 'result_unavailable');
      await chargedOnce(api, before);
    }
  });

  it('429 while the first request is in flight, which ends with its connection and frees the key', async () => {
    const api = await newAccount();
    const body = chat({ model: 'reef', store: false, stream: true });
    const ask = asking(api, 'createChatCompletion', body);
    const live = await api.open('createChatCompletion', { body, headers: { 'idempotency-key': 'one' } });
    const id = live.headers['x-service-order-id'] ?? '';
    const early = await ask();
    early.refusal(429, 'result_pending');
    assert.deepEqual([early.orderId, early.headers['retry-after']], [id, '1']);
    (await asking(api, 'createChatCompletion', chat())()).refusal(409, 'idempotency_error');
    live.leave();
    await server.orders({ queued: 0, executing: 0 }, api);
    assert.equal((await api.call('getOrder', { params: { id } })).body(200).status, 'canceled');
    const again = await api.open('createChatCompletion', { body, headers: { 'idempotency-key': 'one' } });
    assert.notEqual(again.headers['x-service-order-id'], id);
    again.leave();
    await server.orders({ queued: 0, executing: 0 }, api);
  });

  it('410 for what a caller left unfinished, once what was generated has been charged', async () => {
    const api = await newAccount();
    const before = await server.charged(api);
    server.holdAnswers();
    const body = chat({ store: false, stream: true });
    const live = await api.open('createChatCompletion', { body, headers: { 'idempotency-key': 'one' } });
    await server.orders({ executing: 1 }, api);
    live.leave();
    await server.orders({ queued: 0, executing: 0 }, api);
    server.answer(cannedReply());
    isGone(await asking(api, 'createChatCompletion', body)(), live.headers['x-service-order-id']);
    assert.equal((await server.charged(api)).settled, before.settled + 1);
  });

  async function chargedOnce(api: Client, before: { balanceNano: number; settled: number }): Promise<void> {
    const { data } = (await api.call('listUsage', {})).body(200);
    const { balanceNano, settled } = await server.charged(api);
    assert.equal(settled, before.settled + 1);
    assert.equal(data.length, 1);
    assert.equal(before.balanceNano - balanceNano, Math.round((data[0]?.charged_usd ?? 0) * 1e9));
  }
});

/** The refusal names the order in its header and, for who reads only the body, in its sentence. */
function isGone(reply: Reply, orderId = 'no order'): void {
  assert.ok(reply.refusal(410, 'result_unavailable').message.includes(orderId), reply.text);
  assert.equal(reply.orderId, orderId);
}
