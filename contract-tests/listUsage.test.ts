import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

type Query = Readonly<Record<string, string | number>>;

describe('GET /v1/usage', () => {
  const server = useServer();
  itNeedsAKey(server, 'listUsage');
  itSurvivesAnOutage(server, 'listUsage');
  itHasARate('account_operations_per_minute_per_account', 'listUsage');

  const list = async (query: Query = {}) => (await server.api.call('listUsage', { query })).body(200);
  const nano = (usd: number | null) => Math.round((usd ?? 0) * 1e9);

  /** Receipts, oldest first: two from the first day, one from the second. */
  const receipts: { order_id: string; charged_usd: number; level_at_execution: number }[] = [];
  before(async () => {
    for (const fields of [{}, { model: 'harbor' }, 'next day', { price_limit: 0.5 }]) {
      if (typeof fields === 'string') await server.pass(60_000);
      else {
        const reply = await server.api.call('createChatCompletion', { body: chat(fields) });
        receipts.push(reply.body(200).usage.x_market);
      }
    }
  });

  it('200 one record per settled order, newest first, equal to its receipt', async () => {
    const { data } = await list();
    assert.deepEqual(
      data.map(({ order_id }) => order_id),
      receipts.map(({ order_id }) => order_id).toReversed(),
    );
    for (const record of data) {
      const receipt = receipts.find(({ order_id }) => order_id === record.order_id);
      assert.equal(record.charged_usd, receipt?.charged_usd);
      assert.equal(record.level_at_execution, receipt?.level_at_execution);
      assert.deepEqual([record.prompt_tokens, record.cached_tokens, record.output_tokens], [12, 4, 8]);
    }
    assert.deepEqual(
      data.map(({ pricing }) => pricing),
      ['market', 'fixed', 'market'],
    );
  });

  it('200 an empty parameter counts as an absent one', async () => {
    const empty = { from: '', to: '', limit: '', model: '', cursor: '' };
    assert.deepEqual(await list(empty), await list());
  });

  // Spec 2.4-3
  it('200 the rows add up to the total, and the total is what left the balance', async () => {
    const { data, total_charged_usd, total_requests, balance_usd } = await list();
    assert.equal(total_requests, 3);
    assert.equal(
      data.reduce((sum, { charged_usd }) => sum + nano(charged_usd), 0),
      nano(total_charged_usd),
    );
    assert.equal(nano(balance_usd), 100e9 - nano(total_charged_usd));
  });

  it('200 orders that were not settled leave no record', async () => {
    const order = { body: chat({ model: 'reef', detached: true }) };
    const { id } = (await server.api.call('createChatCompletion', order)).body(202);
    (await server.api.call('cancelOrder', { params: { id } })).body(200);
    assert.equal((await list()).data.length, 3);
  });

  it('200 totals cover the whole filtered set and are null after the first page', async () => {
    const first = await list({ limit: 2 });
    assert.deepEqual([first.has_more, first.total_requests, first.data.length], [true, 3, 2]);
    const second = await list({ limit: 2, cursor: first.next_cursor ?? '' });
    assert.deepEqual(
      [second.has_more, second.next_cursor, second.total_requests, second.total_charged_usd, second.balance_usd],
      [false, null, null, null, null],
    );
    assert.equal(second.data.length, 1);
  });

  it('200 filters by model and by day of settlement', async () => {
    assert.equal((await list({ model: 'harbor' })).total_requests, 1);
    assert.equal((await list({ model: 'tide-latest' })).total_requests, 2);
    assert.equal((await list({ to: '2026-01-01' })).total_requests, 2);
    assert.equal((await list({ from: '2026-01-02' })).total_requests, 1);
    assert.equal((await list({ from: '2026-01-03' })).total_requests, 0);
  });

  // Spec 8-41
  it('200 a limit above 200 is lowered to it', async () => {
    assert.equal((await list({ limit: 100_000 })).data.length, 3);
  });

  it('200 no records of another account', async () => {
    const other = server.api.as((await server.createAccount()).key);
    const usage = (await other.call('listUsage')).body(200);
    assert.deepEqual([usage.data.length, usage.total_requests, usage.total_charged_usd], [0, 0, 0]);
  });

  it('400 for invalid filters', async () => {
    for (const [param, value] of [
      ['limit', '0'],
      ['limit', '2.5'],
      ['from', 'yesterday'],
      ['to', '2026-13-01'],
    ] as const) {
      const reply = await server.api.call('listUsage', { query: { [param]: value } });
      assert.equal(reply.refusal(400, 'invalid_request').param, param);
    }
    (await server.api.call('listUsage', { query: { model: 'nobody' } })).refusal(400, 'unknown_model');
    (await server.api.call('listUsage', { query: { cursor: 'made-up' } })).refusal(400, 'invalid_cursor');
  });
});
