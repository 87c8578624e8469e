import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BrowserSession } from './support/browser-session.ts';
import { useServer } from './support/server.ts';

describe('GET and DELETE /settings/api/session', () => {
  const server = useServer({ trust_proxy: 1 });
  let made = 0;
  const member = async () => {
    const { id } = await server.createAccount();
    const email = `member-${made++}@example.com`;
    const open = async () =>
      BrowserSession.open(server.api, await server.operator.invite(email, { accountId: id, role: 'viewer' }));
    return { id, email, open };
  };
  const stranger = () => new BrowserSession(server.api);

  it('200 who I am, in what role and where, and the same CSRF token each time', async () => {
    const { id, email, open } = await member();
    const browser = await open();
    const token = browser.csrf;
    const session = (await browser.call('getSession')).body(200);
    assert.deepEqual(session, {
      object: 'session',
      session_id: session.session_id,
      email,
      role: 'viewer',
      account: { account_id: id, name: 'Test', status: 'active' },
      has_password: false,
      has_passkey: false,
      csrf_token: token,
      opened_at: session.opened_at,
      ends_at: session.ends_at,
      link_made_at: null,
    });
    assert.equal(Date.parse(session.ends_at) - Date.parse(session.opened_at), 7 * 86_400_000);
  });

  it('401 without a session, and with what is none', async () => {
    const cookies = ['', 'sluice-session=', `sluice-session=${'0'.repeat(43)}`, "sluice-session=' OR '1'='1", 'a=b'];
    for (const cookie of cookies) {
      const browser = stranger();
      browser.cookie = cookie;
      (await browser.call('getSession')).refusal(401, 'not_signed_in');
      (await browser.call('signOut')).refusal(401, 'not_signed_in');
    }
  });

  it('401 for a session over TLS whose cookie came without its prefix, and for one that has it without TLS', async () => {
    const browser = await (await member()).open();
    const tls = { 'x-forwarded-proto': 'https' };
    (await browser.call('getSession', { headers: tls })).refusal(401, 'not_signed_in');
    const secret = browser.cookie?.split('=')[1];
    const cookie = `__Host-sluice-session=${secret}`;
    (await browser.call('getSession', { headers: { cookie } })).refusal(401, 'not_signed_in');
    (await browser.call('getSession', { headers: { ...tls, cookie } })).body(200);
  });

  it('200 over TLS, with a cookie that browsers bind to this host', async () => {
    const { id } = await server.createAccount();
    const token = await server.operator.invite('tls@example.com', { accountId: id, role: 'owner' });
    const headers = { 'x-forwarded-proto': 'https', host: 'gateway.example', origin: 'https://gateway.example' };
    const browser = stranger();
    const opened = await browser.call('signInWithLink', { body: { token }, headers });
    assert.match(opened.headers['set-cookie'] ?? '', /^__Host-sluice-session=\w{43}; Path=\/; .*; Secure$/);
    (await browser.call('getSession', { headers })).body(200);
    const plain = { ...headers, origin: 'http://gateway.example' };
    (await browser.call('signOut', { headers: plain })).refusal(403, 'forged_request');
    const gone = await browser.call('signOut', { headers });
    assert.match(gone.headers['set-cookie'] ?? '', /^__Host-sluice-session=; .*Max-Age=0; Secure$/);
  });

  it('204 the session is over, and its cookie and its CSRF token are worth nothing', async () => {
    const { open } = await member();
    const [browser, other] = [await open(), await open()];
    const { cookie } = browser;
    assert.equal((await browser.call('signOut')).status, 204);
    browser.cookie = cookie;
    (await browser.call('getSession')).refusal(401, 'not_signed_in');
    (await browser.call('signOut')).refusal(401, 'not_signed_in');
    // A replay of the token in another session of the same member.
    const replay = { 'x-csrf-token': browser.csrf ?? '' };
    (await other.call('signOut', { headers: replay })).refusal(403, 'forged_request');
  });

  it('403 for a change without the CSRF token, with a forged one, and from another site', async () => {
    const browser = await (await member()).open();
    const { csrf } = browser;
    for (const forged of ['', 'x', 'A'.repeat(43), `${csrf}x`, csrf?.toLowerCase() ?? '', 'undefined', 'null'])
      (await browser.call('signOut', { headers: { 'x-csrf-token': forged } })).refusal(403, 'forged_request');
    browser.csrf = null;
    (await browser.call('signOut')).refusal(403, 'forged_request');
    browser.csrf = csrf;
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      (await browser.call('signOut', { headers: headers as Record<string, string> })).refusal(403, 'forged_request');
    (await browser.call('getSession')).body(200);
  });

  it('403 without TLS under a name that is not of this machine', async () => {
    const browser = await (await member()).open();
    (await browser.call('getSession', { headers: { host: 'gateway.example' } })).refusal(403, 'needs_tls');
  });

  it('401 at once for a member who was removed', async () => {
    const { email, open } = await member();
    const browser = await open();
    await server.operator.removeMember(email);
    (await browser.call('getSession')).refusal(401, 'not_signed_in');
  });

  it('429 for a member who asks too often, and for a stranger', async () => {
    const browser = await (await member()).open();
    for (let count = 0; count < 240; count++) await browser.call('getSession');
    const reply = await browser.call('getSession');
    reply.refusal(429, 'rate_limit_error');
    assert.equal(reply.headers['retry-after'], '1');
    (await browser.call('signOut')).refusal(429, 'rate_limit_error');
    const nobody = stranger();
    for (let count = 0; count < 120; count++) (await nobody.call('getSession')).refusal(401, 'not_signed_in');
    (await nobody.call('getSession')).refusal(429, 'rate_limit_error');
  });

  it('503 while the database cannot be reached', async () => {
    const browser = await (await member()).open();
    await server.withoutDatabase(async () => {
      (await browser.call('getSession')).refusal(503, 'unavailable');
      (await browser.call('signOut')).refusal(503, 'unavailable');
    });
    (await browser.call('getSession')).body(200);
  });
});
