import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkResponsesStream } from '#conformance/streams/responses-stream-checker.ts';
import { cannedReply, chunkOf, errorReply, frameOf, streamOf, usageOf } from '#testing/mock-backend.ts';
import { batchOf, ended, entriesOf } from './support/batches.ts';
import { chargeOf, pricesAt } from './support/chat.ts';
import { idsOf } from './support/cut-streams.ts';
import { itEndsAsOrdersDo } from './support/inference-outcomes.ts';
import { useServer } from './support/server.ts';

const TEXT = 'word0 word1 word2 word3 word4 word5 word6 word7 ';
const TOKENS = { cached: 4, uncached: 8, output: 8 };
const RATIO = { cached: 0.1, uncached: 1, output: 4 };
const LOOK = { type: 'function', name: 'look', parameters: { type: 'object' } };

const response = (fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  model: 'tide',
  input: 'Say hello.',
  price_limit: 5,
  ...fields,
});

describe('POST /v1/responses', () => {
  const server = useServer();
  const ask = (fields: Record<string, unknown> = {}) => server.api.call('createResponse', { body: response(fields) });
  const stream = async (fields: Record<string, unknown> = {}) =>
    checkResponsesStream((await ask({ stream: true, ...fields })).text);

  // Spec 4.4-59
  it('200 a response with its text, its counts and a receipt that anyone can recompute', async () => {
    const reply = await ask();
    const { id, status, output, usage } = reply.body(200);
    assert.deepEqual([id, status], [`resp_${reply.orderId}`, 'completed']);
    assert.deepEqual(
      output.map((item) => item.id),
      [`msg_${reply.orderId}`],
    );
    assert.deepEqual(output[0]?.content, [{ type: 'output_text', text: TEXT, annotations: [], logprobs: [] }]);
    assert.deepEqual([usage?.input_tokens, usage?.input_tokens_details.cached_tokens], [12, 4]);
    const { charged_usd, level_at_execution, order_id } = usage?.x_market ?? {};
    assert.equal(order_id, reply.orderId);
    assert.equal(charged_usd, chargeOf(TOKENS, pricesAt(level_at_execution ?? 0, RATIO)));
  });

  // Spec 4.4-10
  it('200 function tools reach the model and the echo, vendor tools neither', async () => {
    const tools = [{ type: 'web_search' }, { type: 'namespace', tools: [] }, { type: 'custom', name: 'patch' }, LOOK];
    const body = (await ask({ tools, tool_choice: { type: 'web_search_preview' } })).body(200);
    const { type, ...called } = LOOK;
    assert.deepEqual(server.lastRequest().tools, [{ type, function: called }]);
    assert.equal(server.lastRequest().tool_choice, 'auto');
    assert.deepEqual(
      body.tools.map((tool) => tool.name),
      ['look'],
    );
  });

  it('200 values that need no state are accepted', async () => {
    const nothing = { previous_response_id: null, conversation: null, prompt: null, background: false };
    (await ask({ ...nothing, truncation: 'disabled', detached: false, text: {}, metadata: null })).body(200);
  });

  it('400 background, whole, streamed and as a dry run, with the sentence that names detached', async () => {
    for (const more of [{}, { stream: true }, { store: true }]) {
      const reply = await server.uncharged(() => ask({ background: true, ...more }));
      const { message, param } = reply.refusal(400, 'invalid_request');
      assert.deepEqual([param, /detached: true/.test(message)], ['background', true]);
    }
    const headers = { 'x-dry-run': 'true' };
    const body = { model: 'tide', input: 'Hi', price_limit: 5, background: true };
    (await server.api.call('createResponse', { body, headers })).refusal(400, 'invalid_request');
  });

  it('200 a batch whose line has background: the line fails and names it', async () => {
    const body = { model: 'tide', input: 'Hi', background: true };
    const url = '/v1/responses';
    const line = JSON.stringify({ custom_id: 'a', method: 'POST', url, body });
    const batch = await ended(server, (await batchOf(server.api, [line], { endpoint: url })).id);
    const { errors } = await entriesOf(server.api, batch);
    assert.equal(errors[0]?.error?.message, 'A line of a batch cannot have background: true.');
  });

  it('200 a stream numbers its events and ends with usage', async () => {
    const { types, usage, output } = await stream();
    assert.deepEqual(types.slice(0, 2), ['response.created', 'response.in_progress']);
    assert.equal(types.at(-1), 'response.completed');
    assert.equal(output.length, 1);
    assert.ok(usage?.x_market);
  });

  // Spec 4.4-51, 4.4-54, 6.3-6, 6.3-7
  it('200 reasoning, text and two calls are four items in order', async () => {
    const call = (index: number, id: string) =>
      chunkOf({ tool_calls: [{ index, id, type: 'function', function: { name: 'look', arguments: '{}' } }] });
    server.answer(
      streamOf([
        ...[chunkOf({ reasoning: 'Hm.' }), chunkOf({ content: 'Yes.' }), call(0, 'a'), call(1, 'b')],
        chunkOf({}, { finish_reason: 'tool_calls' }),
        { ...chunkOf({}), choices: [], usage: usageOf({ prompt: 12, cached: 4, output: 8 }) },
      ]),
    );
    const types = ['reasoning', 'message', 'function_call', 'function_call'];
    assert.deepEqual(
      (await ask({ tools: [LOOK] })).body(200).output.map((item) => item.type),
      types,
    );
    assert.deepEqual(
      (await stream({ tools: [LOOK] })).output.map((item) => item.type),
      types,
    );
    server.answer(cannedReply());
  });

  it('200 a reached cap is an incomplete response, whole and streamed', async () => {
    server.answer(cannedReply({ finishReason: 'length' }));
    const whole = (await ask()).body(200);
    assert.deepEqual([whole.status, whole.incomplete_details?.reason], ['incomplete', 'max_output_tokens']);
    const streamed = await stream();
    assert.equal(streamed.types.at(-1), 'response.incomplete');
    assert.ok(streamed.usage);
    server.answer(cannedReply());
  });

  // Spec 6.3-4
  it('200 during silence an event every ten seconds holds the output so far', async () => {
    const made = [chunkOf({ role: 'assistant', content: '' }), chunkOf({ content: 'Half an ans' })];
    server.answer({ writes: made.map(frameOf), write: 'each', after: 'hang' });
    const live = await server.api.open('createResponse', { body: response({ stream: true }) });
    await live.until(({ text }) => text.includes('Half an ans'));
    await server.pass(25_000);
    const signs = () => live.frames.filter(({ event }) => event === 'response.in_progress').slice(1);
    await live.until(() => signs().length >= 2);
    const { output } = JSON.parse(signs().at(-1)?.data ?? '').response;
    assert.equal(output[0].content[0].text, 'Half an ans');
    live.leave();
    await server.orders({ executing: 0 });
    server.answer(cannedReply());
  });

  it('200 with a key too, and a follower of the order has the same events with the same numbers', async () => {
    const body = response({ stream: true, model: 'reef', instructions: 'Be brief.' });
    const live = await server.api.open('createResponse', { body, headers: { 'idempotency-key': 'silent' } });
    const signs = () => live.frames.filter(({ event }) => event === 'response.in_progress');
    // One at a time: what a slow machine does at once is one silence.
    for (let count = 2; count <= 4; count++) {
      await server.pass(10_000);
      await live.until(() => signs().length >= count);
    }
    const id = live.headers['x-service-order-id'] ?? '';
    live.leave();
    const follow = (after: number) =>
      server.api.open('streamOrder', { params: { id }, query: { starting_after: after } });
    const [second, third] = [await follow(1), await follow(3)];
    await second.until(({ frames }) => frames.length >= 3);
    assert.deepEqual(
      second.frames.map(({ data }) => JSON.parse(data)),
      live.frames.slice(2).map(({ data }) => JSON.parse(data)),
    );
    await third.until(({ frames }) => frames.length >= 1);
    assert.equal(third.frames[0]?.data, live.frames[4]?.data);
    (await server.api.call('cancelOrder', { params: { id } })).body(200);
    const ended = await second.end();
    const numbers = ended.frames.map(({ data }) => JSON.parse(data).sequence_number);
    assert.deepEqual(numbers, idsOf(ended.text));
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => 2 + index),
    );
    assert.equal(ended.frames.at(-1)?.event, 'response.failed');
    assert.equal((await third.end()).frames.at(-1)?.data, ended.frames.at(-1)?.data);
  });

  // Spec 6.3-9, 6.3-10, 6.3-11
  it('200 a failure after the head is one response.failed with its code', async () => {
    server.answer(errorReply(400, 'no such tool'));
    assert.equal((await stream()).error?.code, 'invalid_prompt');
    server.answer({ writes: [frameOf(chunkOf({ content: 'Half' }))], write: 'each', after: 'reset' });
    const { error, output } = await server.uncharged(() => stream());
    assert.equal(error?.code, 'server_error');
    assert.equal(output.length, 1);
    server.answer(cannedReply());
    const asked = ask({ stream: true, model: 'reef', max_wait: 10 });
    await server.orders({ queued: 1 });
    const expired = await server.passTimeUntil(asked);
    assert.equal(checkResponsesStream(expired.text).error?.code, 'order_expired');
  });

  it('400 for what needs state, for content that no model here can read, and for metadata out of bounds', async () => {
    const user = (part: object) => ({ input: [{ role: 'user', content: [part] }] });
    const pairs = Object.fromEntries(Array.from({ length: 17 }, (_, key) => [`k${key}`, 'v']));
    for (const fields of [
      { previous_response_id: 'resp_1' },
      { conversation: 'conv_1' },
      { prompt: { id: 'p' } },
      { truncation: 'auto' },
      { detached: true },
      user({ type: 'input_file', file_id: 'f' }),
      user({ type: 'input_audio', data: '' }),
      user({ type: 'input_image', file_id: 'f' }),
      { input: [{ type: 'item_reference', id: 'msg_1' }] },
      { input: [{ type: 'web_search_call', id: 'ws_1' }] },
      { metadata: pairs },
      { metadata: { ['k'.repeat(65)]: 'v' } },
      { metadata: { k: 'v'.repeat(513) } },
      { metadata: { k: 5 } },
    ]) {
      const reply = await server.uncharged(() => ask(fields));
      reply.refusal(400, 'invalid_request');
      assert.equal(reply.headers['x-service-order-id'], undefined);
    }
  });
});

describe('POST /v1/responses as an order', () => {
  itEndsAsOrdersDo(useServer(), 'createResponse', response);
});
