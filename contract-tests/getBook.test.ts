import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { operatorBrowser } from './support/operator-browser.ts';
import { useServer } from './support/server.ts';

describe('GET /console/api/book', () => {
  const server = useServer({ trust_proxy: 1 });

  it('200 what runs and what waits at which bid, the best first, without a delay', async () => {
    const browser = await operatorBrowser(server, 'viewer');
    const book = async (model: string) => (await browser.call('getBook', { query: { model } })).body(200);
    const { slots } = await book('tide');
    assert.ok(slots !== null && slots > 0);
    const { key } = await server.createAccount();
    const api = server.api.as(key);
    const release = server.holdAnswers();
    const place = (price_limit: number) => api.call('createChatCompletion', { body: chat({ price_limit }) });
    const running = Array.from({ length: slots }, () => place(9));
    await server.orders({ executing: slots }, api);
    const waiting = [5, 7, 5].map(place);
    await server.orders({ executing: slots, queued: 3 }, api);
    assert.deepEqual(await book('tide'), {
      ...{ object: 'book', model: 'tide', waiting: 3, executing: slots, parked: 0, slots },
      bids: [
        { price: 7, orders: 1 },
        { price: 5, orders: 2 },
      ],
      deeper: 0,
      turns: [],
    });
    release();
    for (const order of [...running, ...waiting]) (await order).body(200);
    const { waiting: left, executing } = await book('tide');
    assert.deepEqual([left, executing], [0, 0]);
  });

  it('200 whose turn is next, at a fixed price', async () => {
    const browser = await operatorBrowser(server, 'viewer');
    const book = async () => (await browser.call('getBook', { query: { model: 'harbor' } })).body(200);
    const slots = (await book()).slots ?? 0;
    const accounts = [await server.createAccount(), await server.createAccount()] as const;
    const [first, second] = accounts.map(({ key }) => server.api.as(key));
    assert.ok(first && second);
    const release = server.holdAnswers();
    const place = (api: typeof first) => api.call('createChatCompletion', { body: chat({ model: 'harbor' }) });
    const sent = Array.from({ length: slots + 1 }, () => place(first));
    await server.orders({ executing: slots, queued: 1 }, first);
    sent.push(place(second));
    await server.orders({ queued: 1 }, second);
    const { turns, bids, deeper } = await book();
    assert.deepEqual([bids, deeper], [[], 0]);
    // Who has run nothing is next.
    assert.deepEqual(turns, [
      { account_id: accounts[1].id, waiting: 1, executing: 0 },
      { account_id: accounts[0].id, waiting: 1, executing: slots },
    ]);
    release();
    for (const order of sent) (await order).body(200);
  });

  it('200 the default model when none is named; 400 for one that is not served', async () => {
    const browser = await operatorBrowser(server, 'viewer');
    assert.ok((await browser.call('getBook')).body(200).model !== '');
    for (const model of ['nothing', "' OR '1'='1", 'x'.repeat(1_000)])
      assert.equal((await browser.call('getBook', { query: { model } })).refusal(400, 'unknown_model').param, 'model');
  });
});
