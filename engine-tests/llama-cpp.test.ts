/**
 * The gateway in front of llama.cpp's server. A grammar, which this server takes as a field of its own, decides what the
 * model writes where a test needs to know; everything else is what the official client sends to any model.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type OpenAI from 'openai';
import { eventually } from './engine-process.ts';
import { chargeOf, EngineGateway, recomputed } from './gateway.ts';
import { CONTEXT_LENGTH, type Counters, LlamaCpp, SLOTS } from './llama-cpp.ts';

type Request = OpenAI.ChatCompletionCreateParamsNonStreaming;

const TEXT = 'one two three four';
const saying = (text: string) => ({ grammar: `root ::= "${text}"` });
/** Far more than a JSON object takes; the engine's grammar allows much white space between its parts. */
const ENOUGH = 1_000;
/** Longer than any test waits. */
const ENDLESS = { grammar: 'root ::= "word " root', max_tokens: CONTEXT_LENGTH - 1_000 };

const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'gauge',
      description: 'Says whether the gate is open.',
      parameters: { type: 'object', properties: { open: { type: 'boolean' } }, required: ['open'] },
    },
  },
];
const json_schema = {
  name: 'gate',
  strict: true,
  schema: {
    type: 'object',
    properties: { open: { type: 'boolean' }, river: { enum: ['Rhine', 'Elbe'] } },
    required: ['open', 'river'],
    additionalProperties: false,
  },
};

let engine: LlamaCpp;
let gateway: EngineGateway;
let prompts = 0;

/** A request that no earlier one begins like, so that nothing of it is in the prompt cache but the template's head. */
const request = (more: object = {}): Request => ({
  model: 'tiny',
  messages: [{ role: 'user', content: `${prompts++}: what is a weir?` }],
  max_tokens: ENOUGH,
  ...more,
});
const ask = (more: object = {}) => gateway.openai.chat.completions.create(request(more));

async function stream(more: object = {}) {
  const options = { stream: true as const, stream_options: { include_usage: true } };
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of await gateway.openai.chat.completions.create({ ...request(more), ...options }))
    chunks.push(chunk);
  const choices = chunks.flatMap((chunk) => chunk.choices);
  return {
    text: choices.map(({ delta }) => delta.content ?? '').join(''),
    calls: choices.flatMap(({ delta }) => delta.tool_calls ?? []),
    finishes: choices.flatMap(({ finish_reason }) => finish_reason ?? []),
    usage: chunks.at(-1)?.usage,
  };
}

/** Asserts that the tokens charged for what `act` asks are those that the engine counted meanwhile. */
async function charged(act: () => Promise<OpenAI.CompletionUsage | null | undefined>): Promise<Counters> {
  const earlier = await engine.counters();
  const tokens = recomputed(await act());
  const later = await engine.counters();
  assert.deepEqual(tokens, {
    cached: later.cached - earlier.cached,
    uncached: later.uncached - earlier.uncached,
    output: later.output - earlier.output,
  });
  return tokens;
}

