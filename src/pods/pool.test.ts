import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { createLog, silentLog } from '#base/log.ts';
import type { Capacity } from '#market/ports.ts';
import type { AttemptRequest } from '#orders/ports.ts';
import { freePort } from '#testing/free-port.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import {
  cannedReply,
  errorReply,
  type MockBackend,
  type MockReply,
  type MockRequest,
  startMockBackend,
  streamOf,
} from '#testing/mock-backend.ts';
import { attemptRequest, podConfig, RecordingSink } from '#testing/pods.ts';
import type { PodConfig } from './pod.ts';
import { PodPool } from './pool.ts';
import type { PodPoolOptions } from './pooled-pod.ts';

let clock: ManualClock;
let pool: PodPool;
let reported: Capacity[];

afterEach(() => pool.close());

function start(configs: readonly PodConfig[], own: Partial<PodPoolOptions> = {}): void {
  clock = new ManualClock();
  reported = [];
  const onCapacity = (capacity: Capacity) => reported.push(capacity);
  pool = new PodPool(configs, { clock, random: { next: () => 0 }, log: silentLog, onCapacity, ...own });
  pool.start();
}

async function attempt(body: object = {}, own: Parameters<typeof attemptRequest>[1] = {}) {
  const sink = new RecordingSink();
  pool.execute(attemptRequest({ x_simulate: { first_token_ms: 0, token_ms: 0, ...body } }, own), sink);
  await clock.advance(0);
  return sink.end;
}

/** Resolves when the last reported capacity satisfies `holds`. */
async function until(holds: (last: Capacity | undefined) => boolean): Promise<void> {
  while (!holds(reported.at(-1))) await clock.advance(0);
}

const capacity = (slots: number, healthy: boolean, pod = 'pod-1') => ({
  type: 'capacity',
  model: 'tide',
  pod,
  slots,
  healthy,
});

describe('simulated pods', () => {
  test('report their capacity at the start, and are healthy at once', async () => {
    start([podConfig(), podConfig({ id: 'pod-2', slots: 9 })]);
    assert.deepEqual(reported, [capacity(4, false), capacity(9, false, 'pod-2')]);
    await clock.advance(0);
    assert.deepEqual(reported.slice(2), [capacity(4, true), capacity(9, true, 'pod-2')]);
  });

  test('are logged as simulated', () => {
    const lines: string[] = [];
    start([podConfig()], { log: createLog('info', { write: (line) => lines.push(line) }) });
    assert.match(lines[0] ?? '', /simulated/);
  });

  test('are logged once when their token counts are implausible', async () => {
    const lines: string[] = [];
    start([podConfig()], { log: createLog('warn', { write: (line) => lines.push(line) }) });
    for (let order = 0; order < 2; order++) await attempt({ prompt_tokens: 5, cached_tokens: 9 });
    const doubts = lines.filter((line) => line.includes('cannot be true'));
    assert.equal(doubts.length, 1);
    assert.partialDeepStrictEqual(JSON.parse(doubts[0] ?? ''), { model: 'tide', pod: 'pod-1' });
  });

  test('run attempts by model and pod', async () => {
    start([podConfig(), podConfig({ model: 'ebb' })]);
    assert.equal((await attempt()).kind, 'complete');
    assert.equal((await attempt({}, { model: 'ebb' })).kind, 'complete');
    assert.deepEqual(await attempt({}, { pod: 'gone' }), { kind: 'no-slot' });
  });

  test('have answered once an attempt of their model completed', async () => {
    start([podConfig(), podConfig({ model: 'ebb' })]);
    await attempt({ fail: 'connect' });
    await attempt({ fail: 'refuse' });
    assert.equal(pool.answered('tide'), false);
    await attempt();
    assert.deepEqual([pool.answered('tide'), pool.answered('ebb'), pool.answered('none')], [true, false, false]);
  });

  test('stay healthy when a request asks them to fail', async () => {
    start([podConfig()]);
    await clock.advance(0);
    for (let order = 0; order < 5; order++) assert.equal((await attempt({ fail: 'connect' })).kind, 'failed');
    assert.deepEqual(reported.at(-1), capacity(4, true));
  });

  test('without a free slot offer fewer slots for a while', async () => {
    start([podConfig()]);
    await clock.advance(0);
    const first = new RecordingSink();
    pool.execute(attemptRequest({ x_simulate: { fail: 'hang' } }), first);
    let slotsAtEnd: number | undefined;
    const second = new RecordingSink();
    pool.execute(attemptRequest({ x_simulate: { fail: 'no-slot' } }), {
      events: () => {},
      ended: (outcome) => {
        slotsAtEnd = reported.at(-1)?.slots;
        second.ended(outcome);
      },
    });
    await clock.advance(200);
    assert.equal((await second.end).kind, 'no-slot');
    assert.equal(slotsAtEnd, 1);
    await clock.advance(3_000);
    assert.deepEqual(reported.at(-1), capacity(4, true));
  });

  test('offer nothing while they drain, whatever their slots, and are found by id', async () => {
    start([podConfig(), podConfig({ id: 'pod-2' })]);
    await clock.advance(0);
    pool.set('pod-1', { draining: true, slots: null });
    pool.set('pod-1', { draining: true, slots: 9 });
    assert.deepEqual(reported.slice(4), [capacity(0, true)]);
    assert.equal((await attempt()).kind, 'complete');
    assert.deepEqual(pool.find('pod-1')?.setting, { draining: true, slots: 9 });
    assert.deepEqual(pool.find('pod-2')?.setting, { draining: false, slots: null });
    assert.deepEqual(pool.find('pod-1')?.state.slots, { configured: 9, allowed: 0, busy: 0, auto: null });
    pool.set('pod-1', { draining: false, slots: null });
    assert.deepEqual(reported.slice(5), [capacity(4, true)]);
    assert.equal(pool.find('gone'), null);
  });

  test('are counted', async () => {
    start([podConfig()]);
    pool.execute(attemptRequest({ x_simulate: { fail: 'hang' } }), new RecordingSink());
    assert.deepEqual(pool.counts(), [capacity(4, false)]);
  });
});

