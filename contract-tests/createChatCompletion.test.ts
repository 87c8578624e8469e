import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cannedReply, chunkOf, streamOf, usageOf } from '#testing/mock-backend.ts';
import { chargeOf, chat, pricesAt } from './support/chat.ts';
import { useServer } from './support/server.ts';

const USAGE = usageOf({ prompt: 12, cached: 4, output: 8 });
const TOKENS = { cached: 4, uncached: 8, output: 8 };
const RATIO = { cached: 0.1, uncached: 1, output: 4 };
const FIXED = { cached: 0.02, uncached: 0.1, output: 0.4 };
const LONGEST_STOP = 'x'.repeat(256);

describe('POST /v1/chat/completions', () => {
  const server = useServer();
  const ask = (fields?: Record<string, unknown>, headers: Record<string, string> = {}) =>
    server.api.call('createChatCompletion', { body: chat(fields), headers });

  // Spec 1-2, 1-7
  it('200 a completion with its text, its counts and a receipt that anyone can recompute', async () => {
    const { level } = (await server.api.call('getMarket', { query: { model: 'tide' } })).body(200);
    const reply = await ask();
    const completion = reply.body(200);
    assert.equal(completion.object, 'chat.completion');
    assert.equal(completion.id, `chatcmpl-${reply.orderId}`);
    assert.equal(completion.model, 'tide');
    const [choice] = completion.choices;
    assert.deepEqual(choice, {
      index: 0,
      message: { role: 'assistant', content: 'word0 word1 word2 word3 word4 word5 word6 word7 ', refusal: null },
      finish_reason: 'stop',
      logprobs: null,
    });
    assert.equal(completion.usage.prompt_tokens, 12);
    assert.equal(completion.usage.completion_tokens, 8);
    assert.equal(completion.usage.total_tokens, 20);
    assert.equal(completion.usage.prompt_tokens_details.cached_tokens, 4);
    assert.deepEqual(completion.usage.x_market, {
      order_id: reply.orderId,
      pricing: 'market',
      level_at_execution: level,
      bid: 5,
      charged_usd: chargeOf(TOKENS, pricesAt(level, RATIO)),
    });
  });

  it('200 debits exactly what the receipt says, once', async () => {
    const before = await server.charged();
    const { usage } = (await ask()).body(200);
    const after = await server.charged();
    assert.equal(after.settled, before.settled + 1);
    assert.equal(after.balanceNano, before.balanceNano - Math.round((usage.x_market.charged_usd ?? 0) * 1e9));
  });

  // Spec 1-5, 1-8
  it('200 a fixed-price model charges its prices and ignores a price limit', async () => {
    const { usage } = (await ask({ model: 'harbor', price_limit: undefined })).body(200);
    assert.equal(usage.x_market.pricing, 'fixed');
    assert.deepEqual(usage.x_market.usd_per_million, FIXED);
    assert.equal(usage.x_market.charged_usd, chargeOf(TOKENS, FIXED));
    assert.equal(usage.x_market.level_at_execution, usage.x_market.bid);
  });

  // Spec 4.2-25, 1-14
  it('200 an order with a price limit of 0 runs when there is room and is charged nothing', async () => {
    const { usage } = (await ask({ price_limit: 0 })).body(200);
    assert.equal(usage.x_market.bid, 0);
    assert.equal(usage.x_market.level_at_execution, 0);
    assert.equal(usage.x_market.charged_usd, 0);
  });

  // Spec 1-14, 3-6
  it('200 an order below the level pays its own bid', async () => {
    const { usage } = (await ask({ price_limit: 0.5 })).body(200);
    assert.equal(usage.x_market.level_at_execution, 0.5);
    assert.equal(usage.x_market.charged_usd, chargeOf(TOKENS, pricesAt(0.5, RATIO)));
  });

  it('200 the price limit comes from X-Price-Limit when the body has none, and from the body when both do', async () => {
    const fromHeader = (await ask({ price_limit: undefined }, { 'x-price-limit': '0.25' })).body(200);
    assert.equal(fromHeader.usage.x_market.bid, 0.25);
    const fromBody = (await ask({ price_limit: 0.5 }, { 'x-price-limit': '0.25' })).body(200);
    assert.equal(fromBody.usage.x_market.bid, 0.5);
  });

  it('200 a price limit of null counts as none: the account default applies', async () => {
    const account = await server.createAccount({ priceLimits: { tide: 3 } });
    const reply = await server.api.as(account.key).call('createChatCompletion', { body: chat({ price_limit: null }) });
    assert.equal(reply.body(200).usage.x_market.bid, 3);
  });

  // Spec 5-10
  it('200 a default of the key wins over one of the account', async () => {
    const account = await server.createAccount({ priceLimits: { tide: 3 }, keyPriceLimits: { tide: 2 } });
    const reply = await server.api
      .as(account.key)
      .call('createChatCompletion', { body: chat({ price_limit: undefined }) });
    assert.equal(reply.body(200).usage.x_market.bid, 2);
  });

  // Spec 4.2-2
  it('200 an alias and an absent model resolve to the real id', async () => {
    assert.equal((await ask({ model: 'tide-latest' })).body(200).model, 'tide');
    assert.equal((await ask({ model: undefined })).body(200).model, 'tide');
    assert.equal((await ask({ model: null })).body(200).model, 'tide');
  });

  it('200 content may be null, absent beside tool calls, or parts', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } };
    await ask({
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Look.' }] },
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', name: 'look', content: 'A cat.' },
        { role: 'user', content: null },
      ],
    }).then((reply) => reply.body(200));
    const { messages } = server.lastRequest();
    assert.deepEqual((messages as unknown[])[1], { role: 'assistant', tool_calls: [call] });
  });

  it('200 n of 1 and the bounds of temperature, top_p and stop are accepted', async () => {
    (await ask({ n: 1, best_of: 1, temperature: 2, top_p: 1 })).body(200);
    (await ask({ temperature: 0, top_p: 0, stop: Array(4).fill(LONGEST_STOP) })).body(200);
    (await ask({ stop: 'end', temperature: null, top_p: null, n: null })).body(200);
  });

  it('200 a field in no table reaches the model unchanged', async () => {
    (await ask({ foo: { a: 1 }, seed: 7, response_format: { type: 'json_object' } })).body(200);
    const body = server.lastRequest();
    assert.deepEqual(body.foo, { a: 1 });
    assert.equal(body.seed, 7);
    assert.deepEqual(body.response_format, { type: 'json_object' });
    assert.equal(body.model, 'upstream');
    assert.equal(body.stream, true);
  });

  // Spec 4.2-20, 4.2-21
  it('200 fields that identify the caller, and the gateway’s own fields, never reach the model', async () => {
    const kept = { user: 'u', metadata: { a: 'b' }, prompt_cache_key: 'k', safety_identifier: 's' };
    const own = {
      price_lock: false,
      max_wait: 60,
      expires_after: 60,
      store: false,
      retention_days: 1,
      detached: false,
    };
    (await ask({ ...kept, ...own })).body(200);
    const body = server.lastRequest();
    for (const name of [...Object.keys(kept), ...Object.keys(own), 'price_limit']) assert.ok(!(name in body), name);
  });

  // Spec 4.2-11
  it('200 max_tokens wins over max_completion_tokens and is lowered to the model’s maximum', async () => {
    (await ask({ max_tokens: 5, max_completion_tokens: 9 })).body(200);
    assert.equal(server.lastRequest().max_tokens, 5);
    (await ask({ max_tokens: 10_000_000 })).body(200);
    assert.equal(server.lastRequest().max_tokens, 1024);
    (await ask({ max_completion_tokens: 9 })).body(200);
    assert.equal(server.lastRequest().max_tokens, 9);
  });

  // Spec 4.2-22, 4.2-23
  it('200 log probabilities are requested from the model and returned on request', async () => {
    const entry = { token: 'Hi', logprob: -0.1, bytes: [72, 105], top_logprobs: [] };
    server.answer(
      streamOf([
        chunkOf({ role: 'assistant', content: '' }),
        chunkOf({ content: 'Hi' }, { logprobs: { content: [entry] } }),
        chunkOf({}, { finish_reason: 'stop' }),
        { ...chunkOf({}), choices: [], usage: USAGE },
      ]),
    );
    const completion = (await ask({ logprobs: true, top_logprobs: 2 })).body(200);
    assert.deepEqual(completion.choices[0]?.logprobs?.content, [entry]);
    assert.equal(server.lastRequest().top_logprobs, 2);
  });

  // Spec 4.2-17, 4.2-18
  it('200 a turn that only calls tools has null content and whole calls', async () => {
    const call = (index: number, fields: object) => chunkOf({ tool_calls: [{ index, ...fields }] });
    server.answer(
      streamOf([
        chunkOf({ role: 'assistant', content: '' }),
        call(0, { id: 'call_a', type: 'function', function: { name: 'look', arguments: '{"at":' } }),
        call(0, { function: { arguments: '"sea"}' } }),
        chunkOf({}, { finish_reason: 'tool_calls' }),
        { ...chunkOf({}), choices: [], usage: USAGE },
      ]),
    );
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
    const completion = (await ask({ tools, tool_choice: 'auto' })).body(200);
    const [choice] = completion.choices;
    assert.deepEqual(choice?.message, {
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [{ id: 'call_a', type: 'function', function: { name: 'look', arguments: '{"at":"sea"}' } }],
    });
    assert.equal(choice?.finish_reason, 'tool_calls');
    assert.deepEqual(server.lastRequest().tools, tools);
    assert.equal(server.lastRequest().tool_choice, 'auto');
  });

  it('200 reasoning has one name whichever the backend uses, and no key when there is none', async () => {
    for (const name of ['reasoning', 'reasoning_content']) {
      server.answer(
        streamOf([
          chunkOf({ role: 'assistant', [name]: 'Hm. ' }),
          chunkOf({ content: 'Yes.' }),
          chunkOf({}, { finish_reason: 'stop' }),
          { ...chunkOf({}), choices: [], usage: USAGE },
        ]),
      );
      const [choice] = (await ask()).body(200).choices;
      assert.equal(choice?.message.reasoning_content, 'Hm. ');
      assert.equal(choice?.message.content, 'Yes.');
    }
    server.answer(cannedReply());
    const [choice] = (await ask()).body(200).choices;
    assert.ok(choice && !('reasoning_content' in choice.message));
  });

  it('200 finish_reason is length when the cap is reached', async () => {
    server.answer(cannedReply({ finishReason: 'length' }));
    assert.equal((await ask({ max_tokens: 8 })).body(200).choices[0]?.finish_reason, 'length');
  });
});
