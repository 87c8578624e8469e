import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { freePort } from '#testing/free-port.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import {
  cannedReply,
  chunkOf,
  DONE_FRAME,
  errorReply,
  frameOf,
  type MockBackend,
  type MockReply,
  startMockBackend,
  streamOf,
} from '#testing/mock-backend.ts';
import { attemptRequest, podConfig, RecordingSink } from '#testing/pods.ts';
import { Backend } from './backend.ts';
import type { PodConfig } from './pod.ts';

const clock = new ManualClock();
let mock: MockBackend;
let pod: Backend;
let refusals = 0;

/** Starts a mock with this reply, and a pod for it. */
async function against(reply: MockReply, own: Partial<PodConfig> = {}) {
  mock = await startMockBackend({ reply });
  pod = backend({ url: mock.url, ...own });
}

function backend(own: Partial<PodConfig>) {
  return new Backend(podConfig(own), { clock, onImplausibleUsage: () => {}, onConnectionRefused: () => refusals++ });
}

/** Runs one attempt to its end. */
async function attempt(request = attemptRequest()) {
  const sink = new RecordingSink();
  pod.execute(request, sink);
  await sink.end;
  return sink;
}

beforeEach(() => {
  refusals = 0;
});
afterEach(async () => {
  await pod.close();
  await mock.close();
});

describe('the request to the backend', () => {
  test("has the caller's body with the names and bounds of the pod, always as a stream with usage", async () => {
    await against(cannedReply(), { systemPolicy: 'as_is' });
    const body = { temperature: 0.5, x_unknown: { kept: [1] }, messages: [{ role: 'user', content: 'Hi', name: 'n' }] };
    await attempt(attemptRequest(body, { outputCap: 77 }));
    assert.equal(mock.requests[0]?.path, '/v1/chat/completions');
    assert.deepEqual(mock.requests[0]?.body, {
      ...body,
      model: 'upstream-tide',
      max_tokens: 77,
      stream: true,
      stream_options: { include_usage: true },
    });
    assert.equal(mock.requests[0]?.headers.authorization, undefined);
  });

  test('has the output cap under the only name that the pod takes, also that of a caller', async () => {
    await against(cannedReply(), { capField: 'max_completion_tokens' });
    for (const body of [{}, { max_tokens: 99 }]) await attempt(attemptRequest(body, { outputCap: 77 }));
    await attempt(attemptRequest({}, { withoutCap: true }));
    const caps = mock.requests.map(({ body }) => [body.max_tokens, body.max_completion_tokens]);
    assert.deepEqual(caps, [
      [undefined, 77],
      [undefined, 77],
      [undefined, undefined],
    ]);
  });

  test("has the pod's key, and asks for continuous usage where the pod supports it", async () => {
    await against(cannedReply(), { apiKey: 'secret', continuousUsage: true });
    await attempt();
    assert.equal(mock.requests[0]?.headers.authorization, 'Bearer secret');
    assert.deepEqual(mock.requests[0]?.body.stream_options, { include_usage: true, continuous_usage_stats: true });
  });

  test('has leading system messages joined', async () => {
    await against(cannedReply());
    const messages = ['a', 'b'].map((content) => ({ role: 'system', content }));
    await attempt(attemptRequest({ messages }));
    assert.deepEqual(mock.requests[0]?.body.messages, [{ role: 'system', content: 'a\n\nb' }]);
  });
});

