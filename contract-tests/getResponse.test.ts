import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import OpenAI from 'openai';
import { cannedReply, chunkOf, streamOf } from '#testing/mock-backend.ts';
import type { RequestOptions } from './support/client.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { idsOf, wholeEvents } from './support/cut-streams.ts';
import { useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

const NOBODY = 'resp_0199aaaa-0000-7000-8000-000000000000';
const params = { id: NOBODY };
const ASKED = { model: 'tide', input: 'Hi', price_limit: 5 };

/** The extension, which is off by default. */
const BACKGROUND = { responses: { background: true } };

describe('GET /v1/responses/{id}, and responses in the background', () => {
  const server = useServer(BACKGROUND);
  itNeedsAKey(server, 'getResponse', { params });
  itSurvivesAnOutage(server, 'getResponse', { params });
  itHasARate('account_operations_per_minute_per_account', 'getResponse', { params });

  const create = (fields: object = {}, more: RequestOptions = {}) =>
    server.api.call('createResponse', { body: { ...ASKED, background: true, ...fields }, ...more });
  const get = (id: string, more: RequestOptions = {}) => server.api.call('getResponse', { params: { id }, ...more });
  const idle = () => server.orders({ queued: 0, executing: 0 });

  it('200 queued at once, then in progress, then the answer with what the request said', async () => {
    const release = server.holdAnswers();
    const before = await server.charged();
    const made = (await create({ metadata: { boat: 'Ægir' }, instructions: 'Be brief.' })).body(200);
    assert.deepEqual([made.status, made.background, made.output], ['queued', true, []]);
    assert.deepEqual([made.metadata, made.instructions], [{ boat: 'Ægir' }, 'Be brief.']);
    await server.orders({ queued: 0, executing: 1 });
    const running = (await get(made.id)).body(200);
    assert.deepEqual([running.status, running.background, running.usage], ['in_progress', true, null]);
    release();
    await idle();
    const reply = await get(made.id);
    const done = reply.body(200);
    assert.equal(`resp_${reply.orderId}`, made.id);
    assert.deepEqual([done.status, done.background, done.metadata], ['completed', true, { boat: 'Ægir' }]);
    assert.equal(done.created_at, made.created_at);
    assert.ok(JSON.stringify(done.output).includes('word0 word1 '));
    assert.equal((await server.charged()).settled, before.settled + 1);
    assert.equal((await get(made.id.toUpperCase().replace('RESP', 'resp'))).body(200).id, made.id);
  });

  it('200 a response that was not in the background, with what its stored result knows', async () => {
    server.answer(cannedReply());
    const plain = (await create({ background: false, metadata: { k: 'v' } })).body(200);
    const read = (await get(plain.id)).body(200);
    assert.deepEqual([read.status, read.background, read.metadata], ['completed', false, {}]);
    assert.deepEqual(read.output, plain.output);
    (await get(plain.id, { query: { stream: 'true' } })).refusal(409, 'order_not_followable');
  });

  it('200 in progress, with Retry-After, while a large answer is being stored', async () => {
    server.answer(streamOf([chunkOf({ content: 'word '.repeat(40_000) }), chunkOf({}, { finish_reason: 'stop' })]));
    const { id } = (await create({ background: false })).body(200);
    const reply = await get(id);
    assert.deepEqual([reply.body(200).status, reply.headers['retry-after']], ['in_progress', '1']);
    await server.pass(1000);
    await eventually(async () => (await get(id)).body(200).status === 'completed', 'a stored answer');
    server.answer(cannedReply());
  });

  it('200 cancelled, and failed when it expired', async () => {
    const { id } = (await create({ model: 'reef' })).body(200);
    assert.equal((await get(id)).body(200).status, 'queued');
    (await server.api.call('cancelResponse', { params: { id } })).body(200);
    assert.equal((await get(id)).body(200).status, 'cancelled');
    const late = (await create({ model: 'reef', max_wait: 10 })).body(200);
    await server.pass(12_000);
    await idle();
    const { status, error } = (await get(late.id)).body(200);
    assert.deepEqual([status, error?.code], ['failed', 'order_expired']);
    const stream = await get(late.id, { query: { stream: 'true', starting_after: 1 } });
    assert.match(stream.text, /^event: response.failed\ndata: \{"type":"response.failed","sequence_number":\d/);
  });

  it('200 again for a repeat with its key: the response as it is, or its stream', async () => {
    server.answer(cannedReply());
    const headers = { 'idempotency-key': 'background' };
    const first = (await create({}, { headers })).body(200);
    await idle();
    const again = await create({}, { headers });
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assert.deepEqual([again.body(200).id, again.body(200).status], [first.id, 'completed']);
    const stream = await create({ stream: true }, { headers });
    assert.equal(stream.headers['idempotent-replayed'], 'true');
    assert.deepEqual(wholeEvents(stream.text), wholeEvents((await get(first.id, { query: { stream: 'true' } })).text));
  });

  it('200 a stream whose caller left goes on, and is read from a number on', async () => {
    const release = server.holdAnswers();
    const first = await server.api.open('createResponse', { body: { ...ASKED, background: true, stream: true } });
    await first.until(({ frames }) => frames.length === 2);
    const id = `resp_${first.headers['x-service-order-id']}`;
    first.leave();
    release();
    await idle();
    const whole = await get(id, { query: { stream: 'true' } });
    const rest = await get(id, { query: { stream: 'true', starting_after: 3 } });
    assert.deepEqual(idsOf(whole.text), []);
    assert.deepEqual(wholeEvents(rest.text), wholeEvents(whole.text).slice(4));
    const numbers = wholeEvents(whole.text).map((event) => Number(/"sequence_number":(\d+)/.exec(event)?.[1]));
    assert.deepEqual(numbers, [...numbers.keys()]);
  });

  it('400 for a number that is none or past the end, and for a stream that is neither true nor false', async () => {
    server.answer(cannedReply());
    const { id } = (await create()).body(200);
    await idle();
    for (const query of [{ starting_after: -1 }, { stream: 'yes' }, { stream: 'true', starting_after: 10_000 }])
      (await get(id, { query })).refusal(400, 'invalid_request');
  });

  it('404 for ids that are none, of nobody, of others, and of other endpoints', async () => {
    server.answer(cannedReply());
    const { id } = (await create()).body(200);
    await idle();
    const chat = await server.api.call('createChatCompletion', {
      body: { model: 'tide', messages: [{ role: 'user', content: 'Hi' }], price_limit: 5 },
      headers: { 'idempotency-key': 'a chat' },
    });
    const { key } = await server.createAccount();
    for (const stream of ['true', 'false']) {
      for (const wrong of [NOBODY, id.slice(5), 'resp_', 'nonsense', `resp_${chat.orderId}`])
        (await get(wrong, { query: { stream } })).refusal(404, 'not_found');
      (await get(id, { query: { stream }, key })).refusal(404, 'not_found');
    }
  });

  it('410 when the answer is not stored any more', async () => {
    server.answer(cannedReply());
    const { id } = (await create()).body(200);
    await idle();
    await server.api.call('deleteOrderResult', { params: { id: id.slice(5) } });
    for (const query of [{}, { stream: 'true' }]) (await get(id, { query })).refusal(410, 'result_unavailable');
  });

  it('the official client polls, resumes and cancels', async () => {
    const { key } = await server.createAccount({ keyPriceLimits: { tide: 5, reef: 5 } });
    const openai = new OpenAI({ baseURL: `${server.api.url}/v1`, apiKey: key, maxRetries: 0 });
    server.answer(cannedReply());
    const made = await openai.responses.create({ model: 'tide', input: 'Hi', background: true });
    assert.equal(made.status, 'queued');
    await idle();
    const done = await openai.responses.retrieve(made.id);
    assert.match(done.output_text, /^word0 word1 .*word7 $/);
    const release = server.holdAnswers();
    const stream = await openai.responses.create({ model: 'tide', input: 'Hi', background: true, stream: true });
    let id = '';
    for await (const event of stream) {
      if (event.type !== 'response.created') continue;
      id = event.response.id;
      break;
    }
    release();
    const resumed = await openai.responses.retrieve(id, { stream: true, starting_after: 0 });
    const numbers: number[] = [];
    let text = '';
    for await (const event of resumed) {
      numbers.push(event.sequence_number);
      if (event.type === 'response.output_text.delta') text += event.delta;
    }
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 1),
    );
    assert.equal(text, done.output_text);
    const helper = openai.responses.stream({ response_id: id, starting_after: 5 });
    assert.equal((await helper.finalResponse()).output_text, text);
    const waiting = await openai.responses.create({ model: 'reef', input: 'Hi', background: true });
    assert.equal((await openai.responses.cancel(waiting.id)).status, 'cancelled');
    await assert.rejects(openai.responses.cancel(done.id), /409/);
  });
});

describe('GET /v1/responses/{id} as a stream over the download allowance', () => {
  const server = useServer({ ...BACKGROUND, limits: { download_bytes_per_hour_per_account: 1000 } });

  it('429 for following a live order again from events that were sent already', async () => {
    const body = { ...ASKED, model: 'reef', background: true, instructions: 'Be brief. '.repeat(200) };
    const { id } = (await server.api.call('createResponse', { body })).body(200);
    const asked = { params: { id }, query: { stream: 'true' } } as const;
    const first = await server.api.open('getResponse', asked);
    assert.equal(first.status, 200);
    const refused = (await server.api.call('getResponse', asked)).refusal(429, 'rate_limit_error');
    assert.match(refused.message, /download allowance/);
    (await server.api.call('cancelResponse', { params: { id } })).body(200);
    await first.end();
  });
});
