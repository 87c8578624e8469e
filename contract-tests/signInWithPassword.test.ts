import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { BrowserSession } from './support/browser-session.ts';
import { useServer } from './support/server.ts';

const PASSWORD = 'correct horse battery';
const HOUR_MS = 3_600_000;

describe('POST /settings/api/sign-in/password and PUT /settings/api/password', () => {
  const server = useServer({ trust_proxy: 1 });
  let accountId: string;
  let made = 0;
  before(async () => {
    accountId = (await server.createAccount()).id;
  });
  const invite = (email: string) => server.operator.invite(email, { accountId, role: 'viewer' });
  const newcomer = async () => {
    const email = `member-${made++}@example.com`;
    return { email, browser: await BrowserSession.open(server.api, await invite(email)) };
  };
  const withPassword = async () => {
    const { email, browser } = await newcomer();
    assert.equal((await set(browser, PASSWORD)).status, 204);
    return { email, browser };
  };
  const set = (browser: BrowserSession, password: string, current_password?: string) =>
    browser.call('setPassword', {
      body: { password, ...(current_password === undefined ? {} : { current_password }) },
    });
  const signIn = (email: string, password = PASSWORD, browser = new BrowserSession(server.api)) =>
    browser.call('signInWithPassword', { body: { email, password } });
  const stale = (browser: BrowserSession, hours = 1) =>
    browser.call('getSession').then((reply) => {
      const { session_id: id, opened_at } = reply.body(200);
      const opened_at_ms = Date.parse(opened_at) - hours * HOUR_MS;
      return server.operator.database.knex('member_sessions').where({ id }).update({ opened_at_ms });
    });

  it('200 after a password was set behind the link, in a session of its own, in whatever case the address is', async () => {
    const { email, browser } = await withPassword();
    assert.equal((await browser.call('getSession')).body(200).has_password, true);
    const other = new BrowserSession(server.api);
    const reply = await signIn(email.toUpperCase(), PASSWORD, other);
    assert.deepEqual([reply.body(200).email, reply.body(200).role], [email, 'viewer']);
    assert.match(reply.headers['set-cookie'] ?? '', /^sluice-session=\w{43}; Path=\/; HttpOnly; SameSite=Lax/);
    assert.notEqual(other.cookie, browser.cookie);
    const [first] = (await other.call('listSessions')).body(200).data;
    assert.deepEqual([first?.method, first?.current], ['password', true]);
  });

  it('200 the same letters typed on another keyboard are the same password', async () => {
    const { email, browser } = await newcomer();
    assert.equal((await set(browser, 'Schlüssel im Fluß'.normalize('NFD'))).status, 204);
    (await signIn(email, 'Schlüssel im Fluß'.normalize('NFC'))).body(200);
  });

  it('401 with one sentence for a wrong password, an unknown address and a member without a password', async () => {
    const { email } = await withPassword();
    const bare = await newcomer();
    const refused = (await signIn(email, 'wrong')).refusal(401, 'sign_in_failed');
    for (const [address, password] of [
      [email, PASSWORD.toUpperCase()],
      [email, `${PASSWORD} `],
      ['nobody@example.com', PASSWORD],
      [bare.email, PASSWORD],
      [bare.email, "' OR '1'='1"],
    ] as const)
      assert.deepEqual((await signIn(address, password)).refusal(401, 'sign_in_failed'), refused);
  });

  it('401 for a member who was removed, password or not', async () => {
    const { email } = await withPassword();
    await server.operator.removeMember(email);
    (await signIn(email)).refusal(401, 'sign_in_failed');
    await invite(email);
    (await signIn(email)).refusal(401, 'sign_in_failed');
  });

  it('429 for one browser address and one member after ten attempts, right ones too; others still get in', async () => {
    const { email } = await withPassword();
    const guesser = new BrowserSession(server.api);
    for (let count = 0; count < 10; count++) (await signIn(email, 'wrong', guesser)).refusal(401, 'sign_in_failed');
    const reply = await signIn(email, PASSWORD, guesser);
    reply.refusal(429, 'rate_limit_error');
    assert.equal(reply.headers['retry-after'], '90');
    (await signIn('another@example.com', PASSWORD, guesser)).refusal(401, 'sign_in_failed');
    (await signIn(email)).body(200);
  });

  it('429 for one member from wherever attempts come, but not for a browser that the member has used', async () => {
    const { email, browser } = await withPassword();
    await stale(browser, 24 * 7);
    for (let count = 0; count < 100; count++) (await signIn(email, 'wrong')).refusal(401, 'sign_in_failed');
    const reply = await signIn(email);
    reply.refusal(429, 'rate_limit_error');
    assert.equal(reply.headers['retry-after'], '36');
    const known = browser.cookie;
    // The session has ended, and a cookie of another member is none of this one's.
    (await browser.call('getSession')).refusal(401, 'not_signed_in');
    const other = (await withPassword()).browser;
    (await signIn(email, PASSWORD, other)).refusal(429, 'rate_limit_error');
    (await signIn(email, PASSWORD, browser)).body(200);
    assert.notEqual(browser.cookie, known);
    await BrowserSession.open(server.api, await invite(email));
    for (let count = 0; count < 10; count++) (await signIn(email, 'wrong', browser)).refusal(401, 'sign_in_failed');
    (await signIn(email, PASSWORD, browser)).refusal(429, 'rate_limit_error');
  });

  it('429 for one browser address, whatever account it tries', async () => {
    const one = new BrowserSession(server.api);
    for (let count = 0; count < 30; count++)
      (await signIn(`guess-${count}@example.com`, 'wrong', one)).refusal(401, 'sign_in_failed');
    (await signIn('guess-30@example.com', 'wrong', one)).refusal(429, 'rate_limit_error');
  });

  it('204 a new password ends every other session and link, and the old password', async () => {
    const { email, browser } = await withPassword();
    const elsewhere = new BrowserSession(server.api);
    await signIn(email, PASSWORD, elsewhere);
    const link = await invite(email);
    assert.equal((await set(browser, 'another good password', PASSWORD)).status, 204);
    (await elsewhere.call('getSession')).refusal(401, 'not_signed_in');
    (await browser.call('getSession')).body(200);
    (await signIn(email)).refusal(401, 'sign_in_failed');
    const reply = await new BrowserSession(server.api).call('signInWithLink', { body: { token: link } });
    reply.refusal(401, 'sign_in_failed');
    (await signIn(email, 'another good password')).body(200);
    const rows = await server.operator.database.knex('audit_log').where({ what: 'password.set', who: email });
    assert.deepEqual(
      rows.map(({ before_json, after_json }) => [before_json, after_json]),
      [
        ['{"has_password":false}', '{"has_password":true}'],
        ['{"has_password":true}', '{"has_password":true}'],
      ],
    );
  });

  it('401 for a new password without the current one, in a session of a password or of an hour ago', async () => {
    const { email, browser } = await withPassword();
    await stale(browser);
    const other = new BrowserSession(server.api);
    await signIn(email, PASSWORD, other);
    for (const one of [browser, other]) {
      assert.equal((await set(one, 'another password')).refusal(401, 'sign_in_failed').param, 'current_password');
      (await set(one, 'another password', 'wrong')).refusal(401, 'sign_in_failed');
    }
    assert.equal((await set(other, 'another password', PASSWORD)).status, 204);
  });

  it('204 without the current one behind a new link, for somebody who forgot it', async () => {
    const { email } = await withPassword();
    const again = await BrowserSession.open(server.api, await invite(email));
    assert.equal((await set(again, 'another password')).status, 204);
    (await signIn(email, 'another password')).body(200);
  });

  it('400 for a password that is too short, too long or the address; 413 for an oversized form', async () => {
    const { email, browser } = await newcomer();
    for (const password of ['', 'x'.repeat(11), 'x'.repeat(201), email.toUpperCase()])
      assert.equal((await set(browser, password)).refusal(400, 'invalid_request').param, 'password');
    (await set(browser, 'x'.repeat(65_536))).refusal(413, 'request_too_large');
    (await signIn(email, '')).refusal(400, 'invalid_request');
    (await signIn('not an address')).refusal(400, 'invalid_request');
    (await signIn(email, 'x'.repeat(65_536))).refusal(413, 'request_too_large');
  });

  it('403 from a page of another site; 503 while the database cannot be reached', async () => {
    const { email } = await withPassword();
    const body = { email, password: PASSWORD };
    const browser = new BrowserSession(server.api);
    const foreign = { body, headers: { origin: 'https://evil.example' } };
    (await browser.call('signInWithPassword', foreign)).refusal(403, 'forged_request');
    await server.withoutDatabase(async () => (await signIn(email)).refusal(503, 'unavailable'));
  });
});
