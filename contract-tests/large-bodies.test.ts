import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cannedReply } from '#testing/mock-backend.ts';
import { batchOf, ended, entriesOf, line } from './support/batches.ts';
import { chat } from './support/chat.ts';
import { message, user } from './support/message.ts';
import { useServer } from './support/server.ts';

/** A body with it is above 256 KiB, and read in a thread of its own. */
const LARGE = 'Large, "quoted", ümläuted. '.repeat(12_000);
/** Of the model that the test configuration serves. */
const SLOTS = 8;
const LONG = '9223372036854775807';

describe('a large body', () => {
  const server = useServer();
  const large = (fields: object = {}) => chat({ messages: [user(LARGE)], ...fields });

  it('200 in each shape, and the model gets all of it', async () => {
    const requests = [
      ['createChatCompletion', large()],
      ['createCompletion', { model: 'tide', prompt: LARGE, price_limit: 5 }],
      ['createResponse', { model: 'tide', input: LARGE, price_limit: 5 }],
      ['createMessage', message({ messages: [user(LARGE)] })],
    ] as const;
    for (const [operation, body] of requests) {
      for (const stream of [false, true]) {
        const reply = await server.api.call(operation, { body: { ...body, stream } });
        assert.equal(reply.status, 200, reply.text);
        assert.deepEqual(server.lastRequest().messages, [{ role: 'user', content: LARGE }]);
      }
    }
  });

  it('reaches the model digit by digit', async () => {
    const raw = JSON.stringify(large({ seed: LONG })).replace(`"${LONG}"`, LONG);
    (await server.api.call('createChatCompletion', { raw })).body(200);
    assert.ok(server.backend.requests.at(-1)?.text.includes(`"seed":${LONG}`));
  });

  it('runs as a line of a batch, digit by digit; one that is refused fails alone, and one that is no line its file', async () => {
    const large = { messages: [user(LARGE)] };
    const lines = [
      line('long', { ...large, seed: LONG }).replace(`"${LONG}"`, LONG),
      line('streamed', { ...large, stream: true }),
      line('unknown', { ...large, model: 'none' }),
      line('short'),
    ];
    const batch = await ended(server, (await batchOf(server.api, lines)).id);
    const { output, errors } = await entriesOf(server.api, batch);
    assert.deepEqual(output.map(({ custom_id }) => custom_id).sort(), ['long', 'short']);
    assert.deepEqual(errors.map(({ custom_id, error }) => [custom_id, error?.code]).sort(), [
      ['streamed', 'invalid_request'],
      ['unknown', 'model_not_found'],
    ]);
    const sent = server.backend.requests.find(({ text }) => text.includes(`"seed":${LONG}`));
    assert.partialDeepStrictEqual(sent?.body, { messages: [user(LARGE)] });
    const bad = await ended(server, (await batchOf(server.api, [line('a', large), line('a', large)])).id);
    assert.deepEqual(
      [bad.status, bad.errors?.data.map(({ message }) => message)],
      ['failed', ['Line 2 has the custom_id of line 1.']],
    );
  });

  it('is repeated by a response', async () => {
    const body = { model: 'tide', instructions: LARGE, input: 'Hi', price_limit: 5, temperature: 0.5 };
    const response = (await server.api.call('createResponse', { body })).body(200);
    assert.deepEqual([response.instructions, response.temperature], [LARGE, 0.5]);
  });

  it('is sent again when a pod fails before any output', async () => {
    server.answer((count) => (count === 0 ? { status: 500, writes: [] } : cannedReply()));
    (await server.api.call('createChatCompletion', { body: large() })).body(200);
    server.answer(cannedReply());
    const [first, second] = server.backend.requests.slice(-2);
    assert.deepEqual(second?.body, first?.body);
  });

  it('is read back when its order waited, detached or not', async () => {
    for (const fields of [{}, { detached: true }]) {
      const release = server.holdAnswers();
      const held = Array.from({ length: SLOTS }, () => server.api.call('createChatCompletion', { body: chat() }));
      await server.orders({ executing: SLOTS });
      const waiting = server.api.call('createChatCompletion', { body: large(fields) });
      await server.orders({ queued: 1, executing: SLOTS });
      release();
      for (const { status } of await Promise.all(held)) assert.equal(status, 200);
      assert.ok([200, 202].includes((await waiting).status));
      await server.orders({ queued: 0, executing: 0 });
      assert.deepEqual(server.lastRequest().messages, [user(LARGE)]);
    }
  });

  it('409 for its Idempotency-Key with another body, and a replay for the same one', async () => {
    const ask = (fields: object) =>
      server.api.call('createChatCompletion', { body: large(fields), headers: { 'idempotency-key': 'large' } });
    const { id } = (await ask({})).body(200);
    assert.equal((await ask({})).body(200).id, id);
    (await ask({ seed: 1 })).refusal(409, 'idempotency_error');
  });

  it('400 in each envelope for what is wrong with it', async () => {
    const bad = await server.api.call('createChatCompletion', { body: large({ max_tokens: 0 }) });
    assert.equal(bad.refusal(400, 'invalid_output_cap').param, 'max_tokens');
    (await server.api.call('createChatCompletion', { raw: `{"a":"${LARGE}` })).refusal(400, 'invalid_json');
    const asMessage = { body: message({ messages: [user(LARGE)], thread: { type: 'create' } }) };
    assert.equal(
      (await server.api.call('createMessage', asMessage)).refusal(400, 'invalid_request').type,
      'invalid_request_error',
    );
  });

  it('is counted, and taken or refused, by every other operation', async () => {
    const body = { model: 'tide', messages: [user(LARGE)] };
    assert.ok((await server.api.call('countMessageTokens', { body })).body(200).input_tokens > 50_000);
    const metadata = { note: LARGE };
    const batch = { input_file_id: 'file-a', endpoint: '/v1/chat/completions', metadata };
    (await server.api.call('createBatch', { body: batch as never })).refusal(400, 'invalid_request');
  });
});
