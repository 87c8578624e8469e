import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { itHasARate, itKeepsItsAnswer, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

const sha = (text: string) => createHash('sha256').update(text).digest('base64url');

describe('GET /v1/market/ledger', () => {
  const server = useServer();
  const get = (query: Record<string, string | number> = {}) => server.api.call('getMarketLedger', { query, key: null });
  itSurvivesAnOutage(server, 'getMarketLedger');
  itHasARate('public_requests_per_minute_per_address', 'getMarketLedger');
  itKeepsItsAnswer(server, 'getMarketLedger', { seconds: /^1$/ });

  it('200 every quote, each with a hash that follows from the one before, from the genesis on', async () => {
    await server.pass(35_000);
    const { model, chain, has_more, data } = (await get({ chain: 'quotes' })).body(200);
    assert.deepEqual([model, chain, has_more], ['tide', 'quotes', false]);
    assert.ok(data.length >= 4);
    let previous = sha('\ngenesis quotes 1 tide');
    for (const [at, row] of data.entries()) {
      assert.deepEqual([row.number, row.begins, row.previous], [at + 1, at === 0, previous]);
      previous = sha(`${previous}\nquote ${row.number} ${row.price_nano_usd} ${row.at_ms} ${row.until_ms} tide`);
      assert.equal(row.hash, previous);
    }
  });

  it('200 every level, in the same way', async () => {
    const { data } = (await get()).body(200);
    let previous = sha('\ngenesis levels 1 tide');
    for (const row of data) {
      assert.deepEqual([row.until_ms, row.previous], [null, previous]);
      previous = sha(`${previous}\nlevel ${row.number} ${row.price_nano_usd} ${row.at_ms} tide`);
      assert.equal(row.hash, previous);
    }
    const { level } = (await server.api.call('getMarket', { key: null })).body(200);
    assert.equal(data.at(-1)?.price_nano_usd, Math.round(level * 1e9));
  });

  it('200 by pages, and from a time on', async () => {
    const whole = (await get({ chain: 'quotes' })).body(200).data;
    const first = (await get({ chain: 'quotes', limit: 2 })).body(200);
    assert.deepEqual([first.has_more, first.data], [true, whole.slice(0, 2)]);
    const rest = (await get({ chain: 'quotes', limit: 5000, after: 2 })).body(200);
    assert.deepEqual([rest.has_more, rest.data], [false, whole.slice(2)]);
    const from = new Date((whole[2]?.at_ms ?? 0) + 1).toISOString();
    assert.deepEqual((await get({ chain: 'quotes', from })).body(200).data, whole.slice(2));
    assert.deepEqual((await get({ chain: 'quotes', after: whole.length })).body(200).data, []);
    assert.deepEqual((await get({ chain: 'quotes', from: '2001-01-01' })).body(200).data, whole);
  });

  it('200 the row that a signed receipt names', async () => {
    const body = { ...chat(), price_limit: 50, price_lock: true };
    const { orderId } = await server.passTimeUntil(server.api.call('createChatCompletion', { body }));
    const { receipt } = (await server.api.call('getOrderReceipt', { params: { id: orderId } })).body(200);
    for (const [chain, row] of [
      ['levels', receipt.level_row],
      ['quotes', receipt.quote_window],
    ] as const) {
      assert.ok(row);
      const [found] = (await get({ chain, after: row.number - 1, limit: 1 })).body(200).data;
      assert.deepEqual([found?.number, found?.hash, found?.previous], [row.number, row.hash, row.previous]);
    }
  });

  it('200 a preview has a chain, too, and says what it is', async () => {
    const { preview, data } = (await get({ model: 'surge' })).body(200);
    assert.equal(preview, true);
    assert.ok(data.length > 0);
  });

  it('200 an alias names its model', async () => {
    assert.equal((await get({ model: 'tide-latest' })).body(200).model, 'tide');
  });

  it('400 invalid_request for a chain, a number, a page size or a time that is none', async () => {
    for (const [param, value] of [
      ['chain', 'prices'],
      ['after', '-1'],
      ['after', 'x'],
      ['limit', '0'],
      ['limit', '1.5'],
      ['from', 'yesterday'],
    ] as const)
      assert.equal((await get({ [param]: value })).refusal(400, 'invalid_request').param, param);
  });

  it('400 unknown_model, and fixed_price_model for a model without a market', async () => {
    assert.equal((await get({ model: 'nobody' })).refusal(400, 'unknown_model').param, 'model');
    (await get({ model: 'harbor' })).refusal(400, 'fixed_price_model');
  });
});