describe('another configuration', () => {
  const hold = (own: Parameters<typeof attemptRequest>[1] = {}) => {
    const sink = new RecordingSink();
    return { sink, attempt: pool.execute(attemptRequest({ x_simulate: { fail: 'hang' } }, own), sink) };
  };
  const busy = () => pool.states().map(({ pod, draining, slots }) => [pod, draining, slots.configured, slots.busy]);

  test('starts what is new, and lets what runs on a pod that is gone end before it goes', async () => {
    start([podConfig(), podConfig({ id: 'pod-2' })]);
    await clock.advance(0);
    const { sink, attempt: running } = hold();
    reported = [];
    pool.renew([podConfig({ id: 'pod-2' }), podConfig({ id: 'pod-3', slots: 7 })]);
    assert.deepEqual(reported, [capacity(0, false), capacity(7, false, 'pod-3')]);
    await clock.advance(0);
    assert.deepEqual(reported.slice(2), [capacity(7, true, 'pod-3')]);
    assert.deepEqual(busy(), [
      ['pod-2', false, 4, 0],
      ['pod-3', false, 7, 0],
      ['pod-1', true, 4, 1],
    ]);
    assert.equal(pool.find('pod-1'), null);
    assert.deepEqual(await attempt(), { kind: 'no-slot' });
    running.abort();
    await clock.advance(0);
    assert.equal((await sink.end).kind, 'aborted');
    await clock.advance(0);
    assert.equal(busy().length, 2);
    assert.equal(reported.length, 3, 'what has left says nothing more');
  });

  test('with other slots changes the pod itself, also where the operator had set some; what is the same stays as it is', async () => {
    start([podConfig(), podConfig({ id: 'pod-2' })]);
    await clock.advance(0);
    hold();
    pool.set('pod-1', { draining: false, slots: 2 });
    pool.set('pod-2', { draining: true, slots: 2 });
    reported = [];
    pool.renew([podConfig({ slots: 9 }), podConfig({ id: 'pod-2' })]);
    assert.deepEqual(reported, [capacity(9, true)]);
    assert.deepEqual(busy(), [
      ['pod-1', false, 9, 1],
      ['pod-2', true, 2, 0],
    ]);
  });

  test('that describes a pod again replaces it: what runs ends on the one before, what is drained stays drained', async () => {
    start([podConfig()]);
    await clock.advance(0);
    const { sink, attempt: running } = hold();
    pool.set('pod-1', { draining: true, slots: 2 });
    reported = [];
    pool.renew([podConfig({ totalTimeoutMs: 1_000 })]);
    await clock.advance(0);
    assert.deepEqual(busy(), [
      ['pod-1', true, 2, 0],
      ['pod-1', true, 2, 1],
    ]);
    pool.set('pod-1', { draining: false, slots: null });
    assert.equal((await attempt()).kind, 'complete');
    assert.deepEqual(reported.at(-1), capacity(4, true));
    running.abort();
    await clock.advance(0);
    await sink.end;
    await clock.advance(0);
    assert.deepEqual(busy(), [['pod-1', false, 4, 0]]);
  });

  test('of no pods leaves the models that have answered known, and closing ends what still runs', async () => {
    start([podConfig()]);
    await attempt();
    const { sink } = hold();
    pool.renew([]);
    assert.equal(pool.answered('tide'), true);
    assert.deepEqual(pool.counts(), []);
    const closed = pool.close();
    await clock.advance(0);
    await closed;
    assert.equal((await sink.end).kind, 'aborted');
  });
});

