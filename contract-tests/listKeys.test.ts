import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BrowserSession } from './support/browser-session.ts';
import { chat } from './support/chat.ts';
import { useServer } from './support/server.ts';

describe('GET, POST and DELETE /settings/api/keys', () => {
  const server = useServer({ trust_proxy: 1, limits: { active_keys_per_account: 4 } });
  let made = 0;
  const signIn = async (accountId: string, role: 'owner' | 'developer' | 'viewer') => {
    const token = await server.operator.invite(`member-${made++}@example.com`, { accountId, role });
    return BrowserSession.open(server.api, token);
  };
  const newcomer = async (role: 'owner' | 'developer' | 'viewer' = 'owner') => {
    const account = await server.createAccount();
    return { ...account, browser: await signIn(account.id, role) };
  };
  const list = async (browser: BrowserSession) => (await browser.call('listKeys')).body(200);
  const create = (browser: BrowserSession, name = 'laptop') => browser.call('createKey', { body: { name } });
  const revoke = (browser: BrowserSession, id: string) => browser.call('revokeKey', { params: { id } });
  const logged = async (what: string) =>
    (await server.operator.database.knex('audit_log').where({ what }).orderBy('id')).at(-1);

  // Spec 5-8
  it('201 a key that works at once and is shown only now, with a row of the audit log', async () => {
    const { id, browser } = await newcomer('developer');
    const key = (await create(browser)).body(201);
    assert.match(key.api_key, /^sk-sluice-[0-9A-Za-z]{36}$/);
    const account = (await server.api.as(key.api_key).call('getAccount')).body(200);
    assert.equal(account.account_id, id);
    const { data, active_max } = await list(browser);
    assert.equal(active_max, 4);
    const { api_key: secret, ...created } = key;
    const listed = data.find(({ key_id }) => key_id === key.key_id);
    assert.ok(listed);
    assert.deepEqual({ ...listed, ...created }, listed);
    // It calls models, and changes nothing of the account.
    assert.deepEqual([listed.scopes, listed.default_scopes], [['inference', 'read_own'], false]);
    const defaults = { order_timeout_seconds: 60 };
    (await server.api.as(key.api_key).call('updateAccount', { body: defaults })).refusal(403, 'missing_scope');
    const { budget, models, price_limits, spent_today_usd, previous_until, expired } = listed;
    const nothingSet = { budget: null, models: null, price_limits: {}, previous_until: null, expired: false };
    assert.deepEqual({ budget, models, price_limits, previous_until, expired }, nothingSet);
    assert.equal(spent_today_usd, 0);
    assert.ok(!JSON.stringify(data).includes(secret));
    const row = await logged('key.create');
    assert.deepEqual([row.account_id, row.subject, row.before_json], [id, key.key_id, null]);
    const { name, hint, budget_usd } = JSON.parse(row.after_json);
    assert.deepEqual([name, hint, budget_usd], ['laptop', key.hint, null]);
    assert.match(row.who, /@example\.com$/);
  });

  it('200 when each key last placed an order', async () => {
    const { key, browser } = await newcomer();
    (await create(browser)).body(201);
    (await server.api.as(key).call('createChatCompletion', { body: chat() })).body(200);
    const [used, fresh] = (await list(browser)).data;
    assert.equal(Date.parse(used?.last_used_at ?? ''), server.clock.nowMs());
    assert.equal(fresh?.last_used_at, null);
  });

  it('204 a revoked key is refused from the next request on, and is gone from the list', async () => {
    const { browser } = await newcomer();
    const { api_key, key_id } = (await create(browser)).body(201);
    const api = server.api.as(api_key);
    (await api.call('getAccount')).body(200);
    assert.equal((await revoke(browser, key_id)).status, 204);
    (await api.call('getAccount')).refusal(401, 'invalid_api_key');
    assert.ok(!(await list(browser)).data.some((key) => key.key_id === key_id));
    (await revoke(browser, key_id)).refusal(404, 'not_found');
    const row = await logged('key.revoke');
    assert.deepEqual([row.subject, row.after_json], [key_id, null]);
    assert.equal(JSON.parse(row.before_json).name, 'laptop');
  });

  it('404 for a key of another account, which goes on working, as for one that never was', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()];
    const { data } = await list(theirs.browser);
    const foreign = data[0]?.key_id ?? '';
    const refused = (await revoke(mine.browser, foreign)).refusal(404, 'not_found');
    for (const id of ['0199aaaa-0000-7000-8000-000000000000', 'x', "' OR '1'='1", '..%2f', mine.id])
      assert.deepEqual((await revoke(mine.browser, id)).refusal(404, 'not_found'), refused);
    (await server.api.as(theirs.key).call('getAccount')).body(200);
    assert.ok(!(await list(mine.browser)).data.some(({ key_id }) => key_id === foreign));
  });

  it('403 a viewer sees keys, and neither makes nor revokes one', async () => {
    const { browser } = await newcomer('viewer');
    const [key] = (await list(browser)).data;
    (await create(browser)).refusal(403, 'role_refused');
    (await revoke(browser, key?.key_id ?? '')).refusal(403, 'role_refused');
    assert.equal((await list(browser)).data.length, 1);
  });

  it('403 without the CSRF token, for a role that may', async () => {
    const { browser } = await newcomer();
    const [key] = (await list(browser)).data;
    browser.csrf = null;
    (await create(browser)).refusal(403, 'forged_request');
    (await revoke(browser, key?.key_id ?? '')).refusal(403, 'forged_request');
  });

  // Spec 5-7, 7-35, 8-16
  it('403 for more keys than the account may have, ten at once included', async () => {
    const { browser } = await newcomer();
    const replies = await Promise.all(Array.from({ length: 10 }, () => create(browser)));
    assert.equal(replies.filter(({ status }) => status === 201).length, 3);
    for (const reply of replies) if (reply.status !== 201) reply.refusal(403, 'too_many_keys');
    assert.equal((await list(browser)).data.length, 4);
  });

  it('403 a suspended account gets no new key, and may still revoke', async () => {
    const { browser, ...account } = await newcomer();
    await server.whileSuspended(account, async () => {
      (await create(browser)).refusal(403, 'account_suspended');
      const [only] = (await list(browser)).data;
      assert.equal((await revoke(browser, only?.key_id ?? '')).status, 204);
    });
  });

  it('400 for a name that is missing, empty, too long or not alone; any other name is kept as it is', async () => {
    const { browser } = await newcomer();
    const send = async (body: unknown) => (await browser.call('createKey', { body })).refusal(400, 'invalid_request');
    assert.equal((await send({})).param, 'name');
    assert.equal((await send({ name: '' })).param, 'name');
    assert.equal((await send({ name: 'x'.repeat(256) })).param, 'name');
    assert.equal((await send({ name: 'x', account_id: 'y' })).param, 'account_id');
    assert.equal((await send([])).param, null);
    const name = `<script>alert(1)</script> "'; DROP TABLE api_keys; -- ‮`;
    assert.equal((await create(browser, name)).body(201).name, name);
  });

  it('413 for an oversized form', async () => {
    const { browser } = await newcomer();
    (await create(browser, 'x'.repeat(65_536))).refusal(413, 'request_too_large');
  });
});
