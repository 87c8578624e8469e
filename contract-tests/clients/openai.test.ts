/** The official OpenAI client, unmodified: it is given only an address, a key, and a `fetch` that records. */
import assert from 'node:assert/strict';
import { afterEach, before, describe, it } from 'node:test';
import OpenAI, { APIError } from 'openai';
import { chargeOf, chat, pricesAt } from '../support/chat.ts';
import type { Client } from '../support/client.ts';
import { useServer } from '../support/server.ts';
import { eventually } from '../support/waiting.ts';
import { type AnswerScript, ENDLESS_TOKENS, podKinds, REASONING_TOKENS, SLOTS, TEXT_TOKENS } from './pod-kinds.ts';
import { ValidatingFetch } from './validating-fetch.ts';

type Chunk = OpenAI.ChatCompletionChunk;
type Message = OpenAI.ChatCompletionMessage;

const RATIO = { cached: 0.1, uncached: 1, output: 4 };
const ASKED = { model: 'tide', messages: [{ role: 'user' as const, content: 'Say hello.' }] };
const WITH_USAGE = { stream: true as const, stream_options: { include_usage: true } };
const tool = (name: string, parameter: string) => ({
  type: 'function' as const,
  function: {
    name,
    description: `Says what is ${parameter} a place.`,
    parameters: { type: 'object' as const, properties: { [parameter]: { type: 'string' as const } } },
  },
});
const LOOK = tool('look', 'at');
const tools = [LOOK, tool('listen', 'to')];

/** The receipt, which the client passes on although its types do not have it. */
interface Usage extends OpenAI.CompletionUsage {
  readonly x_market: { order_id: string; level_at_execution: number; bid: number; charged_usd: number };
}

