import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationId } from '#generated/operations.ts';
import { chunkOf, type MockReply, streamOf, usageOf } from '#testing/mock-backend.ts';
import { chargeOf, chat, pricesAt } from './support/chat.ts';
import { LOOK, message } from './support/message.ts';
import type { Reply } from './support/reply.ts';
import { useServer } from './support/server.ts';

const RATIO = { cached: 0.1, uncached: 1, output: 4 };
const PROMPT = { prompt: 1203, cached: 701 };

/** The receipt that ends every answer. */
interface Receipt {
  readonly order_id: string;
  readonly level_at_execution: number;
  readonly charged_usd: number;
}

interface Shape {
  readonly id: OperationId;
  readonly body: Record<string, unknown>;
  readonly tools: readonly object[] | null;
  /** How many prompt tokens it shows: Messages counts the cached ones separately, the others do not. */
  readonly shown: number;
}

const UNCACHED = PROMPT.prompt - PROMPT.cached;
const { description, input_schema: parameters, name } = LOOK;
const called = { name, description, parameters };
const withUsage = { stream_options: { include_usage: true } };
const shapes: readonly Shape[] = [
  {
    id: 'createChatCompletion',
    body: chat(withUsage),
    tools: [{ type: 'function', function: called }],
    shown: PROMPT.prompt,
  },
  {
    id: 'createCompletion',
    body: { model: 'tide', prompt: 'Hi', price_limit: 5, ...withUsage },
    tools: null,
    shown: PROMPT.prompt,
  },
  {
    id: 'createResponse',
    body: { model: 'tide', input: 'Hi', price_limit: 5 },
    tools: [{ type: 'function', strict: null, ...called }],
    shown: PROMPT.prompt,
  },
  { id: 'createMessage', body: message({ max_tokens: 512 }), tools: [LOOK], shown: UNCACHED },
];

const call = (index: number) => {
  const write = { name, arguments: '{"at":"sea"}' };
  return chunkOf({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: write }] });
};

/** One generation of 57 tokens: this many of reasoning, with calls or without. */
function generation({ calls, reasoning }: { calls: boolean; reasoning: boolean }): MockReply {
  const details = reasoning ? { completion_tokens_details: { reasoning_tokens: 20 } } : {};
  return streamOf([
    chunkOf({ role: 'assistant', content: '' }),
    ...(reasoning ? [chunkOf({ reasoning: 'Let me ' }), chunkOf({ reasoning: 'think.' })] : []),
    chunkOf({ content: 'A calm sea.' }),
    ...(calls ? [call(0), call(1)] : []),
    chunkOf({}, { finish_reason: calls ? 'tool_calls' : 'stop' }),
    { ...chunkOf({}), choices: [], usage: { ...usageOf({ ...PROMPT, output: 57 }), ...details } },
  ]);
}

/** In every shape, whole or streamed, one generation costs one amount, and the records agree to the nano-dollar. */
describe('the charge of one generation', () => {
  const server = useServer();
  const tokens = { cached: PROMPT.cached, uncached: UNCACHED, output: 57 };

  for (const calls of [false, true])
    for (const reasoning of [false, true]) {
      const what = `${calls ? 'two calls' : 'text'}${reasoning ? ' after reasoning' : ''}`;
      // Spec 1-3, 1-4
      it(`200 is the same in every shape, whole and streamed: ${what}`, async () => {
        server.answer(generation({ calls, reasoning }));
        // A separate account, so that it has no other rows.
        const api = server.api.as((await server.createAccount()).key);
        const before = await server.charged(api);
        const receipts: Receipt[] = [];
        for (const { id, body, tools, shown } of shapes)
          for (const stream of [false, true]) {
            const sent = { ...body, stream, ...(tools ? { tools } : {}) };
            const usage = usageIn(await api.call(id, { body: sent }));
            assert.equal(usage.input_tokens ?? usage.prompt_tokens, shown);
            receipts.push(usage.x_market);
          }
        for (const { charged_usd, level_at_execution } of receipts)
          assert.equal(charged_usd, chargeOf(tokens, pricesAt(level_at_execution, RATIO)));
        assert.equal(new Set(receipts.map(({ charged_usd }) => charged_usd)).size, 1);
        assert.equal(new Set(receipts.map(({ order_id }) => order_id)).size, 2 * shapes.length);

        const { data } = (await api.call('listUsage', { query: { limit: 200 } })).body(200);
        const after = await server.charged(api);
        const charged = data.reduce((sum, row) => sum + nanoOf(row.charged_usd), 0);
        assert.equal(data.length, receipts.length);
        assert.deepEqual(data.map((row) => row.order_id).sort(), receipts.map(({ order_id }) => order_id).sort());
        assert.equal(before.balanceNano - after.balanceNano, charged);
        for (const { prompt_tokens, cached_tokens, output_tokens } of data)
          assert.deepEqual([prompt_tokens, cached_tokens, output_tokens], [PROMPT.prompt, PROMPT.cached, 57]);
      });
    }
});

function nanoOf(usd: number): number {
  return Math.round(usd * 1e9);
}

interface Usage {
  readonly input_tokens?: number;
  readonly prompt_tokens?: number;
  readonly x_market: Receipt;
}

/** The only usage of an answer with a receipt, wherever its shape puts it. */
function usageIn(reply: Reply): Usage {
  assert.equal(reply.status, 200, reply.text);
  const streamed = reply.headers['content-type']?.startsWith('text/event-stream');
  const parts = streamed ? reply.frames.map(({ data }) => data).filter((data) => data !== '[DONE]') : [reply.text];
  const usages = parts.flatMap((part): Usage[] => {
    const { usage, response } = JSON.parse(part);
    return [usage, response?.usage].filter((found) => found?.x_market);
  });
  const [usage, ...more] = usages;
  assert.ok(usage && more.length === 0, reply.text);
  return usage;
}
