/** The gateway in front of `transformers serve`, whose small model reasons and calls tools when the last message asks for it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type OpenAI from 'openai';
import { EngineGateway, recomputed } from './gateway.ts';
import { CONTEXT_LENGTH, Transformers } from './transformers.ts';

const skip = process.env.ENGINE_TRANSFORMERS ? false : 'ENGINE_TRANSFORMERS is not set: see scripts/test-engines';
const TEXT = 'one two three four';
/** What the model counts, from 0 on. */
const NUMBERS = 1_200;

const tools = [{ type: 'function' as const, function: { name: 'gauge', parameters: { type: 'object' } } }];
const CALLS = ['{"open": true}', '{"open": false}'];

type Reasoning = { readonly reasoning_content?: string };
type Told = OpenAI.CompletionUsage | null | undefined;

let engine: Transformers | undefined;
let gateway: EngineGateway;

const request = (chain: string, more: object = {}): OpenAI.ChatCompletionCreateParamsNonStreaming => ({
  model: 'tiny',
  messages: [{ role: 'user', content: `Give me [${chain}].` }],
  ...more,
});
const ask = (chain: string, more: object = {}) => gateway.openai.chat.completions.create(request(chain, more));

async function stream(chain: string, more: object = {}) {
  const options = { stream: true as const, stream_options: { include_usage: true } };
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of await gateway.openai.chat.completions.create({ ...request(chain, more), ...options }))
    chunks.push(chunk);
  const choices = chunks.flatMap((chunk) => chunk.choices);
  return {
    text: choices.map(({ delta }) => delta.content ?? '').join(''),
    reasoning: choices.map(({ delta }) => (delta as Reasoning).reasoning_content ?? '').join(''),
    calls: choices.flatMap(({ delta }) => delta.tool_calls ?? []),
    finishes: choices.flatMap(({ finish_reason }) => finish_reason ?? []),
    usage: chunks.at(-1)?.usage,
  };
}

const outputOf = (usage: Told) => recomputed(usage).output;