test('two pods of a listing cannot share an id', () => {
  start([]);
  assert.throws(() => start([podConfig(), podConfig()]), /Two pods of tide have the id pod-1/);
});

test('close aborts running attempts and leaves no timer', async () => {
  start([podConfig()]);
  await clock.advance(0);
  const sink = new RecordingSink();
  pool.execute(attemptRequest({ x_simulate: { fail: 'hang' } }), sink);
  await pool.close();
  assert.equal((await sink.end).kind, 'aborted');
  assert.equal(clock.pending, 0);
});

describe('pods behind HTTP', () => {
  let mock: MockBackend;
  let reply: MockReply;
  let modelsStatus: number;

  async function startHttp(): Promise<void> {
    reply = cannedReply();
    modelsStatus = 200;
    // None that the system assigns to others: a test listens on it twice.
    const port = await freePort();
    mock = await startMockBackend({ port, reply: () => reply, modelsStatus: () => modelsStatus });
    start([podConfig({ url: mock.url })]);
  }

  afterEach(async () => {
    await pool.close();
    await mock.close();
  });

  const run = async (orderId = 'order', body = {}) => {
    const sink = new RecordingSink();
    pool.execute(attemptRequest(body, { orderId }), sink);
    return (await sink.end).kind;
  };

  test('are healthy after their first successful ping', async () => {
    await startHttp();
    assert.deepEqual(reported, [capacity(4, false)]);
    await until((last) => last?.healthy === true);
    assert.equal(await run(), 'complete');
  });

  test('are never healthy where the server lists other models and answers no trial, and once it does they are', async () => {
    let listed = 'llama';
    const lines: { reason?: string }[] = [];
    reply = errorReply(404, 'The model `tide` does not exist.');
    mock = await startMockBackend({ reply: () => reply, listed: () => listed });
    const log = { ...silentLog, warn: (fields: object) => lines.push(fields) };
    start([podConfig({ url: mock.url })], { log });
    await mock.requested(1);
    while (lines.length === 0) await clock.advance(0);
    assert.equal(lines[0]?.reason, 'it does not serve its model');
    assert.deepEqual(reported, [capacity(4, false), capacity(4, false)]);
    reply = errorReply(400, 'Invalid model.');
    await clock.advance(500);
    await mock.requested(2);
    assert.equal(
      reported.some(({ healthy }) => healthy),
      false,
    );
    listed = podConfig().upstreamModel;
    await clock.advance(60_000);
    await until((last) => last?.healthy === true);
    assert.equal(mock.requests.length, 2);
    assert.deepEqual(lines.length, 1);
  });

  test('are healthy where the server lists other models but takes every name, after one trial', async () => {
    mock = await startMockBackend({ listed: () => 'a-file.gguf' });
    start([podConfig({ url: mock.url })]);
    await until((last) => last?.healthy === true);
    for (let ping = 0; ping < 3; ping++) await clock.advance(12_000);
    assert.equal(mock.requests.length, 1);
  });

  test('are unhealthy as soon as connections are refused, and healthy when they are accepted again', async () => {
    await startHttp();
    await until((last) => last?.healthy === true);
    const port = Number(new URL(mock.url).port);
    await mock.close();
    assert.equal(await run(), 'failed');
    assert.deepEqual(reported.at(-1), capacity(4, false));
    mock = await startMockBackend({ port });
    await clock.advance(500);
    await until((last) => last?.healthy === true);
  });

  test('are unhealthy after failed attempts of three orders and a failed trial', async () => {
    await startHttp();
    await until((last) => last?.healthy === true);
    reply = errorReply(500, 'broken');
    for (let order = 0; order < 3; order++) {
      assert.deepEqual(reported.at(-1), capacity(4, true));
      assert.equal(await run(`order-${order}`), 'failed');
    }
    await until((last) => last?.healthy === false);
    assert.equal(mock.requests.length, 4);
  });

  test('stay healthy when the requests are at fault', async () => {
    const broken = errorReply(500, 'this schema cannot be compiled');
    const tried = Promise.withResolvers<unknown>();
    mock = await startMockBackend({
      reply: ({ body }) => {
        if (body.response_format) return broken;
        tried.resolve([body.max_tokens, body.messages]);
        return cannedReply();
      },
    });
    start([podConfig({ url: mock.url })]);
    await until((last) => last?.healthy === true);
    for (let order = 0; order < 3; order++)
      assert.equal(await run(`order-${order}`, { response_format: {} }), 'failed');
    assert.deepEqual(await tried.promise, [1, [{ role: 'user', content: 'Hi' }]]);
    assert.equal(await run(), 'complete');
    assert.deepEqual(reported.slice(1), [capacity(4, true)]);
  });

  test('can be closed during a trial, and leave no timer', async () => {
    const tried = Promise.withResolvers<void>();
    mock = await startMockBackend({
      reply: ({ body }) => {
        if (body.max_tokens !== 1) return errorReply(500, 'broken');
        tried.resolve();
        return { writes: [], instead: 'hang' };
      },
    });
    start([podConfig({ url: mock.url })]);
    await until((last) => last?.healthy === true);
    for (let order = 0; order < 3; order++) await run(`order-${order}`);
    await tried.promise;
    assert.notEqual(clock.pending, 0);
    await pool.close();
    await clock.advance(0);
    assert.equal(clock.pending, 0);
  });

  test('stay healthy when they refuse requests', async () => {
    await startHttp();
    await until((last) => last?.healthy === true);
    reply = errorReply(400, 'no');
    for (let order = 0; order < 5; order++) assert.equal(await run(), 'refused');
    assert.deepEqual(reported.at(-1), capacity(4, true));
  });

  test('offer fewer slots after a 429', async () => {
    await startHttp();
    await until((last) => last?.healthy === true);
    reply = errorReply(429, 'busy');
    assert.equal(await run(), 'no-slot');
    assert.deepEqual(reported.at(-1), capacity(0, true));
    await clock.advance(1_000);
    assert.deepEqual(reported.at(-1), capacity(1, true));
  });
});

