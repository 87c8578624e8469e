import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BrowserSession } from './support/browser-session.ts';
import { chat } from './support/chat.ts';
import { operatorBrowser } from './support/operator-browser.ts';
import { useServer } from './support/server.ts';

const NOBODY = '0199aaaa-0000-7000-8000-000000000000';

describe('/console/api/accounts/{id}/keys and members', () => {
  const server = useServer({ trust_proxy: 1 });
  const logged = async (accountId: string) => {
    const { knex } = server.operator.database;
    const rows = await knex('audit_log').where({ account_id: accountId }).orderBy('id');
    return rows.map(({ what, who }) => `${what} by ${who.replace(/-\d+@.*/, '')}`);
  };

  it('200 the keys of an account, without a secret; 204 revokes one from the next request on, with a row of the log', async () => {
    const [browser, viewer] = [await operatorBrowser(server), await operatorBrowser(server, 'viewer')];
    const { id, key } = await server.createAccount();
    const api = server.api.as(key);
    (await api.call('createChatCompletion', { body: chat() })).body(200);
    const listed = await viewer.call('listAccountKeys', { params: { id } });
    assert.ok(!listed.text.includes(key));
    const { data, active_max } = listed.body(200);
    assert.deepEqual([data.length, active_max], [1, 50]);
    const params = { id, key: data[0]?.key_id ?? '' };
    const { id: other } = await server.createAccount();
    (await browser.call('revokeAccountKey', { params: { ...params, id: other } })).refusal(404, 'not_found');
    (await api.call('getAccount')).body(200);
    assert.equal((await browser.call('revokeAccountKey', { params })).status, 204);
    (await api.call('createChatCompletion', { body: chat() })).refusal(401, 'invalid_api_key');
    assert.deepEqual((await viewer.call('listAccountKeys', { params: { id } })).body(200).data, []);
    (await browser.call('revokeAccountKey', { params })).refusal(404, 'not_found');
    assert.deepEqual(await logged(id), ['key.revoke by operator']);
  });

  it('201 an owner is invited, whose link signs in; 200 is listed and removed, though the last owner', async () => {
    const [browser, viewer] = [await operatorBrowser(server), await operatorBrowser(server, 'viewer')];
    const { id } = await server.createAccount();
    const email = 'ada@shop.example';
    const body = { email: 'Ada@Shop.example', role: 'owner' };
    const { link, ...member } = (await browser.call('inviteAccountMember', { params: { id }, body })).body(201);
    assert.deepEqual([member.email, member.role], [email, 'owner']);
    assert.match(link ?? '', /^http:\/\/[^/]+\/settings\/sign-in#.{20,}$/);
    const owner = await BrowserSession.open(server.api, link?.split('#')[1] ?? '');
    (await owner.call('getBalance')).body(200);
    const list = async () => (await viewer.call('listAccountMembers', { params: { id } })).body(200).data;
    assert.deepEqual(
      (await list()).map((one) => [one.member_id, one.email, one.role]),
      [[member.member_id, email, 'owner']],
    );
    const lowered = await browser.call('inviteAccountMember', { params: { id }, body: { ...body, role: 'viewer' } });
    assert.equal(lowered.body(201).role, 'viewer');
    const { id: other } = await server.createAccount();
    const elsewhere = await browser.call('inviteAccountMember', { params: { id: other }, body });
    assert.equal(elsewhere.refusal(400, 'invalid_request').param, 'email');
    const remove = (accountId: string) =>
      browser.call('removeAccountMember', { params: { id: accountId, member: member.member_id } });
    (await remove(other)).refusal(404, 'not_found');
    (await remove(id)).body(200);
    (await owner.call('getBalance')).refusal(401, 'not_signed_in');
    assert.deepEqual(await list(), []);
    (await remove(id)).refusal(404, 'not_found');
    const [invited, opened, ...rest] = await logged(id);
    assert.deepEqual([invited, opened], ['member.invite by operator', 'session.open by ada@shop.example']);
    assert.deepEqual(rest, ['member.link by operator', 'member.remove by operator']);
  });

  it('404 for an account, a key or a member that is none; 400 and 413 for what is no invitation', async () => {
    const browser = await operatorBrowser(server);
    const { id } = await server.createAccount();
    const body = { email: 'new@example.com', role: 'viewer' };
    for (const nothing of [NOBODY, 'x', "' OR '1'='1"]) {
      const params = { id: nothing, key: nothing, member: nothing };
      const operations = ['listAccountKeys', 'listAccountMembers', 'listAccountEntries', 'listAccountDays'] as const;
      for (const operation of operations) (await browser.call(operation, { params })).refusal(404, 'not_found');
      for (const account of [nothing, id]) {
        (await browser.call('revokeAccountKey', { params: { ...params, id: account } })).refusal(404, 'not_found');
        (await browser.call('removeAccountMember', { params: { ...params, id: account } })).refusal(404, 'not_found');
      }
      (await browser.call('inviteAccountMember', { params, body })).refusal(404, 'not_found');
    }
    const invite = (wrong: object) => browser.call('inviteAccountMember', { params: { id }, body: wrong });
    for (const wrong of [{}, { ...body, email: 'no address' }, { ...body, role: 'operator' }])
      (await invite(wrong)).refusal(400, 'invalid_request');
    (await invite({ ...body, email: `${'x'.repeat(65_536)}@example.com` })).refusal(413, 'request_too_large');
  });
});
