/** Signing in with an identity provider over HTTP; the provider is a real one, of the package `oidc-provider`. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { OIDC_CLIENT, type Person, signInAt, startOidcServer } from '#testing/oidc-server.ts';
import { BrowserSession } from './support/browser-session.ts';
import { IDLE_STEP_MS } from './support/pace.ts';
import type { TestServer } from './support/server.ts';
import { useServer } from './support/server.ts';

const PATH = '/settings/sign-in/provider';
const ACCOUNT = '0199aaaa-0000-7000-8000-00000000000d';
const provider = await startOidcServer();
const oidc = { issuer: provider.url, client_id: OIDC_CLIENT, name: 'Example ID' };
let made = 0;

/** Somebody new whom the provider knows. */
function person(claims: Person = {}): { readonly login: string; readonly email: string } {
  const login = `person-${made++}`;
  const email = `${login}@example.com`;
  provider.people.set(login, { email, email_verified: true, ...claims });
  return { login, email };
}

const stranger = (server: TestServer) => new BrowserSession(server.api);
const begun = async (browser: BrowserSession, body: object = {}) =>
  (await browser.call('startProviderSignIn', { body })).body(200).url;
const answered = (browser: BrowserSession, parameters: string) =>
  browser.call('signInWithProvider', { body: { parameters } });
/** The whole way of somebody, with what came back. */
const visited = async (server: TestServer, login: string, body: object = {}) => {
  const browser = stranger(server);
  const back = await signInAt(await begun(browser, body), login);
  assert.equal(back.pathname, PATH, back.href);
  return { browser, parameters: back.search.slice(1), reply: await answered(browser, back.search.slice(1)) };
};
const refusedFor = async (server: TestServer, login: string) =>
  (await visited(server, login)).reply.refusal(403, 'identity_refused').message;

after(() => provider.close());

