import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BrowserSession } from './support/browser-session.ts';
import { useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

describe('GET and PUT /settings/api/alerts', () => {
  const server = useServer({ trust_proxy: 1 });
  let made = 0;
  const newcomer = async () => {
    const { id } = await server.createAccount({ creditUsd: 10 });
    const token = await server.operator.invite(`alert-${made++}@example.com`, { accountId: id, role: 'owner' });
    return { id, browser: await BrowserSession.open(server.api, token) };
  };
  const list = async (browser: BrowserSession) => (await browser.call('listAlerts')).body(200).data;
  const set = (browser: BrowserSession, below_usd: unknown) => browser.call('setAlerts', { body: { below_usd } });

  it('200 an alert is crossed when the balance falls below, and is not when it is topped up', async () => {
    const { id, browser } = await newcomer();
    assert.deepEqual(await list(browser), []);
    const { data } = (await set(browser, [5, 20, 5])).body(200);
    const now = new Date(server.clock.nowMs()).toISOString();
    assert.deepEqual(data, [
      { object: 'alert', below_usd: 20, crossed_at: now },
      { object: 'alert', below_usd: 5, crossed_at: null },
    ]);
    const { knex } = server.operator.database;
    const balance = async (usd: bigint) => {
      await knex('accounts')
        .where({ id })
        .update({ balance: (usd * 1_000_000_000n).toString() });
    };
    const crossed = (wanted: readonly boolean[]) =>
      eventually(async () => {
        const now = (await list(browser)).map(({ crossed_at }) => crossed_at !== null);
        if (now.join() === wanted.join()) return true;
        await server.pass(10_000);
        return false;
      }, `alerts ${wanted}`);
    await balance(4n);
    await crossed([true, true]);
    const [first] = await list(browser);
    assert.equal(first?.crossed_at, now, 'it stays crossed since then');
    (await set(browser, [20])).body(200);
    assert.equal((await list(browser))[0]?.crossed_at, now);
    await balance(30n);
    await crossed([false]);
    await balance(10n);
    const [row] = await knex('audit_log').where({ what: 'alerts.set', account_id: id });
    assert.deepEqual(JSON.parse(row.after_json), { below_usd: ['20.00', '5.00'] });
    (await set(browser, [])).body(200);
    assert.deepEqual(await list(browser), []);
  });

  it('400 for what is no balance, or too many; 413; another account has its own', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()];
    for (const wrong of [
      [0],
      [-1],
      ['5'],
      [1_000_001],
      [0.0100000000001],
      Array.from({ length: 11 }, (_, at) => at + 1),
    ])
      (await set(mine.browser, wrong)).refusal(400, 'invalid_request');
    (await set(mine.browser, 'x'.repeat(65_536))).refusal(413, 'request_too_large');
    (await set(theirs.browser, [7])).body(200);
    assert.deepEqual(await list(mine.browser), []);
  });
});
