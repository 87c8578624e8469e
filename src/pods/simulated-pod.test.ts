import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { JsonObject } from '#orders/request.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { attemptRequest, podConfig, RecordingSink } from '#testing/pods.ts';
import type { PodConfig } from './pod.ts';
import { SimulatedPod } from './simulated-pod.ts';
import { simulatedFailures } from './simulation-switches.ts';

let clock: ManualClock;
let pod: SimulatedPod;

beforeEach(() => start());

function start(own: Partial<PodConfig> = {}): void {
  clock = new ManualClock();
  pod = new SimulatedPod(podConfig(own), { clock, onImplausibleUsage: () => {} });
}

/** Runs one attempt to its end. Unless the body sets times, it takes none. */
async function answerTo(body: JsonObject = {}, own: Parameters<typeof attemptRequest>[1] = {}): Promise<RecordingSink> {
  const sink = new RecordingSink();
  const x_simulate = { first_token_ms: 0, token_ms: 0, ...(body.x_simulate as object | undefined) };
  pod.execute(attemptRequest({ ...body, x_simulate }, own), sink);
  while (!sink.outcome) await clock.advance(1_000);
  assert.equal(clock.pending, 0);
  return sink;
}

/** The usage of a complete answer. */
function usageOf(sink: RecordingSink) {
  assert.ok(sink.outcome?.kind === 'complete' && sink.outcome.usage);
  return sink.outcome.usage;
}

const weather = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};
const clockTool = { type: 'function', function: { name: 'get_time' } };

test('an answer says that it is simulated, and counts its tokens', async () => {
  const sink = await answerTo();
  assert.match(sink.generation.text, /^This is a simulated answer, no model ran/);
  assert.equal(sink.generation.finishReason, 'stop');
  assert.equal(usageOf(sink).outputTokens, sink.all.length - 1);
  assert.ok(usageOf(sink).promptTokens > 0);
});

test('the same seed and request give the same answer, another seed or request another', async () => {
  const text = async (body?: JsonObject) => (await answerTo(body)).generation.text;
  const first = await text();
  assert.equal(await text(), first);
  assert.notEqual(await text({ user: 'somebody else' }), first);
  start({ seed: 2 });
  assert.notEqual(await text(), first);
});

test('tokens come when they are due', async () => {
  const sink = new RecordingSink();
  pod.execute(attemptRequest({ x_simulate: { first_token_ms: 500, token_ms: 100, output_tokens: 10 } }), sink);
  await clock.advance(499);
  assert.equal(sink.all.length, 0);
  await clock.advance(1);
  assert.equal(sink.all.length, 1);
  await clock.advance(450);
  assert.ok(sink.all.length > 2 && sink.all.length < 11);
  await clock.advance(1_050);
  assert.equal(sink.outcome?.kind, 'complete');
});

test('by default an answer takes between a tenth of a second and three seconds', async () => {
  const sink = new RecordingSink();
  pod.execute(attemptRequest(), sink);
  await clock.advance(60);
  assert.equal(sink.all.length, 0);
  await clock.advance(3_000);
  assert.equal(sink.outcome?.kind, 'complete');
});

test('a long answer comes in bursts, not all at once', async () => {
  const sink = await answerTo({ x_simulate: { output_tokens: 2_600 } }, { outputCap: 5_000 });
  assert.equal(sink.all.length, 2_601);
  assert.ok(sink.batches.every((batch) => batch.length <= 501));
});

test('output cap and context end an answer with length', async () => {
  const capped = await answerTo({ x_simulate: { output_tokens: 50 } }, { outputCap: 7 });
  assert.equal(capped.generation.finishReason, 'length');
  assert.equal(usageOf(capped).outputTokens, 7);
  start({ contextLength: 100 });
  const full = await answerTo({ x_simulate: { output_tokens: 50, prompt_tokens: 90 } });
  assert.equal(full.generation.finishReason, 'length');
  assert.equal(usageOf(full).outputTokens, 10);
});