describe('a complete answer', () => {
  test('gives events, a finish and the usage', async () => {
    await against(cannedReply({ chunks: 3 }));
    const sink = await attempt();
    assert.equal(sink.generation.text, 'word0 word1 word2 ');
    assert.equal(sink.generation.finishReason, 'stop');
    const usage = { promptTokens: 12, cachedTokens: 4, outputTokens: 3, reasoningTokens: null };
    assert.deepEqual(sink.outcome, { kind: 'complete', usage });
    assert.equal(mock.aborts, 0);
    assert.equal(clock.pending, 0);
  });

  test('that arrives at once is one batch', async () => {
    await against(cannedReply({ chunks: 20 }));
    const sink = await attempt();
    assert.equal(sink.batches.length, 1);
    assert.equal(sink.all.length, 21);
  });

  test('that arrives in pieces is the same answer', async () => {
    await against(cannedReply({ chunks: 20, write: 'each' }));
    const sink = await attempt();
    assert.equal(sink.all.length, 21);
  });

  test('needs no [DONE] and no usage', async () => {
    const frames = [chunkOf({ content: 'a' }), chunkOf({}, { finish_reason: 'stop' })].map(frameOf);
    await against({ writes: frames });
    assert.deepEqual((await attempt()).outcome, { kind: 'complete', usage: null });
  });

  test('stays complete when the connection breaks after its finish_reason', async () => {
    const frames = [chunkOf({ content: 'a' }), chunkOf({}, { finish_reason: 'stop' })].map(frameOf);
    await against({ writes: frames, write: 'each', after: 'reset' });
    assert.equal((await attempt()).outcome?.kind, 'complete');
  });

  test('ends at [DONE], and a backend that keeps the response open is cut off later', async () => {
    await against({ ...streamOf([chunkOf({ content: 'a' }, { finish_reason: 'stop' })]), after: 'hang' });
    assert.equal((await attempt()).outcome?.kind, 'complete');
    assert.equal(mock.aborts, 0);
    await clock.advance(1_000);
    await mock.aborted(1);
  });

  test('leaves its connection for the next one', async () => {
    await against(cannedReply());
    await attempt();
    const again = await attempt();
    assert.equal(again.outcome?.kind, 'complete');
  });
});

test('a backend that exceeds the cap is stopped: finish is length, and the answer is complete', async () => {
  const chunks = Array.from({ length: 50 }, (_, place) => chunkOf({ content: `${place} ` }));
  await against({ ...streamOf(chunks), write: 'each', after: 'hang' });
  const sink = await attempt(attemptRequest({}, { outputCap: 5 }));
  assert.equal(sink.generation.text, '0 1 2 3 4 ');
  assert.equal(sink.generation.finishReason, 'length');
  assert.deepEqual(sink.outcome, { kind: 'complete', usage: null });
  await mock.aborted(1);
});

