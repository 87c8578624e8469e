import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatShape } from '#adapters/chat/shape.ts';
import { ManualClock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { AcceptedOrder, OrderPort, RepricedOrder, Submission, Ticket, Watcher } from '#orders/order-port.ts';
import type { Customer, InferenceRequest } from '#orders/request.ts';
import { type TestCall, testCall } from '#testing/calls.ts';
import { CANNED_ORDER, cannedAnswer, cannedGenerations } from '#testing/canned-generations.ts';
import { checkChatStream } from '#testing/chat-stream-checker.ts';
import { marketListing } from '#testing/listings.ts';
import type { JsonReply, Reply, SecuredCall } from './call.ts';
import { inferenceHandler, KEEPALIVE_MS } from './inference.ts';

const [CANNED] = cannedGenerations;
assert.ok(CANNED);
const ANSWER = cannedAnswer(CANNED);
const BODY = { messages: [{ role: 'user', content: 'Hi' }] };
const ACCEPTED: AcceptedOrder = {
  orderId: CANNED_ORDER,
  kind: 'chat',
  createdAtMs: Date.UTC(2026, 0, 1),
  expiresAtMs: Date.UTC(2026, 0, 1, 0, 10),
  resultStored: true,
  retentionDays: 30,
};

/** A desk with one order, driven by the test. */
class FakeDesk implements OrderPort {
  readonly asked: { customer: Customer; request: InferenceRequest }[] = [];
  watcher: Watcher | null = null;
  left = 0;
  readonly #answer: (ticket: Ticket) => Promise<Submission>;

  constructor(
    answer: (ticket: Ticket) => Promise<Submission> = (ticket) => Promise.resolve({ type: 'order', ticket }),
  ) {
    this.#answer = answer;
  }

  submit(customer: Customer, request: InferenceRequest): Promise<Submission> {
    this.asked.push({ customer, request });
    return this.#answer({
      ...ACCEPTED,
      listing: marketListing(),
      detached: request.extensions.detached,
      bid: 1,
      promptEstimate: 1,
      admittedAtMs: 0,
      watch: (watcher) => {
        this.watcher = watcher;
      },
      leave: () => void this.left++,
    });
  }

  cancel(): Promise<void> {
    throw new Error('not asked for here');
  }

  reprice(): Promise<RepricedOrder[]> {
    throw new Error('not asked for here');
  }
}

/** A stream reply that has been opened. */
class Opened {
  text = '';
  held = 0;
  ended = false;
  constructor(reply: Reply) {
    assert.ok('open' in reply, 'the reply is a stream');
    reply.open({
      write: (text) => {
        this.text += text;
        return true;
      },
      hold: (text) => {
        this.text += text;
        this.held++;
      },
      end: (text = '') => {
        this.text += text;
        this.ended = true;
      },
    });
  }
}

function ask(desk: OrderPort, more: object = {}, clock = new ManualClock(), call: Partial<SecuredCall> = {}) {
  const made = testCall({ body: { ...BODY, ...more }, ...call });
  const reply = inferenceHandler(chatShape, { orders: desk, clock })(made);
  return { call: made, reply: Promise.resolve(reply), clock };
}

async function streamed(
  desk: FakeDesk,
  more: object = {},
): Promise<{ call: TestCall; clock: ManualClock; out: Opened }> {
  const { call, reply, clock } = ask(desk, { stream: true, ...more });
  return { call, clock, out: new Opened(await reply) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a unary request answers when its order is settled, naming it', async () => {
  const desk = new FakeDesk();
  const { reply } = ask(desk);
  await turn();
  desk.watcher?.ended({ status: 'done', answer: ANSWER });
  const { status, headers, json } = (await reply) as JsonReply;
  assert.equal(status, 200);
  assert.deepEqual(headers, { 'x-service-order-id': CANNED_ORDER });
  assert.partialDeepStrictEqual(json, { model: 'tide-70b', usage: { x_market: { order_id: CANNED_ORDER } } });
});

test('the desk is told who asks, with the limit of the key before the one of the account', async () => {
  const desk = new FakeDesk();
  const { principal } = testCall();
  const key = { ...principal.key, priceLimits: { a: 1 } };
  const account = { ...principal.account, priceLimits: { a: 2, b: 3 } };
  ask(desk, {}, new ManualClock(), { principal: { key, account } });
  const customer = desk.asked[0]?.customer;
  assert.ok(customer);
  assert.deepEqual(['a', 'b', 'c', 'constructor'].map(customer.priceLimitFor), [1, 3, null, null]);
  assert.partialDeepStrictEqual(customer, { accountId: 'acc_1', keyId: 'key_1', orderTimeoutS: 600, house: false });
});

test('an order that ends without an answer is told as its fault, naming the order', async () => {
  const desk = new FakeDesk();
  const { reply } = ask(desk);
  await turn();
  desk.watcher?.ended({ status: 'expired', fault: new Fault('order_expired') });
  await assert.rejects(reply, { code: 'order_expired', status: 408, orderId: CANNED_ORDER });
});

test('a bad request never reaches the desk', async () => {
  const desk = new FakeDesk();
  await assert.rejects(ask(desk, { temperature: 3 }).reply, { code: 'invalid_request' });
  assert.equal(desk.asked.length, 0);
});

test('a refusal of the desk is passed on, for a stream too', async () => {
  const desk = new FakeDesk(() => Promise.reject(new Fault('insufficient_balance')));
  await assert.rejects(ask(desk, { stream: true }).reply, { status: 402 });
});