test('a request for endless output costs no more than the cap', async () => {
  const endless = { output_tokens: 1e9, reasoning_tokens: 1e9 };
  const sink = await answerTo({ x_simulate: endless, logprobs: true, top_logprobs: 1e9 }, { outputCap: 7 });
  assert.equal(usageOf(sink).outputTokens, 7);
  assert.equal(sink.generation.finishReason, 'length');
});

test('a prompt that fills the context is refused', async () => {
  start({ contextLength: 100 });
  const { outcome } = await answerTo({ x_simulate: { prompt_tokens: 100 } });
  assert.ok(outcome?.kind === 'refused');
  assert.match(outcome.message, /maximum context length is 100/);
});

test('a stop string ends the answer before it and is reported', async () => {
  const { generation } = await answerTo({ stop: ['never', 'lated ans'] });
  assert.equal(generation.text, 'This is a simu');
  assert.equal(generation.finishReason, 'stop');
  assert.equal(generation.stopSequence, 'lated ans');
});

test('a prompt that begins like an earlier one is cached up to there', async () => {
  const system = { role: 'system', content: 'You know the tides. '.repeat(50) };
  const ask = async (content: string) => usageOf(await answerTo({ messages: [system, { role: 'user', content }] }));
  assert.equal((await ask('First question?')).cachedTokens, 0);
  const second = await ask('Second question?');
  assert.ok(second.cachedTokens > 200 && second.cachedTokens < second.promptTokens);
});