describe('statuses', () => {
  for (const status of [400, 413, 422]) {
    test(`${status} before output is a refusal with the backend's message`, async () => {
      await against(errorReply(status, 'too long for upstream-tide:\n\u0007 80 tokens, key secret'), {
        apiKey: 'secret',
      });
      const message = 'too long for tide: 80 tokens, key [redacted]';
      assert.deepEqual((await attempt()).outcome, { kind: 'refused', message });
    });
  }

  test('a refusal as the first event of a 200 is a refusal, and its message is redacted too', async () => {
    const error = { message: 'upstream-tide takes 80 tokens, key secret', type: 'BadRequestError', code: 400 };
    await against({ ...streamOf([{ error }]), after: 'hang' }, { apiKey: 'secret' });
    const message = 'tide takes 80 tokens, key [redacted]';
    assert.deepEqual((await attempt()).outcome, { kind: 'refused', message });
    await mock.aborted(1);
  });

  test('the message of a refusal is bounded', async () => {
    await against(errorReply(400, 'x'.repeat(5_000)));
    const { outcome } = await attempt();
    assert.equal(outcome?.kind === 'refused' && outcome.message.length, 500);
  });

  test('a refusal in plain text, or without a message, is a refusal', async () => {
    await against({ status: 400, contentType: 'text/plain', writes: ['no <such> thing'] });
    assert.deepEqual((await attempt()).outcome, { kind: 'refused', message: 'no <such> thing' });
    await mock.close();
    await pod.close();
    await against({ status: 400, writes: [''] });
    assert.deepEqual((await attempt()).outcome, { kind: 'refused', message: 'no message' });
  });

  test('an endless error body is cut', async () => {
    const writes = Array.from({ length: 100 }, () => 'x'.repeat(4_096));
    await against({ status: 400, writes, write: 'each', after: 'hang' });
    assert.equal((await attempt()).outcome?.kind, 'refused');
    await mock.aborted(1);
  });

  for (const status of [429, 503]) {
    test(`${status} means no slot`, async () => {
      await against(errorReply(status, 'busy'));
      assert.deepEqual((await attempt()).outcome, { kind: 'no-slot' });
    });
  }

  for (const status of [302, 500, 502]) {
    test(`${status} is a failure of the pod`, async () => {
      await against(errorReply(status, 'broken'));
      assert.deepEqual((await attempt()).outcome, {
        kind: 'failed',
        reason: `the backend answered ${status}`,
      });
    });
  }

  for (const [status, mistake] of [
    [401, 'does api_key_env name its key?'],
    [403, 'does api_key_env name its key?'],
    [404, 'does the url of the pod end in /v1, and does it know the model by this name?'],
  ] as const) {
    test(`${status} is a failure of the pod, and its reason names the usual cause`, async () => {
      await against(errorReply(status, 'no'));
      assert.deepEqual((await attempt()).outcome, {
        kind: 'failed',
        reason: `the backend answered ${status} (${mistake})`,
      });
    });
  }

  test('a success with another content type is a failure', async () => {
    await against({ contentType: 'application/json', writes: ['{"choices":[]}'] });
    assert.deepEqual((await attempt()).outcome, {
      kind: 'failed',
      reason: 'the backend answered with content type application/json',
    });
  });
});

describe('failures', () => {
  const cases: [name: string, reply: MockReply, reason: RegExp, text: string][] = [
    ['nothing at all', { writes: [] }, /without a finish_reason/, ''],
    ['only [DONE]', { writes: [DONE_FRAME] }, /without a finish_reason/, ''],
    ['no finish_reason', cannedReply({ chunks: 2, finishReason: null }), /without a finish_reason/, 'word0 word1 '],
    ['truncated JSON', { writes: [frameOf(chunkOf({ content: 'a' })), 'data: {"choi\n\n'] }, /not JSON/, 'a'],
    [
      'wrong types',
      { writes: [frameOf(chunkOf({ content: 'a' })), frameOf(chunkOf({ content: 7 }))] },
      /wrong type/,
      'a',
    ],
    ['an error', streamOf([chunkOf({ content: 'a' }), { error: { message: 'oom' } }]), /error in the stream/, 'a'],
    [
      'a reset',
      { writes: [frameOf(chunkOf({ content: 'a' }))], write: 'each', after: 'reset' },
      /connection failed/,
      'a',
    ],
    ['a reset before the head', { writes: [], instead: 'reset' }, /connection failed/, ''],
  ];
  for (const [name, reply, reason, text] of cases) {
    test(`${name}: the attempt failed, after the output so far`, async () => {
      await against(reply);
      const sink = await attempt();
      assert.ok(sink.outcome?.kind === 'failed');
      assert.match(sink.outcome.reason, reason);
      assert.equal(sink.generation.text, text);
      assert.equal(clock.pending, 0);
    });
  }

  test('connection refused: the attempt failed, and onConnectionRefused is called', async () => {
    await against(cannedReply(), { url: `http://127.0.0.1:${await freePort()}/v1` });
    const sink = await attempt();
    assert.deepEqual(sink.outcome, { kind: 'failed', reason: 'the connection failed: ECONNREFUSED' });
    assert.equal(refusals, 1);
  });

  test('a closed pod fails its attempts', async () => {
    await against(cannedReply());
    await pod.close();
    assert.equal((await attempt()).outcome?.kind, 'failed');
  });
});