describe('an identity provider whose claims give the role', () => {
  const roles = {
    bosses: { operator: 'operator' },
    desk: { operator: 'finance' },
    'acme owners': { account: ACCOUNT, role: 'owner' },
    'acme viewers': { account: ACCOUNT, role: 'viewer' },
    lost: { account: '0199aaaa-0000-7000-8000-0000000000ff', role: 'owner' },
  };
  const server = useServer({ trust_proxy: 1, console: { oidc: { ...oidc, role_claim: 'groups', roles } } });
  const logged = (who: string) => server.operator.database.knex('audit_log').where({ who }).orderBy('id');
  before(async () => {
    provider.register(`${server.api.url}${PATH}`);
    await server.operator.database.knex('accounts').insert({
      ...{ id: ACCOUNT, name: 'Acme', status: 'active', balance: '0', held: '0', price_limits: '{}', price_lock: 0 },
      ...{ order_timeout_s: 600, retention_days: 30, log_payloads: 0, house: 0, created_at_ms: 0 },
    });
  });

  it('200 signs somebody in who was no member, in the role and account of the claim', async () => {
    const { login, email } = person({ groups: ['others', 'acme viewers'] });
    const { browser, reply } = await visited(server, login);
    const session = reply.body(200);
    assert.deepEqual([session.email, session.role, session.account?.account_id], [email, 'viewer', ACCOUNT]);
    assert.equal(session.return_to, null);
    assert.match(reply.headers['set-cookie'] ?? '', /^sluice-session=\w{43}; Path=\/; HttpOnly; SameSite=Lax/);
    assert.equal((await browser.call('listSessions')).body(200).data[0]?.method, 'provider');
    assert.deepEqual(
      (await logged(email)).map(({ what }) => what),
      ['member.join', 'session.open'],
    );
  });

  it('200 a claim of one text is as good as a list; the first that fits in the file counts', async () => {
    const { role, account } = (await visited(server, person({ groups: 'desk' }).login)).reply.body(200);
    assert.deepEqual([role, account], ['finance', null]);
    const both = person({ groups: ['acme viewers', 'bosses'] });
    assert.equal((await visited(server, both.login)).reply.body(200).role, 'operator');
  });

  it('200 the role changes with the claim, at the next sign-in, which the audit log records', async () => {
    const { login, email } = person({ groups: ['acme viewers'] });
    const { browser } = await visited(server, login);
    provider.people.set(login, { email, email_verified: true, groups: ['acme owners'] });
    assert.equal((await visited(server, login)).reply.body(200).role, 'owner');
    assert.equal((await browser.call('getSession')).body(200).role, 'owner');
    const changed = (await logged(email)).find(({ what }) => what === 'member.role');
    assert.deepEqual(JSON.parse(changed.before_json), { email, role: 'viewer' });
    provider.people.set(login, { email, email_verified: true, groups: [] });
    assert.match(await refusedFor(server, login), /Nothing that Example ID says of you under groups has a role here/);
  });

  it('200 a member who was invited, and who has other ways in, too', async () => {
    const { login, email } = person({ groups: ['acme owners'] });
    const token = await server.operator.invite(email, { accountId: ACCOUNT, role: 'developer' });
    const invited = await BrowserSession.open(server.api, token);
    assert.equal((await visited(server, login)).reply.body(200).role, 'owner');
    assert.equal((await invited.call('getSession')).body(200).role, 'owner');
  });

  it('200 for an e-mail that is verified in a text, as Cognito says it', async () => {
    const { login } = person({ groups: ['bosses'], email_verified: 'true' });
    (await visited(server, login)).reply.body(200);
  });

  it('403 for an e-mail that is not verified, or none', async () => {
    for (const email_verified of [false, undefined, 'false', null, 1, 'yes']) {
      const { login } = person({ groups: ['bosses'], email_verified });
      assert.match(await refusedFor(server, login), /has not verified an e-mail address/);
    }
    const { login } = person({ groups: ['bosses'], email: undefined });
    assert.match(await refusedFor(server, login), /has not verified an e-mail address/);
  });

  it('403 for what no role is mapped to, and for a member of another place, who stays as it was', async () => {
    for (const groups of [undefined, [], 'boss', ['Bosses'], { bosses: true }, 7])
      assert.match(await refusedFor(server, person({ groups }).login), /Ask the operator of this gateway/);
    const { login, email } = person({ groups: ['bosses'] });
    const { id } = await server.createAccount();
    const token = await server.operator.invite(email, { accountId: id, role: 'viewer' });
    assert.match(await refusedFor(server, login), /is a member elsewhere/);
    const { role, account } = (await (await BrowserSession.open(server.api, token)).call('getSession')).body(200);
    assert.deepEqual([role, account?.account_id], ['viewer', id]);
    assert.match(await refusedFor(server, person({ groups: ['lost'] }).login), /an account that does not exist/);
  });

  it('403 for an e-mail that the provider gave to somebody else', async () => {
    const { login, email } = person({ groups: ['bosses'] });
    (await visited(server, login)).reply.body(200);
    const other = person({ groups: ['bosses'], email });
    assert.match(await refusedFor(server, other.login), /belonged to somebody else/);
    (await visited(server, login)).reply.body(200);
    await server.operator.removeMember(email);
    (await visited(server, other.login)).reply.body(200);
  });
});