describe('a backend that repeats what it was sent', () => {
  const prompt = 'the canary of the prompt sang at dawn';
  const apiKey = 'sk-canary-of-the-key';
  const echo = ({ body, headers }: MockRequest) => `cannot serve ${JSON.stringify(body)} for ${headers.authorization}`;
  const replies: Readonly<Record<string, (request: MockRequest) => MockReply>> = {
    'in the body of a 500': (request) => errorReply(500, echo(request)),
    'in the body of a 401, as text': (request) => ({ status: 401, contentType: 'text/plain', writes: [echo(request)] }),
    'in an error of its stream': (request) => streamOf([{ error: { message: echo(request) } }]),
    'in an error field of its stream': (request) => ({ writes: [`error: ${echo(request)}\n\n`] }),
  };
  for (const [place, reply] of Object.entries(replies)) {
    test(`${place}: the log has it only for debugging, cut and without what was sent`, async () => {
      const mock = await startMockBackend({ reply });
      const lines: string[] = [];
      start([podConfig({ url: mock.url, apiKey })], { log: createLog('debug', { write: (line) => lines.push(line) }) });
      const outcome = await attempt({}, { generation: { ...attemptRequest().generation, body: messagesOf(prompt) } });
      await mock.close();
      assert.equal(outcome.kind, 'failed');
      for (const text of [JSON.stringify(outcome), ...lines]) assert.doesNotMatch(text, /canary|dawn|Bearer sk/);
      const [said, ...more] = lines.filter((line) => line.includes('cannot serve'));
      assert.ok(said, 'the debug line is missing');
      const line = JSON.parse(said);
      assert.deepEqual([line.level, more.length], [20, 0]);
      assert.ok(line.said.length <= 400, 'it was not cut');
    });
  }
});

function messagesOf(content: string): AttemptRequest['generation']['body'] {
  return { messages: [{ role: 'user', content }] };
}

describe('what the operator sees of a pod', () => {
  test('is its health with the reason, its slots, and what it did', async () => {
    start([podConfig({ url: null })]);
    const [before] = pool.states();
    assert.deepEqual([before?.healthy, before?.reason, before?.sinceMs, before?.url], [false, null, null, null]);
    await clock.advance(5);
    await attempt();
    await attempt({ fail: 'connect' });
    const hanging = new RecordingSink();
    pool.execute(attemptRequest({ x_simulate: { fail: 'hang' } }), hanging);
    const [state] = pool.states();
    assert.partialDeepStrictEqual(state, { healthy: true, reason: 'its ping passed', answers: 1, failures: 1 });
    assert.deepEqual(state?.slots, { configured: 4, allowed: 4, busy: 1, auto: null });
  });
});
