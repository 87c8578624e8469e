import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { OIDC_CLIENT, OIDC_SECRET, type OidcServer, startOidcServer } from '#testing/oidc-server.ts';
import {
  assertLooksFine,
  axeFindings,
  openWatched,
  picture,
  printedLink,
  type WatchedPage,
} from '#testing/open-pages.ts';
import { useOwnPages } from '#testing/use-pages.ts';

const ROLES = { bosses: { operator: 'operator' } };
const CONFIGURATION = readFileSync(new URL('../../sluice.yaml', import.meta.url), 'utf8');
const PASSWORD = 'correct horse battery';

describe('signing in in Chromium', () => {
  const pages = useOwnPages(() => CONFIGURATION);
  let owner: WatchedPage;
  let page: Page;
  /** Passkeys need a host with a name. */
  const named = (url: string) => url.replace('127.0.0.1', 'localhost');
  before(async () => {
    owner = await openWatched(pages.browser, named(await printedLink(pages.gateway)));
    page = owner.page;
    await addAuthenticator(page);
  });

  const signedIn = () => page.getByRole('heading', { name: 'Home' }).waitFor();
  const security = async () => {
    await page.getByRole('link', { name: 'Security' }).click();
    await page.getByRole('heading', { name: 'Security' }).waitFor();
  };
  const signOut = async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).click();
  };
  const usePasskey = () => page.getByRole('button', { name: 'Use a passkey' }).click();
  const row = (table: string, text: string) =>
    page.getByRole('region', { name: table, exact: true }).getByRole('row').filter({ hasText: text });

  it('with a link, and adds a passkey behind it', async () => {
    await page.getByRole('button', { name: 'Sign in' }).click();
    await signedIn();
    await page.getByRole('link', { name: 'Add a passkey or a password' }).click();
    await page.getByText('You have no passkey yet.').waitFor();
    await page.getByLabel('New passkey').fill('laptop');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByText('laptop is added.').waitFor();
    await row('Passkeys', 'laptop').getByText('localhost').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'settings-security');
    assert.deepEqual(pages.unexpected(owner), []);
  });

  it('leads back to the place that asked for it, whatever one signs in with, and to no other site', async () => {
    const stranger = await openWatched(pages.browser, `${named(pages.url)}/settings#/bill?period=90+days`);
    await stranger.page.getByRole('link', { name: 'Sign in' }).click();
    await stranger.page.getByLabel('Password').waitFor();
    const account = (await page.locator('.who[title]').getAttribute('title')) ?? '';
    const { json } = await pages.site.command('member', 'invite', 'deep@example.com', '--account', account);
    await stranger.page.goto(named(String(json.link).replace(/^.*\/settings/, `${pages.url}/settings`)));
    await stranger.page.getByRole('button', { name: 'Sign in' }).click();
    await stranger.page.waitForURL(/\/settings#\/bill\?period=90\+days$/);
    await stranger.page.getByRole('heading', { name: 'Activity' }).waitFor();
    assert.equal(await stranger.page.getByLabel('Period').inputValue(), '90 days');
    await stranger.page.goto(named(pages.url));
    await stranger.page.getByText('deep@example.com').waitFor();
    await stranger.page.goto(`${named(pages.url)}/settings`);
    await stranger.page.getByRole('button', { name: 'Sign out' }).click();
    // A page that leaves sooner may take the request with it.
    await stranger.page.getByRole('link', { name: 'Sign in' }).waitFor();
    for (const elsewhere of ['https://evil.example/settings', '//evil.example', '/settings-evil', '/v1/models'])
      await stranger.page.goto(`${named(pages.url)}/settings/sign-in?${new URLSearchParams({ return: elsewhere })}`);
    assert.equal(await stranger.page.evaluate("sessionStorage.getItem('sluice-return')"), null);
    await stranger.page.goto(named(pages.url));
    await stranger.page.locator('.link-live').waitFor();
    assert.equal(await stranger.page.getByText('deep@example.com').count(), 0);
    assert.deepEqual(pages.unexpected(stranger), []);
    await stranger.close();
  });

  it('a used link says so to readers who are signed in and to those who are not, and says what to do next', async () => {
    const link = named(await printedLink(pages.gateway));
    const spent = /^This link does not work any more: each signs in once/;
    const again = await page.context().newPage();
    await again.goto(link);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.getByText(spent).waitFor();
    assert.match(await again.locator('#state').innerText(), /You are signed in as/);
    await again.getByRole('link', { name: 'Go to the settings' }).waitFor();
    await again.close();
    const stranger = await openWatched(pages.browser, link);
    await stranger.page.getByRole('button', { name: 'Sign in' }).click();
    await stranger.page.getByText(spent).waitFor();
    assert.match(await stranger.page.locator('#state').innerText(), /npx sluice member invite/);
    assert.equal(new URL(stranger.page.url()).hash, '');
    await stranger.page.getByLabel('Password').waitFor();
    assert.deepEqual(await axeFindings(stranger.page), []);
    await picture(stranger.page, 'sign-in-spent-link');
    assert.deepEqual(pages.unexpected(stranger), []);
    await stranger.close();
  });

  it('the same device has one passkey for a gateway, and says so', async () => {
    await page.getByLabel('New passkey').fill('again');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByText('This device has a passkey of yours for this gateway already.').waitFor();
    assert.deepEqual(pages.unexpected(owner), []);
  });

  it('with a passkey and nothing else, in a session that the list shows', async () => {
    await signOut();
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'sign-in');
    await usePasskey();
    await page.getByRole('heading', { name: 'Security' }).waitFor();
    await security();
    await row('Sessions', 'this browser').getByText('passkey').waitFor();
    assert.deepEqual(pages.unexpected(owner), []);
  });

  it('with a password that is set there, and ends the session of another browser from the list', async () => {
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set a password' }).click();
    await page.getByText('The password is set.').waitFor();
    const email = ((await page.locator('.who[title]').innerText()).split(',')[0] ?? '').trim();
    const other = await openWatched(pages.browser, `${named(pages.url)}/settings/sign-in`);
    await other.page.getByLabel('E-mail').fill(email);
    await other.page.getByLabel('Password').fill(PASSWORD);
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.reload();
    const theirs = row('Sessions', 'password');
    await theirs.getByRole('button', { name: /^End/ }).click();
    await theirs.getByRole('button', { name: 'End it' }).click();
    await page.getByText('That session is over.').waitFor();
    await other.page.reload();
    await other.page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.deepEqual([...pages.unexpected(owner), ...pages.unexpected(other)], []);
    await other.close();
  });

  it('says what the gateway refuses, and stays signed in after a wrong password', async () => {
    await page.getByLabel('Current password').fill('wrong');
    await page.getByLabel('New password').fill('another good password');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByRole('alert').getByText('This is not your current password.').waitFor();
    await page.getByRole('heading', { name: 'Security' }).waitFor();
    assert.deepEqual(pages.unexpected(owner), []);
  });

  it('no more with a passkey that was renamed and removed', async () => {
    const passkeys = page.getByRole('region', { name: 'Passkeys', exact: true });
    await passkeys.getByRole('button', { name: 'Rename laptop' }).click();
    await passkeys.getByLabel('New name of laptop').fill('old laptop');
    await passkeys.getByRole('button', { name: 'Save' }).click();
    await page.getByText('laptop is now old laptop.').waitFor();
    await passkeys.getByRole('button', { name: 'Remove old laptop' }).click();
    await passkeys.getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('You have no passkey yet.').waitFor();
    await signOut();
    await usePasskey();
    await page.getByText('This passkey did not work.').waitFor();
    assert.deepEqual(pages.unexpected(owner), []);
  });

  it('without passkeys at an address without a name, which says why', async () => {
    const { exitCode, json } = await pages.site.command(
      'member',
      'invite',
      'boss@example.com',
      '--operator',
      'operator',
    );
    assert.equal(exitCode, 0);
    const other = await openWatched(pages.browser, String(json.link).replace(/^.*\/settings/, `${pages.url}/settings`));
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.waitForURL('**/console');
    await other.page.goto(`${pages.url}/settings#/security`);
    await other.page.getByText('Passkeys need an address with a name').waitFor();
    assert.equal(await other.page.getByRole('button', { name: 'Add passkey' }).count(), 0);
    assert.deepEqual(await other.page.getByRole('navigation').getByRole('link').allInnerTexts(), [
      'Security',
      'Console',
      'Market',
      'Documentation',
    ]);
    assert.deepEqual(pages.unexpected(other), []);
    await other.close();
  });

  it('has nothing that axe finds in any width or color', () =>
    assertLooksFine(page, 'sign-in', ['light', 'dark', 'phone', 'phone-dark', 'zoomed']));
});