describe('an identity provider that only says who somebody is', () => {
  const server = useServer({ trust_proxy: 1, console: { oidc } });
  const member = async () => {
    const { login, email } = person();
    await server.operator.invite(email, { accountId: null, role: 'finance' });
    return { login, email };
  };
  before(() => provider.register(`${server.api.url}${PATH}`));

  it('200 a member by its e-mail, in its own role; 403 for somebody who is none', async () => {
    const { login } = await member();
    assert.equal((await visited(server, login)).reply.body(200).role, 'finance');
    assert.match(await refusedFor(server, person().login), /person-\d+@example\.com is no member here/);
  });

  it('401 for the invitation link of a member that has signed in with the provider instead', async () => {
    const { login, email } = person();
    const token = await server.operator.invite(email, { accountId: null, role: 'finance' });
    (await visited(server, login)).reply.body(200);
    (await stranger(server).call('signInWithLink', { body: { token } })).refusal(401, 'sign_in_failed');
  });

  it('200 with the page to return to, and 400 for one that is not of this gateway', async () => {
    const { login } = await member();
    const { reply } = await visited(server, login, { return_to: '/console' });
    assert.equal(reply.body(200).return_to, '/console');
    const foreign = [
      ...['https://evil.example', '//evil.example', '/\\evil.example', '/settings@evil.example', '/settings/../..'],
      ...['javascript:alert(1)', '', '/console\n', '/CONSOLE', 'console'],
    ];
    for (const return_to of foreign) {
      const refused = await stranger(server).call('startProviderSignIn', { body: { return_to } });
      assert.equal(refused.refusal(400, 'invalid_request').param, 'return_to', return_to);
    }
  });

  it('401 for an answer that is replayed, by another browser or by the same', async () => {
    const { login } = await member();
    const { browser, parameters, reply } = await visited(server, login);
    reply.body(200);
    (await answered(browser, parameters)).refusal(401, 'sign_in_failed');
    (await answered(stranger(server), parameters)).refusal(401, 'sign_in_failed');
    const [mine, thief] = [stranger(server), stranger(server)];
    const back = (await signInAt(await begun(mine), login)).search.slice(1);
    await begun(thief);
    (await answered(thief, back)).refusal(401, 'sign_in_failed');
    (await answered(mine, back)).body(200);
  });

  it('401 for a forged state, another nonce, the code of another visit, another issuer, and what is no answer', async () => {
    const { login } = await member();
    const back = async (change: (url: URL) => void = () => {}) => {
      const browser = stranger(server);
      const url = new URL(await begun(browser));
      change(url);
      return { browser, answer: (await signInAt(url.href, login)).searchParams };
    };
    const changes: readonly ((answer: URLSearchParams) => void)[] = [
      (answer) => answer.set('state', 'forged'),
      (answer) => answer.delete('state'),
      (answer) => answer.append('state', 'forged'),
      (answer) => answer.set('code', 'forged'),
      (answer) => answer.delete('code'),
      (answer) => answer.set('iss', 'https://evil.example'),
      (answer) => answer.delete('iss'),
    ];
    for (const change of changes) {
      const { browser, answer } = await back();
      change(answer);
      (await answered(browser, answer.toString())).refusal(401, 'sign_in_failed');
    }
    const nonce = await back((url) => url.searchParams.set('nonce', 'of-another'));
    (await answered(nonce.browser, nonce.answer.toString())).refusal(401, 'sign_in_failed');
    const [one, other] = [await back(), await back()];
    one.answer.set('code', other.answer.get('code') ?? '');
    (await answered(one.browser, one.answer.toString())).refusal(401, 'sign_in_failed');
    for (const wrong of ['x', '?', 'code=&state=', '%', 'error=access_denied', '#']) {
      const browser = stranger(server);
      await begun(browser);
      (await answered(browser, wrong)).refusal(401, 'sign_in_failed');
    }
  });

  it('401 with what the provider says when somebody turns back there', async () => {
    const browser = stranger(server);
    const state = new URL(await begun(browser)).searchParams.get('state') ?? '';
    const parameters = new URLSearchParams({ error: 'access_denied', state, iss: provider.url }).toString();
    const { message } = (await answered(browser, parameters)).refusal(401, 'sign_in_failed');
    assert.equal(message, 'Example ID did not sign you in. It says: access_denied.');
    const other = stranger(server);
    const hostile = new URLSearchParams({ error: '<script>', iss: provider.url });
    hostile.set('state', new URL(await begun(other)).searchParams.get('state') ?? '');
    const told = (await answered(other, hostile.toString())).refusal(401, 'sign_in_failed');
    assert.ok(!told.message.includes('<'));
  });

  it('401 for an answer that comes after ten minutes, or to the visit before the last', async () => {
    const { login } = await member();
    const browser = stranger(server);
    const late = (await signInAt(await begun(browser), login)).search.slice(1);
    await server.pass(600_000, IDLE_STEP_MS);
    (await answered(browser, late)).refusal(401, 'sign_in_failed');
    const first = (await signInAt(await begun(browser), login)).search.slice(1);
    await begun(browser);
    (await answered(browser, first)).refusal(401, 'sign_in_failed');
  });

  it('401 for a member who was removed meanwhile stays 403, and a new session replaces that of the cookie', async () => {
    const [attacker, victim] = [await member(), await member()];
    const planted = (await visited(server, attacker.login)).browser;
    const browser = stranger(server);
    browser.cookie = planted.cookie;
    const back = (await signInAt(await begun(browser), victim.login)).search.slice(1);
    assert.equal((await answered(browser, back)).body(200).email, victim.email);
    assert.notEqual(browser.cookie, planted.cookie);
    (await planted.call('getSession')).refusal(401, 'not_signed_in');
    await server.operator.removeMember(victim.email);
    (await browser.call('getSession')).refusal(401, 'not_signed_in');
    assert.match(await refusedFor(server, victim.login), /is no member here/);
  });

  it('leads back only to the address that is registered, whatever host was asked', async () => {
    const headers = { host: 'localhost:1' };
    const { url } = (await stranger(server).call('startProviderSignIn', { body: {}, headers })).body(200);
    assert.equal(new URL(url).searchParams.get('redirect_uri'), `http://localhost:1${PATH}`);
    assert.equal((await signInAt(url, person().login)).origin, new URL(provider.url).origin);
  });

  it('200 its page at the address to which it leads back, with the name on a button', async () => {
    const page = await (await server.api.request('GET', `${PATH}?code=x`, { key: null })).whole();
    assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8']);
    assert.match(page.text, /<button class="button" type="button">Continue with Example ID<\/button>/);
    assert.match(page.headers['content-security-policy'] ?? '', /script-src 'self'; .*frame-ancestors 'none'/);
  });

  it('400 and 413 for what is no form; 403 from a page of another site; 429 for one address', async () => {
    (await stranger(server).call('startProviderSignIn', { raw: '{' })).refusal(400, 'invalid_json');
    const body = { return_to: 'x'.repeat(65_536) };
    (await stranger(server).call('startProviderSignIn', { body })).refusal(413, 'request_too_large');
    (await answered(stranger(server), '')).refusal(400, 'invalid_request');
    (await answered(stranger(server), 'x'.repeat(8_001))).refusal(400, 'invalid_request');
    (await answered(stranger(server), 'x'.repeat(65_536))).refusal(413, 'request_too_large');
    const headers = { origin: provider.url };
    (await stranger(server).call('startProviderSignIn', { body: {}, headers })).refusal(403, 'forged_request');
    const forged = { body: { parameters: 'code=x' }, headers };
    (await stranger(server).call('signInWithProvider', forged)).refusal(403, 'forged_request');
    const one = stranger(server);
    for (let count = 0; count < 30; count++) (await answered(one, 'code=x')).refusal(401, 'sign_in_failed');
    (await answered(one, 'code=x')).refusal(429, 'rate_limit_error');
    (await one.call('startProviderSignIn', { body: {} })).refusal(429, 'rate_limit_error');
  });

  it('503 while the database or the provider does not answer, and not after', async () => {
    const { login } = await member();
    const browser = stranger(server);
    const back = (await signInAt(await begun(browser), login)).search.slice(1);
    await server.withoutDatabase(async () => {
      (await answered(browser, back)).refusal(503, 'unavailable');
      (await stranger(server).call('startProviderSignIn', { body: {} })).refusal(503, 'unavailable');
    });
    provider.fail(true);
    assert.match((await answered(browser, back)).refusal(503, 'unavailable').message, /Example ID does not answer/);
    provider.fail(false);
    (await visited(server, login)).reply.body(200);
  });
});

