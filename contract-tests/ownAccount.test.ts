/** The account as a whole: suspended, exported and closed by its owner. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Knex } from 'knex';
import { tableNames } from '#testing/database-text.ts';
import { batchOf, batchWhen, line } from './support/batches.ts';
import { BrowserSession } from './support/browser-session.ts';
import { chat } from './support/chat.ts';
import { useServer } from './support/server.ts';

describe('POST /settings/api/account/suspend, resume and close, and GET /settings/api/export', () => {
  const server = useServer({ trust_proxy: 1 });
  let made = 0;
  const newcomer = async () => {
    const { id, key } = await server.createAccount({ creditUsd: 10 });
    const email = `whole-${made++}@example.com`;
    const token = await server.operator.invite(email, { accountId: id, role: 'owner' });
    return { id, email, api: server.api.as(key), browser: await BrowserSession.open(server.api, token) };
  };
  const ask = (api: typeof server.api, body = chat()) => api.call('createChatCompletion', { body });
  const close = (browser: BrowserSession, name = 'Test') => browser.call('closeAccount', { body: { name } });
  const logOf = async (id: string) => {
    const rows = await server.operator.database.knex('audit_log').where({ account_id: id }).orderBy('id');
    return rows.map(({ what }) => what as string).filter((what) => what.startsWith('account.'));
  };

  it('200 suspended keys are refused at once, with the reason, until they are resumed', async () => {
    const { id, api, browser } = await newcomer();
    (await ask(api)).body(200);
    for (let count = 0; count < 2; count++)
      assert.equal((await browser.call('suspendKeys')).body(200).status, 'paused');
    const refused = (await ask(api)).refusal(403, 'account_suspended');
    assert.match(refused.message, /owner of this account has suspended/);
    assert.equal((await browser.call('getSession')).body(200).account?.status, 'paused');
    (await browser.call('createKey', { body: { name: 'new' } })).refusal(403, 'account_suspended');
    assert.equal((await browser.call('resumeKeys')).body(200).status, 'active');
    (await ask(api)).body(200);
    assert.deepEqual(await logOf(id), ['account.pause', 'account.unpause']);
  });

  it('403 for an account that the operator has suspended: its owner cannot resume it', async () => {
    const { id, api, browser } = await newcomer();
    (await browser.call('suspendKeys')).body(200);
    await server.operator.suspend(id);
    for (const what of ['suspendKeys', 'resumeKeys'] as const)
      (await browser.call(what)).refusal(403, 'account_suspended');
    (await ask(api)).refusal(403, 'account_suspended');
  });

  it('204 a closed account neither calls nor signs in, and its books stay', async () => {
    const { id, email, api, browser } = await newcomer();
    (await ask(api)).body(200);
    const other = await BrowserSession.open(
      server.api,
      await server.operator.invite(`other-${made}@example.com`, { accountId: id, role: 'viewer' }),
    );
    const unused = await server.operator.invite(`unused-${made}@example.com`, { accountId: id, role: 'viewer' });
    const { balance_usd } = (await browser.call('getBalance')).body(200);
    const closed = await close(browser);
    assert.equal(closed.status, 204);
    assert.match(closed.headers['set-cookie'] ?? '', /Max-Age=0/);
    for (const one of [browser, other]) (await one.call('getSession')).refusal(401, 'not_signed_in');
    const stranger = new BrowserSession(server.api);
    (await stranger.call('signInWithLink', { body: { token: unused } })).refusal(401, 'sign_in_failed');
    (await ask(api)).refusal(401, 'invalid_api_key');
    const { knex } = server.operator.database;
    const row = await knex('accounts').where({ id }).first();
    assert.deepEqual([row.status, Number(row.balance)], ['closed', Math.round(balance_usd * 1e9)]);
    assert.equal((await knex('entries').where({ account_id: id })).length, 2);
    assert.deepEqual(await logOf(id), ['account.close']);
    // The address is free, and the operator can open it again.
    await server.operator.resume(id);
    const back = await server.operator.invite(email, { accountId: id, role: 'owner' });
    const again = await BrowserSession.open(server.api, back);
    assert.equal((await again.call('getBalance')).body(200).balance_usd, balance_usd);
    assert.deepEqual((await again.call('listKeys')).body(200).data, []);
  });

  it('204 nothing by which a member signs in is kept', async () => {
    const { id, browser } = await newcomer();
    const { knex } = server.operator.database;
    const member = await knex('members').where({ account_id: id }).first();
    await knex('member_identities').insert({ member_id: member.id, subject_hash: 'x'.repeat(43) });
    assert.equal((await close(browser)).status, 204);
    const kept = [];
    for (const table of await tablesWith(knex, 'member_id'))
      if (await knex(table).where({ member_id: member.id }).first()) kept.push(table);
    assert.deepEqual(kept, []);
  });

  it('404 for another name; 409 while an order waits or runs, or a batch; nothing changes', async () => {
    const { id, api, browser } = await newcomer();
    for (const name of ['', 'test', 'Test ', id]) (await close(browser, name)).refusal(404, 'not_found');
    const release = server.holdAnswers();
    const running = ask(api);
    await server.orders({ executing: 1 }, api);
    (await close(browser)).refusal(409, 'account_busy');
    release();
    (await running).body(200);
    await server.orders({ executing: 0 }, api);
    const { id: waiting } = (await ask(api, chat({ model: 'reef', detached: true }))).body(202);
    (await close(browser)).refusal(409, 'account_busy');
    (await api.call('cancelOrder', { params: { id: waiting } })).body(200);
    const releaseLine = server.holdAnswers();
    const batch = await batchOf(api, [line('a')]);
    await batchWhen(server, batch.id, ({ status }) => status === 'in_progress', api);
    (await close(browser)).refusal(409, 'account_busy');
    releaseLine();
    await batchWhen(server, batch.id, ({ status }) => status === 'completed', api);
    assert.deepEqual(await logOf(id), []);
    (await browser.call('getSession')).body(200);
    (await close(browser, 'x'.repeat(70_000))).refusal(413, 'request_too_large');
    (await close(browser, 'x'.repeat(256))).refusal(400, 'invalid_request');
    assert.equal((await close(browser)).status, 204);
  });

  it('200 everything that is stored as JSON Lines, of this account alone, and no secret', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()];
    const placed = [];
    for (let count = 0; count < 3; count++) placed.push((await ask(mine.api)).orderId);
    (await ask(theirs.api)).body(200);
    const reply = await mine.browser.call('exportAccount');
    assert.equal(reply.status, 200);
    assert.equal(reply.headers['content-type'], 'application/x-ndjson');
    assert.ok(reply.text.endsWith('\n'));
    const lines = reply.text.trim().split('\n');
    const objects = lines.map((text) => JSON.parse(text) as Record<string, unknown>);
    const of = (name: string) => objects.filter(({ object }) => object === name);
    assert.deepEqual([of('account').length, of('account')[0]?.id], [1, mine.id]);
    assert.deepEqual([of('member').length, of('member')[0]?.email], [1, mine.email]);
    assert.equal(of('key').length, 1);
    assert.deepEqual(
      of('order')
        .map(({ id }) => id)
        .sort(),
      placed.sort(),
    );
    assert.equal(of('entry').length, 4);
    const balance = of('entry').reduce((sum, { amount_usd }) => sum + Math.round(Number(amount_usd) * 1e9), 0);
    assert.equal(String(balance), of('account')[0]?.balance_nano_usd);
    assert.ok(of('change').some(({ what }) => what === 'session.open'));
    for (const secret of [theirs.id, theirs.email, 'hash', 'argon2', String(mine.browser.cookie?.split('=')[1])])
      assert.ok(!reply.text.includes(secret), secret);
  });
});

/** The tables that have this column, whichever migration made them. */
async function tablesWith(knex: Knex, column: string): Promise<string[]> {
  const tables = await tableNames(knex);
  const known = await Promise.all(tables.map((table) => knex.schema.hasColumn(table, column)));
  return tables.filter((_, at) => known[at]);
}
