import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BrowserSession } from './support/browser-session.ts';
import { useServer } from './support/server.ts';

describe('POST /settings/api/sign-in/link', () => {
  const server = useServer({ trust_proxy: 1 });
  let made = 0;
  const newcomer = async (role: 'owner' | 'developer' | 'viewer' = 'owner') => {
    const { id } = await server.createAccount();
    const email = `member-${made++}@example.com`;
    return { id, email, token: await server.operator.invite(email, { accountId: id, role }) };
  };
  const browser = () => new BrowserSession(server.api);
  const redeem = (token: string, headers = {}) => browser().call('signInWithLink', { body: { token }, headers });

  it('200 opens a session with a cookie that scripts cannot read and other sites do not send', async () => {
    const { id, email, token } = await newcomer();
    const reply = await redeem(token);
    const session = reply.body(200);
    assert.deepEqual([session.email, session.role, session.account?.account_id], [email, 'owner', id]);
    assert.match(
      reply.headers['set-cookie'] ?? '',
      /^sluice-session=[0-9A-Za-z]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800$/,
    );
    assert.equal(reply.headers['access-control-allow-origin'], undefined);
    assert.equal(reply.headers['x-frame-options'], 'DENY');
    assert.match(reply.headers['content-security-policy'] ?? '', /frame-ancestors 'none'/);
  });

  it('200 for a member of the operator, which has no account', async () => {
    const token = await server.operator.invite('finance@example.com', { accountId: null, role: 'finance' });
    const { role, account } = (await redeem(token)).body(200);
    assert.deepEqual([role, account], ['finance', null]);
  });

  it('200 the page of the link, which nobody may frame and which runs no script but its own', async () => {
    const get = async (path: string) => (await server.api.request('GET', path, { key: null })).whole();
    const page = await get('/settings/sign-in');
    assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8']);
    assert.match(page.headers['content-security-policy'] ?? '', /script-src 'self'; .*frame-ancestors 'none'/);
    assert.doesNotMatch(page.headers['content-security-policy'] ?? '', /unsafe/);
    assert.equal(page.headers['x-frame-options'], 'DENY');
    assert.equal(page.headers['access-control-allow-origin'], undefined);
    const files = [...page.text.matchAll(/(?:src|href)="([^"]+\.\w+)"/g)].map(([, path = '']) => path);
    assert.equal(files.length, 3);
    for (const path of files) assert.equal((await get(path)).status, 200, path);
  });

  it('401 for a link that was used, by one of twenty at once as by a later one', async () => {
    const { token } = await newcomer();
    const replies = await Promise.all(Array.from({ length: 20 }, () => redeem(token)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    for (const reply of replies) if (reply.status !== 200) reply.refusal(401, 'sign_in_failed');
    (await redeem(token)).refusal(401, 'sign_in_failed');
  });

  it('401 for a link that another one replaced, and for one of a member who was removed', async () => {
    const { id, email, token } = await newcomer();
    const second = await server.operator.invite(email, { accountId: id, role: 'owner' });
    (await redeem(token)).refusal(401, 'sign_in_failed');
    await server.operator.removeMember(email);
    (await redeem(second)).refusal(401, 'sign_in_failed');
  });

  it('401 for what was never a link', async () => {
    const { token } = await newcomer();
    for (const wrong of ['x', '0'.repeat(43), `${token} `, token.toLowerCase(), "' OR '1'='1"])
      (await redeem(wrong)).refusal(401, 'sign_in_failed');
  });

  it('400 for a body that is no sign-in', async () => {
    const send = (options: object) => browser().call('signInWithLink', options);
    (await send({ raw: '{' })).refusal(400, 'invalid_json');
    assert.equal((await send({ body: {} })).refusal(400, 'invalid_request').param, 'token');
    assert.equal((await send({ body: { token: 5 } })).refusal(400, 'invalid_request').param, 'token');
    assert.equal((await send({ body: { token: 'a', role: 'owner' } })).refusal(400, 'invalid_request').param, 'role');
  });

  it('413 for an oversized form', async () => {
    const raw = JSON.stringify({ token: 'x'.repeat(65_536) });
    const { message } = (await browser().call('signInWithLink', { raw })).refusal(413, 'request_too_large');
    assert.equal(message, 'The body is over 64 KiB.');
  });

  it('200 with a new session id whatever cookie came, and the session of that cookie ends', async () => {
    const [attacker, victim] = [await newcomer(), await newcomer()];
    const planted = await BrowserSession.open(server.api, attacker.token);
    const before = planted.cookie;
    const own = await BrowserSession.open(server.api, victim.token);
    assert.ok(before && own.cookie !== before);
    const invented = `sluice-session=${'A'.repeat(43)}`;
    const again = await server.operator.invite(victim.email, { accountId: victim.id, role: 'owner' });
    const reply = await redeem(again, { cookie: invented });
    assert.ok(!reply.headers['set-cookie']?.includes('A'.repeat(43)));
    const third = await server.operator.invite(victim.email, { accountId: victim.id, role: 'owner' });
    (await redeem(third, { cookie: before })).body(200);
    (await planted.call('getSession')).refusal(401, 'not_signed_in');
  });

  it('403 from a page of another site, which nobody may frame, embed or read', async () => {
    const { token } = await newcomer();
    const foreign = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: server.api.url.replace('127.0.0.1', 'localhost') },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of foreign) (await redeem(token, headers)).refusal(403, 'forged_request');
    (await redeem(token, { origin: server.api.url })).body(200);
  });

  it('403 without TLS under a name that is not of this machine', async () => {
    const { token } = await newcomer();
    for (const host of ['gateway.example', '127.0.0.1.evil.example', '10.0.0.7', ''])
      (await redeem(token, { host })).refusal(403, 'needs_tls');
    (await redeem(token, { host: 'localhost:1' })).body(200);
  });

  it('403 behind a proxy that is not trusted, or that changes Host, names the setting and the header', async () => {
    const { token } = await newcomer();
    const detail = async (headers: Record<string, string>, code: string) =>
      (await redeem(token, headers)).refusal(403, code).message;
    const own = { origin: 'https://gateway.example', 'sec-fetch-site': 'same-origin' };
    const forwarded = { 'x-forwarded-proto': 'http', 'x-forwarded-for': '192.0.2.1' };
    const untrusted = await detail({ host: 'gateway.example', ...own, ...forwarded }, 'needs_tls');
    assert.match(untrusted, /through a proxy, .* Set trust_proxy/);
    assert.doesNotMatch(untrusted, /insecure/);
    const renamed = await detail({ host: '127.0.0.1:8080', ...own }, 'forged_request');
    assert.match(
      renamed,
      /at https:\/\/gateway\.example, .* as http:\/\/127\.0\.0\.1:8080\. Have the proxy pass .* Host/,
    );
    (await redeem(token, { host: 'gateway.example', ...own, 'x-forwarded-proto': 'https' })).body(200);
  });

  it('429 for one address after thirty attempts, with valid links too', async () => {
    const { token } = await newcomer();
    const one = browser();
    const attempt = (tried: string) => one.call('signInWithLink', { body: { token: tried } });
    for (let count = 0; count < 30; count++) (await attempt('x')).refusal(401, 'sign_in_failed');
    const reply = await attempt(token);
    reply.refusal(429, 'rate_limit_error');
    assert.equal(reply.headers['retry-after'], '30');
  });

  it('503 while the database cannot be reached, and the link still works afterwards', async () => {
    const { token } = await newcomer();
    await server.withoutDatabase(async () => (await redeem(token)).refusal(503, 'unavailable'));
    (await redeem(token)).body(200);
  });

  it('keeps neither the token nor the cookie nor the CSRF token in the database', async () => {
    const { token } = await newcomer();
    const reply = await redeem(token);
    const { csrf_token } = reply.body(200);
    const cookie = /=(\w+);/.exec(reply.headers['set-cookie'] ?? '')?.[1];
    assert.ok(cookie);
    const tables = ['members', 'member_links', 'member_sessions', 'audit_log'];
    const stored = JSON.stringify(
      await Promise.all(tables.map((table) => server.operator.database.knex(table))),
      (_, value) => (typeof value === 'bigint' ? String(value) : value),
    );
    for (const secret of [token, cookie, csrf_token]) assert.ok(!stored.includes(secret));
  });
});