test('an image counts as a fixed number of tokens, not by the length of its data', async () => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(100_000)}` } };
  const { promptTokens } = usageOf(await answerTo({ messages: [{ role: 'user', content: [image] }] }));
  assert.ok(promptTokens > 256 && promptTokens < 400);
});

test('reasoning comes when the request has an effort', async () => {
  assert.equal((await answerTo()).generation.reasoning, '');
  const sink = await answerTo({ reasoning_effort: 'low' });
  assert.match(sink.generation.reasoning, /^Simulated reasoning/);
  assert.equal(usageOf(sink).reasoningTokens, 16);
});

interface Scored {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: number[];
}

test('logprobs come with every text delta when requested', async () => {
  const sink = await answerTo({ logprobs: true, top_logprobs: 2, x_simulate: { output_tokens: 3 } });
  const logprobs = sink.generation.logprobs as { token: string; top_logprobs: unknown[] }[];
  assert.equal(logprobs.map(({ token }) => token).join(''), sink.generation.text);
  assert.ok(logprobs.every(({ top_logprobs }) => top_logprobs.length === 2));
});

test('the top tokens of a position are different, sorted, and begin with the chosen one', async () => {
  for (const count of [0, 1, 20]) {
    const sink = await answerTo({ logprobs: true, top_logprobs: count, x_simulate: { output_tokens: 40 } });
    const logprobs = sink.generation.logprobs as { token: string; logprob: number; top_logprobs: Scored[] }[];
    for (const { token, logprob, top_logprobs: top } of logprobs) {
      assert.equal(new Set(top.map((one) => one.token)).size, count);
      if (count > 0) assert.partialDeepStrictEqual(top[0], { token, logprob });
      assert.deepEqual(
        top,
        top.toSorted((a, b) => b.logprob - a.logprob),
      );
      assert.ok(top.reduce((sum, one) => sum + Math.exp(one.logprob), 0) <= 1);
      for (const one of top) assert.equal(Buffer.from(one.bytes).toString(), one.token);
    }
  }
});

test('a response format is followed', async () => {
  assert.equal(
    JSON.parse((await answerTo({ response_format: { type: 'json_object' } })).generation.text).simulated,
    true,
  );
  const schema = { type: 'object', properties: { n: { type: 'integer' } } };
  const { generation } = await answerTo({ response_format: { type: 'json_schema', json_schema: { schema } } });
  assert.deepEqual(JSON.parse(generation.text), { n: 1 });
});

describe('tool calls', () => {
  const names = async (body: JsonObject) =>
    (await answerTo({ tools: [weather, clockTool], ...body })).generation.toolCalls.map((call) => call.name);
  const asking = (content: string) => ({ messages: [{ role: 'user', content }] });

  test('are made when required, when named, or when the user mentions the tool', async () => {
    assert.deepEqual(await names({ tool_choice: 'required' }), ['get_weather']);
    assert.deepEqual(await names({ tool_choice: { type: 'function', function: { name: 'get_time' } } }), ['get_time']);
    assert.deepEqual(await names(asking('please use get_time')), ['get_time']);
    assert.deepEqual(await names({ x_simulate: { tool_calls: 3 } }), ['get_weather', 'get_time', 'get_weather']);
  });

  test('are not made otherwise', async () => {
    assert.deepEqual(await names({}), []);
    assert.deepEqual(await names({ ...asking('use get_time'), tool_choice: 'none' }), []);
    const result = { role: 'tool', tool_call_id: 'a', content: 'get_time says noon' };
    assert.deepEqual(await names({ messages: [{ role: 'user', content: 'use get_time' }, result] }), []);
  });

  test('have ids, arguments that fit the parameters, and finish as tool_calls', async () => {
    const { generation } = await answerTo({ tools: [weather], tool_choice: 'required' });
    assert.equal(generation.finishReason, 'tool_calls');
    assert.match(generation.toolCalls[0]?.id ?? '', /^call_/);
    assert.deepEqual(JSON.parse(generation.toolCalls[0]?.arguments ?? ''), { city: 'simulated' });
  });
});

describe('failures', () => {
  const expected: Record<string, [kind: string, reason: RegExp, output: boolean]> = {
    connect: ['failed', /ECONNREFUSED/, false],
    'before-output': ['failed', /500/, false],
    'mid-stream': ['failed', /error in the stream/, true],
    stall: ['failed', /silent/, true],
    garbage: ['failed', /not JSON/, true],
    'no-usage': ['complete', /./, true],
    'no-finish': ['failed', /finish_reason/, true],
    refuse: ['refused', /simulated/, false],
    'no-slot': ['no-slot', /./, false],
    hang: ['failed', /no output/, false],
  };

  for (const fail of simulatedFailures) {
    test(fail, async () => {
      const sink = await answerTo({ x_simulate: { fail } });
      const [kind, reason, output] = expected[fail] ?? ['', /$^/, false];
      assert.equal(sink.outcome?.kind, kind);
      if (sink.outcome.kind === 'failed') assert.match(sink.outcome.reason, reason);
      if (sink.outcome.kind === 'complete') assert.equal(sink.outcome.usage, null);
      assert.equal(sink.all.length > 0, output);
    });
  }

  test('stop after the requested number of attempts, no-slot after one', async () => {
    const kind = async (x_simulate: object, attempt: number) =>
      (await answerTo({ x_simulate }, { attempt })).outcome?.kind;
    assert.equal(await kind({ fail: 'before-output', fail_attempts: 2 }, 2), 'failed');
    assert.equal(await kind({ fail: 'before-output', fail_attempts: 2 }, 3), 'complete');
    assert.equal(await kind({ fail: 'before-output' }, 9), 'failed');
    assert.equal(await kind({ fail: 'no-slot' }, 2), 'complete');
  });
});

test('switches with an invalid value are refused by name', async () => {
  for (const [x_simulate, name] of [
    [{ fail: 'odd' }, 'fail'],
    [{ token_ms: -1 }, 'token_ms'],
    [{ output_tokens: 'many' }, 'output_tokens'],
    [{ prompt_tokens: Number.POSITIVE_INFINITY }, 'prompt_tokens'],
  ] as const) {
    const { outcome } = await answerTo({ x_simulate });
    assert.ok(outcome?.kind === 'refused');
    assert.match(outcome.message, new RegExp(`x_simulate\\.${name} must be`));
  }
});

test('with continuous usage an abort reports usage', async () => {
  start({ continuousUsage: true });
  const sink = new RecordingSink();
  const running = pod.execute(attemptRequest({ x_simulate: { first_token_ms: 0, token_ms: 100 } }), sink);
  await clock.advance(1_000);
  running.abort();
  const outcome = await sink.end;
  assert.ok(outcome.kind === 'aborted');
  assert.equal(outcome.usage?.outputTokens, sink.all.length);
  assert.equal(clock.pending, 0);
});
