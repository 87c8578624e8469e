import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BrowserSession } from './support/browser-session.ts';
import { chat } from './support/chat.ts';
import { operatorBrowser } from './support/operator-browser.ts';
import { useServer } from './support/server.ts';

describe('/console/api/transfers and the entries of an account', () => {
  const server = useServer({ trust_proxy: 1 });

  async function everyTransfer(browser: BrowserSession, limit: number) {
    const all = [];
    for (let cursor = ''; ; ) {
      const { data, has_more, next_cursor } = (await browser.call('listTransfers', { query: { limit, cursor } })).body(
        200,
      );
      assert.equal(has_more, next_cursor !== null);
      assert.ok(data.length <= limit);
      all.push(...data);
      if (next_cursor === null) return all;
      cursor = next_cursor;
    }
  }

  it('200 what was credited and given back in all accounts, the newest first, each once; and no charges', async () => {
    const [finance, viewer] = [await operatorBrowser(server, 'finance'), await operatorBrowser(server, 'viewer')];
    const accounts = [await server.createAccount(), await server.createAccount()];
    const moved: string[] = [];
    for (const { id, key } of accounts) {
      await server.pass(1);
      const { orderId } = await server.api.as(key).call('createChatCompletion', { body: chat() });
      const params = { id };
      const credit = { amount_usd: '25', idempotency_key: 'c', reason: '<b>Invoice' };
      const refund = { amount_usd: '0.000000001', idempotency_key: 'r', order_id: orderId };
      moved.push((await finance.call('creditAccount', { params, body: credit })).body(200).entry_id);
      moved.push((await finance.call('refundAccount', { params, body: refund })).body(200).entry_id);
    }
    const all = await everyTransfer(viewer, 2);
    const ids = all.map(({ entry_id }) => entry_id);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(ids.filter((id) => moved.includes(id)).sort(), moved.sort());
    assert.deepEqual(await everyTransfer(viewer, 100), all);
    assert.deepEqual(
      all.map(({ created_at }) => created_at),
      all
        .map(({ created_at }) => created_at)
        .sort()
        .reverse(),
    );
    assert.ok(all.every(({ kind }) => kind === 'top_up' || kind === 'refund'));
    const [first] = all.filter(({ reason }) => reason === '<b>Invoice');
    const {
      entry_id: _,
      created_at: __,
      account_name,
      ...credited
    } = first ?? assert.fail('The credit is not listed.');
    const account_id = accounts[1]?.id;
    const about = { object: 'entry', account_id, kind: 'top_up', order_id: null, reason: '<b>Invoice' };
    assert.deepEqual(credited, { ...about, amount_usd: 25 });
    const shown = (await viewer.call('showAccount', { params: { id: account_id ?? '' } })).body(200);
    assert.equal(account_name, shown.name);

    const params = { id: account_id ?? '' };
    const entries = async (query: object) =>
      (await viewer.call('listAccountEntries', { params, query: { ...query } })).body(200);
    const { data } = await entries({});
    assert.deepEqual(data.map(({ kind }) => kind).sort(), ['charge', 'refund', 'top_up', 'top_up']);
    const { balance_usd } = (await viewer.call('showAccount', { params })).body(200);
    const sum = data.reduce((total, { amount_usd }) => total + Math.round(amount_usd * 1e9), 0);
    assert.equal(sum, Math.round(balance_usd * 1e9));
    assert.deepEqual(
      (await entries({ only: 'charges' })).data.map(({ kind }) => kind),
      ['charge'],
    );
    const days = (await viewer.call('listAccountDays', { params })).body(200);
    const charged = days.data.reduce((total, { charged_usd }) => total + Math.round(charged_usd * 1e9), 0);
    const charges = data.filter(({ kind }) => kind === 'charge' || kind === 'refund');
    assert.equal(charged, -charges.reduce((total, { amount_usd }) => total + Math.round(amount_usd * 1e9), 0));
    assert.deepEqual(
      days.data.map(({ day, requests }) => [day, requests]),
      [[new Date(server.clock.nowMs()).toISOString().slice(0, 10), 1]],
    );
    const page = await entries({ limit: '3' });
    const rest = await entries({ limit: '3', cursor: page.next_cursor });
    assert.deepEqual([...page.data, ...rest.data], data);
  });

  it('400 for a limit, a cursor or a filter that is none', async () => {
    const browser = await operatorBrowser(server);
    const { id } = await server.createAccount();
    for (const query of [{ limit: '0' }, { limit: 'x' }])
      (await browser.call('listTransfers', { query })).refusal(400, 'invalid_request');
    (await browser.call('listTransfers', { query: { cursor: 'x' } })).refusal(400, 'invalid_cursor');
    const entries = (query: Record<string, string>) => browser.call('listAccountEntries', { params: { id }, query });
    (await entries({ only: 'all' })).refusal(400, 'invalid_request');
    (await entries({ cursor: 'x' })).refusal(400, 'invalid_cursor');
  });
});