describe('signing in with an identity provider in Chromium', () => {
  let provider: OidcServer;
  const pages = useOwnPages(
    () => {
      const oidc = {
        issuer: provider.url,
        client_id: OIDC_CLIENT,
        name: 'Example <ID>',
        role_claim: 'groups',
        roles: ROLES,
      };
      return `${CONFIGURATION}\nconsole: ${JSON.stringify({ oidc })}\n`;
    },
    async () => {
      provider = await startOidcServer();
      return { OIDC_CLIENT_SECRET: OIDC_SECRET };
    },
  );
  before(() => {
    provider.register(`${pages.url}/settings/sign-in/provider`);
    provider.people.set('boss', { email: 'boss@example.com', email_verified: true, groups: ['bosses'] });
    provider.people.set('guest', { email: 'guest@example.com', email_verified: true, groups: ['guests'] });
  });
  after(() => provider?.close());

  const own = (watched: WatchedPage) => pages.unexpected(watched).filter((problem) => !/\b403\b/.test(problem));
  /** Signs in on the provider's own pages, and agrees. */
  const signInThere = async (page: Page, login: string) => {
    // The font of its pages, which a test need not fetch.
    await page.route(/fonts\.(?:googleapis|gstatic)\.com/, (route) => route.fulfill({ status: 200, body: '' }));
    await page.getByRole('button', { name: 'Continue with Example <ID>' }).click();
    await page.locator('[name=login]').fill(login);
    await page.locator('[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.locator('[name=prompt][value=consent]').waitFor({ state: 'attached' });
    await page.locator('button[type=submit]').click();
  };

  it('leads over the provider to the console, in the role of the claim', async () => {
    const watched = await openWatched(pages.browser, `${pages.url}/settings/sign-in`);
    const { page } = watched;
    await page.getByRole('button', { name: 'Continue with Example <ID>' }).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'sign-in-provider');
    await signInThere(page, 'boss');
    await page.waitForURL(`${pages.url}/console`);
    await page.getByText('boss@example.com').waitFor();
    await page.goto(`${pages.url}/settings#/security`);
    await page.getByRole('region', { name: 'Sessions', exact: true }).getByText('provider').waitFor();
    assert.deepEqual(own(watched), []);
    await watched.close();
  });

  it('says why it lets somebody not in, and leaves no code in the address', async () => {
    const watched = await openWatched(pages.browser, `${pages.url}/settings/sign-in`);
    await signInThere(watched.page, 'guest');
    await watched.page.getByText('Nothing that Example <ID> says of you under groups has a role here.').waitFor();
    assert.equal(watched.page.url(), `${pages.url}/settings/sign-in`);
    assert.deepEqual(await axeFindings(watched.page), []);
    assert.deepEqual(own(watched), []);
    await watched.close();
  });

  it('does nothing with an answer that another browser got', async () => {
    const watched = await openWatched(pages.browser, `${pages.url}/settings/sign-in/provider?code=of-another&state=x`);
    await watched.page.getByText('This browser has not begun to sign in, or took too long.').waitFor();
    assert.equal(watched.page.url(), `${pages.url}/settings/sign-in`);
    await watched.close();
  });
});

/** A device with a lock that opens at once. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