describe('an identity provider whose e-mails are trusted', () => {
  const server = useServer({ trust_proxy: 1, console: { oidc: { ...oidc, trust_email: true } } });
  before(() => provider.register(`${server.api.url}${PATH}`));

  it('200 where it does not say whether the e-mail is verified, as Entra ID; 403 where it says no, or has none', async () => {
    const enters = async (claims: Person) => {
      const { login, email } = person(claims);
      await server.operator.invite(email, { accountId: null, role: 'finance' });
      return (await visited(server, login)).reply;
    };
    (await enters({ email_verified: undefined })).body(200);
    for (const email_verified of [false, 'false', 0, ''])
      (await enters({ email_verified })).refusal(403, 'identity_refused');
    (await enters({ email: undefined })).refusal(403, 'identity_refused');
  });
});

describe('an identity provider that cannot be reached at first', () => {
  const server = useServer({ trust_proxy: 1, console: { oidc } });

  it('503 until it answers', async () => {
    provider.register(`${server.api.url}${PATH}`);
    provider.fail(true);
    const reply = await stranger(server).call('startProviderSignIn', { body: {} });
    assert.match(reply.refusal(503, 'unavailable').message, /Example ID does not answer/);
    provider.fail(false);
    assert.match(await begun(stranger(server)), /^http:\/\/127\.0\.0\.1:\d+\/auth\?/);
  });
});

describe('no identity provider', () => {
  const server = useServer({ trust_proxy: 1 });

  it('404 for whatever belongs to one, and a page without its button', async () => {
    (await stranger(server).call('startProviderSignIn', { body: {} })).refusal(404, 'not_found');
    (await answered(stranger(server), 'code=x')).refusal(404, 'not_found');
    const get = async (path: string) => (await server.api.request('GET', path, { key: null })).whole();
    assert.equal((await get(PATH)).status, 404);
    assert.ok(!(await get('/settings/sign-in')).text.includes('Continue with'));
  });
});
