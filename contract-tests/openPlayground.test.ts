import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BrowserSession } from './support/browser-session.ts';
import { chat } from './support/chat.ts';
import { IDLE_STEP_MS } from './support/pace.ts';
import { useServer } from './support/server.ts';

const HOUR_MS = 3_600_000;

describe('POST /settings/api/playground/key', () => {
  const server = useServer({ trust_proxy: 1, limits: { active_keys_per_account: 3 } });
  let made = 0;
  const newcomer = async (role: 'owner' | 'developer' | 'viewer' = 'owner') => {
    const account = await server.createAccount();
    const token = await server.operator.invite(`player-${made++}@example.com`, { accountId: account.id, role });
    return { ...account, browser: await BrowserSession.open(server.api, token) };
  };
  const open = async (browser: BrowserSession) => (await browser.call('openPlayground')).body(200);
  const ask = (key: string) => server.api.as(key).call('createChatCompletion', { body: chat() });
  const change = async (browser: BrowserSession, id: string, body: object) =>
    assert.equal((await browser.call('updateKey', { params: { id }, body })).status, 204);

  it('200 a key that sends requests for an hour, and is listed with its member', async () => {
    const { browser } = await newcomer('developer');
    const key = await open(browser);
    assert.equal(Date.parse(key.expires_at ?? ''), server.clock.nowMs() + HOUR_MS);
    (await ask(key.api_key)).body(200);
    const listed = (await browser.call('listKeys')).body(200).data.find(({ key_id }) => key_id === key.key_id);
    assert.match(listed?.member ?? '', /^player-\d+@example\.com$/);
    assert.equal(listed?.name, `Playground (${listed?.member})`);
    assert.deepEqual(listed?.scopes, ['inference', 'read_own']);
    await server.pass(HOUR_MS, IDLE_STEP_MS);
    (await ask(key.api_key)).refusal(401, 'invalid_api_key');
  });

  it('200 the same key with another secret; the secret before is accepted for as long', async () => {
    const { browser } = await newcomer();
    const [first, second] = [await open(browser), await open(browser)];
    assert.equal(second.key_id, first.key_id);
    assert.notEqual(second.api_key, first.api_key);
    for (const { api_key } of [first, second]) (await ask(api_key)).body(200);
    const third = await open(browser);
    (await ask(first.api_key)).refusal(401, 'invalid_api_key');
    (await ask(third.api_key)).body(200);
  });

  it('200 a key that obeys the models, the budget and the scopes that its owner sets, also after the next call', async () => {
    const { browser } = await newcomer();
    const { key_id: id } = await open(browser);
    await change(browser, id, { models: ['reef'] });
    (await ask((await open(browser)).api_key)).refusal(403, 'model_not_allowed');
    await change(browser, id, { models: null, budget_usd: '0.000000001' });
    (await ask((await open(browser)).api_key)).refusal(402, 'key_budget_exceeded');
    await change(browser, id, { budget_usd: null, scopes: ['read_own'] });
    (await ask((await open(browser)).api_key)).refusal(403, 'missing_scope');
  });

  it('200 a key that reads its own orders and changes nothing of the account', async () => {
    const { browser, key } = await newcomer();
    const others = (await ask(key)).body(200).usage.x_market.order_id;
    const api = server.api.as((await open(browser)).api_key);
    const own = (await api.call('createChatCompletion', { body: chat() })).body(200).usage.x_market.order_id;
    assert.equal((await api.call('getOrder', { params: { id: own } })).body(200).id, own);
    (await api.call('getOrder', { params: { id: others } })).refusal(404, 'not_found');
    (await api.call('updateAccount', { body: { order_timeout_seconds: 60 } })).refusal(403, 'missing_scope');
  });

  it('200 another key where the one before was revoked', async () => {
    const { browser } = await newcomer();
    const { key_id: id } = await open(browser);
    assert.equal((await browser.call('revokeKey', { params: { id } })).status, 204);
    assert.notEqual((await open(browser)).key_id, id);
  });

  it('403 to a viewer, without the CSRF token, and where the account has as many keys as it may', async () => {
    const viewer = await newcomer('viewer');
    (await viewer.browser.call('openPlayground')).refusal(403, 'role_refused');
    const { browser } = await newcomer();
    for (const name of ['a', 'b']) (await browser.call('createKey', { body: { name } })).body(201);
    (await browser.call('openPlayground')).refusal(403, 'too_many_keys');
    browser.csrf = null;
    (await browser.call('openPlayground')).refusal(403, 'forged_request');
  });

  it('403 of a suspended account: no key is made, and one that there is sends nothing', async () => {
    const [{ browser, ...account }, { browser: other, ...another }] = [await newcomer(), await newcomer()];
    await server.whileSuspended(account, async () => {
      (await browser.call('openPlayground')).refusal(403, 'account_suspended');
    });
    await open(other);
    await server.whileSuspended(another, async () => {
      (await ask((await open(other)).api_key)).refusal(403, 'account_suspended');
    });
  });
});
