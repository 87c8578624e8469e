/** Passkeys over HTTP, with an authenticator in software that can also do what no real one does. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type AuthenticatorFaults, SoftPasskey } from './support/authenticator.ts';
import { BrowserSession } from './support/browser-session.ts';
import type { RequestOptions } from './support/client.ts';
import { IDLE_STEP_MS } from './support/pace.ts';
import { useServer } from './support/server.ts';

const HOUR_MS = 3_600_000;

describe('passkeys', () => {
  const server = useServer({ trust_proxy: 1 });
  let accountId: string;
  let made = 0;
  before(async () => {
    accountId = (await server.createAccount()).id;
  });

  const host = () => new URL(server.api.url).host.replace('127.0.0.1', 'localhost');
  const origin = () => `http://${host()}`;
  const named = (options: RequestOptions = {}) => ({ ...options, headers: { host: host(), ...options.headers } });
  const stranger = () => new BrowserSession(server.api);
  const newcomer = async () => {
    const email = `member-${made++}@example.com`;
    const token = await server.operator.invite(email, { accountId, role: 'viewer' });
    return { email, browser: await BrowserSession.open(server.api, token) };
  };
  const asked = async (browser: BrowserSession) =>
    (await browser.call('askForPasskey', named())).body(200).public_key as object;
  const add = (browser: BrowserSession, credential: object, name = 'Laptop') =>
    browser.call('addPasskey', named({ body: { name, credential } }));
  const withPasskey = async (counter = 0) => {
    const { email, browser } = await newcomer();
    const passkey = new SoftPasskey(origin(), { counter });
    const added = (await add(browser, passkey.created(await asked(browser)))).body(201);
    return { email, browser, passkey, id: added.passkey_id };
  };
  const askedIn = async (browser: BrowserSession) =>
    (await browser.call('askForSignIn', named())).body(200).public_key as object;
  const signIn = (browser: BrowserSession, credential: object, email?: string) =>
    browser.call('signInWithPasskey', named({ body: { credential, ...(email === undefined ? {} : { email }) } }));
  const signedIn = async (passkey: SoftPasskey, faults: AuthenticatorFaults = {}) => {
    const browser = stranger();
    return { browser, reply: await signIn(browser, passkey.signed(await askedIn(browser), faults)) };
  };
  const rows = (table: string, where: object) => server.operator.database.knex(table).where(where).orderBy('id');

  it('201 a passkey, and 200 it signs in without an e-mail, in a session of its own', async () => {
    const { email, browser, passkey, id } = await withPasskey();
    const { browser: other, reply } = await signedIn(passkey);
    const session = reply.body(200);
    assert.deepEqual([session.email, session.role, session.has_passkey], [email, 'viewer', true]);
    assert.match(reply.headers['set-cookie'] ?? '', /^sluice-session=\w{43}; Path=\/; HttpOnly; SameSite=Lax/);
    assert.notEqual(other.cookie, browser.cookie);
    assert.equal((await other.call('listSessions')).body(200).data[0]?.method, 'passkey');
    const { data, passkeys_max } = (await browser.call('listPasskeys')).body(200);
    assert.deepEqual([data.length, data[0]?.passkey_id, data[0]?.name, data[0]?.host], [1, id, 'Laptop', 'localhost']);
    assert.deepEqual([data[0]?.last_used_at, passkeys_max], [new Date(server.clock.nowMs()).toISOString(), 20]);
    const [opened] = (await rows('audit_log', { what: 'session.open', who: email })).slice(-1);
    assert.equal(JSON.parse(opened.after_json).method, 'passkey');
  });

  it('200 over TLS for the host and origin of the proxy, with cookies that are bound to it', async () => {
    const tls = { host: 'gateway.example', 'x-forwarded-proto': 'https' };
    const { email } = await newcomer();
    const token = await server.operator.invite(email, { accountId, role: 'viewer' });
    const browser = stranger();
    (await browser.call('signInWithLink', { body: { token }, headers: tls })).body(200);
    const passkey = new SoftPasskey('https://gateway.example');
    const question = (await browser.call('askForPasskey', { headers: tls })).body(200).public_key as object;
    const credential = passkey.created(question);
    const added = (await browser.call('addPasskey', { headers: tls, body: { name: 'Key', credential } })).body(201);
    assert.equal(added.host, 'gateway.example');
    const other = stranger();
    const ask = await other.call('askForSignIn', { headers: tls });
    assert.match(
      ask.headers['set-cookie'] ?? '',
      /^__Host-sluice-attempt=\w{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=600; Secure$/,
    );
    const body = { credential: passkey.signed(ask.body(200).public_key as object) };
    (await other.call('signInWithPasskey', { headers: tls, body })).body(200);
  });

  it('200 with an e-mail of its member, in whatever case; 401 with that of another', async () => {
    const [mine, theirs] = [await withPasskey(), await withPasskey()];
    const answer = async (email: string) => {
      const browser = stranger();
      return signIn(browser, mine.passkey.signed(await askedIn(browser)), email);
    };
    assert.equal((await answer(mine.email.toUpperCase())).body(200).email, mine.email);
    (await answer(theirs.email)).refusal(401, 'sign_in_failed');
    (await answer('not an address')).refusal(400, 'invalid_request');
  });

  it('200 the question is the same for everybody: it names no passkey and no member', async () => {
    await withPasskey();
    const { challenge, ...rest } = (await askedIn(stranger())) as { challenge: string };
    assert.match(challenge, /^[\w-]{43,}$/);
    assert.deepEqual(rest, { rpId: 'localhost', timeout: 600_000, userVerification: 'required' });
  });

  it('401 for an answer that is replayed, by another browser or by the same', async () => {
    const { passkey } = await withPasskey();
    const [browser, thief] = [stranger(), stranger()];
    const answer = passkey.signed(await askedIn(browser));
    await askedIn(thief);
    (await signIn(thief, answer)).refusal(401, 'sign_in_failed');
    (await signIn(browser, answer)).body(200);
    (await signIn(browser, answer)).refusal(401, 'sign_in_failed');
    const again = stranger();
    for (const [name, value] of browser.cookies) again.cookies.set(name, value);
    (await signIn(again, answer)).refusal(401, 'sign_in_failed');
    (await signIn(stranger(), answer)).refusal(401, 'sign_in_failed');
  });

  it('200 one of twenty that send one answer at once gets in, and 401 the others', async () => {
    const { passkey } = await withPasskey();
    const browser = stranger();
    const answer = passkey.signed(await askedIn(browser));
    const replies = await Promise.all(Array.from({ length: 20 }, () => signIn(browser, answer)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  });

  it('401 for an answer that comes after ten minutes, or to the question before the last', async () => {
    const { passkey } = await withPasskey();
    const late = stranger();
    const answer = passkey.signed(await askedIn(late));
    await server.pass(600_000, IDLE_STEP_MS);
    (await signIn(late, answer)).refusal(401, 'sign_in_failed');
    const twice = stranger();
    const first = passkey.signed(await askedIn(twice));
    await askedIn(twice);
    (await signIn(twice, first)).refusal(401, 'sign_in_failed');
  });

  it('401 for another origin, host, challenge, kind or handle, nobody verified, or a changed signature', async () => {
    const { passkey } = await withPasskey();
    const faults: AuthenticatorFaults[] = [
      { origin: 'https://evil.example' },
      { origin: origin().replace('localhost', 'localhost.evil.example') },
      { origin: origin().replace('http:', 'https:') },
      { host: 'evil.example' },
      { challenge: 'AAAA' },
      { type: 'webauthn.create' },
      { userHandle: '' },
      { userHandle: Buffer.from('somebody else').toString('base64url') },
      { verified: false },
    ];
    for (const fault of faults) (await signedIn(passkey, fault)).reply.refusal(401, 'sign_in_failed');
    const browser = stranger();
    const { response, ...rest } = passkey.signed(await askedIn(browser));
    const changed = { ...rest, response: { ...response, signature: response.signature.replace(/.{4}$/, 'AAAA') } };
    (await signIn(browser, changed)).refusal(401, 'sign_in_failed');
    for (const wrong of ['', 'AAAA', '%'])
      (await signIn(browser, { ...changed, response: { ...response, authenticatorData: wrong } })).refusal(
        401,
        'sign_in_failed',
      );
  });

  it('401 for a passkey that is not known here, and for another one under the id of a known one', async () => {
    const { passkey } = await withPasskey();
    (await signedIn(new SoftPasskey(origin()))).reply.refusal(401, 'sign_in_failed');
    const foreign = new SoftPasskey(origin());
    const browser = stranger();
    const answer = foreign.signed(await askedIn(browser), { userHandle: passkey.signed({}).response.userHandle });
    (await signIn(browser, { ...answer, id: passkey.id, rawId: passkey.id })).refusal(401, 'sign_in_failed');
  });

  it('401 for a counter that has not moved on, which the audit log records; one that moves on is kept', async () => {
    const { email, passkey, id } = await withPasskey(5);
    (await signedIn(passkey)).reply.body(200);
    for (const counter of [6, 5, 0]) (await signedIn(passkey, { counter })).reply.refusal(401, 'sign_in_failed');
    const noted = await rows('audit_log', { what: 'passkey.copied', who: email });
    assert.deepEqual(
      noted.map(({ subject, before_json, after_json }) => [subject, before_json, after_json]),
      [6, 5, 0].map((counter) => [id, '{"counter":6}', `{"counter":${counter}}`]),
    );
    (await signedIn(passkey, { counter: 50 })).reply.body(200);
    assert.equal(Number((await rows('member_passkeys', { id }))[0].counter), 50);
  });

  it('401 for a passkey that was removed, and for one of a member who was', async () => {
    const { browser, passkey, id } = await withPasskey();
    const other = await withPasskey();
    assert.equal((await browser.call('removePasskey', { params: { id } })).status, 204);
    (await signedIn(passkey)).reply.refusal(401, 'sign_in_failed');
    (await browser.call('removePasskey', { params: { id } })).refusal(404, 'not_found');
    await server.operator.removeMember(other.email);
    assert.deepEqual(await rows('member_passkeys', { id: other.id }), []);
    (await signedIn(other.passkey)).reply.refusal(401, 'sign_in_failed');
  });

  it('200 another name; 404 for a passkey of another member; each change has its row', async () => {
    const [mine, theirs] = [await withPasskey(), await withPasskey()];
    const rename = (browser: BrowserSession, body: object) =>
      browser.call('renamePasskey', { params: { id: mine.id }, body });
    assert.equal((await rename(mine.browser, { name: 'Phone' })).body(200).name, 'Phone');
    (await rename(theirs.browser, { name: 'Mine' })).refusal(404, 'not_found');
    (await theirs.browser.call('removePasskey', { params: { id: mine.id } })).refusal(404, 'not_found');
    for (const name of ['', 'x'.repeat(101)]) (await rename(mine.browser, { name })).refusal(400, 'invalid_request');
    (await rename(mine.browser, { name: 'x'.repeat(65_536) })).refusal(413, 'request_too_large');
    await mine.browser.call('removePasskey', { params: { id: mine.id } });
    const logged = await rows('audit_log', { subject: mine.id });
    assert.deepEqual(
      logged.map(({ what, who }) => [what, who]),
      ['add', 'rename', 'remove'].map((verb) => [`passkey.${verb}`, mine.email]),
    );
    assert.deepEqual(JSON.parse(logged[1].before_json), { name: 'Laptop', host: 'localhost' });
  });

  it('400 for a new passkey of another browser, question, origin or host, a second time, or unverified', async () => {
    const { email, browser } = await newcomer();
    const passkey = new SoftPasskey(origin());
    const token = await server.operator.invite(email, { accountId, role: 'viewer' });
    const elsewhere = await BrowserSession.open(server.api, token);
    const refused = async (credential: object, one = browser) =>
      assert.equal((await add(one, credential)).refusal(400, 'invalid_request').param, 'credential');
    await refused(passkey.created({}));
    const answer = passkey.created(await asked(browser));
    await refused(answer, elsewhere);
    (await add(browser, answer)).body(201);
    await refused(answer);
    const faults: AuthenticatorFaults[] = [
      { origin: 'https://evil.example' },
      { host: 'evil.example' },
      { challenge: 'AAAA' },
      { type: 'webauthn.get' },
      { verified: false },
    ];
    for (const fault of faults) await refused(new SoftPasskey(origin()).created(await asked(browser), fault));
    // An answer to a question for signing in is none for adding.
    const signing = await askedIn(browser);
    await refused(new SoftPasskey(origin()).created({ ...signing, rp: { id: 'localhost' } }));
    await refused(passkey.created(await asked(browser)));
    assert.equal((await browser.call('listPasskeys')).body(200).data.length, 1);
  });

  it('400 for the twenty-first passkey', async () => {
    const { browser } = await newcomer();
    for (let count = 0; count < 20; count++)
      (await add(browser, new SoftPasskey(origin()).created(await asked(browser)))).body(201);
    const more = await add(browser, new SoftPasskey(origin()).created(await asked(browser)));
    assert.match(more.refusal(400, 'invalid_request').message, /20 passkeys already/);
  });

  it('401 for a new passkey, or a first password, an hour after signing in with one', async () => {
    const { passkey } = await withPasskey();
    const { browser, reply } = await signedIn(passkey);
    const { session_id: id } = reply.body(200);
    await asked(browser);
    const opened_at_ms = server.clock.nowMs() - HOUR_MS;
    await server.operator.database.knex('member_sessions').where({ id }).update({ opened_at_ms });
    const { message } = (await browser.call('askForPasskey', named())).refusal(401, 'sign_in_failed');
    assert.match(message, /Sign in again/);
    (await browser.call('setPassword', { body: { password: 'correct horse battery' } })).refusal(401, 'sign_in_failed');
    // Whose only way in was a link could not sign in again.
    const invited = await newcomer();
    await server.operator.database.knex('member_sessions').update({ opened_at_ms });
    await asked(invited.browser);
  });

  it('400 at an address without a name, where browsers have no passkeys', async () => {
    const { browser, passkey } = await withPasskey();
    assert.match((await browser.call('askForPasskey')).refusal(400, 'invalid_request').message, /localhost/);
    (await stranger().call('askForSignIn')).refusal(400, 'invalid_request');
    const credential = passkey.signed({});
    (await stranger().call('signInWithPasskey', { body: { credential } })).refusal(400, 'invalid_request');
  });

  it('400 and 413 for what is no answer of an authenticator', async () => {
    const { browser, passkey } = await withPasskey();
    for (const credential of [{}, { ...passkey.signed({}), id: '' }, { ...passkey.signed({}), id: 'x'.repeat(1401) }])
      (await signIn(stranger(), credential)).refusal(400, 'invalid_request');
    (await add(browser, {})).refusal(400, 'invalid_request');
    const huge = { ...passkey.signed({}), rest: 'x'.repeat(65_536) };
    (await signIn(stranger(), huge)).refusal(413, 'request_too_large');
    (await add(browser, { ...passkey.created({}), rest: 'x'.repeat(65_536) })).refusal(413, 'request_too_large');
  });

  it('200 with a new session whatever cookie came, and the session of that cookie ends', async () => {
    const [attacker, victim] = [await newcomer(), await withPasskey()];
    const planted = attacker.browser.cookie;
    const browser = stranger();
    browser.cookie = planted;
    (await signIn(browser, victim.passkey.signed(await askedIn(browser)))).body(200);
    assert.notEqual(browser.cookie, planted);
    (await attacker.browser.call('getSession')).refusal(401, 'not_signed_in');
  });

  it('403 from a page of another site; 429 for one address; 503 while the database cannot be reached', async () => {
    const { passkey } = await withPasskey();
    const headers = { host: host(), origin: 'https://evil.example' };
    (await stranger().call('askForSignIn', { headers })).refusal(403, 'forged_request');
    const body = { credential: passkey.signed({}) };
    (await stranger().call('signInWithPasskey', { headers, body })).refusal(403, 'forged_request');
    const browser = stranger();
    const answer = passkey.signed(await askedIn(browser));
    await server.withoutDatabase(async () => {
      (await signIn(browser, answer)).refusal(503, 'unavailable');
      (await stranger().call('askForSignIn', named())).refusal(503, 'unavailable');
    });
    (await signIn(browser, answer)).body(200);
    const one = stranger();
    for (let count = 0; count < 30; count++) (await signIn(one, answer)).refusal(401, 'sign_in_failed');
    (await signIn(one, answer)).refusal(429, 'rate_limit_error');
    (await one.call('askForSignIn', named())).refusal(429, 'rate_limit_error');
  });

  it('keeps no secret of a browser in the database', async () => {
    const browser = stranger();
    await askedIn(browser);
    const [attempt = ''] = browser.cookies.values();
    const kept = await server.operator.database.knex('sign_in_attempts').select('hash', 'expected');
    const stored = JSON.stringify(kept);
    assert.match(attempt, /^\w{43}$/);
    assert.ok(!stored.includes(attempt));
  });
});
