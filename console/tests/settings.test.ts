import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '#testing/chromium.ts';
import { ran } from '#testing/curl.ts';
import type { GatewayProcess, Site } from '#testing/gateway-process.ts';
import { axeFindings, openWatched, picture, printedLink, type WatchedPage } from '#testing/open-pages.ts';
import { makeOwnSite } from '#testing/own-site.ts';

/** What Chromium says by itself of an answer 401, which is how a page learns that nobody is signed in. */
const EXPECTED = /^Failed to load resource.*\b401\b/;

describe('the settings in Chromium, of a gateway that was just started', () => {
  let site: Site;
  let gateway: GatewayProcess;
  let browser: Browser;
  let owner: WatchedPage;
  let receipt = { charged_usd: 0 };
  before(async () => {
    site = await makeOwnSite(readFileSync(new URL('../../sluice.yaml', import.meta.url), 'utf8'));
    gateway = await site.start();
    browser = await launchChromium();
    owner = await openWatched(browser, printedLink(gateway));
    await signIn(owner.page);
  });
  after(async () => {
    await browser?.close();
    await gateway?.stop();
    site?.remove();
  });

  const signIn = async (page: Page) => {
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
  };
  const unexpected = ({ problems }: WatchedPage) => problems.filter((problem) => !EXPECTED.test(problem));
  const invited = async (role: string) => {
    const account = (await owner.page.locator('.who [title]').getAttribute('title')) ?? '';
    const { json } = await site.command(
      'member',
      'invite',
      `${role}@example.com`,
      '--account',
      account,
      '--role',
      role,
    );
    return String(json.link).replace(/^.*\/settings/, `${gateway.url}/settings`);
  };

  it('says where to sign in to those who are not', async () => {
    const stranger = await openWatched(browser, `${gateway.url}/settings`);
    await stranger.page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.deepEqual(await axeFindings(stranger.page), []);
    await picture(stranger.page, 'settings-signed-out');
    await stranger.page.getByRole('link', { name: 'Sign in' }).click();
    await stranger.page.getByRole('button', { name: 'Sign in' }).waitFor();
    assert.deepEqual(unexpected(stranger), []);
    await stranger.close();
  });

  it('leads from the printed link to a key, shown once, and a call that works as it is', async () => {
    const { page } = owner;
    assert.equal(new URL(page.url()).pathname, '/settings');
    await page.getByLabel('New key').fill('notebook');
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = await page.locator('.secret').innerText();
    assert.match(secret, /^sk-sluice-/);
    const answer = await ran(await page.locator('.call').innerText());
    assert.equal(answer.status, 200);
    receipt = ((await answer.json()) as { usage: { x_market: typeof receipt } }).usage.x_market;
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'settings-new-key');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    assert.equal(await page.getByText(secret).count(), 0);
    assert.deepEqual(unexpected(owner), []);
  });

  it('shows the order of that call with its receipt, which the browser computes again', async () => {
    const { page } = owner;
    await page.getByRole('link', { name: 'Activity' }).click();
    const row = page.locator('tbody tr');
    await row.getByText('done').waitFor();
    assert.equal(await row.count(), 1);
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'settings-activity');
    await row.getByRole('link').click();
    await page.getByText('Recomputed in this browser: agrees.').waitFor();
    await page.getByRole('button', { name: 'Verify the signature' }).click();
    await page.getByText('Signed by this gateway: verified in this browser.').waitFor();
    assert.match((await page.getByRole('link', { name: 'Save the receipt' }).getAttribute('href')) ?? '', /%22jws%22/);
    const charged = await page.getByRole('region', { name: 'Receipt' }).locator('dd').innerText();
    assert.equal(charged, `$${receipt.charged_usd.toFixed(9).replace(/0+$/, '')}`);
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'settings-receipt');
    assert.deepEqual(unexpected(owner), []);
  });

  for (const [what, says, change] of [
    [
      'an amount beside the signature',
      'It says something else',
      (text: string) => text.replace(/("charged_nano_usd":)/, '$19'),
    ],
    ['the signature', 'The signature does not fit.', (text: string) => text.replace(/\.([\w-]{85})([\w-])"/, '.A$1"')],
  ] as const)
    it(`says so when ${what} was changed`, async () => {
      const { page } = owner;
      await page.route('**/settings/api/orders/*/receipt', async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, body: change(await answer.text()) });
      });
      await page.reload();
      await page.getByRole('button', { name: 'Verify the signature' }).click();
      await page.getByText(says).waitFor();
      await page.unroute('**/settings/api/orders/*/receipt');
      assert.deepEqual(unexpected(owner), []);
    });

  it('says that it cannot tell in a browser without Ed25519', async () => {
    const { page } = owner;
    await page.reload();
    await page.evaluate(() => Object.defineProperty(crypto.subtle, 'importKey', { value: () => Promise.reject() }));
    await page.getByRole('button', { name: 'Verify the signature' }).click();
    await page.getByText('This browser cannot verify Ed25519').waitFor();
    assert.deepEqual(unexpected(owner), []);
  });

  it('says what differs when a charge is not what the tariff gives', async () => {
    const { page } = owner;
    await page.route('**/settings/api/orders/*', async (route) => {
      const answer = await route.fetch();
      const details = await answer.json();
      details.settlement.charged_usd += 0.000000001;
      await route.fulfill({ response: answer, json: details });
    });
    await page.reload();
    await page.getByText(/^Recomputed in this browser: \$0\.\d+, which differs\.$/).waitFor();
    await page.unroute('**/settings/api/orders/*');
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    assert.deepEqual(unexpected(owner), []);
  });

  it('shows the balance, and that this gateway takes no payments', async () => {
    const { page } = owner;
    await page.getByRole('link', { name: 'Billing' }).click();
    const balance = await page.locator('.big [title]').getAttribute('title');
    assert.equal(balance, `$${(10 - receipt.charged_usd).toFixed(9).replace(/0+$/, '')}`);
    await page.getByText('This gateway takes no payments by card').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Pay by card' }).count(), 0);
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    assert.deepEqual(unexpected(owner), []);
  });

  it('revokes a key after a question, and its next call is refused', async () => {
    const { page } = owner;
    await page.getByLabel('New key').fill('lost');
    await page.getByRole('button', { name: 'Create key' }).click();
    const call = await page.locator('.call').innerText();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'Revoke lost' }).click();
    await page.locator('button:focus', { hasText: 'Keep it' }).waitFor();
    await page.keyboard.press('Enter');
    assert.equal(await page.getByRole('row').filter({ hasText: 'lost' }).count(), 1, 'Enter keeps it');
    await page.getByRole('button', { name: 'Revoke lost' }).click();
    await page.getByRole('button', { name: 'Revoke it' }).click();
    await page.getByText('lost is revoked.').waitFor();
    await page.getByRole('row').filter({ hasText: 'lost' }).waitFor({ state: 'detached' });
    assert.equal((await ran(call)).status, 401);
    assert.deepEqual(unexpected(owner), []);
  });

  it('shows what the gateway refuses as a sentence', async () => {
    const { page, problems } = owner;
    await page.route('**/settings/api/keys', (route) =>
      route.request().method() === 'POST'
        ? route.continue({ headers: { ...route.request().headers(), 'x-csrf-token': 'forged' } })
        : route.continue(),
    );
    await page.getByLabel('New key').fill('forged');
    await page.getByRole('button', { name: 'Create key' }).click();
    assert.match(await page.getByRole('alert').innerText(), /^[A-Z].{10,}\.$/);
    await page.unroute('**/settings/api/keys');
    assert.match(problems.pop() ?? '', /\b403\b/);
  });

  it('shows viewers no button that they may not use', async () => {
    const viewer = await openWatched(browser, await invited('viewer'));
    await signIn(viewer.page);
    await viewer.page.getByRole('row').filter({ hasText: 'demo' }).waitFor();
    assert.equal(await viewer.page.getByRole('button', { name: /create|revoke/i }).count(), 0);
    assert.deepEqual(unexpected(viewer), []);
    await viewer.close();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has nothing that axe finds on a phone, in ${colorScheme}, and only tables scroll`, async () => {
      const { page } = owner;
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 375, height: 740 });
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 375);
      assert.deepEqual(await axeFindings(page), []);
      await picture(page, `settings-phone-${colorScheme}`);
    });
  }

  it('signs out, and the session is over', async () => {
    const { page } = owner;
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.deepEqual(unexpected(owner), []);
  });
});
