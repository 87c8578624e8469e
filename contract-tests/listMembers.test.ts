import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BrowserSession } from './support/browser-session.ts';
import { useServer } from './support/server.ts';

describe('GET, POST and DELETE /settings/api/members', () => {
  const server = useServer({ trust_proxy: 1 });
  let made = 0;
  const address = () => `member-${made++}@example.com`;
  const newcomer = async () => {
    const { id } = await server.createAccount();
    const email = address();
    const token = await server.operator.invite(email, { accountId: id, role: 'owner' });
    return { id, email, browser: await BrowserSession.open(server.api, token) };
  };
  const list = async (browser: BrowserSession) => (await browser.call('listMembers')).body(200).data;
  const invite = (browser: BrowserSession, email: string, role = 'developer', headers = {}) =>
    browser.call('inviteMember', { body: { email, role }, headers });
  const remove = (browser: BrowserSession, id: string) => browser.call('removeMember', { params: { id } });
  const tokenIn = (link: string | null) => link?.slice(link.indexOf('#') + 1) ?? '';
  const enter = (link: string | null) => BrowserSession.open(server.api, tokenIn(link));

  it('201 a member with a link to this gateway, which signs it in with its role', async () => {
    const { id, email: owner, browser } = await newcomer();
    const email = address();
    const invited = (await invite(browser, email.toUpperCase())).body(201);
    assert.deepEqual([invited.email, invited.role], [email, 'developer']);
    assert.ok(invited.link?.startsWith(`${server.api.url}/settings/sign-in#`));
    assert.equal(Date.parse(invited.expires_at ?? '') - server.clock.nowMs(), 86_400_000);
    const session = (await (await enter(invited.link)).call('getSession')).body(200);
    assert.deepEqual([session.role, session.account?.account_id], ['developer', id]);
    const { link: _link, expires_at: _end, ...listed } = invited;
    assert.deepEqual(
      (await list(browser)).find((one) => one.email === email),
      listed,
    );
    const row = (await server.operator.database.knex('audit_log').where({ what: 'member.invite', who: owner })).at(-1);
    assert.deepEqual([row.subject, row.account_id], [invited.member_id, id]);
  });

  it('201 over TLS the link is to the name under which the browser knows the gateway', async () => {
    const { browser } = await newcomer();
    const secret = browser.cookie?.split('=')[1];
    const cookie = `__Host-sluice-session=${secret}`;
    const tls = { 'x-forwarded-proto': 'https', host: 'gateway.example', origin: 'https://gateway.example', cookie };
    const { link } = (await invite(browser, address(), 'viewer', tls)).body(201);
    assert.match(link ?? '', /^https:\/\/gateway\.example\/settings\/sign-in#\w{43}$/);
  });

  it('201 again gives a member another role at once, in sessions that are open too', async () => {
    const { browser } = await newcomer();
    const email = address();
    const first = (await invite(browser, email, 'owner')).body(201);
    const other = await enter(first.link);
    (await invite(browser, email, 'viewer')).body(201);
    assert.equal((await other.call('getSession')).body(200).role, 'viewer');
    (await invite(other, address())).refusal(403, 'role_refused');
  });

  it('200 a member is gone, and the keys that it owns are refused at once', async () => {
    const { browser } = await newcomer();
    const email = address();
    const { member_id } = (await invite(browser, email)).body(201);
    const create = async (body: object) =>
      (await browser.call('createKey', { body: { name: 'k', ...body } })).body(201);
    const [owned, free] = [await create({ member: email }), await create({})];
    const asks = (key: string) => server.api.as(key).call('getAccount');
    for (const { api_key } of [owned, free]) (await asks(api_key)).body(200);
    (await remove(browser, member_id)).body(200);
    (await asks(owned.api_key)).refusal(401, 'invalid_api_key');
    (await asks(free.api_key)).body(200);
    const listed = (await browser.call('listKeys')).body(200).data.map(({ key_id }) => key_id);
    assert.ok(listed.includes(free.key_id) && !listed.includes(owned.key_id));
  });

  it('200 a member is gone, with its sessions', async () => {
    const { browser } = await newcomer();
    const { link, member_id } = (await invite(browser, address())).body(201);
    const other = await enter(link);
    (await remove(browser, member_id)).body(200);
    (await other.call('getSession')).refusal(401, 'not_signed_in');
    assert.equal((await list(browser)).length, 1);
    (await remove(browser, member_id)).refusal(404, 'not_found');
  });

  it('201 a member that has signed in gets a role and no link, not even in place of one of the operator', async () => {
    const { id, browser } = await newcomer();
    const email = address();
    const member = await enter((await invite(browser, email)).body(201).link);
    const again = (await invite(browser, email, 'viewer')).body(201);
    assert.deepEqual([again.link, again.expires_at, again.role], [null, null, 'viewer']);
    assert.equal((await member.call('signOut')).status, 204);
    assert.equal((await invite(browser, email)).body(201).link, null);
    const token = await server.operator.invite(email, { accountId: id, role: 'owner' });
    assert.equal((await invite(browser, email)).body(201).link, null);
    await BrowserSession.open(server.api, token);
    const log = await server.operator.database.knex('audit_log').where({ subject: again.member_id });
    assert.deepEqual(
      log.map(({ what, who }) => `${what} by ${who === 'command line' ? 'the operator' : 'an owner'}`).sort(),
      [
        'member.invite by an owner',
        'member.link by the operator',
        ...['member.role by an owner', 'member.role by an owner', 'member.role by an owner'],
      ],
    );
  });

  it('200 a member sees that the operator made a link for it after it had signed in', async () => {
    const { browser, email, id } = await newcomer();
    const seen = async (from: BrowserSession) => (await from.call('getSession')).body(200).link_made_at;
    assert.equal(await seen(browser), null);
    const token = await server.operator.invite(email, { accountId: id, role: 'owner' });
    const madeAt = new Date(server.clock.nowMs()).toISOString();
    assert.equal(await seen(browser), madeAt);
    const thief = await BrowserSession.open(server.api, token);
    assert.equal((await thief.call('setPassword', { body: { password: 'correct horse battery' } })).status, 204);
    const back = new BrowserSession(server.api);
    const form = { email, password: 'correct horse battery' };
    assert.equal((await back.call('signInWithPassword', { body: form })).body(200).link_made_at, madeAt);
  });

  it('200 names the keys that a removed member knows and that still work', async () => {
    const { browser, email: owner } = await newcomer();
    const email = address();
    const { link, member_id } = (await invite(browser, email, 'developer')).body(201);
    const developer = await enter(link);
    const create = async (by: BrowserSession, name: string, more = {}) =>
      (await by.call('createKey', { body: { name, ...more } })).body(201).key_id;
    const made = await create(developer, 'made');
    const rotated = await create(browser, 'rotated');
    await create(browser, 'of another');
    await create(developer, 'owned', { member: email });
    await create(developer, 'owned by another', { member: owner });
    const revoked = await create(developer, 'revoked');
    assert.equal((await developer.call('revokeKey', { params: { id: revoked } })).status, 204);
    (await developer.call('rotateKey', { params: { id: rotated }, body: { overlap_seconds: 0 } })).body(200);
    const removed = (await remove(browser, member_id)).body(200);
    assert.deepEqual([removed.object, removed.member_id], ['removed_member', member_id]);
    assert.deepEqual(
      removed.keys.map(({ key_id, name }) => [key_id, name]),
      [
        [made, 'made'],
        [rotated, 'rotated'],
      ],
    );
    assert.match(removed.keys[0]?.hint ?? '', /^sk-/);
    const other = (await invite(browser, address())).body(201);
    assert.deepEqual((await remove(browser, other.member_id)).body(200).keys, []);
  });

  it('404 for a member of another account or of the operator, who stays', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()];
    const [foreign] = await list(theirs.browser);
    const refused = (await remove(mine.browser, foreign?.member_id ?? '')).refusal(404, 'not_found');
    await server.operator.invite('boss@example.com', { accountId: null, role: 'operator' });
    const boss = await server.operator.database.knex('members').where({ email: 'boss@example.com' }).first();
    for (const id of [boss.id, 'x', '0199aaaa-0000-7000-8000-000000000000', "' OR '1'='1"])
      assert.deepEqual((await remove(mine.browser, id)).refusal(404, 'not_found'), refused);
    (await theirs.browser.call('getSession')).body(200);
    assert.equal((await list(mine.browser)).length, 1);
  });

  it('400 for oneself, for what is no address, and for a role of the operator', async () => {
    const { email, browser } = await newcomer();
    const [self] = await list(browser);
    assert.equal((await invite(browser, email.toUpperCase(), 'viewer')).refusal(400, 'invalid_request').param, 'email');
    assert.equal((await remove(browser, self?.member_id ?? '')).refusal(400, 'invalid_request').param, 'id');
    for (const role of ['operator', 'finance', 'boss', ''])
      assert.equal((await invite(browser, address(), role)).refusal(400, 'invalid_request').param, 'role');
    assert.equal((await invite(browser, 'no address')).refusal(400, 'invalid_request').param, 'email');
  });

  it('201 for an address that is a member elsewhere as for any other; its link is not valid', async () => {
    const [{ browser }, other] = [await newcomer(), await newcomer()];
    await server.operator.invite('chief@example.com', { accountId: null, role: 'operator' });
    const invited = [];
    for (const email of [address(), other.email, 'chief@example.com']) {
      const first = (await invite(browser, email, 'owner')).body(201);
      const again = (await invite(browser, email, 'viewer')).body(201);
      assert.deepEqual([again.member_id, again.created_at], [first.member_id, first.created_at]);
      const { link: _link, expires_at: _end, ...listed } = again;
      assert.deepEqual(
        (await list(browser)).find((one) => one.email === email),
        listed,
      );
      invited.push(again);
    }
    const shapes = invited.map(({ link, email: _email, member_id, ...rest }) => ({
      ...rest,
      link: link?.replace(/#\w{43}$/, '#'),
      member_id: member_id.length,
    }));
    for (const shape of shapes) assert.deepEqual(shape, shapes[0]);
    const [, elsewhere] = invited;
    assert.ok(elsewhere);
    const entering = new BrowserSession(server.api);
    const token = tokenIn(elsewhere.link);
    (await entering.call('signInWithLink', { body: { token } })).refusal(401, 'sign_in_failed');
    assert.equal((await other.browser.call('getSession')).body(200).role, 'owner');
    for (const { member_id } of invited) {
      (await remove(browser, member_id)).body(200);
      (await remove(browser, member_id)).refusal(404, 'not_found');
    }
    assert.equal((await list(browser)).length, 1);
    (await other.browser.call('getSession')).body(200);
  });

  it('201 an address that is free by now gets a link that is valid', async () => {
    const [{ id, browser }, other] = [await newcomer(), await newcomer()];
    const held = (await invite(browser, other.email)).body(201);
    await server.operator.removeMember(other.email);
    const free = (await invite(browser, other.email)).body(201);
    assert.equal(free.created_at, held.created_at);
    const session = (await (await enter(free.link)).call('getSession')).body(200);
    assert.equal(session.account?.account_id, id);
    assert.equal((await list(browser)).length, 2);
  });

  it('413 for an oversized form', async () => {
    const { browser } = await newcomer();
    (await invite(browser, 'x'.repeat(65_536))).refusal(413, 'request_too_large');
  });
});
