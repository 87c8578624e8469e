import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { checkMessagesStream } from '#conformance/streams/messages-stream-checker.ts';
import { cannedReply, chunkOf, errorReply, frameOf, streamOf, usageOf } from '#testing/mock-backend.ts';
import { LOOK, message } from './support/message.ts';
import { messagesRefusalIn } from './support/reply.ts';
import { useServer } from './support/server.ts';

const TEXT = 'word0 word1 word2 word3 word4 word5 word6 word7 ';
const FINISH = chunkOf({}, { finish_reason: 'stop' });
const USAGE = { ...chunkOf({}), choices: [], usage: usageOf({ prompt: 12, cached: 4, output: 8 }) };

describe('POST /v1/messages, streamed', () => {
  const server = useServer();
  const body = (fields: Record<string, unknown> = {}) => message({ stream: true, ...fields });
  const ask = (fields: Record<string, unknown> = {}) => server.api.call('createMessage', { body: body(fields) });
  const orderOf = async (id: string) => (await server.api.call('getOrder', { params: { id } })).body(200);
  afterEach(() => server.answer(cannedReply()));

  it('200 begins with message_start and ends with message_stop, counts and receipt before it', async () => {
    const reply = await ask();
    const events = reply.frames.map(({ event }) => event);
    assert.equal(events[0], 'message_start');
    assert.deepEqual(events.slice(-2), ['message_delta', 'message_stop']);
    assert.ok(reply.frames.every(({ event, data }) => JSON.parse(data).type === event));
    const { id, content, stopReason, usage } = checkMessagesStream(reply.text);
    assert.deepEqual([id, stopReason], [`msg_${reply.orderId}`, 'end_turn']);
    assert.deepEqual(content, [{ type: 'text', text: TEXT }]);
    assert.ok(usage);
    assert.deepEqual([usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens], [8, 4, 8]);
    assert.equal((usage.x_market as { order_id: string }).order_id, reply.orderId);
  });

  // Spec 6.4-4
  it('200 thinking is closed with its signature before text opens', async () => {
    server.answer(streamOf([chunkOf({ reasoning: 'Hm.' }), chunkOf({ content: 'Yes.' }), FINISH, USAGE]));
    const [thinking, text] = checkMessagesStream((await ask()).text).content;
    assert.ok(thinking?.type === 'thinking' && thinking.thinking === 'Hm.' && thinking.signature !== '');
    assert.deepEqual(text, { type: 'text', text: 'Yes.' });
  });

  // Spec 6.4-3
  it('200 interleaved calls come as one block after another, each with an input that parses', async () => {
    const call = (index: number, fields: object) => chunkOf({ tool_calls: [{ index, ...fields }] });
    const begin = (index: number, id: string) =>
      call(index, { id, type: 'function', function: { name: 'look', arguments: '' } });
    const write = (index: number, part: string) => call(index, { function: { arguments: part } });
    server.answer(
      streamOf([
        ...[begin(0, 'a'), begin(1, 'b'), write(0, '{"at":'), write(1, '{"at":'), write(0, '"sea"}'), write(1, '1}')],
        ...[chunkOf({}, { finish_reason: 'tool_calls' }), USAGE],
      ]),
    );
    const { content, stopReason } = checkMessagesStream((await ask({ tools: [LOOK] })).text);
    const inputs = content.map((block) => (block.type === 'tool_use' ? [block.id, block.input] : null));
    assert.deepEqual(inputs, [
      ['a', { at: 'sea' }],
      ['b', { at: 1 }],
    ]);
    assert.equal(stopReason, 'tool_use');
  });

  it('200 the stop sequence that ended the answer is named', async () => {
    const end = chunkOf({}, { finish_reason: 'stop', stop_reason: 'END' });
    server.answer(streamOf([chunkOf({ content: 'One' }), end, USAGE]));
    const { stopReason, stopSequence } = checkMessagesStream((await ask({ stop_sequences: ['END'] })).text);
    assert.deepEqual([stopReason, stopSequence], ['stop_sequence', 'END']);
  });

  it('200 message_start comes while the order still waits, and a ping every ten seconds', async () => {
    const live = await server.api.open('createMessage', { body: body({ model: 'reef', max_wait: 60 }) });
    await server.pass(500);
    await live.until(({ frames }) => frames[0]?.event === 'message_start');
    await server.pass(35_000);
    await live.until(({ frames }) => frames.filter(({ event }) => event === 'ping').length >= 3);
    const reply = await server.uncharged(() => server.passTimeUntil(live.end()));
    assert.equal(checkMessagesStream(reply.text).error?.code, 'order_expired');
  });

  it('200 pings continue while the model is silent', async () => {
    server.answer({ writes: [frameOf(chunkOf({ content: 'Half' }))], write: 'each', after: 'hang' });
    const live = await server.api.open('createMessage', { body: body() });
    await live.until(({ text }) => text.includes('Half'));
    const pings = () => live.frames.filter(({ event }) => event === 'ping').length;
    const before = pings();
    await server.pass(25_000);
    await live.until(() => pings() >= before + 2);
    live.leave();
    await server.orders({ executing: 0 });
  });

  // Spec 6.4-5, 6.4-6, 6.4-7, 6.4-8, 7-30
  it('200 a failure after the head is one error event with the envelope, without a charge', async () => {
    const failsWith = async (code: string, type: string) => {
      const reply = await server.uncharged(() => server.passTimeUntil(ask(), 100));
      const { error, requestId } = checkMessagesStream(reply.text);
      assert.deepEqual([error?.code, error?.type], [code, type]);
      assert.equal(requestId, reply.headers['request-id']);
      messagesRefusalIn(reply.frames.at(-1)?.data ?? '', code);
      const order = await orderOf(reply.orderId);
      assert.deepEqual([order.status, order.error], ['error', code]);
    };
    server.answer(errorReply(400, 'no such tool'));
    await failsWith('model_refused', 'invalid_request_error');
    server.answer({ writes: [frameOf(chunkOf({ content: 'Half' }))], write: 'each', after: 'reset' });
    await failsWith('backend_error', 'api_error');
  });

  it('200 a canceled order or a missed lock is reported in band', async () => {
    const canceled = await server.api.open('createMessage', { body: body({ model: 'reef' }) });
    const id = canceled.headers['x-service-order-id'] ?? '';
    (await server.api.call('cancelOrder', { params: { id } })).body(200);
    const { error } = checkMessagesStream((await server.uncharged(() => canceled.end())).text);
    assert.deepEqual([error?.type, error?.code], ['conflict_error', 'order_canceled']);
    const missed = ask({ model: 'reef', price_lock: true });
    await server.orders({ queued: 1 });
    const locked = checkMessagesStream((await server.passTimeUntil(missed)).text).error;
    assert.deepEqual([locked?.type, locked?.code], ['rate_limit_error', 'capacity_unavailable']);
  });

  it('200 a caller that disconnects during execution is charged once, for what was generated', async () => {
    server.answer({ writes: [frameOf(chunkOf({ content: 'one two ' }))], write: 'each', after: 'hang' });
    const before = await server.charged();
    const live = await server.api.open('createMessage', { body: body() });
    await live.until(({ text }) => text.includes('one two'));
    live.leave();
    await server.orders({ executing: 0 });
    assert.equal((await orderOf(live.headers['x-service-order-id'] ?? '')).status, 'done');
    const after = await server.charged();
    assert.equal(after.settled, before.settled + 1);
    assert.ok(after.balanceNano < before.balanceNano);
  });
});
