import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatShape } from '#adapters/shapes.ts';
import { Fault } from '#base/fault.ts';
import { checkChatStream } from '#conformance/streams/chat-stream-checker.ts';
import type { JsonReply, Reply } from '#contract/reply.ts';
import type { AcceptedOrder, OrderPort, RepricedOrder, Submission, Ticket, Watcher } from '#orders/order-port.ts';
import type { Customer, InferenceRequest } from '#orders/request.ts';
import { type CallParts, type TestCall, testCall } from '#testing/calls.ts';
import { CANNED_ORDER, cannedAnswer, cannedGenerations } from '#testing/canned-generations.ts';
import { marketListing, someListings } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import type { DryRunHandler } from './dry-run.ts';
import { acceptedReply, inferenceHandler } from './inference.ts';
import { KEEPALIVE_MS } from './stream-reader.ts';

const LISTINGS = someListings();
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

/** An order service with one order, driven by the test. */
class FakeOrderService implements OrderPort {
  readonly asked: { customer: Customer; request: InferenceRequest }[] = [];
  watcher: Watcher | null = null;
  left = 0;
  /** Of its order. */
  inputWritten: Promise<void> | null = null;
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
      followable: false,
      progressed: () => {},
      join: () => false,
      bid: 1,
      promptEstimate: 1,
      admittedAtMs: 0,
      inputWritten: this.inputWritten,
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

/** Says which model was asked for. */
const dryRun = (async (_customer, { model }) => ({
  status: 203,
  json: { object: 'dry_run', model },
})) as DryRunHandler;

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

function ask(orderService: OrderPort, more: object = {}, clock = new ManualClock(), call: CallParts = {}) {
  const made = testCall('createChatCompletion', { body: { ...BODY, ...more }, ...call });
  const options = { orders: orderService, clock, listings: LISTINGS, dryRun, accepted: acceptedReply };
  const reply = inferenceHandler(chatShape, options)(made);
  return { call: made, reply: Promise.resolve(reply), clock };
}

async function streamed(
  orderService: FakeOrderService,
  more: object = {},
): Promise<{ call: TestCall<'createChatCompletion'>; clock: ManualClock; out: Opened }> {
  const { call, reply, clock } = ask(orderService, { stream: true, ...more });
  return { call, clock, out: new Opened(await reply) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a unary request is answered when its order is settled, with the order id', async () => {
  const orderService = new FakeOrderService();
  const { reply } = ask(orderService);
  await turn();
  orderService.watcher?.ended({ status: 'done', answer: ANSWER });
  const { status, headers, json } = (await reply) as JsonReply;
  assert.equal(status, 200);
  assert.deepEqual(headers, { 'x-service-order-id': CANNED_ORDER });
  assert.partialDeepStrictEqual(json, { model: 'tide-70b', usage: { x_market: { order_id: CANNED_ORDER } } });
});

test('while the input of its order is written, a body counts as held, an answer goes out, and a caller may leave', async () => {
  const orderService = new FakeOrderService();
  const written = Promise.withResolvers<void>();
  orderService.inputWritten = written.promise;
  let dropped = 0;
  const { reply } = ask(orderService, {}, new ManualClock(), { dropBody: () => void dropped++ });
  await turn();
  orderService.watcher?.ended({ status: 'done', answer: ANSWER });
  assert.equal((await reply).status, 200);
  const second = ask(orderService, {}, new ManualClock(), { dropBody: () => void dropped++ });
  await turn();
  second.call.hangUp();
  assert.deepEqual([orderService.left, dropped], [1, 0]);
  written.resolve();
  await turn();
  assert.equal(dropped, 2);
});

test('the order service gets the customer, with the limit of the key before the one of the account', async () => {
  const orderService = new FakeOrderService();
  const { principal } = testCall('createChatCompletion');
  const key = { ...principal.key, priceLimits: { a: 1 } };
  const account = { ...principal.account, priceLimits: { a: 2, b: 3 } };
  ask(orderService, {}, new ManualClock(), { principal: { ...principal, key, account } });
  const customer = orderService.asked[0]?.customer;
  assert.ok(customer);
  assert.deepEqual(['a', 'b', 'c', 'constructor'].map(customer.limitFor), [1, 3, null, null]);
  assert.partialDeepStrictEqual(customer, { accountId: 'acc_1', keyId: 'key_1', orderTimeoutS: 600, house: false });
});

test('an order that ends without an answer is reported as its fault, with the order id', async () => {
  const orderService = new FakeOrderService();
  const { reply } = ask(orderService);
  await turn();
  orderService.watcher?.ended({ status: 'expired', fault: new Fault('order_expired') });
  await assert.rejects(reply, { code: 'order_expired', status: 408, orderId: CANNED_ORDER });
});

test('a bad request never reaches the order service', async () => {
  const orderService = new FakeOrderService();
  await assert.rejects(ask(orderService, { stop: 3 }).reply, { code: 'invalid_request' });
  assert.equal(orderService.asked.length, 0);
});

test('a refusal by the order service is passed on, also for a stream', async () => {
  const orderService = new FakeOrderService(() => Promise.reject(new Fault('insufficient_balance')));
  await assert.rejects(ask(orderService, { stream: true }).reply, { status: 402 });
});

test('a stream opens at once with its order id and a comment, then follows the order to its end', async () => {
  const orderService = new FakeOrderService();
  const { reply } = ask(orderService, { stream: true, stream_options: { include_usage: true } });
  const head = await reply;
  assert.deepEqual(head.headers, { 'x-service-order-id': CANNED_ORDER });
  const out = new Opened(head);
  assert.equal(out.text, `: queued ${CANNED_ORDER}\n`);
  for (const batch of CANNED.batches) orderService.watcher?.events(batch);
  assert.ok(!out.ended && !out.text.includes('x_market') && !out.text.includes('"stop"'), 'nothing about the end yet');
  orderService.watcher?.ended({ status: 'done', answer: ANSWER });
  assert.ok(out.ended);
  assert.equal(checkChatStream(out.text).text, ANSWER.generation.text);
});

test('the opening and the finish of a stream are held, text between them is written at once', async () => {
  const orderService = new FakeOrderService();
  const { out } = await streamed(orderService);
  assert.equal(out.held, 1);
  orderService.watcher?.events([{ type: 'text-delta', text: 'a' }]);
  assert.equal(out.held, 1);
  const finish = { type: 'finish', reason: 'stop', stopSequence: null } as const;
  orderService.watcher?.events([{ type: 'text-delta', text: 'b' }, finish]);
  assert.equal(out.held, 2);
});

test('after the headers, a failure is an event of the stream', async () => {
  const orderService = new FakeOrderService();
  const { out, clock } = await streamed(orderService);
  orderService.watcher?.ended({ status: 'canceled', fault: new Fault('order_canceled') });
  assert.equal(checkChatStream(out.text).error?.code, 'order_canceled');
  assert.ok(out.ended);
  assert.equal(clock.pending, 0);
});

test('a silent stream gets a keepalive comment every ten seconds', async () => {
  const { out, clock } = await streamed(new FakeOrderService());
  await clock.advance(KEEPALIVE_MS - 1);
  assert.equal(out.text.split('\n').length - 1, 1);
  await clock.advance(1);
  assert.equal(out.text.split('\n').length - 1, 2);
  await clock.advance(5 * KEEPALIVE_MS);
  assert.equal(out.text.split('\n').length - 1, 7);
});

test('output restarts the ten seconds', async () => {
  const orderService = new FakeOrderService();
  const { out, clock } = await streamed(orderService);
  await clock.advance(6_000);
  orderService.watcher?.events([{ type: 'text-delta', text: 'a' }]);
  const before = out.text;
  await clock.advance(9_999);
  assert.equal(out.text, before);
  await clock.advance(1);
  assert.equal(out.text, `${before}: generating\n`);
});

test('keepalives come every ten seconds, whatever the clock is set to', async () => {
  const { out, clock } = await streamed(new FakeOrderService());
  const lines = () => out.text.split('\n').length - 1;
  clock.step(-3_600_000);
  await clock.advance(2 * KEEPALIVE_MS);
  assert.equal(lines(), 3);
  clock.step(7_200_000);
  await clock.advance(KEEPALIVE_MS - 1);
  assert.equal(lines(), 3);
});

test('a stream whose last event cannot be written ends without it, and leaves no timer', async () => {
  const orderService = new FakeOrderService();
  const { out, clock } = await streamed(orderService);
  const broken = { status: 'done', answer: null } as never;
  assert.throws(() => orderService.watcher?.ended(broken));
  assert.deepEqual([out.ended, out.text.includes('[DONE]'), clock.pending], [true, false, 0]);
});

test('a disconnect leaves the order once, and no timer', async () => {
  const orderService = new FakeOrderService();
  const { call, clock } = await streamed(orderService);
  call.hangUp();
  assert.equal(orderService.left, 1);
  assert.equal(clock.pending, 0);
});

test('a disconnect of a unary caller leaves the order, and the handler ends', async () => {
  const orderService = new FakeOrderService();
  const { call, reply } = ask(orderService);
  await turn();
  call.hangUp();
  assert.equal(((await reply) as JsonReply).status, 499);
  assert.equal(orderService.left, 1);
});

for (const stream of [false, true])
  test(`a disconnect before a ${stream ? 'streamed' : 'unary'} order is taken leaves it as soon as it is`, async () => {
    let take = () => {};
    const orderService = new FakeOrderService(
      (ticket) => new Promise((resolve) => (take = () => resolve({ type: 'order', ticket }))),
    );
    const { call, reply, clock } = ask(orderService, { stream });
    call.hangUp();
    assert.equal(orderService.left, 0);
    take();
    const answer = await reply;
    if ('open' in answer) answer.open({ write: () => false, hold: () => {}, end: () => {} });
    await turn();
    assert.equal(orderService.left, 1);
    assert.equal(clock.pending, 0);
  });

test('a detached order is acknowledged and goes on without its caller', async () => {
  const orderService = new FakeOrderService();
  const { call, reply } = ask(orderService, { detached: true });
  const { status, headers, json } = (await reply) as JsonReply;
  assert.equal(status, 202);
  assert.deepEqual(headers, { 'x-service-order-id': CANNED_ORDER });
  assert.partialDeepStrictEqual(json, { id: CANNED_ORDER, object: 'order', status: 'queued' });
  call.hangUp();
  assert.equal(orderService.left, 0);
});

/** The headers of an answer to a repeat. */
const REPLAYED = { 'x-service-order-id': CANNED_ORDER, 'idempotent-replayed': 'true' };

test('a repeated detached request gets the same acknowledgement, marked as a replay', async () => {
  const first = (await ask(new FakeOrderService(), { detached: true }).reply) as JsonReply;
  const orderService = new FakeOrderService(() => Promise.resolve({ type: 'accepted-before', order: ACCEPTED }));
  assert.deepEqual(await ask(orderService, { detached: true }).reply, { ...first, headers: REPLAYED });
});

test('a replay is the stored answer, as an object or as a complete stream', async () => {
  const result = { ...ACCEPTED, model: 'tide-70b', answer: ANSWER };
  const orderService = new FakeOrderService(() => Promise.resolve({ type: 'replay', result }));
  const unary = (await ask(orderService).reply) as JsonReply;
  assert.equal(unary.status, 200);
  assert.deepEqual(unary.headers, REPLAYED);
  const streamed = await ask(orderService, { stream: true }).reply;
  assert.deepEqual(streamed.headers, REPLAYED);
  assert.ok('frames' in streamed, 'the reply is a stream');
  const stream = checkChatStream((await Array.fromAsync(streamed.frames)).join(''));
  assert.partialDeepStrictEqual(unary.json, { id: stream.id, choices: [{ message: { content: stream.text } }] });
});

test('a dry run is answered as JSON without an order, also of a stream', async () => {
  const service = new FakeOrderService();
  const headers = { 'x-dry-run': 'true' };
  const { reply } = ask(service, { stream: true, model: 'tide-70b' }, undefined, { headers });
  assert.deepEqual(await reply, { status: 203, headers: {}, json: { object: 'dry_run', model: 'tide-70b' } });
  assert.deepEqual(service.asked, []);
});
