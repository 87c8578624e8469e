import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkCompletionStream } from '#conformance/streams/chat-stream-checker.ts';
import { chunkOf, frameOf } from '#testing/mock-backend.ts';
import { chargeOf, pricesAt } from './support/chat.ts';
import { itEndsAsOrdersDo } from './support/inference-outcomes.ts';
import { useServer } from './support/server.ts';

const TEXT = 'word0 word1 word2 word3 word4 word5 word6 word7 ';
const TOKENS = { cached: 4, uncached: 8, output: 8 };
const RATIO = { cached: 0.1, uncached: 1, output: 4 };

const completion = (fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  model: 'tide',
  prompt: 'Say hello.',
  price_limit: 5,
  ...fields,
});

describe('POST /v1/completions', () => {
  const server = useServer();
  const ask = (fields: Record<string, unknown> = {}) =>
    server.api.call('createCompletion', { body: completion(fields) });

  it('200 a completion with its text, its counts and a receipt that anyone can recompute', async () => {
    const reply = await ask();
    const { id, object, model, choices, usage } = reply.body(200);
    assert.deepEqual([id, object, model], [`cmpl-${reply.orderId}`, 'text_completion', 'tide']);
    assert.deepEqual(choices, [{ index: 0, text: TEXT, finish_reason: 'stop', logprobs: null }]);
    const { charged_usd, level_at_execution } = usage.x_market;
    assert.equal(charged_usd, chargeOf(TOKENS, pricesAt(level_at_execution, RATIO)));
  });

  // Spec 4.3-3
  it('200 the prompt is one user message, as a string, in an array, or empty', async () => {
    for (const [prompt, content] of [
      ['a', 'a'],
      [['a'], 'a'],
      [undefined, ''],
      [null, ''],
    ]) {
      (await ask({ prompt })).body(200);
      assert.deepEqual(server.lastRequest().messages, [{ role: 'user', content }]);
    }
  });

  it('200 fields whose result the shape cannot return are accepted and not forwarded', async () => {
    (await ask({ logprobs: 3, top_logprobs: 2, echo: true, suffix: 'z', foo: 1 })).body(200);
    const body = server.lastRequest();
    for (const name of ['logprobs', 'top_logprobs', 'echo', 'suffix', 'prompt']) assert.ok(!(name in body), name);
    assert.equal(body.foo, 1);
  });

  it('200 a stream of chunks, with the receipt when usage is requested', async () => {
    const reply = await ask({ stream: true, stream_options: { include_usage: true } });
    const stream = checkCompletionStream(reply.text);
    assert.deepEqual([stream.text, stream.finishReason, stream.comments], [TEXT, 'stop', 1]);
    assert.equal(stream.id, `cmpl-${reply.orderId}`);
    assert.ok(stream.usage?.x_market);
    assert.equal(checkCompletionStream((await ask({ stream: true })).text).usage, null);
  });

  it('200 a backend that dies in mid-stream gives one error frame, and charges nothing', async () => {
    server.answer({ writes: [frameOf(chunkOf({ content: 'Half' }))], write: 'each', after: 'reset' });
    const reply = await server.uncharged(() => ask({ stream: true }));
    assert.equal(checkCompletionStream(reply.text).error?.code, 'backend_error');
  });

  it('202 detached', async () => {
    assert.equal((await ask({ model: 'reef', detached: true })).body(202).status, 'queued');
    const { data } = (await server.api.call('listOrders', { query: { kind: 'completion', status: 'queued' } })).body(
      200,
    );
    (await server.api.call('cancelOrder', { params: { id: data[0]?.id ?? '' } })).body(200);
  });

  it('400 for tools, functions and messages, for more than one prompt, and for a bad cap', async () => {
    const refused = async (fields: Record<string, unknown>, code = 'invalid_request') => {
      const reply = await server.uncharged(() => ask(fields));
      reply.refusal(400, code);
      assert.equal(reply.headers['x-service-order-id'], undefined);
    };
    for (const name of ['tools', 'functions', 'messages']) await refused({ [name]: [] });
    for (const name of ['tool_choice', 'function_call']) await refused({ [name]: 'auto' });
    for (const prompt of [['a', 'b'], [[1, 2]], 5]) await refused({ prompt });
    for (const cap of [0, 1.5]) await refused({ max_completion_tokens: cap }, 'invalid_output_cap');
  });
});

describe('POST /v1/completions as an order', () => {
  itEndsAsOrdersDo(useServer(), 'createCompletion', completion);
});