test('a stream opens at once with its order and a comment, then follows the order to its end', async () => {
  const desk = new FakeDesk();
  const { reply } = ask(desk, { stream: true, stream_options: { include_usage: true } });
  const head = await reply;
  assert.deepEqual(head.headers, { 'x-service-order-id': CANNED_ORDER });
  const out = new Opened(head);
  assert.equal(out.text, `: queued ${CANNED_ORDER}\n`);
  for (const batch of CANNED.batches) desk.watcher?.events(batch);
  assert.ok(!out.ended && !out.text.includes('x_market') && !out.text.includes('"stop"'), 'nothing about the end yet');
  desk.watcher?.ended({ status: 'done', answer: ANSWER });
  assert.ok(out.ended);
  assert.equal(checkChatStream(out.text).text, ANSWER.generation.text);
});

test('the opening of a stream and its last words wait for company, the words between do not', async () => {
  const desk = new FakeDesk();
  const { out } = await streamed(desk);
  assert.equal(out.held, 1);
  desk.watcher?.events([{ type: 'text-delta', text: 'a' }]);
  assert.equal(out.held, 1);
  const finish = { type: 'finish', reason: 'stop', stopSequence: null } as const;
  desk.watcher?.events([{ type: 'text-delta', text: 'b' }, finish]);
  assert.equal(out.held, 2);
});

test('after the head, a failure is told in band', async () => {
  const desk = new FakeDesk();
  const { out, clock } = await streamed(desk);
  desk.watcher?.ended({ status: 'canceled', fault: new Fault('order_canceled') });
  assert.equal(checkChatStream(out.text).error?.code, 'order_canceled');
  assert.ok(out.ended);
  assert.equal(clock.pending, 0);
});

test('a waiting stream gets a comment every ten seconds', async () => {
  const { out, clock } = await streamed(new FakeDesk());
  await clock.advance(KEEPALIVE_MS - 1);
  assert.equal(out.text.split('\n').length - 1, 1);
  await clock.advance(1);
  assert.equal(out.text.split('\n').length - 1, 2);
  await clock.advance(5 * KEEPALIVE_MS);
  assert.equal(out.text.split('\n').length - 1, 7);
});

test('output starts the ten seconds anew', async () => {
  const desk = new FakeDesk();
  const { out, clock } = await streamed(desk);
  await clock.advance(6_000);
  desk.watcher?.events([{ type: 'text-delta', text: 'a' }]);
  const before = out.text;
  await clock.advance(9_999);
  assert.equal(out.text, before);
  await clock.advance(1);
  assert.equal(out.text, `${before}: generating\n`);
});

test('a clock that steps back keeps the stream alive', async () => {
  const clock = new ManualClock();
  let stepMs = 0;
  const stepping = { nowMs: () => clock.nowMs() - stepMs, after: clock.after.bind(clock) };
  const made = testCall({ body: { ...BODY, stream: true } });
  const reply = await inferenceHandler(chatShape, { orders: new FakeDesk(), clock: stepping })(made);
  const out = new Opened(reply);
  stepMs = 3_600_000;
  await clock.advance(3 * KEEPALIVE_MS);
  assert.ok(clock.pending === 1 && out.text.length > 0);
});

test('a caller that goes leaves its order once, and no timer is left', async () => {
  const desk = new FakeDesk();
  const { call, clock } = await streamed(desk);
  call.hangUp();
  assert.equal(desk.left, 1);
  assert.equal(clock.pending, 0);
});

test('a unary caller that goes leaves its order, and the handler comes to its end', async () => {
  const desk = new FakeDesk();
  const { call, reply } = ask(desk);
  await turn();
  call.hangUp();
  assert.equal(((await reply) as JsonReply).status, 499);
  assert.equal(desk.left, 1);
});

for (const stream of [false, true])
  test(`a caller that goes before its ${stream ? 'streamed' : 'unary'} order is taken leaves it as soon as it is`, async () => {
    let take = () => {};
    const desk = new FakeDesk((ticket) => new Promise((resolve) => (take = () => resolve({ type: 'order', ticket }))));
    const { call, reply, clock } = ask(desk, { stream });
    call.hangUp();
    assert.equal(desk.left, 0);
    take();
    const answer = await reply;
    if ('open' in answer) answer.open({ write: () => false, hold: () => {}, end: () => {} });
    await turn();
    assert.equal(desk.left, 1);
    assert.equal(clock.pending, 0);
  });

test('a detached order is acknowledged and goes on without its caller', async () => {
  const desk = new FakeDesk();
  const { call, reply } = ask(desk, { detached: true });
  const { status, headers, json } = (await reply) as JsonReply;
  assert.equal(status, 202);
  assert.deepEqual(headers, { 'x-service-order-id': CANNED_ORDER });
  assert.partialDeepStrictEqual(json, { id: CANNED_ORDER, object: 'order', status: 'queued' });
  call.hangUp();
  assert.equal(desk.left, 0);
});

test('a repeated detached request gets the same acknowledgement', async () => {
  const first = (await ask(new FakeDesk(), { detached: true }).reply) as JsonReply;
  const desk = new FakeDesk(() => Promise.resolve({ type: 'accepted-before', order: ACCEPTED }));
  assert.deepEqual(await ask(desk, { detached: true }).reply, first);
});

test('a replay is the stored answer, as an object or as a whole stream', async () => {
  const result = { ...ACCEPTED, model: 'tide-70b', answer: ANSWER };
  const desk = new FakeDesk(() => Promise.resolve({ type: 'replay', result }));
  const unary = (await ask(desk).reply) as JsonReply;
  assert.equal(unary.status, 200);
  assert.deepEqual(unary.headers, { 'x-service-order-id': CANNED_ORDER });
  const out = new Opened(await ask(desk, { stream: true }).reply);
  assert.ok(out.ended);
  const stream = checkChatStream(out.text);
  assert.equal(stream.comments, 0);
  assert.partialDeepStrictEqual(unary.json, { id: stream.id, choices: [{ message: { content: stream.text } }] });
});