describe('the gateway in front of llama.cpp', () => {
  before(async () => {
    engine = await LlamaCpp.prepare();
    await engine.start();
    gateway = await EngineGateway.start(engine);
  });
  after(async () => {
    await gateway?.remove();
    await engine?.remove();
  });

  it('a text, whole', async () => {
    await charged(async () => {
      const { choices, usage } = await ask(saying(TEXT));
      assert.deepEqual([choices[0]?.message.content, choices[0]?.finish_reason], [TEXT, 'stop']);
      return usage;
    });
  });

  it('a text, streamed', async () => {
    await charged(async () => {
      const { text, finishes, usage } = await stream(saying(TEXT));
      assert.deepEqual([text, finishes], [TEXT, ['stop']]);
      return usage;
    });
  });

  it('a text, streamed without a client’s help', async () => {
    const response = await gateway.post('/v1/chat/completions', { ...request(saying(TEXT)), stream: true });
    const frames = (await response.text()).split('\n\n').filter((frame) => frame.startsWith('data: '));
    assert.equal(frames.pop(), 'data: [DONE]');
    const chunks: OpenAI.ChatCompletionChunk[] = frames.map((frame) => JSON.parse(frame.slice('data: '.length)));
    assert.equal(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), TEXT);
  });

  it('ends before a stop sequence', async () => {
    const { choices, usage } = await ask({ ...saying(TEXT), stop: [' three'] });
    assert.deepEqual([choices[0]?.message.content, choices[0]?.finish_reason], ['one two', 'stop']);
    recomputed(usage);
    const streamed = await stream({ ...saying(TEXT), stop: [' three'] });
    assert.deepEqual([streamed.text, streamed.finishes], ['one two', ['stop']]);
    recomputed(streamed.usage);
  });

  it('ends at the cap, with as many tokens as it allows', async () => {
    const tokens = await charged(async () => {
      const { choices, usage } = await ask({ ...ENDLESS, max_tokens: 7 });
      assert.equal(choices[0]?.finish_reason, 'length');
      return usage;
    });
    assert.equal(tokens.output, 7);
  });

  it('a text in which the engine replaced broken characters', async () => {
    await charged(async () => {
      const { text, usage } = await stream({
        temperature: 1,
        logit_bias: { [await engine.tokenOf('<|im_end|>')]: -100 },
      });
      assert.match(text, /\ufffd/);
      return usage;
    });
  });

  it('a call of a tool', async () => {
    // The engine's grammar allows the end only after a call, so the model calls once and ends.
    const bias = [await engine.tokenOf('<tool_call>'), await engine.tokenOf('<|im_end|>')] as const;
    const wish = { tools, tool_choice: 'required', logit_bias: { [bias[0]]: 50, [bias[1]]: 100 } };
    await charged(async () => {
      const { choices, usage } = await ask(wish);
      const [made] = choices[0]?.message.tool_calls ?? [];
      assert.ok(made?.type === 'function');
      assert.equal(made.function.name, 'gauge');
      assert.equal(typeof JSON.parse(made.function.arguments).open, 'boolean');
      assert.equal(choices[0]?.finish_reason, 'tool_calls');
      return usage;
    });
    await charged(async () => {
      const { calls, finishes, usage } = await stream(wish);
      assert.deepEqual([calls[0]?.function?.name, finishes], ['gauge', ['tool_calls']]);
      // The model may call again before it ends.
      const written = calls.map((delta) => (delta.index === 0 && delta.function?.arguments) || '').join('');
      assert.equal(typeof JSON.parse(written).open, 'boolean');
      return usage;
    });
  });

  it('two calls of tools in one answer', async () => {
    // Behind a call the model begins another one or ends, as chance has it.
    const bias = [await engine.tokenOf('<tool_call>'), await engine.tokenOf('<|im_end|>')] as const;
    const wish = { tools, tool_choice: 'required', logit_bias: { [bias[0]]: 100, [bias[1]]: 100 }, temperature: 1 };
    let written = new Map<number, string>();
    for (let seed = 0; seed < 30 && written.size < 2; seed++) {
      const { calls, finishes, usage } = await stream({
        ...wish,
        parallel_tool_calls: true,
        seed,
        max_tokens: 3 * ENOUGH,
      });
      assert.deepEqual(finishes, ['tool_calls']);
      recomputed(usage);
      written = new Map();
      for (const { index, function: piece } of calls)
        written.set(index, (written.get(index) ?? '') + (piece?.arguments ?? ''));
      assert.deepEqual(
        calls.map(({ index }) => index),
        calls.map(({ index }) => index).toSorted((a, b) => a - b),
      );
    }
    assert.ok(written.size >= 2);
    for (const text of written.values()) assert.equal(typeof JSON.parse(text).open, 'boolean');
  });

  it('a response and a message, with the tokens that the engine counted', async () => {
    const content = 'What is a weir?';
    const asked = {
      '/v1/responses': { model: 'tiny', input: content, max_output_tokens: 9 },
      '/v1/messages': { model: 'tiny', messages: [{ role: 'user', content }], max_tokens: 9 },
    };
    for (const [path, body] of Object.entries(asked)) {
      const earlier = await engine.counters();
      const response = await gateway.post(path, body);
      const { usage } = (await response.json()) as { usage: { output_tokens: number } };
      assert.equal(usage.output_tokens, (await engine.counters()).output - earlier.output);
    }
  });

  it('enforces a JSON schema, even on a model that knows no JSON', async () => {
    await charged(async () => {
      const { choices, usage } = await ask({ response_format: { type: 'json_schema', json_schema } });
      const answer = JSON.parse(choices[0]?.message.content ?? '');
      assert.deepEqual(Object.keys(answer), ['open', 'river']);
      assert.ok(typeof answer.open === 'boolean' && ['Rhine', 'Elbe'].includes(answer.river));
      return usage;
    });
  });

  it('charges less for a prompt that the engine has in its cache', async () => {
    const again = request({ ...saying(TEXT), messages: [{ role: 'user', content: 'What is a weir? '.repeat(50) }] });
    const first = recomputed((await gateway.openai.chat.completions.create(again)).usage);
    await charged(async () => {
      const { usage } = await gateway.openai.chat.completions.create(again);
      assert.ok(usage?.prompt_tokens_details?.cached_tokens && first.uncached > 100);
      assert.ok(usage.prompt_tokens_details.cached_tokens > first.cached);
      assert.equal(usage.prompt_tokens, first.cached + first.uncached);
      return usage;
    });
  });

  it('frees the slot of a caller who leaves, and charges the chunks that came', async (t) => {
    const { data, response } = await gateway.openai.chat.completions
      .create({ ...request(ENDLESS), stream: true })
      .withResponse();
    let pieces = 0;
    for await (const { choices } of data) {
      if (choices[0]?.delta.content) pieces++;
      if (pieces === 20) break;
    }
    const leftAt = performance.now();
    await eventually(async () => (await engine.busySlots()) === 0, 'the slot to be free');
    t.diagnostic(`the slot was free after ${Math.round(performance.now() - leftAt)} ms`);
    await gateway.untilIdle();
    const orderId = response.headers.get('x-service-order-id');
    const record = (await gateway.usage()).find(({ order_id }) => order_id === orderId);
    assert.ok(record && record.output_tokens >= pieces && record.output_tokens < ENDLESS.max_tokens);
  });

  it('never sends more requests than there are slots', async () => {
    let open = 8;
    const callers = Array.from({ length: open }, () =>
      ask({ ...ENDLESS, max_tokens: 600 }).finally(() => {
        open--;
      }),
    );
    let busiest = 0;
    while (open > 0) {
      busiest = Math.max(busiest, await engine.busySlots());
      assert.equal(await engine.waiting(), 0);
    }
    assert.equal(busiest, SLOTS);
    for (const { usage } of await Promise.all(callers)) assert.equal(recomputed(usage).output, 600);
  });

  it('waits for an engine that stopped, and goes on when it is back', async () => {
    await engine.stop();
    const asked = ask(saying(TEXT));
    await gateway.untilHealthyPods(0);
    await engine.start();
    const { choices, usage } = await asked;
    assert.equal(choices[0]?.message.content, TEXT);
    recomputed(usage);
    await gateway.untilHealthyPods(1);
  });

  it('leaves books in which every charge can be recomputed and the audit finds nothing', async () => {
    const records = await gateway.usage();
    assert.ok(records.length >= 20);
    for (const { prompt_tokens, cached_tokens, output_tokens, charged_usd } of records) {
      const tokens = { cached: cached_tokens, uncached: prompt_tokens - cached_tokens, output: output_tokens };
      assert.equal(charged_usd, chargeOf(tokens));
    }
    assert.deepEqual(await gateway.auditFindings(), []);
  });
});
