/**
 * The official OpenAI client, unmodified, speaking Responses and text completions: it is given only an address, a key,
 * and a `fetch` that records.
 */
import assert from 'node:assert/strict';
import { afterEach, before, describe, it } from 'node:test';
import OpenAI, { APIError } from 'openai';
import { checkCompletionStream } from '#conformance/streams/chat-stream-checker.ts';
import { checkResponsesStream } from '#conformance/streams/responses-stream-checker.ts';
import { chargeOf, chat, pricesAt } from '../support/chat.ts';
import type { Client } from '../support/client.ts';
import { useServer } from '../support/server.ts';
import { eventually } from '../support/waiting.ts';
import { type AnswerScript, ENDLESS_TOKENS, podKinds, REASONING_TOKENS, SLOTS, TEXT_TOKENS } from './pod-kinds.ts';
import { ValidatingFetch } from './validating-fetch.ts';

const RATIO = { cached: 0.1, uncached: 1, output: 4 };
const ASKED = { model: 'tide', input: 'Say hello.' };
const tool = (name: string, parameter: string) => ({
  type: 'function' as const,
  name,
  strict: null,
  parameters: { type: 'object', properties: { [parameter]: { type: 'string' } } },
});
const tools = [tool('look', 'at'), tool('listen', 'to')];

/** The receipt, which the client passes on although its types do not have it. */
interface Receipt {
  readonly order_id: string;
  readonly level_at_execution: number;
  readonly charged_usd: number;
}

