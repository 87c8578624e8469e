import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BrowserSession } from './support/browser-session.ts';
import { chat } from './support/chat.ts';
import { useServer } from './support/server.ts';

const nano = (usd: number) => Math.round(usd * 1e9);
const sum = (all: readonly { readonly amount_usd: number }[]) => all.reduce((to, one) => to + nano(one.amount_usd), 0);

describe('GET /settings/api/entries, /settings/api/statements/{month} and /settings/api/balance', () => {
  const server = useServer({
    trust_proxy: 1,
    billing: { issuer: 'Example Ltd\n1 Mill Lane', tax: 'No tax is included.' },
  });
  let made = 0;
  const newcomer = async (creditUsd = 10) => {
    const { id, key } = await server.createAccount({ creditUsd });
    const token = await server.operator.invite(`reader-${made++}@example.com`, { accountId: id, role: 'viewer' });
    return { id, api: server.api.as(key), browser: await BrowserSession.open(server.api, token) };
  };
  const spend = async (api: typeof server.api) =>
    (await api.call('createChatCompletion', { body: chat() })).body(200).usage.x_market?.charged_usd ?? 0;
  const list = async (browser: BrowserSession, query = {}) => (await browser.call('listEntries', { query })).body(200);
  const statement = (browser: BrowserSession, month: string) => browser.call('getStatement', { params: { month } });
  const month = () => new Date(server.clock.nowMs()).toISOString().slice(0, 7);

  it('200 every movement, the newest first, in pages; the sum is the balance', async () => {
    const { api, browser } = await newcomer();
    for (let count = 0; count < 3; count++) await spend(api);
    const { data, has_more, next_cursor } = await list(browser);
    assert.deepEqual([data.length, has_more, next_cursor], [4, false, null]);
    assert.deepEqual(
      data.map(({ kind }) => kind),
      ['charge', 'charge', 'charge', 'top_up'],
    );
    const { balance_usd } = (await browser.call('getBalance')).body(200);
    assert.equal(sum(data), nano(balance_usd));
    const paged = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list(browser, { limit: 3, cursor });
      paged.push(...page.data);
      cursor = page.next_cursor;
    }
    assert.deepEqual(paged, data);
    assert.deepEqual((await list(browser, { only: 'transfers' })).data, data.slice(3));
    assert.deepEqual((await list(browser, { only: 'charges' })).data, data.slice(0, 3));
  });

  it('200 the statement of this month agrees with the entries and the balance, to the nano-dollar', async () => {
    const { id, api, browser } = await newcomer(25);
    const charged = (await spend(api)) + (await spend(api));
    const { data } = await list(browser);
    const { balance_usd, burn_usd_per_day, days_left } = (await browser.call('getBalance')).body(200);
    const shown = (await statement(browser, month())).body(200);
    assert.deepEqual([shown.account_id, shown.complete, shown.opening_usd], [id, false, 0]);
    assert.deepEqual([shown.issuer, shown.tax], ['Example Ltd\n1 Mill Lane', 'No tax is included.']);
    assert.equal(shown.number, `${month()}-${id.slice(-12)}`);
    assert.deepEqual([shown.from, shown.to.slice(0, 7)], [`${month()}-01`, month()]);
    assert.equal(nano(shown.closing_usd), nano(balance_usd));
    assert.equal(nano(-shown.sums.charge_usd), nano(charged));
    assert.equal(sum(shown.by_model), nano(shown.sums.charge_usd));
    assert.equal(sum(shown.charges), nano(shown.sums.charge_usd));
    assert.deepEqual(
      shown.entries,
      data.filter(({ kind }) => kind !== 'charge'),
    );
    assert.equal(shown.by_model[0]?.requests, 2);
    assert.equal(nano(burn_usd_per_day), nano(charged));
    assert.equal(days_left, Math.floor((balance_usd / charged) * 10) / 10);
  });

  it('200 of a month before the account there is nothing; 404 for a month to come, or none', async () => {
    const { browser } = await newcomer();
    const past = (await statement(browser, '2020-02')).body(200);
    assert.deepEqual([past.from, past.to], ['2020-02-01', '2020-02-29']);
    assert.deepEqual([past.complete, past.opening_usd, past.closing_usd, past.entries], [true, 0, 0, []]);
    const next = new Date(server.clock.nowMs());
    next.setUTCMonth(next.getUTCMonth() + 1, 1);
    for (const wrong of [next.toISOString().slice(0, 7), '2999-01', '2026-13', '2026-1', '2026-00', 'x', "'"])
      (await statement(browser, wrong)).refusal(404, 'not_found');
  });

  it('400 for a page size, a filter or a cursor that is none, or is of another account', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()];
    await spend(theirs.api);
    const { next_cursor } = await list(theirs.browser, { limit: 1 });
    assert.ok(next_cursor);
    for (const [query, param] of [
      [{ limit: '0' }, 'limit'],
      [{ only: 'gifts' }, 'only'],
    ] as const)
      assert.equal((await mine.browser.call('listEntries', { query })).refusal(400, 'invalid_request').param, param);
    for (const cursor of [next_cursor, 'x', '%00'])
      (await mine.browser.call('listEntries', { query: { cursor } })).refusal(400, 'invalid_cursor');
    assert.equal((await list(mine.browser)).data.length, 1);
  });
});