describe('the gateway in front of transformers serve', { skip }, () => {
  before(async () => {
    engine = await Transformers.start();
    gateway = await EngineGateway.start(engine, { tiny: { model: engine.model } });
  });
  after(async () => {
    await gateway?.remove();
    await engine?.remove();
  });

  it('a text, whole and streamed, with the tokens of the model', async () => {
    const { choices, usage } = await ask('text');
    assert.deepEqual([choices[0]?.message.content, choices[0]?.finish_reason], [TEXT, 'stop']);
    const streamed = await stream('text');
    assert.deepEqual([streamed.text, streamed.finishes], [TEXT, ['stop']]);
    // The four words and the end.
    assert.deepEqual([outputOf(usage), outputOf(streamed.usage)], [5, 5]);
  });

  it('reasoning before a text', async () => {
    const { choices, usage } = await ask('reasoning');
    const message = choices[0]?.message as (OpenAI.ChatCompletionMessage & Reasoning) | undefined;
    assert.deepEqual([message?.reasoning_content, message?.content], ['Let me look.', 'It is open.']);
    const streamed = await stream('reasoning');
    assert.deepEqual([streamed.reasoning, streamed.text], ['Let me look.', 'It is open.']);
    assert.deepEqual([outputOf(usage), outputOf(streamed.usage)], [8, 8]);
  });

  it('two calls of tools, and then their outputs', async () => {
    const { choices, usage } = await ask('calls', { tools });
    const made = choices[0]?.message.tool_calls ?? [];
    assert.deepEqual(
      made.map((call) => call.type === 'function' && call.function.arguments),
      CALLS,
    );
    assert.equal(choices[0]?.finish_reason, 'tool_calls');
    const streamed = await stream('calls', { tools });
    const written = [0, 1].map((place) => streamed.calls.filter(({ index }) => index === place));
    assert.deepEqual(
      written.map((deltas) => deltas.map((delta) => delta.function?.arguments ?? '').join('')),
      CALLS,
    );
    assert.deepEqual(streamed.finishes, ['tool_calls']);
    assert.deepEqual([outputOf(usage), outputOf(streamed.usage)], [7, 7]);
    const outputs = made.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'done' }));
    const messages = [...request('calls').messages, { role: 'assistant', tool_calls: made }, ...outputs];
    assert.equal((await ask('calls', { tools, messages })).choices[0]?.message.content, TEXT);
  });

  it('reasoning and calls in a response and a message', async () => {
    const told: Record<string, string[]> = {};
    for (const chain of ['reasoning', 'calls']) {
      const content = `Give me [${chain}].`;
      const parameters = { type: 'object' };
      const response = await gateway.post('/v1/responses', {
        ...{ model: 'tiny', input: content, tools: [{ type: 'function', name: 'gauge', parameters }] },
      });
      const { output } = (await response.json()) as { output: { type: string }[] };
      const message = await gateway.post('/v1/messages', {
        ...{ model: 'tiny', max_tokens: 99, messages: [{ role: 'user', content }] },
        tools: [{ name: 'gauge', input_schema: parameters }],
      });
      const { content: blocks } = (await message.json()) as { content: { type: string }[] };
      told[chain] = [...output, ...blocks].map(({ type }) => type);
    }
    assert.deepEqual(told, {
      reasoning: ['reasoning', 'message', 'thinking', 'text'],
      calls: ['function_call', 'function_call', 'tool_use', 'tool_use'],
    });
  });

  it('ends with a stop sequence', async () => {
    const { choices } = await ask('text', { stop: [' three'] });
    const streamed = await stream('text', { stop: [' three'] });
    // This engine keeps the token with which the sequence ended.
    assert.deepEqual([choices[0]?.message.content, streamed.text], ['one two three ', 'one two three ']);
    assert.deepEqual([choices[0]?.finish_reason, streamed.finishes], ['stop', ['stop']]);
  });

  it('ends at the cap, with as many tokens as it allows', async () => {
    const { choices, usage } = await ask('endless', { max_tokens: 7 });
    assert.deepEqual([choices[0]?.finish_reason, outputOf(usage)], ['length', 7]);
  });

  it('cuts nothing of an answer to a prompt of 60 % of the context, without a cap', async () => {
    // Each byte is a token here.
    const content = `${'weir '.repeat(487)}Give me [long].`;
    const { text, finishes, usage } = await stream('long', { messages: [{ role: 'user', content }] });
    assert.ok(usage && Math.round((100 * usage.prompt_tokens) / CONTEXT_LENGTH) === 60, String(usage?.prompt_tokens));
    assert.equal(text.split(',').length, NUMBERS + 1);
    assert.deepEqual([finishes, outputOf(usage)], [['stop'], NUMBERS + 1]);
  });

  it('answers a prompt that exceeds the context, as this engine refuses none', async () => {
    const { text, usage } = await stream('text', { messages: [{ role: 'user', content: 'weir '.repeat(900) }] });
    assert.equal(text, TEXT);
    // A count beyond the context is not believed: an estimate of the text is charged.
    assert.ok(usage && usage.prompt_tokens < CONTEXT_LENGTH);
    recomputed(usage);
  });

  it('frees the slot of a caller who leaves, and charges the chunks that came', async () => {
    const { data, response } = await gateway.openai.chat.completions
      .create({ ...request('endless'), stream: true })
      .withResponse();
    let pieces = 0;
    for await (const { choices } of data) {
      if (choices[0]?.delta.content) pieces++;
      if (pieces === 20) break;
    }
    await gateway.untilIdle();
    const orderId = response.headers.get('x-service-order-id');
    const record = (await gateway.usage()).find(({ order_id }) => order_id === orderId);
    assert.ok(record && record.output_tokens >= pieces && record.output_tokens < CONTEXT_LENGTH / 2);
  });

  it('answers four requests on two slots', async () => {
    const answers = await Promise.all(['text', 'reasoning', 'text', 'calls'].map((chain) => stream(chain, { tools })));
    assert.deepEqual(
      answers.map(({ usage }) => outputOf(usage)),
      [5, 8, 5, 7],
    );
    assert.deepEqual(await gateway.auditFindings(), []);
  });
});
