import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cannedReply, usageOf } from '#testing/mock-backend.ts';
import { chargeOf, chat, pricesAt } from './support/chat.ts';
import { useServer } from './support/server.ts';

const RATIO = { cached: 0.1, uncached: 1, output: 4 };

/** Rules about money that belong to no single operation. */
describe('money', () => {
  const server = useServer();

  it('200 for at most as many of 500 parallel requests as the balance covers, which never falls below zero', async () => {
    // With eight tokens of output allowed, an order is charged less than the worst case that is held for it.
    const before = (await server.api.call('createChatCompletion', { body: chat({ max_tokens: 8 }) })).body(200);
    const charge = before.usage.x_market.charged_usd;
    const { key } = await server.createAccount({ creditUsd: Math.round(charge * 7.5 * 1e9) / 1e9 });
    const poor = server.api.as(key);
    const replies = await Promise.all(
      Array.from({ length: 500 }, () => poor.call('createChatCompletion', { body: chat({ max_tokens: 8 }) })),
    );
    const served = replies.filter(({ status }) => status === 200);
    for (const reply of replies) if (reply.status !== 200) reply.refusal(402, 'insufficient_balance');
    assert.ok(served.length <= 7, `${served.length} were served`);
    const account = (await poor.call('getAccount')).body(200);
    assert.ok(account.balance_usd >= 0);
    assert.deepEqual(account.orders, { queued: 0, executing: 0 });
  });

  it('200 the same answer costs the same streamed and whole, and 0 counts as 0', async () => {
    for (const usage of [
      usageOf({ prompt: 0, cached: 0, output: 0 }),
      usageOf({ prompt: 40, cached: 0, output: 8 }),
      usageOf({ prompt: 40, cached: 40, output: 8 }),
    ]) {
      server.answer(cannedReply({ usage }));
      const whole = (await server.api.call('createChatCompletion', { body: chat() })).body(200).usage;
      const streamed = await server.api.call('createChatCompletion', {
        body: chat({ stream: true, stream_options: { include_usage: true } }),
      });
      const receipt = JSON.parse(streamed.frames.at(-2)?.data ?? '').usage.x_market;
      assert.equal(receipt.charged_usd, whole.x_market.charged_usd);
      const cached = whole.prompt_tokens_details.cached_tokens ?? 0;
      const tokens = { cached, uncached: whole.prompt_tokens - cached, output: whole.completion_tokens };
      assert.equal(receipt.charged_usd, chargeOf(tokens, pricesAt(whole.x_market.level_at_execution, RATIO)));
    }
    server.answer(cannedReply());
  });

  it('200 output above the cap is never charged, whatever the backend does', async () => {
    server.answer(cannedReply({ chunks: 50 }));
    const { usage } = (await server.api.call('createChatCompletion', { body: chat({ max_tokens: 10 }) })).body(200);
    assert.ok(usage.completion_tokens <= 10);
    server.answer(cannedReply());
  });

  it('200 a default output cap is lowered to what the balance can pay', async () => {
    const { key } = await server.createAccount({ creditUsd: 0.0001 });
    const poor = server.api.as(key);
    (await poor.call('createChatCompletion', { body: chat({ model: 'harbor' }) })).refusal(402, 'insufficient_balance');
    const { key: richer } = await server.createAccount({ creditUsd: 0.05 });
    (await server.api.as(richer).call('createChatCompletion', { body: chat() })).body(200);
  });

  it('200 a balance of exactly the worst case is enough, and one nano-dollar less is 402', async () => {
    const body = chat({ model: 'harbor', max_tokens: 8 });
    const askWith = async (nanoUsd: number, times = 1) => {
      const poor = server.api.as((await server.createAccount({ creditUsd: nanoUsd / 1e9 })).key);
      return Promise.all(Array.from({ length: times }, () => poor.call('createChatCompletion', { body })));
    };
    let [tooLittle, enough] = [1, 100_000];
    while (enough - tooLittle > 1) {
      const middle = Math.floor((tooLittle + enough) / 2);
      const [reply] = await askWith(middle);
      if (reply?.status === 200) enough = middle;
      else {
        reply?.refusal(402, 'insufficient_balance');
        tooLittle = middle;
      }
    }
    const replies = await askWith(enough, 20);
    const refused = replies.filter(({ status }) => status !== 200);
    assert.equal(replies.length - refused.length, 1);
    for (const reply of refused) reply.refusal(402, 'insufficient_balance');
  });

  it('200 the lowest and the highest price limits become the bid unchanged', async () => {
    for (const price_limit of [0, 1e-9, 0.000000003, 1e9]) {
      const { usage } = (await server.api.call('createChatCompletion', { body: chat({ price_limit }) })).body(200);
      const { bid, level_at_execution, charged_usd } = usage.x_market;
      assert.equal(bid, price_limit);
      assert.ok(level_at_execution <= price_limit, `${level_at_execution} at ${price_limit}`);
      if (price_limit === 0) assert.equal(charged_usd, 0);
    }
  });
});
