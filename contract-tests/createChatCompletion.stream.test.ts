import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkChatStream } from '#conformance/streams/chat-stream-checker.ts';
import { cannedReply, chunkOf, errorReply, frameOf, streamOf, usageOf } from '#testing/mock-backend.ts';
import { chargeOf, chat, pricesAt } from './support/chat.ts';
import { refusalIn } from './support/reply.ts';
import { useServer } from './support/server.ts';

const USAGE = usageOf({ prompt: 12, cached: 4, output: 8 });
const TOKENS = { cached: 4, uncached: 8, output: 8 };
const RATIO = { cached: 0.1, uncached: 1, output: 4 };

describe('POST /v1/chat/completions with stream: true', () => {
  const server = useServer();
  const body = (fields: Record<string, unknown> = {}) => chat({ stream: true, ...fields });
  const ask = (fields?: Record<string, unknown>) => server.api.call('createChatCompletion', { body: body(fields) });
  const withUsage = { stream_options: { include_usage: true } };
  const orderOf = async (id: string) => (await server.api.call('getOrder', { params: { id } })).body(200);

  // Spec 4.2-7, 6-1
  it('200 opens with a comment, names the order in its head, and ends with [DONE]', async () => {
    const reply = await ask();
    assert.equal(reply.status, 200);
    assert.match(reply.headers['content-type'] ?? '', /^text\/event-stream/);
    assert.match(reply.text, /^: .*\n(?!\n)/);
    const stream = checkChatStream(reply.text);
    assert.equal(stream.id, `chatcmpl-${reply.orderId}`);
    assert.equal(stream.text, 'word0 word1 word2 word3 word4 word5 word6 word7 ');
    assert.equal(stream.finishReason, 'stop');
    assert.equal(stream.error, null);
  });

  it('200 has a usage chunk only on request', async () => {
    assert.equal(checkChatStream((await ask()).text).usage, null);
    assert.equal(checkChatStream((await ask({ stream_options: { include_usage: false } })).text).usage, null);
  });

  it('200 ends with a usage chunk with the receipt, equal to that of the same answer unstreamed', async () => {
    const reply = await ask(withUsage);
    const { usage } = checkChatStream(reply.text);
    const unary = (await server.api.call('createChatCompletion', { body: chat() })).body(200).usage;
    const { level_at_execution } = unary.x_market;
    assert.deepEqual(usage, { ...unary, x_market: { ...unary.x_market, order_id: reply.orderId } });
    assert.equal(unary.x_market.charged_usd, chargeOf(TOKENS, pricesAt(level_at_execution, RATIO)));
  });

  it('200 charges what the receipt says, once', async () => {
    const before = await server.charged();
    const { usage } = checkChatStream((await ask(withUsage)).text);
    assert.ok(usage);
    const { charged_usd: charged } = usage.x_market as { charged_usd: number };
    const after = await server.charged();
    assert.deepEqual(after, {
      balanceNano: before.balanceNano - Math.round(charged * 1e9),
      settled: before.settled + 1,
    });
  });

  it('200 log probabilities come in the chunk of their text', async () => {
    const entry = (token: string) => ({ token, logprob: -0.1, bytes: null, top_logprobs: [] });
    const words = ['Hello', ' there'];
    server.answer(
      streamOf([
        ...words.map((word) => chunkOf({ content: word }, { logprobs: { content: [entry(word)] } })),
        chunkOf({}, { finish_reason: 'stop' }),
        { ...chunkOf({}), choices: [], usage: USAGE },
      ]),
    );
    const { text } = await ask({ logprobs: true });
    assert.deepEqual(checkChatStream(text).logprobs, words.map(entry));
    for (const word of words) {
      const frame = text.split('\n').find((line) => line.includes(`"content":"${word}"`)) ?? '';
      const [choice] = JSON.parse(frame.slice('data: '.length)).choices;
      assert.deepEqual(choice.logprobs.content, [entry(word)]);
    }
  });

  it('200 a call without arguments has an empty object, streamed and whole', async () => {
    const call = { index: 0, id: 'call_a', type: 'function', function: { name: 'now', arguments: '' } };
    server.answer(
      streamOf([
        chunkOf({ tool_calls: [call] }),
        chunkOf({}, { finish_reason: 'tool_calls' }),
        { ...chunkOf({}), choices: [], usage: USAGE },
      ]),
    );
    assert.deepEqual(checkChatStream((await ask()).text).toolCalls, [{ id: 'call_a', name: 'now', arguments: '{}' }]);
    const unary = (await server.api.call('createChatCompletion', { body: chat() })).body(200);
    assert.partialDeepStrictEqual(unary.choices[0]?.message, { tool_calls: [{ function: { arguments: '{}' } }] });
  });

  it('200 interleaved tool calls keep their ids, and the arguments of each are JSON', async () => {
    const call = (index: number, fields: object) => chunkOf({ tool_calls: [{ index, ...fields }] });
    server.answer(
      streamOf([
        chunkOf({ role: 'assistant', content: '' }),
        call(0, { id: 'call_a', type: 'function', function: { name: 'look', arguments: '' } }),
        call(1, { id: 'call_b', type: 'function', function: { name: 'listen', arguments: '' } }),
        call(0, { function: { arguments: '{"at":' } }),
        call(1, { function: { arguments: '{"to":' } }),
        call(0, { function: { arguments: '"sea"}' } }),
        call(1, { function: { arguments: '"wind"}' } }),
        chunkOf({}, { finish_reason: 'tool_calls' }),
        { ...chunkOf({}), choices: [], usage: USAGE },
      ]),
    );
    const stream = checkChatStream((await ask()).text);
    assert.deepEqual(stream.toolCalls, [
      { id: 'call_a', name: 'look', arguments: '{"at":"sea"}' },
      { id: 'call_b', name: 'listen', arguments: '{"to":"wind"}' },
    ]);
    assert.equal(stream.finishReason, 'tool_calls');
  });

  it('200 reasoning comes as reasoning_content', async () => {
    server.answer(
      streamOf([
        chunkOf({ role: 'assistant', content: '' }),
        chunkOf({ reasoning: 'Hm. ' }),
        chunkOf({ content: 'Yes.' }),
        chunkOf({}, { finish_reason: 'stop' }),
        { ...chunkOf({}), choices: [], usage: USAGE },
      ]),
    );
    const stream = checkChatStream((await ask()).text);
    assert.equal(stream.reasoning, 'Hm. ');
    assert.equal(stream.text, 'Yes.');
  });

  // Spec 6.2-1, 1-17
  it('200 sends a comment at once and every ten seconds while the order waits', async () => {
    const live = await server.api.open('createChatCompletion', { body: body({ model: 'reef', max_wait: 60 }) });
    await live.until(({ comments }) => comments.length === 1);
    await server.pass(10_000);
    await live.until(({ comments }) => comments.length === 2);
    await server.pass(10_000);
    await live.until(({ comments }) => comments.length === 3);
    assert.doesNotMatch(live.text, /\n\n/);
    live.leave();
    await server.orders({ queued: 0 });
  });

  it('200 a backend that dies after output gives one error frame, no finish, and charges nothing', async () => {
    const start = [chunkOf({ role: 'assistant', content: '' }), chunkOf({ content: 'Half an ans' })];
    server.answer({ writes: start.map(frameOf), write: 'each', after: 'reset' });
    const reply = await server.uncharged(() => ask(withUsage));
    const stream = checkChatStream(reply.text);
    assert.equal(stream.error?.code, 'backend_error');
    assert.equal(stream.finishReason, null);
    assert.equal((await orderOf(reply.orderId)).status, 'error');
  });

  it('200 a refusal of the model is reported in band', async () => {
    server.answer(errorReply(400, 'no such tool'));
    const reply = await server.uncharged(() => ask());
    assert.equal(reply.status, 200);
    assert.equal(checkChatStream(reply.text).error?.code, 'model_refused');
    const order = await orderOf(reply.orderId);
    assert.deepEqual([order.status, order.error], ['error', 'model_refused']);
  });

  it('200 an expired order is reported in band', async () => {
    const asked = ask({ model: 'reef', max_wait: 10 });
    await server.orders({ queued: 1 });
    const reply = await server.uncharged(() => server.passTimeUntil(asked));
    assert.equal(checkChatStream(reply.text).error?.code, 'order_expired');
    assert.equal((await orderOf(reply.orderId)).status, 'expired');
  });

  it('200 a canceled order is reported in band', async () => {
    const live = await server.api.open('createChatCompletion', { body: body({ model: 'reef', max_wait: 60 }) });
    const id = live.headers['x-service-order-id'] ?? '';
    (await server.api.call('cancelOrder', { params: { id } })).body(200);
    const reply = await server.uncharged(() => live.end());
    const [frame] = reply.frames;
    refusalIn(frame?.data ?? '', 'order_canceled');
    assert.equal(reply.frames.length, 1);
  });

  it('200 a caller that disconnects while waiting cancels the order', async () => {
    const live = await server.api.open('createChatCompletion', { body: body({ model: 'reef', max_wait: 60 }) });
    const id = live.headers['x-service-order-id'] ?? '';
    await server.uncharged(async () => {
      live.leave();
      await server.orders({ queued: 0 });
    });
    assert.equal((await orderOf(id)).status, 'canceled');
  });

  it('200 a caller that disconnects during execution stops the backend and is charged for what was generated', async () => {
    const made = [
      chunkOf({ role: 'assistant', content: '' }),
      chunkOf({ content: 'one ' }),
      chunkOf({ content: 'two ' }),
    ];
    server.answer({ writes: made.map(frameOf), write: 'each', after: 'hang' });
    const before = await server.charged();
    const aborts = server.backend.aborts;
    const live = await server.api.open('createChatCompletion', { body: body() });
    const id = live.headers['x-service-order-id'] ?? '';
    await live.until(({ text }) => text.includes('two '));
    live.leave();
    await server.backend.aborted(aborts + 1);
    await server.orders({ executing: 0 });
    const order = await orderOf(id);
    assert.equal(order.status, 'done');
    const after = await server.charged();
    assert.equal(after.settled, before.settled + 1);
    assert.ok(after.balanceNano < before.balanceNano);
    server.answer(cannedReply());
  });

  it('200 whenever a caller disconnects, its order ends once and is settled at most once', async () => {
    server.answer({ ...cannedReply(), write: 'each' });
    const whole = (await ask(withUsage)).text;
    const before = await server.charged();
    const orders: string[] = [];
    for (let bytes = 0; bytes < whole.length; bytes += 97) {
      const live = await server.api.open('createChatCompletion', { body: body(withUsage) });
      await live.until(({ text }) => text.length >= bytes || text.includes('[DONE]'));
      live.leave();
      orders.push(live.headers['x-service-order-id'] ?? '');
    }
    await server.orders({ queued: 0, executing: 0 });
    const { data } = (await server.api.call('listOrders', { query: { include: 'usage', limit: 500 } })).body(200);
    const mine = data.filter(({ id }) => orders.includes(id));
    assert.equal(mine.length, orders.length);
    for (const order of mine) assert.equal(order.status === 'done', order.usage !== null, JSON.stringify(order));
    const settled = mine.filter(({ status }) => status === 'done').length;
    const charged = mine.reduce((sum, { usage }) => sum + Math.round((usage?.charged_usd ?? 0) * 1e9), 0);
    assert.deepEqual(await server.charged(), {
      balanceNano: before.balanceNano - charged,
      settled: before.settled + settled,
    });
    server.answer(cannedReply());
  });
});