for (const kind of podKinds)
  describe(`the official OpenAI client before ${kind.name}`, () => {
    const server = useServer(kind.settings);
    const wire = new ValidatingFetch();
    let openai: OpenAI;
    let account: Client;
    const clientWith = (apiKey: string) => new OpenAI({ baseURL: `${server.api.url}/v1`, apiKey, fetch: wire.fetch });

    before(async () => {
      const { key } = await server.createAccount({ keyPriceLimits: { tide: 5, reef: 5 } });
      openai = clientWith(key);
      account = server.api.as(key);
    });
    afterEach(() => wire.assertNoProblems());

    const asked = (script: AnswerScript) => ({ ...ASKED, ...kind.script(server, script) });
    const soon = <Result>(promise: PromiseLike<Result>) => server.passTimeUntil(Promise.resolve(promise));
    const streamed = async (script: AnswerScript, more: object = {}) => {
      const { data, response } = await openai.chat.completions
        .create({ ...asked(script), ...more, ...WITH_USAGE })
        .withResponse();
      return { stream: data, orderId: response.headers.get('x-service-order-id') ?? '' };
    };

    /** Asserts that the usage is right, and that its receipt can be recomputed and was charged once. */
    async function assertSettled(usage: OpenAI.CompletionUsage | null | undefined, balanceBefore: number) {
      assert.ok(usage);
      const { prompt_tokens: prompt, completion_tokens: output, x_market: receipt } = usage as Usage;
      const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
      const tokens = { cached, uncached: prompt - cached, output };
      assert.equal(usage.total_tokens, prompt + output);
      assert.equal(receipt.charged_usd, chargeOf(tokens, pricesAt(receipt.level_at_execution, RATIO)));
      assert.ok(receipt.charged_usd > 0);
      assert.equal((await server.charged(account)).balanceNano, balanceBefore - Math.round(receipt.charged_usd * 1e9));
      assert.equal((await usageRows(receipt.order_id)).length, 1);
    }

    async function usageRows(orderId: string) {
      const { data } = (await account.call('listUsage', { query: { limit: 200 } })).body(200);
      return data.filter((row) => row.order_id === orderId);
    }

    /** Takes every slot, and returns a function that frees them. */
    async function occupySlots(): Promise<() => void> {
      const body = chat({ stream: true, ...kind.script(server, 'silence') });
      const callers = await Promise.all(
        Array.from({ length: SLOTS }, () => server.api.open('createChatCompletion', { body })),
      );
      await server.orders({ executing: SLOTS });
      return () => callers.forEach((caller) => void caller.leave());
    }

    it('lists the models and retrieves one by its alias', async () => {
      const { data } = await openai.models.list();
      assert.equal(data[0]?.id, 'tide');
      assert.equal((await openai.models.retrieve('tide-latest')).object, 'model');
    });

    it('gets a completion and its receipt', async () => {
      const { balanceNano } = await server.charged(account);
      const completion = await soon(openai.chat.completions.create(asked('text')));
      assert.match(completion.choices[0]?.message.content ?? '', /\w+ \w+/);
      assert.equal(completion.choices[0]?.finish_reason, 'stop');
      assert.equal(completion.usage?.completion_tokens, TEXT_TOKENS);
      await assertSettled(completion.usage, balanceNano);
    });

    it('reads a stream whose last chunk is the receipt', async () => {
      const { balanceNano } = await server.charged(account);
      const { stream } = await streamed('text');
      const chunks = await soon(allOf(stream));
      assert.match(textOf(chunks), /\w+ \w+/);
      assert.deepEqual(chunks.at(-1)?.choices, []);
      await assertSettled(chunks.at(-1)?.usage, balanceNano);
    });

    it('assembles a stream with its helper', async () => {
      const { balanceNano } = await server.charged(account);
      const stream = openai.chat.completions.stream({ ...asked('text'), ...WITH_USAGE });
      let text = '';
      stream.on('content', (delta) => {
        text += delta;
      });
      const completion = await soon(stream.finalChatCompletion());
      assert.notEqual(text, '');
      assert.equal(completion.choices[0]?.message.content, text);
      await assertSettled(completion.usage, balanceNano);
    });

    it('gets two parallel tool calls, whole, and streamed through its helper', async () => {
      const whole = await soon(openai.chat.completions.create({ ...asked('two calls'), tools }));
      const helper = openai.chat.completions.stream({ ...asked('two calls'), tools });
      for (const { choices } of [whole, await soon(helper.finalChatCompletion())]) {
        assert.equal(choices[0]?.finish_reason, 'tool_calls');
        assert.deepEqual(namesOf(choices[0]?.message), ['look', 'listen']);
      }
      assert.equal(whole.choices[0]?.message.content, null);
    });

    for (const stream of [false, true])
      it(`runs a tool and sends the model its result${stream ? ', streamed' : ''}`, async () => {
        const calledWith: string[] = [];
        const look = (text: string) => {
          calledWith.push(text);
          return 'a calm sea';
        };
        const body = {
          ...asked('a call, then text'),
          messages: [{ role: 'user' as const, content: 'Please look.' }],
          tools: [{ type: 'function' as const, function: { ...LOOK.function, function: look } }],
        };
        const runner = stream
          ? openai.chat.completions.runTools({ ...body, stream })
          : openai.chat.completions.runTools(body);
        assert.match((await soon<string | null>(runner.finalContent())) ?? '', /\w+ \w+/);
        assert.deepEqual(
          runner.messages.map(({ role }) => role),
          ['user', 'assistant', 'tool', 'assistant'],
        );
        assert.equal(calledWith.length, 1);
        assert.equal(typeof JSON.parse(calledWith[0] ?? ''), 'object');
      });

    it('gets reasoning, whole and streamed', async () => {
      const whole = await soon(openai.chat.completions.create(asked('reasoning')));
      const { stream } = await streamed('reasoning');
      const chunks = await soon(allOf(stream));
      const pieces = chunks.map(({ choices }) => reasoningOf(choices[0]?.delta)).filter(Boolean);
      const reasoning = reasoningOf(whole.choices[0]?.message);
      assert.notEqual(reasoning, '');
      assert.equal(pieces.length, REASONING_TOKENS);
      assert.equal(pieces.join(''), reasoning);
      assert.equal(whole.usage?.completion_tokens, TEXT_TOKENS + REASONING_TOKENS);
    });

    it('waits a minute in the queue, while comments keep the connection alive', async () => {
      const leave = await occupySlots();
      const { stream, orderId } = await streamed('text');
      const chunks = allOf(stream);
      await server.pass(60_000);
      assert.equal((await account.call('getOrder', { params: { id: orderId } })).body(200).status, 'queued');
      await eventually(() => wire.comments.length >= 6, 'six comments');
      leave();
      assert.match(textOf(await soon(chunks)), /\w+ \w+/);
    });

    it('waits a minute for a whole answer, and asks for it once', async () => {
      const leave = await occupySlots();
      const sent = wire.exchanges.length;
      const completion = openai.chat.completions.create(asked('text'));
      await server.orders({ queued: 1 }, account);
      await server.pass(60_000);
      leave();
      assert.equal((await soon(completion)).usage?.completion_tokens, TEXT_TOKENS);
      assert.equal(wire.exchanges.length, sent + 1);
    });

    it('disconnects in mid-stream and pays once, for what was generated', async () => {
      const { balanceNano } = await server.charged(account);
      const { stream, orderId } = await streamed('endless text');
      let seen = 0;
      const left = async () => {
        for await (const { choices } of stream) if (choices[0]?.delta.content && ++seen === 5) break;
      };
      await server.passTimeUntil(left(), 20);
      const orderIs = async (status: string) =>
        (await account.call('getOrder', { params: { id: orderId } })).body(200).status === status;
      await server.passTimeUntil(
        eventually(() => orderIs('done'), 'the order to be done'),
        20,
      );

      const rows = await usageRows(orderId);
      const [row] = rows;
      assert.equal(rows.length, 1);
      assert.ok(row);
      const { cached_tokens: cached, prompt_tokens: prompt, output_tokens: output } = row;
      assert.ok(output >= seen && output < ENDLESS_TOKENS, `${output} tokens were charged, ${seen} were seen`);
      const tokens = { cached, uncached: prompt - cached, output };
      assert.equal(row.charged_usd, chargeOf(tokens, pricesAt(row.level_at_execution ?? 0, RATIO)));
      assert.equal((await server.charged(account)).balanceNano, balanceNano - Math.round(row.charged_usd * 1e9));
      await server.orders({ executing: 0 }, account);
    });

    it('raises an error when the backend fails in mid-stream, is not charged, and does not retry', async () => {
      const sent = wire.exchanges.length;
      await server.uncharged(async () => {
        const { stream } = await streamed('failure in the middle');
        await assert.rejects(
          soon(allOf(stream)),
          (error) => error instanceof APIError && error.code === 'backend_error',
        );
      }, account);
      assert.equal(wire.exchanges.length, sent + 1);
    });

    const refused = async (
      expected: { status: number; code: string; type: abstract new (...args: never[]) => APIError },
      { client = openai, ...body }: { client?: OpenAI; model?: string; temperature?: number; max_wait?: number },
    ) => {
      const sent = wire.exchanges.length;
      for (const stream of [false, true])
        await assert.rejects(soon(client.chat.completions.create({ ...asked('text'), ...body, stream })), (error) => {
          assert.ok(error instanceof expected.type, String(error));
          assert.deepEqual([error.status, error.code], [expected.status, expected.code]);
          assert.match(error.message, /\w+ \w+/);
          return true;
        });
      assert.equal(wire.exchanges.length, sent + 2, 'each request is sent once');
    };

    it('401 is its AuthenticationError', () =>
      refused(
        { status: 401, code: 'invalid_api_key', type: OpenAI.AuthenticationError },
        { client: clientWith('sk-none') },
      ));

    it('404 is its NotFoundError', () =>
      refused({ status: 404, code: 'model_not_found', type: OpenAI.NotFoundError }, { model: 'nobody' }));

    it('400 is its BadRequestError', () =>
      refused({ status: 400, code: 'invalid_request', type: OpenAI.BadRequestError }, { temperature: 3 }));

    it('402 is an APIError with the status and code', async () => {
      const { key } = await server.createAccount({ creditUsd: 0, keyPriceLimits: { tide: 5 } });
      await refused({ status: 402, code: 'insufficient_balance', type: APIError }, { client: clientWith(key) });
    });

    it('408 and 409 end a wait, and are not retried', async () => {
      const sent = wire.exchanges.length;
      const waiting = () => openai.chat.completions.create({ ...ASKED, model: 'reef', max_wait: 20 } as typeof ASKED);
      await assert.rejects(soon(waiting()), (error) => error instanceof APIError && error.code === 'order_expired');
      const canceled = assert.rejects(waiting(), OpenAI.ConflictError);
      await server.orders({ queued: 1 }, account);
      const { data } = (await account.call('listOrders', { query: { status: 'queued' } })).body(200);
      (await account.call('cancelOrder', { params: { id: data[0]?.id ?? '' } })).body(200);
      await canceled;
      assert.equal(wire.exchanges.length, sent + 2);
    });
  });

async function allOf(stream: AsyncIterable<Chunk>): Promise<Chunk[]> {
  return Array.fromAsync(stream);
}

function textOf(chunks: readonly Chunk[]): string {
  return chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
}

/** The names of the called tools, after asserting that each call has a unique id and JSON arguments. */
function namesOf(message: Message | undefined): string[] {
  const calls = message?.tool_calls ?? [];
  assert.equal(new Set(calls.map(({ id }) => id)).size, calls.length);
  return calls.map((call) => {
    assert.ok(call.type === 'function');
    assert.equal(typeof JSON.parse(call.function.arguments), 'object');
    return call.function.name;
  });
}

/** A field that the client passes on although its types do not have it. */
function reasoningOf(said: object | undefined): string {
  return (said as { reasoning_content?: string } | undefined)?.reasoning_content ?? '';
}
