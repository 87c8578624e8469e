import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchOf, ended, line } from './support/batches.ts';
import { chat } from './support/chat.ts';
import { message } from './support/message.ts';
import { useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

/** A limit at which an answer of the backend costs some hundred nano-dollars, and one that is itself below 10^-6. */
const CHEAP = 0.0005;
const TINY = 8e-9;
const TINY_TEXT = '0.000000008';

const include_usage = { stream_options: { include_usage: true } };
const shapes = [
  ['createChatCompletion', 'price_limit', chat(), include_usage],
  ['createCompletion', 'price_limit', { model: 'tide', prompt: 'Say hello.' }, include_usage],
  ['createResponse', 'price_limit', { model: 'tide', input: 'Say hello.' }, {}],
  ['createMessage', 'max_price', message(), {}],
] as const;

/** Asserts that no number in a body has an exponent. A uuid in a string or comment may look like one. */
function assertPlain(text: string): void {
  const [exponent] = text.replace(/"(\\.|[^"\\])*"/g, '""').match(/[:,[]-?[\d.]+e[-+]?\d+/i) ?? [];
  assert.equal(exponent, undefined, text);
}

/** The digits of the charge in a receipt. */
function chargeIn(text: string): string {
  const [, digits] = /"charged_usd":([^,}]+)/.exec(text) ?? assert.fail(text);
  return digits ?? '';
}

describe('amounts and prices below a millionth of a dollar have plain digits', () => {
  const server = useServer();

  for (const [operation, limit, body, streamed] of shapes)
    for (const stream of [false, true])
      it(`in ${operation}, ${stream ? 'streamed' : 'whole'}, and when replayed`, async () => {
        const ask = (price: number, headers = {}) => {
          const fields = { ...body, [limit]: price, stream, ...(stream ? streamed : {}) };
          return server.api.call(operation, { body: fields, headers });
        };
        const headers = { 'idempotency-key': `${operation} ${stream}` };
        const first = await ask(CHEAP, headers);
        const tiny = await ask(TINY);
        await server.orders({ queued: 0, executing: 0 });
        const again = await ask(CHEAP, headers);
        for (const reply of [first, tiny, again]) {
          assert.equal(reply.status, 200, reply.text);
          assertPlain(reply.text);
        }
        assert.match(chargeIn(first.text), /^0\.000000\d{1,3}$/);
        assert.ok(tiny.text.includes(`"level_at_execution":${TINY_TEXT},"bid":${TINY_TEXT}`), tiny.text);
        assert.equal(again.headers['idempotent-replayed'], 'true');
        assert.equal(chargeIn(again.text), chargeIn(first.text));
      });

  it('in the lists of orders and usage, an order and its result', async () => {
    const { key } = await server.createAccount();
    const api = server.api.as(key);
    const body = chat({ price_limit: CHEAP, detached: true });
    const { id } = (await api.call('createChatCompletion', { body })).body(202);
    await eventually(
      async () => (await api.call('getOrderResult', { params: { id } })).body(200).body !== null,
      'the result',
    );
    for (const reply of [
      await api.call('listOrders', { query: { include: 'usage,totals' } }),
      await api.call('getOrder', { params: { id }, query: { include: 'usage' } }),
      await api.call('getOrderResult', { params: { id } }),
      await api.call('listUsage'),
    ]) {
      assertPlain(reply.text);
      assert.match(chargeIn(reply.text), /^0\.000000\d{1,3}$/);
    }
  });

  it('in the output of a batch', async () => {
    const { id } = await batchOf(server.api, [line('a')], { price_limit: CHEAP });
    const { output_file_id } = await ended(server, id);
    const { text } = await server.api.call('getFileContent', { params: { id: output_file_id ?? '' } });
    assertPlain(text);
    assert.match(chargeIn(text), /^0\.000000\d{1,3}$/);
  });

  it('in the price limits of an account, a batch and a repricing', async () => {
    const account = await server.api.call('updateAccount', { body: { default_price_limit: { reef: TINY } } });
    assert.ok(account.text.includes(`"reef":${TINY_TEXT}`), account.text);
    await server.api.call('updateAccount', { body: { default_price_limit: { reef: null } } });
    const batch = await batchOf(server.api, [line('a')], { price_limit: TINY });
    const found = await server.api.call('getBatch', { params: { id: batch.id } });
    assert.ok(found.text.includes(`"bid":${TINY_TEXT}`), found.text);
    await ended(server, batch.id);
    const ids = [batch.id];
    const repriced = await server.api.call('repriceOrders', { body: { ids, price_limit: TINY } });
    assert.ok(repriced.text.includes(`"price_limit":${TINY_TEXT}`), repriced.text);
  });
});

describe('prices of models below a millionth of a dollar have plain digits', () => {
  const lengths = { context_length: 8192, max_output_length: 1024 };
  const tiny = { cached: TINY_TEXT, uncached: '0.00000002', output: 0.1 };
  const market = { type: 'market', ...lengths, pricing_ratio: tiny, floor: TINY_TEXT, ceiling: 1 };
  const models = [
    { id: 'rill', ...market },
    { id: 'drip', type: 'fixed', ...lengths, usd_per_million: tiny },
  ];
  const server = useServer({ default_model: 'rill', models });

  for (const operation of [
    ...(['listModels', 'getMarket', 'listLevels', 'getPriceLock', 'getMarketHistory', 'getMarketCandles'] as const),
    ...(['getModelStatistics', 'getPartnerCatalog', 'getHealth', 'getMarketSummary', 'getMarketLocks'] as const),
  ])
    it(`in ${operation}`, async () => {
      await server.pass(3000);
      const { text } = await server.api.call(operation);
      assertPlain(text);
      assert.ok(text.includes(operation === 'getPartnerCatalog' ? '0.00000000' : TINY_TEXT), text);
    });

  for (const operation of ['streamMarket', 'streamLevels', 'streamPriceLock'] as const)
    it(`in ${operation}`, async () => {
      const stream = await server.api.open(operation);
      await stream.until(({ frames }) => frames.length > 0);
      stream.leave();
      assertPlain(stream.text);
      assert.ok(stream.text.includes(TINY_TEXT), stream.text);
    });
});