describe('abort', () => {
  const firstText = frameOf(chunkOf({ content: 'a' }));

  /** Aborts and checks that the end follows, once, not from inside the call. */
  async function aborts(running: { abort(): void }, sink: RecordingSink) {
    running.abort();
    running.abort();
    assert.equal(sink.outcome, null);
    const outcome = await sink.end;
    assert.equal(outcome.kind, 'aborted');
    return outcome;
  }

  test('before anything is sent: the backend gets no request', async () => {
    await against(cannedReply());
    const sink = new RecordingSink();
    await aborts(pod.execute(attemptRequest(), sink), sink);
    await attempt();
    assert.equal(mock.requests.length, 1);
  });

  test('while connecting: the backend gets no request', async () => {
    await against(cannedReply());
    const sink = new RecordingSink();
    const running = pod.execute(attemptRequest(), sink);
    await Promise.resolve();
    await aborts(running, sink);
    await attempt();
    assert.equal(mock.requests.length, 1);
  });

  test('while waiting for a connection: the backend gets no request', async () => {
    await against({ writes: [], instead: 'hang' }, { slots: 1 });
    const sinks = Array.from({ length: 9 }, () => new RecordingSink());
    const others = sinks.map((sink) => pod.execute(attemptRequest(), sink));
    await mock.requested(9);
    const sink = new RecordingSink();
    const running = pod.execute(attemptRequest({ user: 'waiting' }), sink);
    await Promise.resolve();
    await aborts(running, sink);
    for (const other of others) other.abort();
    await mock.aborted(9);
    assert.equal(mock.requests.length, 9);
  });

  test('before the response headers: the connection is closed', async () => {
    await against({ writes: [], instead: 'hang' });
    const sink = new RecordingSink();
    const running = pod.execute(attemptRequest(), sink);
    await mock.requested(1);
    assert.deepEqual(await aborts(running, sink), { kind: 'aborted', usage: null });
    await mock.aborted(1);
  });

  test('before the first output: the connection is closed', async () => {
    await against({ writes: [': waiting\n\n'], after: 'hang' });
    const sink = new RecordingSink();
    const running = pod.execute(attemptRequest(), sink);
    await mock.requested(1);
    await aborts(running, sink);
    await mock.aborted(1);
  });

  test('leaves no timer behind', async () => {
    await against({ writes: [], instead: 'hang' });
    const sink = new RecordingSink();
    await aborts(pod.execute(attemptRequest(), sink), sink);
    assert.equal(clock.pending, 0);
  });

  test('between two chunks: the connection is closed, and the last usage is reported', async () => {
    const usage = { prompt_tokens: 5, completion_tokens: 1 };
    await against({ writes: [frameOf({ ...chunkOf({ content: 'a' }), usage })], after: 'hang' });
    const sink = new RecordingSink();
    const seen = new Promise<void>((resolve) => {
      sink.onEvents = resolve;
    });
    const running = pod.execute(attemptRequest(), sink);
    await seen;
    const { usage: lastUsage } = (await aborts(running, sink)) as { usage: { outputTokens: number } };
    assert.equal(lastUsage.outputTokens, 1);
    await mock.aborted(1);
  });

  test('from inside the sink: nothing more is passed on', async () => {
    await against({ writes: [firstText, firstText, firstText], write: 'each', after: 'hang' });
    const sink = new RecordingSink();
    const running = pod.execute(attemptRequest(), sink);
    sink.onEvents = () => running.abort();
    assert.equal((await sink.end).kind, 'aborted');
    assert.equal(sink.batches.length, 1);
    await mock.aborted(1);
  });

  test('the connection is closed before the end is passed on: the next attempt never runs beside it', async () => {
    await against({ writes: [firstText], after: 'hang' });
    const sink = new RecordingSink();
    const running = pod.execute(attemptRequest(), sink);
    await mock.requested(1);
    await aborts(running, sink);
    pod.execute(attemptRequest(), new RecordingSink());
    await mock.requested(2);
    await turn();
    assert.equal(mock.busiest.length, 1);
  });

  test('after the end: changes nothing', async () => {
    await against(cannedReply());
    const sink = new RecordingSink();
    const running = pod.execute(attemptRequest(), sink);
    await sink.end;
    running.abort();
    await clock.advance(0);
    assert.equal(sink.outcome?.kind, 'complete');
  });
});

