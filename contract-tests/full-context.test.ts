import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { OperationId } from '#generated/operations.ts';
import {
  cannedReply,
  chunkOf,
  errorReply,
  type MockBackend,
  type MockReply,
  startMockBackend,
  streamOf,
  usageOf,
} from '#testing/mock-backend.ts';
import { batchOf, ended, entriesOf, line } from './support/batches.ts';
import type { Reply } from './support/reply.ts';
import { TestServer } from './support/server.ts';

const CONTEXT = 131_072;
const OUTPUT_MAX = 32_768;
/** Longer than the least cap of an order that the balance covers in part. */
const ANSWER = 1_500;
/** About a token for each five bytes. */
const text = (bytes: number) => 'The tide comes in twice a day. '.repeat(Math.ceil(bytes / 31));
const tokensIn = (body: unknown) => Math.ceil(JSON.stringify(body).length / 5);

const user = (content: unknown) => [{ role: 'user', content }];
const shapes: readonly { id: OperationId; body: (prompt: string, fields?: object) => Record<string, unknown> }[] = [
  { id: 'createChatCompletion', body: (prompt, fields) => ({ messages: user(prompt), ...fields }) },
  { id: 'createCompletion', body: (prompt, fields) => ({ prompt, ...fields }) },
  { id: 'createResponse', body: (prompt, fields) => ({ input: prompt, ...fields }) },
  { id: 'createMessage', body: (prompt, fields) => ({ messages: user(prompt), max_tokens: OUTPUT_MAX, ...fields }) },
];

