import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { itHasARate, itNeedsAKey } from './support/common-refusals.ts';
import { problemWith } from './support/conformance.ts';
import { LOOK, message, user } from './support/message.ts';
import { Reply } from './support/reply.ts';
import { TestServer, useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

const MIB = 1024 * 1024;
const COUNTED = { model: 'tide', messages: [user('Say hello.')] };

describe('POST /v1/messages/count_tokens', () => {
  const server = useServer();
  /** Asks, and asserts that no order was made and nothing was charged. */
  const ask = async (fields: Record<string, unknown> = {}) => {
    const { data: before } = (await server.api.call('listOrders')).body(200);
    const body = { ...COUNTED, ...fields };
    const reply = await server.uncharged(() => server.api.call('countMessageTokens', { body }));
    assert.deepEqual((await server.api.call('listOrders')).body(200).data, before);
    assert.equal(reply.headers['x-service-order-id'], undefined);
    return reply;
  };
  const count = async (fields?: Record<string, unknown>) => (await ask(fields)).body(200).input_tokens;

  itNeedsAKey(server, 'countMessageTokens', { body: COUNTED });
  // Spec 4.5-35
  itHasARate('inference_requests_per_minute_per_key', 'countMessageTokens', { body: COUNTED });

  it('200 only a whole number, also for a body without a cap, a price or a system prompt', async () => {
    const body = (await ask()).body(200);
    assert.deepEqual(Object.keys(body), ['input_tokens']);
    assert.ok(Number.isInteger(body.input_tokens) && body.input_tokens > 0);
    assert.equal(server.backend.requests.length, 0);
  });

  it('200 system, tools, calls and results all count', async () => {
    const alone = await count();
    const long = 'A calm sea and a light wind. '.repeat(20);
    const used = { type: 'tool_use', id: 'a', name: 'look', input: { long } };
    const result = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: long }] };
    for (const more of [
      { system: long },
      { tools: [{ ...LOOK, description: long }] },
      { messages: [...COUNTED.messages, { role: 'assistant', content: [used] }] },
      { messages: [user([result])] },
    ])
      assert.ok((await count(more)) > alone + 80, JSON.stringify(more).slice(0, 60));
  });

  it('200 the unchanged body of a message counts, and gives the estimate that its stream begins with', async () => {
    const { stream, ...body } = message({ stream: true });
    const reply = await server.api.call('createMessage', { body: { ...body, stream } });
    const start = JSON.parse(reply.frames[0]?.data ?? '').message;
    assert.equal(
      (await server.api.call('countMessageTokens', { body })).body(200).input_tokens,
      start.usage.input_tokens,
    );
  });

  it('400 for what a message would be refused for too', async () => {
    for (const [code, fields] of [
      ['invalid_request', { messages: [] }],
      ['invalid_request', { messages: [user([{ type: 'image' }])] }],
      ['invalid_request', { tools: [{ type: 'bash_20250124', name: 'bash' }] }],
      ['invalid_request', { temperature: 'hot' }],
      ['invalid_request', { stop_sequences: Array(5).fill('a') }],
      ['invalid_request', { output_config: { format: { type: 'text' } } }],
      ['invalid_request', { detached: true }],
      ['invalid_output_cap', { max_tokens: 0 }],
      ['invalid_price_limit', { max_price: -1 }],
      ['model_preview', { model: 'surge' }],
      ['model_deprecated', { model: 'ebb' }],
    ] as const)
      (await ask(fields)).refusal(400, code);
    (await server.api.call('countMessageTokens', { raw: '{' })).refusal(400, 'invalid_json');
  });

  it('404 for a model that is not served', async () => {
    (await ask({ model: 'nobody' })).refusal(404, 'model_not_found');
  });

  it('413 for a body over 8 MiB', async () => {
    (await ask({ padding: 'x'.repeat(8 * MIB) })).refusal(413, 'request_too_large');
  });
});

describe('POST /v1/messages/count_tokens while the gateway drains', () => {
  it('503 with Retry-After, for a request that had begun to arrive', async () => {
    const draining = new TestServer({});
    await draining.start();
    try {
      // A running reply keeps the drain from ending at once.
      draining.answer({ writes: [], instead: 'hang' });
      const held = await draining.api.open('createMessage', { body: message({ stream: true }) });
      await draining.orders({ executing: 1 });
      const { key } = await draining.createAccount();
      const socket = connect(Number(new URL(draining.api.url).port), '127.0.0.1').setEncoding('utf8');
      let answers = '';
      socket.on('data', (part) => {
        answers += part;
      });
      // One write: once the first request is answered, the server has read the beginning of the second.
      socket.write('HEAD /api/hello HTTP/1.1\r\nHost: x\r\n\r\nPOST /v1/messages/count_tokens HTTP/1.1\r\nHost: x\r\n');
      await eventually(() => answers.endsWith('\r\n\r\n'), 'the first answer');
      const firstLength = answers.length;
      const stopped = draining.stop();
      // Written, not ended: a server may take a caller that closes its side for one that has disconnected.
      socket.write(`x-api-key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`);
      await once(socket, 'close');
      const reply = replyIn(answers.slice(firstLength));
      reply.refusal(503, 'unavailable');
      assert.ok(Number(reply.headers['retry-after']) >= 1);
      held.leave();
      await stopped;
    } finally {
      await draining.close();
    }
  });
});

/** An answer read from a socket, checked against the document like every other. */
function replyIn(answer: string): Reply<'countMessageTokens'> {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(': ')));
  const raw = { status: Number(first.split(' ')[1]), headers, text: body };
  assert.equal(problemWith('countMessageTokens', 'post', raw), null);
  return new Reply('countMessageTokens', raw);
}