describe('timeouts', () => {
  const own = { firstTokenTimeoutMs: 1_000, idleTimeoutMs: 300, totalTimeoutMs: 10_000 };

  test('no first output in time: failed, and the connection is closed', async () => {
    await against({ writes: [frameOf(chunkOf({ role: 'assistant', content: '' }))], after: 'hang' }, own);
    const sink = new RecordingSink();
    pod.execute(attemptRequest(), sink);
    await mock.requested(1);
    await clock.advance(999);
    assert.equal(sink.outcome, null);
    await clock.advance(1);
    assert.deepEqual(sink.outcome, { kind: 'failed', reason: 'no output after 1000 ms' });
    await mock.aborted(1);
  });

  test('silence after output: failed, even when the first output came late', async () => {
    await against({ writes: [frameOf(chunkOf({ content: 'a' }))], after: 'hang' }, own);
    const sink = new RecordingSink();
    const seen = new Promise<void>((resolve) => {
      sink.onEvents = resolve;
    });
    pod.execute(attemptRequest(), sink);
    await seen;
    await clock.advance(299);
    assert.equal(sink.outcome, null);
    await clock.advance(1);
    assert.deepEqual(sink.outcome, { kind: 'failed', reason: 'silent for 300 ms' });
    await mock.aborted(1);
  });
});

describe('a ping', () => {
  test('shows whether the backend can serve', async () => {
    let status = 200;
    mock = await startMockBackend({ port: await freePort(), modelsStatus: () => status });
    pod = backend({ url: mock.url });
    for (const [answered, expected] of [
      [200, 'alive'],
      [404, 'alive'],
      [401, 'denied'],
      [403, 'denied'],
      [503, 'failing'],
    ] as const) {
      status = answered;
      assert.equal(await pod.ping(), expected);
    }
    await mock.close();
    assert.equal(await pod.ping(), 'refused');
    assert.equal(clock.pending, 0);
  });

  test('shows which engine is there, unless the file names one', async () => {
    let ownedBy = 'library';
    mock = await startMockBackend({ ownedBy: () => ownedBy });
    pod = backend({ url: mock.url });
    const messages = [{ role: 'assistant', content: 'Calm.', reasoning_content: 'Hm.' }];
    for (const [owner, engine, names] of [
      ['library', 'auto', ['reasoning_content', 'reasoning']],
      ['llamacpp', 'llama_cpp', ['reasoning_content']],
      ['mistralai', 'mistral', []],
      ['library', 'auto', ['reasoning_content', 'reasoning']],
    ] as const) {
      ownedBy = owner;
      assert.equal(await pod.ping(), 'alive');
      assert.equal(pod.engine, engine);
      await attempt(attemptRequest({ messages }));
      const request = mock.requests.at(-1);
      assert.ok(request);
      const [message = {}] = request.body.messages as object[];
      assert.deepEqual(Object.keys(message), ['role', 'content', ...names]);
      assert.equal('stream_options' in request.body, engine !== 'mistral');
    }
    await pod.close();
    pod = backend({ url: mock.url, engine: 'vllm' });
    assert.equal(await pod.ping(), 'alive');
    assert.equal(pod.engine, 'vllm');
  });

  test('has a timeout', async () => {
    mock = await startMockBackend();
    const mute = createServer(() => {});
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const { port } = mute.address() as { port: number };
    pod = backend({ url: `http://127.0.0.1:${port}/v1` });
    const ping = pod.ping();
    await clock.advance(5_000);
    assert.equal(await ping, 'failing');
    mute.close();
  });
});
