import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cannedReply, chunkOf, streamOf, usageOf } from '#testing/mock-backend.ts';
import { chat } from './support/chat.ts';
import type { RequestOptions } from './support/client.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { idsOf, wholeEvents } from './support/cut-streams.ts';
import { message } from './support/message.ts';
import { useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

const NOBODY = '0199aaaa-0000-7000-8000-000000000000';
const params = { id: NOBODY };

describe('GET /v1/orders/{id}/stream', () => {
  const server = useServer();
  itNeedsAKey(server, 'streamOrder', { params });
  itSurvivesAnOutage(server, 'streamOrder', { params });
  itHasARate('account_operations_per_minute_per_account', 'streamOrder', { params });

  let keys = 0;
  const keyed = (fields: object = {}, api = server.api) =>
    api.open('createChatCompletion', {
      body: { ...chat({ stream: true }), ...fields },
      headers: { 'idempotency-key': `follow-${++keys}` },
    });
  const follow = (id: string, after: number | null = null, more: RequestOptions = {}) =>
    server.api.call('streamOrder', {
      params: { id },
      ...(after === null ? {} : { query: { starting_after: after } }),
      ...more,
    });
  const orderOf = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) =>
    headers['x-service-order-id'] ?? '';
  const detached = async (fields: object = {}) =>
    (await server.api.call('createChatCompletion', { body: { ...chat({ detached: true }), ...fields } })).body(202).id;
  const statusOf = async (id: string) => (await server.api.call('getOrder', { params: { id } })).body(200).status;
  /** An answer whose first two words come at once, and the rest when the returned function is called. */
  const halves = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const words = ['one ', 'two ', 'three ', 'four '].map((content) => chunkOf({ content }));
    const end = [
      chunkOf({}, { finish_reason: 'stop' }),
      { ...chunkOf({}), choices: [], usage: usageOf({ prompt: 9, cached: 0, output: 4 }) },
    ];
    const whole = streamOf([chunkOf({ role: 'assistant', content: '' }), ...words, ...end]);
    server.answer({ ...whole, write: 'each', holdAt: { write: 3, until: promise } });
    return resolve;
  };

  it('200 an order that runs: what there is from the event after the number, then what comes', async () => {
    const goOn = halves();
    const first = await keyed();
    await first.until(({ frames }) => frames.length === 3);
    const id = orderOf(first);
    first.leave();
    const second = await server.api.open('streamOrder', { params: { id }, query: { starting_after: 1 } });
    assert.equal(second.status, 200);
    assert.equal(second.headers['content-type'], 'text/event-stream');
    assert.equal(orderOf(second), id);
    await second.until(({ frames }) => frames.length === 1);
    assert.match(second.text, /"content":"two "/);
    goOn();
    const { text } = await second.end();
    assert.deepEqual(idsOf(text), [2, 3, 4, 5, 6]);
    assert.match(text, /data: \[DONE\]\n\n$/);
    assert.equal(await statusOf(id), 'done');
    const whole = await follow(id);
    assert.deepEqual(wholeEvents(whole.text).slice(2), wholeEvents(text));
    assert.equal((await follow(id, 6)).text.replace(/^:.*\n/gm, ''), '');
  });

  it('200 a large answer, which is not stored as a row, from its last events on', async () => {
    const words = Array.from({ length: 800 }, (_, word) => chunkOf({ content: `${word}`.padStart(100) }));
    server.answer(streamOf([...words, chunkOf({}, { finish_reason: 'stop' })]));
    const id = await detached({ max_tokens: 1024 });
    await server.orders({ queued: 0, executing: 0 });
    const whole = wholeEvents((await follow(id)).text);
    assert.ok(whole.length > 800, `${whole.length} events`);
    assert.deepEqual(wholeEvents((await follow(id, 790)).text), whole.slice(791));
  });

  it('200 what a large request asked to be repeated, while it runs and after', async () => {
    const release = server.holdAnswers();
    // Also what JSON escapes, and what could be taken for the end of an event.
    const instructions = 'Größe 🌊 \ud800\0\u2028\n\ndata: "x"\\ '.repeat(10_000);
    const body = { model: 'tide', input: 'Hi', instructions, price_limit: 50, stream: true };
    const asked = { body, headers: { 'idempotency-key': 'large-request' } };
    const first = await server.api.open('createResponse', asked);
    await first.until(({ frames }) => frames.length === 2);
    const id = orderOf(first);
    const live = await server.api.open('streamOrder', { params: { id } });
    release();
    const whole = wholeEvents((await first.end()).text);
    assert.ok(whole.join() === wholeEvents((await live.end()).text).join());
    for (const event of [whole[0], whole[1], whole.at(-1)])
      assert.ok(
        JSON.parse(event?.slice(event.indexOf('{')) ?? '').response.instructions === instructions.toWellFormed(),
      );
    assert.ok(whole.join() === wholeEvents((await follow(id)).text).join());
    assert.ok(whole.join() === wholeEvents((await server.api.call('createResponse', asked)).text).join());
    server.answer(cannedReply());
  });

  const shapes = [
    ['createChatCompletion', chat(), /"content":"word0 word1/],
    ['createCompletion', { model: 'tide', prompt: 'Say hello.', price_limit: 5 }, /"text":"word0 word1/],
    ['createResponse', { model: 'tide', input: 'Say hello.', price_limit: 5 }, /"delta":"word0 word1/],
    ['createMessage', message(), /"text":"word0 word1/],
  ] as const;
  for (const [operation, body, words] of shapes) {
    it(`200 the stored result of a ${operation} of a version that kept no streams, and from a number on`, async () => {
      server.answer(cannedReply());
      const headers = { 'idempotency-key': 'before-the-upgrade' };
      const { orderId: id } = await server.api.call(operation, { body, headers });
      const rows = server.operator.database.knex('stored_answers').where({ order_id: id });
      const { stream, ...older } = JSON.parse((await rows.clone().first('body')).body);
      assert.ok(stream, 'this version keeps the stream');
      await rows.clone().update({ body: JSON.stringify(older) });
      const whole = await follow(id);
      assert.equal(whole.status, 200);
      assert.match(whole.text, words);
      assert.match(whole.text, /\[DONE\]|response\.completed|message_stop/);
      assert.deepEqual(wholeEvents((await follow(id, 1)).text), wholeEvents(whole.text).slice(2));
      const repeated = await server.api.call(operation, { body: { ...body, stream: true }, headers });
      assert.match(repeated.text, words);
    });
  }

  it('200 by Last-Event-ID or starting_after, the higher one: a browser connects again to the same address', async () => {
    server.answer(cannedReply());
    const id = await detached();
    await server.orders({ queued: 0, executing: 0 });
    const headers = { 'last-event-id': '4' };
    assert.equal(idsOf((await follow(id, null, { headers })).text)[0], 5);
    assert.equal(idsOf((await follow(id, 2, { headers })).text)[0], 5);
    assert.equal(idsOf((await follow(id, 5, { headers })).text)[0], 6);
    assert.equal(idsOf((await follow(id, null, { headers: { 'last-event-id': '' } })).text)[0], 0);
    const { status, text } = await server.api.request('HEAD', `/v1/orders/${id}/stream`);
    assert.deepEqual([status, text], [200, '']);
  });

  it('200 while an order waits: comments, and its error when it is canceled', async () => {
    const id = await detached({ model: 'reef' });
    const waiting = await server.api.open('streamOrder', { params: { id } });
    await waiting.until(({ comments }) => comments.length === 1);
    await server.pass(30_000);
    await waiting.until(({ comments }) => comments.length >= 3);
    (await server.api.call('cancelOrder', { params: { id } })).body(200);
    const { text } = await waiting.end();
    assert.match(text, /id: 0\ndata: \{"error":\{.*"code":"order_canceled"/);
    // Nothing else is kept, so it is the next event whatever the number.
    assert.match((await follow(id)).text, /^id: 0\ndata: \{"error":\{.*"code":"order_canceled"/);
    assert.match((await follow(id, 7)).text, /^id: 8\ndata: \{"error":\{.*"code":"order_canceled"/);
  });

  it('200 the error of a backend that fails in mid-stream, to everybody who follows', async () => {
    const { writes } = cannedReply();
    server.answer({ writes: writes.slice(0, 4), write: 'each', after: 'reset' });
    const { text } = await (await keyed()).end();
    assert.match(text, /"code":"backend_error"/);
    const [order] = (await server.api.call('listOrders', { query: { limit: 1 } })).body(200).data;
    assert.match((await follow(order?.id ?? '', 2)).text, /^id: 3\ndata: \{"error":\{.*"code":"backend_error"/);
    server.answer(cannedReply());
  });

  it('200 a usage chunk for an order that nobody asked to stream, and not for a stream that asked for none', async () => {
    server.answer(cannedReply());
    const id = await detached();
    const plain = await (await keyed()).end();
    await server.orders({ queued: 0, executing: 0 });
    assert.match((await follow(id)).text, /"x_market"/);
    assert.ok(!(await follow(plain.orderId)).text.includes('x_market'));
  });

  it('200 to eight at a time, each at its own place, and 429 with Retry-After to a ninth until one leaves', async () => {
    const goOn = halves();
    const first = await keyed();
    await first.until(({ frames }) => frames.length === 3);
    const id = orderOf(first);
    const open = () => server.api.open('streamOrder', { params: { id } });
    const eight = await Promise.all(Array.from({ length: 8 }, open));
    for (const one of eight) assert.equal(one.status, 200);
    const ninth = await follow(id);
    assert.match(ninth.refusal(429, 'rate_limit_error').message, /8 streams/);
    assert.equal(ninth.headers['retry-after'], '1');
    eight.pop()?.leave();
    await eventually(async () => {
      const again = await open();
      if (again.status === 200) eight.push(again);
      return again.status === 200;
    }, 'the seat of the one who left');
    goOn();
    const texts = await Promise.all([first, ...eight].map(async (one) => wholeEvents((await one.end()).text).join()));
    assert.equal(new Set(texts).size, 1);
  });

  it('400 for a number that is none, and for one that no event has so far', async () => {
    server.answer(cannedReply());
    const id = await detached();
    await server.orders({ queued: 0, executing: 0 });
    for (const wrong of ['-1', '1.5', 'two', '99999999999', '1e2'])
      assert.equal(
        (await follow(id, null, { query: { starting_after: wrong } })).refusal(400, 'invalid_request').param,
        'starting_after',
      );
    const bad = await follow(id, null, { headers: { 'last-event-id': 'abc' } });
    assert.equal(bad.refusal(400, 'invalid_request').param, 'Last-Event-ID');
    const beside = await follow(id, 2, { headers: { 'last-event-id': '2147483648' } });
    assert.equal(beside.refusal(400, 'invalid_request').param, 'Last-Event-ID');
    const last = idsOf((await follow(id)).text).at(-1) ?? 0;
    assert.equal((await follow(id, last)).status, 200);
    assert.match((await follow(id, last + 1)).refusal(400, 'invalid_request').message, new RegExp(`number ${last}\\.`));
    const waits = await detached({ model: 'reef' });
    (await follow(waits, 0)).refusal(400, 'invalid_request');
    (await server.api.call('cancelOrder', { params: { id: waits } })).body(200);
  });

  it('404 for a malformed, unknown or foreign id', async () => {
    server.answer(cannedReply());
    const id = await detached();
    const other = (await server.createAccount()).key;
    for (const [each, key] of [[NOBODY], ['nonsense'], [id, other]] as const)
      (await follow(each, null, key === undefined ? {} : { key })).refusal(404, 'not_found');
    await server.orders({ queued: 0, executing: 0 });
    (await follow(id, null, { key: other })).refusal(404, 'not_found');
    assert.equal((await follow(id.toUpperCase())).status, 200);
  });

  it('409 for an order that ends with its caller, while it runs and after', async () => {
    server.answer(cannedReply());
    const plain = await server.api.call('createChatCompletion', { body: chat() });
    const unkept = await (await keyed({ store: false })).end();
    for (const { orderId } of [plain, unkept]) {
      const refused = await follow(orderId);
      refused.refusal(409, 'order_not_followable');
      assert.equal(refused.headers['x-should-retry'], 'false');
    }
    const waiting = await server.api.open('createChatCompletion', { body: chat({ model: 'reef', stream: true }) });
    (await follow(orderOf(waiting))).refusal(409, 'order_not_followable');
    waiting.leave();
  });

  it('410 when the result was deleted, and when it was never to be stored', async () => {
    server.answer(cannedReply());
    const id = await detached();
    const unkept = await detached({ store: false });
    await server.orders({ queued: 0, executing: 0 });
    assert.equal((await server.api.call('deleteOrderResult', { params: { id } })).status, 200);
    (await follow(id)).refusal(410, 'result_unavailable');
    (await follow(unkept)).refusal(410, 'result_unavailable');
  });

  it('reading changes nothing: one charge, and a follower who leaves cancels nothing', async () => {
    const account = await server.createAccount();
    const api = server.api.as(account.key);
    const goOn = halves();
    const first = await keyed({}, api);
    await first.until(({ frames }) => frames.length === 3);
    const id = orderOf(first);
    first.leave();
    const follower = await api.open('streamOrder', { params: { id } });
    await follower.until(({ frames }) => frames.length === 3);
    follower.leave();
    goOn();
    await eventually(async () => (await server.charged(api)).settled === 1, 'the settlement');
    const after = await server.charged(api);
    const { text } = await api.call('streamOrder', { params: { id }, query: { starting_after: 2 } });
    assert.deepEqual(idsOf(text), [3, 4, 5, 6]);
    assert.deepEqual(await server.charged(api), after);
  });

  it('200 Messages: pings have no number, an error names the request that reads it', async () => {
    const body = message({ model: 'reef', stream: true, price_lock: false });
    const first = await server.api.open('createMessage', { body, headers: { 'idempotency-key': 'messages-1' } });
    const id = orderOf(first);
    first.leave();
    const follower = await server.api.open('streamOrder', { params: { id } });
    await follower.until(({ frames }) => frames.length >= 2);
    assert.match(follower.text, /^id: 0\nevent: message_start\n/);
    assert.match(follower.text, /\n\nevent: ping\n/);
    (await server.api.call('cancelOrder', { params: { id } })).body(200);
    const { text } = await follower.end();
    assert.match(text, /id: 1\nevent: error\n/);
  });
});

describe('GET /v1/orders/{id}/stream over the download allowance', () => {
  const server = useServer({ limits: { download_bytes_per_hour_per_account: 1000 } });

  it('429 once it is used up by reading stored streams', async () => {
    const body = chat({ detached: true });
    const { id } = (await server.api.call('createChatCompletion', { body })).body(202);
    await server.orders({ queued: 0, executing: 0 });
    const read = () => server.api.call('streamOrder', { params: { id } });
    let reply = await read();
    for (let times = 1; reply.status === 200 && times < 20; times++) reply = await read();
    reply.refusal(429, 'rate_limit_error');
    await server.clock.advance(Number(reply.headers['retry-after']) * 1000);
    assert.equal((await read()).status, 200);
  });

  it('400 for an event that is not there yet uses up nothing', async () => {
    const body = chat({ detached: true });
    const other = server.api.as((await server.createAccount()).key);
    const { id } = (await other.call('createChatCompletion', { body })).body(202);
    await server.orders({ queued: 0, executing: 0 });
    for (let asked = 0; asked < 20; asked++)
      (await other.call('streamOrder', { params: { id }, query: { starting_after: 999 } })).refusal(
        400,
        'invalid_request',
      );
    assert.equal((await other.call('streamOrder', { params: { id } })).status, 200);
  });
});

describe('GET /v1/orders/{id}/stream while the gateway drains', () => {
  const server = useServer();

  it('200 the stream of an order that goes on elsewhere ends without a last event', async () => {
    const body = chat({ detached: true, model: 'reef' });
    const { id } = (await server.api.call('createChatCompletion', { body })).body(202);
    const follower = await server.api.open('streamOrder', { params: { id } });
    await follower.until(({ comments }) => comments.length === 1);
    await server.stop();
    await assert.rejects(follower.end());
    assert.ok(!follower.text.includes('data:'), follower.text);
  });
});
