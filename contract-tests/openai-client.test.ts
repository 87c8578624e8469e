import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import OpenAI from 'openai';
import { chunkOf, streamOf, usageOf } from '#testing/mock-backend.ts';
import { useServer } from './support/server.ts';

const TEXT = 'word0 word1 word2 word3 word4 word5 word6 word7 ';
const messages = [{ role: 'user' as const, content: 'Say hello.' }];
const tools = [
  { type: 'function' as const, function: { name: 'look', parameters: { type: 'object', properties: {} } } },
];

/** The official client, unmodified: all it has is an address and a key, and the key carries a default price limit. */
describe('the official OpenAI client', () => {
  const server = useServer();
  let openai: OpenAI;
  before(async () => {
    const { key } = await server.createAccount({ keyPriceLimits: { tide: 5, reef: 5 } });
    openai = new OpenAI({ baseURL: `${server.api.url}/v1`, apiKey: key });
  });

  const answerWithACall = () =>
    server.answer(
      streamOf([
        chunkOf({ role: 'assistant', content: '' }),
        chunkOf({
          tool_calls: [{ index: 0, id: 'call_a', type: 'function', function: { name: 'look', arguments: '' } }],
        }),
        chunkOf({ tool_calls: [{ index: 0, function: { arguments: '{"at":"sea"}' } }] }),
        chunkOf({}, { finish_reason: 'tool_calls' }),
        { ...chunkOf({}), choices: [], usage: usageOf({ prompt: 12, cached: 4, output: 8 }) },
      ]),
    );

  it('200 lists the models', async () => {
    const { data } = await openai.models.list();
    assert.equal(data[0]?.id, 'tide');
  });

  it('200 gets a completion', async () => {
    const completion = await openai.chat.completions.create({ model: 'tide', messages });
    assert.equal(completion.choices[0]?.message.content, TEXT);
    assert.equal(completion.usage?.total_tokens, 20);
  });

  it('200 reads a stream, with its helper, to the same completion', async () => {
    const stream = openai.chat.completions.stream({ model: 'tide', messages, stream_options: { include_usage: true } });
    let text = '';
    stream.on('content', (delta) => {
      text += delta;
    });
    const completion = await stream.finalChatCompletion();
    assert.equal(text, TEXT);
    assert.equal(completion.choices[0]?.message.content, TEXT);
    assert.equal(completion.usage?.total_tokens, 20);
  });

  it('200 gets calls of tools, whole and streamed', async () => {
    answerWithACall();
    const whole = await openai.chat.completions.create({ model: 'tide', messages, tools });
    const streamed = await openai.chat.completions.stream({ model: 'tide', messages, tools }).finalChatCompletion();
    for (const { choices } of [whole, streamed]) {
      const [call] = choices[0]?.message.tool_calls ?? [];
      assert.equal(call?.id, 'call_a');
      assert.ok(call?.type === 'function');
      assert.deepEqual(JSON.parse(call.function.arguments), { at: 'sea' });
      assert.equal(choices[0]?.finish_reason, 'tool_calls');
    }
  });

  it('404 and 401 arrive as the errors that it knows', async () => {
    await assert.rejects(openai.chat.completions.create({ model: 'nobody', messages }), (error) => {
      assert.ok(error instanceof OpenAI.NotFoundError);
      assert.equal(error.code, 'model_not_found');
      return true;
    });
    const stranger = new OpenAI({ baseURL: `${server.api.url}/v1`, apiKey: 'sk-none' });
    await assert.rejects(stranger.chat.completions.create({ model: 'tide', messages }), OpenAI.AuthenticationError);
  });

  it('409 a canceled order is not repeated by itself', async () => {
    const refused = assert.rejects(openai.chat.completions.create({ model: 'reef', messages }), OpenAI.ConflictError);
    const api = server.api.as(openai.apiKey);
    await server.orders({ queued: 1 }, api);
    const [order] = (await api.call('listOrders', { query: { status: 'queued' } })).body(200).data;
    (await api.call('cancelOrder', { params: { id: order?.id ?? '' } })).body(200);
    await refused;
    assert.equal((await api.call('listOrders', { query: { model: 'reef' } })).body(200).data.length, 1);
  });
});