/** A backend that, like vLLM, refuses what does not fit its context, and gives a long answer to the rest. */
describe('the context of a model', () => {
  let backend: MockBackend;
  let server: TestServer;
  let answer: MockReply | null = null;
  const reply = ({ body }: { body: Record<string, unknown> }): MockReply => {
    if (answer) return answer;
    const prompt = tokensIn(body.messages);
    const cap = typeof body.max_tokens === 'number' ? body.max_tokens : 1;
    if (prompt + cap > CONTEXT)
      return errorReply(
        400,
        `This model's maximum context length is ${CONTEXT} tokens. However, you requested ${prompt + cap} tokens (${prompt} in the messages, ${cap} in the completion). Please reduce the length of the messages or completion.`,
      );
    const output = Math.min(ANSWER, body.max_tokens === undefined ? ANSWER : cap);
    const usage = usageOf({ prompt, cached: 0, output });
    return cannedReply({ chunks: output, usage, finishReason: output < ANSWER ? 'length' : 'stop' });
  };
  before(async () => {
    backend = await startMockBackend({ reply });
    server = new TestServer({
      default_model: 'deep',
      models: [
        {
          ...{ id: 'deep', type: 'fixed', context_length: CONTEXT, max_output_length: OUTPUT_MAX },
          usd_per_million: { cached: 0.1, uncached: 1, output: 4 },
          pods: [{ id: 'deep-1', url: backend.url, slots: 8 }],
        },
      ],
    });
    await server.start();
  });
  after(async () => {
    await server.close();
    await backend.close();
  });
  const ask = (id: OperationId, body: object, headers: Record<string, string> = {}) =>
    server.passTimeUntil(server.api.call(id, { body, headers }));
  const sent = () => backend.requests.at(-1)?.body ?? {};
  const outputOf = ({ text: json }: Reply) => {
    const { usage } = JSON.parse(json);
    return usage.completion_tokens ?? usage.output_tokens;
  };
  const until = async (fields: { answer: MockReply }, act: () => Promise<void>) => {
    answer = fields.answer;
    await act().finally(() => {
      answer = null;
    });
  };

  const prompts: Readonly<Record<string, string>> = {
    'English of 39 % of the context': text(262_000),
    'English of 90 % of the context': text(590_000),
    'Chinese of 60 % of the context': '潮水每天涨落两次。'.repeat(9_000),
    'JSON of 60 % of the context': JSON.stringify({
      rows: Array.from({ length: 8_000 }, (_, id) => ({ id, name: `row ${id}`, on: true })),
    }),
  };
  for (const { id, body } of shapes.slice(0, 3))
    for (const [what, prompt] of Object.entries(prompts))
      it(`200 ${id} without a cap is not cut after ${what}`, async () => {
        const got = await ask(id, body(prompt));
        assert.equal(got.status, 200, got.text.slice(0, 300));
        const { max_tokens: cap = OUTPUT_MAX } = sent();
        assert.equal(cap, OUTPUT_MAX);
        assert.equal(outputOf(got), ANSWER);
        assert.doesNotMatch(got.text, /"(length|incomplete)"/);
      });

  // Spec 4.2-9, 4.4-13
  it('200 a short prompt has the maximum of the model as its cap, and a cap of the caller always goes to the pod', async () => {
    assert.equal((await ask('createChatCompletion', { messages: user('Hi') })).status, 200);
    assert.equal(sent().max_tokens, OUTPUT_MAX);
    assert.equal((await ask('createChatCompletion', { messages: user(text(500_000)), max_tokens: 7 })).status, 200);
    assert.equal(sent().max_tokens, 7);
  });

  it('a detached order and a line of a batch without a cap are not cut either', async () => {
    const detached = await ask('createChatCompletion', { messages: user(text(400_000)), detached: true });
    const { id } = JSON.parse(detached.text) as { id: string };
    await server.orders({ queued: 0, executing: 0 });
    const { charged_usd } = (await server.api.call('getOrder', { params: { id } })).body(200) as {
      charged_usd?: number;
    };
    assert.ok((charged_usd ?? 1) > 0);
    assert.equal(sent().max_tokens, undefined);
    const lines = [line('long', { model: 'deep', messages: user(text(400_000)), max_tokens: undefined })];
    const batch = await ended(server, (await batchOf(server.api, lines)).id);
    const { output } = await entriesOf(server.api, batch);
    assert.equal(outputOf({ text: JSON.stringify(output[0]?.response?.body) } as Reply), ANSWER);
  });

  it('a balance that covers the answer in part lowers the default cap, and one that covers less is refused', async () => {
    const poor = await server.createAccount({ creditUsd: 0.136 });
    const body = { messages: user(text(500_000)) };
    const got = await server.passTimeUntil(server.api.call('createChatCompletion', { body, key: poor.key }));
    // The pod stops there itself, and reports the whole prompt: nobody pays less for it by a low balance.
    const { choices, usage } = got.body(200) as unknown as { choices: { finish_reason: string }[]; usage: object };
    const cap = Math.floor((0.136 - CONTEXT / 1e6) / 4e-6);
    assert.ok(cap < ANSWER && sent().max_tokens === cap);
    assert.partialDeepStrictEqual(
      [choices, usage],
      [[{ finish_reason: 'length' }], { completion_tokens: cap, prompt_tokens_details: { cached_tokens: 0 } }],
    );
    const { balance_usd } = (await server.api.call('listUsage', { key: poor.key })).body(200);
    assert.ok(balance_usd !== null && Number(balance_usd) >= 0);
    const poorer = await server.createAccount({ creditUsd: 0.13 });
    (await server.api.call('createChatCompletion', { body, key: poorer.key })).refusal(402, 'insufficient_balance');
  });

  const param: Readonly<Record<string, string>> = { createCompletion: 'prompt', createResponse: 'input' };
  for (const { id, body } of shapes) {
    for (const stream of [false, true])
      it(`400 ${id} for a prompt that cannot fit, before there is an order${stream ? ', streamed' : ''}`, async () => {
        const heard = backend.requests.length;
        const got = await server.uncharged(() => server.api.call(id, { body: body(text(1_200_000), { stream }) }));
        const refusal = got.refusal(400, 'context_length_exceeded');
        assert.match(refusal.message, /^prompt is too long: \d+ tokens > 131072 maximum\./);
        if (id !== 'createMessage') assert.equal(refusal.param, param[id] ?? 'messages');
        assert.equal(got.headers['x-service-order-id'], undefined);
        assert.equal(backend.requests.length, heard);
      });

    it(`400 ${id} for a cap that does not fit, in words by which a client lowers it`, async () => {
      const cap = id === 'createResponse' ? { max_output_tokens: 30_000 } : { max_tokens: 30_000 };
      const got = await server.uncharged(() => ask(id, body(text(590_000), cap)));
      const { message } = got.refusal(400, 'context_length_exceeded');
      assert.match(message, /^input length and `max_tokens` exceed context limit: \d+ \+ 30000 > 131072\./);
    });

    it(`${id} says the same in a stream that has begun, also for an error inside of the backend's stream`, async () => {
      const words =
        "This model's maximum context length is 131072 tokens. However, your request has 140000 input tokens.";
      for (const error of [
        { message: words, code: 400 },
        { message: words, code: 'context_length_exceeded' },
        { message: words },
      ])
        await until({ answer: streamOf([{ error }]) }, async () => {
          const got = await server.uncharged(() => ask(id, body('Hi', { stream: true })));
          assert.equal(got.status, 200);
          assert.ok(got.text.includes('"message":"prompt is too long: 140000 tokens > 131072 maximum.'), got.text);
          assert.ok(got.text.includes(id === 'createResponse' ? '"invalid_prompt"' : '"context_length_exceeded"'));
        });
      await until(
        { answer: errorReply(500, 'the request exceeds the available context size, try increasing it') },
        async () => {
          const got = await server.uncharged(() => ask(id, body('Hi')));
          assert.match(
            got.refusal(400, 'context_length_exceeded').message,
            /^prompt is too long: 131073 tokens > 131072 maximum\./,
          );
          const order = (await server.api.call('getOrder', { params: { id: got.orderId } })).body(200);
          assert.deepEqual([order.status, order.error], ['error', 'context_length_exceeded']);
        },
      );
    });
  }

  it('a dry run and a line of a batch are refused for the same reason', async () => {
    const long = { messages: user(text(1_200_000)) };
    (await ask('createChatCompletion', long, { 'x-dry-run': 'true' })).refusal(400, 'context_length_exceeded');
    const batch = await ended(server, (await batchOf(server.api, [line('long', { model: 'deep', ...long })])).id);
    const { errors } = await entriesOf(server.api, batch);
    assert.equal(errors[0]?.error?.code, 'context_length_exceeded');
    assert.match(errors[0]?.error?.message ?? '', /^prompt is too long: /);
  });

  it('on a small balance a text that is too long is refused for its length, and a media part is not refused', async () => {
    const { key } = await server.createAccount({ creditUsd: 2 });
    const call = (content: unknown) =>
      server.passTimeUntil(server.api.call('createChatCompletion', { key, body: { messages: user(content) } }));
    (await call(text(900_000))).refusal(400, 'context_length_exceeded');
    (await call('潮水'.repeat(150_000))).refusal(400, 'context_length_exceeded');
    (await call('word '.repeat(180_000))).refusal(400, 'context_length_exceeded');
    const { key: poor } = await server.createAccount({ creditUsd: 0.01 });
    const seemsLong = { key: poor, body: { messages: user('word '.repeat(180_000)) } };
    (await server.api.call('createChatCompletion', seemsLong)).refusal(400, 'context_length_exceeded');
    const fits = { key: poor, body: { messages: user('word '.repeat(100_000)) } };
    (await server.api.call('createChatCompletion', fits)).refusal(402, 'insufficient_balance');
    await until({ answer: cannedReply() }, async () => {
      const data = 'QUJD'.repeat(250_000);
      for (const part of [
        { type: 'input_audio', input_audio: { data, format: 'wav' } },
        { type: 'audio_url', audio_url: { url: `data:audio/wav;base64,${data}` } },
        { type: 'video_url', video_url: { url: `data:video/mp4;base64,${data}` } },
        { type: 'image_embeds', image_embeds: data },
        { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${data}` } },
      ])
        assert.equal((await call([{ type: 'text', text: 'What is this?' }, part])).status, 200, part.type);
    });
  });

  it('an aborted stream with a megabyte and a half of audio is charged the figure of audio', async () => {
    const words = Array.from({ length: 10 }, (_, word) => chunkOf({ content: `word${word} ` }));
    const hanging: MockReply = { writes: streamOf(words).writes.slice(0, -1), after: 'hang' };
    await until({ answer: hanging }, async () => {
      const data = 'QUJD'.repeat(375_000);
      const messages = user([{ type: 'input_audio', input_audio: { data, format: 'wav' } }]);
      const live = await server.api.open('createChatCompletion', { body: { messages, stream: true } });
      await live.until(({ text: got }) => got.includes('word9'));
      const id = live.headers['x-service-order-id'] ?? '';
      live.leave();
      await server.orders({ queued: 0, executing: 0 });
      const { data: usage } = (await server.api.call('listUsage', { query: { limit: 1 } })).body(200);
      assert.equal(usage[0]?.order_id, id);
      assert.ok((usage[0]?.prompt_tokens ?? 0) <= 2_520, `${usage[0]?.prompt_tokens}`);
    });
  });
});
