import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { cannedReply, errorReply, type MockBackendOptions, startMockBackend, usageOf } from '#testing/mock-backend.ts';
import { podConfig } from '#testing/pods.ts';
import { connectPods } from './connect.ts';

const clock = new ManualClock();
const NAMED = podConfig().upstreamModel;

async function checked(options: MockBackendOptions) {
  const mock = await startMockBackend({ listed: () => NAMED, ...options });
  try {
    return await connectPods({ pods: [podConfig({ url: mock.url })] }, clock);
  } finally {
    await mock.close();
  }
}

test('a pod that answers is said to report its tokens and cached tokens, or not', async () => {
  const whole = await checked({ reply: cannedReply({ chunks: 2 }) });
  assert.equal(whole.ok, true);
  assert.partialDeepStrictEqual(whole.pods, [{ pod: 'pod-1', fault: null, usage: true, cached_tokens: true }]);
  assert.match(whole.text, /Every pod answers\./);
  const uncached = await checked({
    reply: cannedReply({ chunks: 2, usage: usageOf({ prompt: 12, cached: 0, output: 2 }) }),
  });
  assert.partialDeepStrictEqual(uncached.pods, [{ usage: true, cached_tokens: false }]);
  const silent = await checked({ reply: cannedReply({ usage: null }) });
  assert.partialDeepStrictEqual(silent.pods, [{ fault: null, usage: false, cached_tokens: false }]);
  assert.match(silent.text, /pod-1 reports no tokens: prompts are estimated and charged as uncached/);
});

test('a pod with the wrong model fails with the names that its server lists', async () => {
  const { ok, text } = await checked({ reply: errorReply(404, 'no such model'), listed: () => 'llama-3' });
  assert.equal(ok, false);
  assert.match(text, /a request for upstream-tide at http:\S+ failed: the backend answered 404/);
  assert.match(text, /It lists llama-3, and not upstream-tide; correct model\./);
});

test('a server that takes every name is right', async () => {
  assert.equal((await checked({ listed: () => 'a-file.gguf' })).ok, true);
});

test('a pod that is missing, refuses the key, or says that the request is wrong, names the setting or the words', async () => {
  const mock = await startMockBackend();
  await mock.close();
  const missing = await connectPods({ pods: [podConfig({ url: mock.url })] }, clock);
  assert.match(missing.text, /nothing listens at http:\S+; start the model server, or correct url/);
  assert.match((await checked({ modelsStatus: 401 })).text, /refuses the key; it needs one: set api_key_env/);
  assert.match((await checked({ reply: errorReply(400, 'Bad template.') })).text, /failed: .*Bad template/);
});

test('a pod that hangs is given up, and the others are reported', async () => {
  const mute = createServer(() => {});
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  after(() => mute.close());
  const { port } = mute.address() as { port: number };
  const mock = await startMockBackend();
  const url = `http://127.0.0.1:${port}/v1`;
  const checking = connectPods({ pods: [podConfig({ id: 'mute', url }), podConfig({ url: mock.url })] }, clock);
  let over = false;
  void checking.finally(() => {
    over = true;
  });
  while (!over) await clock.advance(1_000);
  const { ok, pods, text } = await checking;
  await mock.close();
  assert.equal(ok, false);
  assert.deepEqual(
    pods.map(({ fault }) => fault === null),
    [false, true],
  );
  assert.match(text, /mute: a request for \S+ at \S+ had no answer in 30 s; look at the model server/);
  mute.closeAllConnections();
});

test('simulated pods are not asked', async () => {
  assert.deepEqual(await connectPods({ pods: [podConfig()] }, clock), {
    ok: true,
    pods: [],
    text: 'Every pod is simulated.',
  });
});