for (const kind of podKinds)
  describe(`the official OpenAI client's responses before ${kind.name}`, () => {
    const server = useServer(kind.settings);
    const wire = new ValidatingFetch();
    let openai: OpenAI;
    let account: Client;

    before(async () => {
      const { key } = await server.createAccount({ keyPriceLimits: { tide: 5, reef: 5 } });
      openai = new OpenAI({ baseURL: `${server.api.url}/v1`, apiKey: key, fetch: wire.fetch });
      account = server.api.as(key);
    });
    afterEach(() => wire.assertNoProblems());

    const asked = (script: AnswerScript) => ({ ...ASKED, ...kind.script(server, script) });
    const soon = <Result>(promise: PromiseLike<Result>) => server.passTimeUntil(Promise.resolve(promise));
    const orderIdOf = () => wire.last.headers['x-service-order-id'] ?? '';
    const statusOf = async (id: string) => (await account.call('getOrder', { params: { id } })).body(200).status;

    async function usageRows(orderId: string) {
      const { data } = (await account.call('listUsage', { query: { limit: 200 } })).body(200);
      return data.filter((row) => row.order_id === orderId);
    }

    /** Asserts that the receipt can be recomputed from the counts, and was charged once. */
    async function assertSettled(usage: OpenAI.Responses.ResponseUsage | undefined, balanceBefore: number) {
      assert.ok(usage);
      const { input_tokens: input, output_tokens: output } = usage;
      const { cached_tokens: cached } = usage.input_tokens_details;
      const receipt = (usage as unknown as { x_market: Receipt }).x_market;
      const tokens = { cached, uncached: input - cached, output };
      assert.equal(receipt.charged_usd, chargeOf(tokens, pricesAt(receipt.level_at_execution, RATIO)));
      assert.equal((await server.charged(account)).balanceNano, balanceBefore - Math.round(receipt.charged_usd * 1e9));
      assert.equal((await usageRows(receipt.order_id)).length, 1);
    }

    it('gets a response with the id of its order, and a receipt', async () => {
      const { balanceNano } = await server.charged(account);
      const response = await soon(openai.responses.create(asked('text')));
      assert.match(response.output_text, /\w+ \w+/);
      assert.equal(response.status, 'completed');
      assert.equal(response.id, `resp_${orderIdOf()}`);
      assert.equal(response.usage?.output_tokens, TEXT_TOKENS);
      await assertSettled(response.usage, balanceNano);
    });

    it('reads a stream, event by event and through its helper', async () => {
      const { balanceNano } = await server.charged(account);
      const stream = await openai.responses.create({ ...asked('text'), stream: true });
      const events = await soon(Array.fromAsync(stream));
      assert.equal(events.at(-1)?.type, 'response.completed');
      const { response } = checkResponsesStream(wire.last.text);
      await assertSettled(response.usage as OpenAI.Responses.ResponseUsage, balanceNano);
      const final = await soon(openai.responses.stream(asked('text')).finalResponse());
      assert.match(final.output_text, /\w+ \w+/);
    });

    it('gets two parallel calls, whole, and streamed through its helper', async () => {
      const whole = await soon(openai.responses.create({ ...asked('two calls'), tools }));
      const streamed = await soon(openai.responses.stream({ ...asked('two calls'), tools }).finalResponse());
      for (const { output } of [whole, streamed]) {
        const calls = callsIn(output);
        assert.deepEqual(
          calls.map(({ name }) => name),
          ['look', 'listen'],
        );
        assert.equal(new Set(calls.map(({ call_id }) => call_id)).size, 2);
        for (const call of calls) assert.equal(typeof JSON.parse(call.arguments), 'object');
      }
    });

    it('resends a turn with its calls and their results, and is answered', async () => {
      const script = asked('a call, then text');
      const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Please look.' }];
      const called = await soon(openai.responses.create({ ...script, input, tools }));
      const results = callsIn(called.output).map(({ call_id }) => ({
        type: 'function_call_output' as const,
        call_id,
        output: 'a calm sea',
      }));
      assert.equal(results.length, 1);
      const turn = [...input, ...(called.output as OpenAI.Responses.ResponseInputItem[]), ...results];
      assert.match((await soon(openai.responses.create({ ...script, input: turn, tools }))).output_text, /\w+ \w+/);
    });

    it('gets reasoning before the text, whole and streamed', async () => {
      const whole = await soon(openai.responses.create(asked('reasoning')));
      const streamed = await soon(openai.responses.stream(asked('reasoning')).finalResponse());
      for (const { output } of [whole, streamed])
        assert.deepEqual(
          output.map(({ type }) => type),
          ['reasoning', 'message'],
        );
      assert.equal(whole.usage?.output_tokens, TEXT_TOKENS + REASONING_TOKENS);
    });

    it('waits a minute in the queue, while events keep the connection alive', async () => {
      const body = chat({ stream: true, ...kind.script(server, 'silence') });
      const open = () => server.api.open('createChatCompletion', { body });
      const callers = await Promise.all(Array.from({ length: SLOTS }, open));
      await server.orders({ executing: SLOTS });
      const final = openai.responses.stream(asked('text')).finalResponse();
      await server.orders({ queued: 1 }, account);
      await server.pass(60_000);
      assert.equal(await statusOf(orderIdOf()), 'queued');
      for (const caller of callers) caller.leave();
      assert.match((await soon(final)).output_text, /\w+ \w+/);
      const { signsOfLife, comments } = checkResponsesStream(wire.last.text);
      assert.ok(signsOfLife >= 5 && comments >= 6, `${signsOfLife} events and ${comments} comments`);
    });

    it('disconnects in mid-stream and pays once, for what was generated', async () => {
      const { balanceNano } = await server.charged(account);
      const stream = await openai.responses.create({ ...asked('endless text'), stream: true });
      const orderId = orderIdOf();
      let seen = 0;
      const left = async () => {
        for await (const { type } of stream) if (type === 'response.output_text.delta' && ++seen === 5) break;
      };
      await server.passTimeUntil(left(), 20);
      const done = async () => (await statusOf(orderId)) === 'done';
      await server.passTimeUntil(eventually(done, 'the order to be done'), 20);
      const [row, ...more] = await usageRows(orderId);
      assert.ok(row && more.length === 0);
      assert.ok(row.output_tokens >= seen && row.output_tokens < ENDLESS_TOKENS);
      assert.equal((await server.charged(account)).balanceNano, balanceNano - Math.round(row.charged_usd * 1e9));
    });

    it('gets a failed response when the backend fails in mid-stream, and is not charged', async () => {
      await server.uncharged(async () => {
        const stream = await openai.responses.create({ ...asked('failure in the middle'), stream: true });
        const last = (await soon(Array.fromAsync(stream))).at(-1);
        assert.ok(last?.type === 'response.failed');
        assert.equal(last.response.error?.code, 'server_error');
      }, account);
    });

    it('raises refusals as its own errors', async () => {
      const refused = (body: object) => openai.responses.create({ ...ASKED, ...body } as typeof ASKED);
      await assert.rejects(refused({ model: 'nobody' }), OpenAI.NotFoundError);
      await assert.rejects(refused({ previous_response_id: 'resp_1' }), OpenAI.BadRequestError);
      const expired = refused({ model: 'reef', max_wait: 20 });
      await assert.rejects(soon(expired), (error) => error instanceof APIError && error.code === 'order_expired');
    });

    it('gets a text completion, whole and streamed', async () => {
      const { input: prompt, ...script } = asked('text');
      const whole = await soon(openai.completions.create({ ...script, prompt }));
      assert.match(whole.choices[0]?.text ?? '', /\w+ \w+/);
      assert.equal(whole.usage?.completion_tokens, TEXT_TOKENS);
      const options = { stream: true as const, stream_options: { include_usage: true } };
      const stream = await openai.completions.create({ ...script, prompt, ...options });
      const chunks = await soon(Array.fromAsync(stream));
      const { text, usage } = checkCompletionStream(wire.last.text);
      assert.equal(chunks.map(({ choices }) => choices[0]?.text ?? '').join(''), text);
      assert.equal(usage?.completion_tokens, TEXT_TOKENS);
    });
  });

function callsIn(output: readonly OpenAI.Responses.ResponseOutputItem[]): OpenAI.Responses.ResponseFunctionToolCall[] {
  return output.filter((item) => item.type === 'function_call');
}
