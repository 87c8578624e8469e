import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchOf, ended, line } from './support/batches.ts';
import { chat } from './support/chat.ts';
import { message } from './support/message.ts';
import { useServer } from './support/server.ts';

const trace = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', tracestate: 'rojo=1,congo=2' };
const named = { 'x-request-id': 'caller:7.a_b-c', ...trace };

const shapes = [
  ['createChatCompletion', chat()],
  ['createCompletion', { model: 'tide', prompt: 'Hi', price_limit: 5 }],
  ['createResponse', { model: 'tide', input: 'Hi', price_limit: 5 }],
  ['createMessage', message()],
] as const;

describe('what names a request in other logs', () => {
  const server = useServer();

  /** The headers of the last request to the backend. */
  function told(): (string | string[] | undefined)[] {
    const { headers } = server.backend.requests.at(-1) ?? assert.fail('The backend got no request.');
    return ['x-request-id', 'x-client-request-id', 'traceparent', 'tracestate'].map((name) => headers[name]);
  }

  for (const [operation, body] of shapes)
    for (const stream of [false, true])
      it(`reaches the backend and the caller in ${operation}, ${stream ? 'streamed' : 'whole'}`, async () => {
        const reply = await server.api.call(operation, { body: { ...body, stream }, headers: named });
        assert.equal(reply.status, 200, reply.text);
        assert.equal(reply.headers['x-request-id'], named['x-request-id']);
        const attempt = `${reply.orderId}-1`;
        assert.deepEqual(told(), [attempt, named['x-request-id'], trace.traceparent, trace.tracestate]);
      });

  it('reaches the backend from a detached order too', async () => {
    const reply = await server.api.call('createChatCompletion', { body: chat({ detached: true }), headers: named });
    await server.orders({ queued: 0, executing: 0 });
    const attempt = `${reply.orderId}-1`;
    assert.deepEqual(told(), [attempt, named['x-request-id'], trace.traceparent, trace.tracestate]);
  });

  it('is an id of the gateway where the caller sends none that is plain, and no trace that is not well-formed', async () => {
    for (const odd of [undefined, 'a b', 'x'.repeat(129), '{"a":1}', '<script>']) {
      const headers = { ...(odd === undefined ? {} : { 'x-request-id': odd }), traceparent: 'odd', tracestate: 'a=1' };
      const reply = await server.api.call('createChatCompletion', { body: chat(), headers });
      const own = reply.headers['x-request-id'] ?? '';
      assert.match(own, /^[\da-f]{8}-[\da-f-]{27}$/);
      assert.deepEqual(told(), [`${reply.orderId}-1`, own, undefined, undefined]);
    }
  });

  it('differs at the backend for requests that their callers give the same id', async () => {
    const before = server.backend.requests.length;
    const release = server.holdAnswers();
    const bodies = Array.from({ length: 4 }, (_, index) => chat({ request_id: 'same', seed: index }));
    const calls = bodies.map((body) => server.api.call('createChatCompletion', { body, headers: named }));
    await server.backend.requested(before + 4);
    release();
    for (const reply of await Promise.all(calls)) assert.equal(reply.headers['x-request-id'], named['x-request-id']);
    const ids = server.backend.requests.slice(before).map(({ headers }) => headers['x-request-id']);
    assert.equal(new Set(ids).size, 4);
  });

  it('is the order alone in a line of a batch', async () => {
    const { id } = await batchOf(server.api, [line('a')]);
    await ended(server, id);
    const { data } = (await server.api.call('listOrders', { query: { batch: id } })).body(200);
    assert.deepEqual(told(), [`${data[0]?.id}-1`, undefined, undefined, undefined]);
  });
});
