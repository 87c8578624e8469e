import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchChromium } from '#testing/chromium.ts';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { axeFindings, openWatched, picture, type WatchedPage } from '#testing/open-pages.ts';

/** What Chromium says by itself of an answer 401, which is how a page learns that nobody is signed in. */
const EXPECTED = /^Failed to load resource.*\b401\b/;
const LINK = /http:\/\/127\.0\.0\.1:\d+\/settings\/sign-in#\w+/;

describe('the console in Chromium, of a gateway that was just started', () => {
  let site: Site;
  let gateway: GatewayProcess;
  let browser: Browser;
  let operator: WatchedPage;
  before(async () => {
    site = await makeSite(readFileSync(new URL('../../sluice.yaml', import.meta.url), 'utf8'));
    gateway = await site.start();
    browser = await launchChromium();
    operator = await signedIn('operator');
  });
  after(async () => {
    await browser?.close();
    await gateway?.stop();
    site?.remove();
  });

  const signedIn = async (role: string) => {
    const { json } = await site.command('member', 'invite', `${role}@example.com`, '--operator', role);
    const opened = await openWatched(browser, String(json.link).replace(/^.*\/settings/, `${gateway.url}/settings`));
    await opened.page.getByRole('button', { name: 'Sign in' }).click();
    await opened.page.getByRole('heading', { name: 'Overview' }).waitFor();
    return opened;
  };
  const unexpected = ({ problems }: WatchedPage) => problems.filter((problem) => !EXPECTED.test(problem));

  it('says where to sign in to those who are not', async () => {
    const stranger = await openWatched(browser, `${gateway.url}/console`);
    await stranger.page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.deepEqual(await axeFindings(stranger.page), []);
    await picture(stranger.page, 'console-signed-out');
    assert.deepEqual(unexpected(stranger), []);
    await stranger.close();
  });

  it('leads an owner to the settings, and the operator from there to the console', async () => {
    const owner = await openWatched(browser, LINK.exec(gateway.output())?.[0] ?? '');
    await owner.page.getByRole('button', { name: 'Sign in' }).click();
    await owner.page.getByRole('heading', { name: 'Keys' }).waitFor();
    await owner.page.goto(`${gateway.url}/console`);
    await owner.page.getByRole('link', { name: 'its settings are there' }).click();
    await owner.page.getByRole('heading', { name: 'Keys' }).waitFor();
    const { page } = operator;
    await page.goto(`${gateway.url}/settings`);
    await page.getByRole('link', { name: 'the console is there' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    assert.deepEqual([...unexpected(owner), ...unexpected(operator)], []);
    await owner.close();
  });

  it('shows the figures of the gateway that answers, and where they come from', async () => {
    const { page } = operator;
    await page.getByRole('row').filter({ hasText: 'tide-70b' }).waitFor();
    const figures = (await (await page.request.get(`${gateway.url}/console/api/overview`)).json()) as {
      pods: { total: number };
    };
    const { total } = figures.pods;
    await page.locator('.now').getByText(`${total} of ${total}`).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'console-overview');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    assert.equal((await download).suggestedFilename(), 'overview.csv');
    assert.deepEqual(unexpected(operator), []);
  });

  it('keeps what it knew when the gateway refuses, and says why', async () => {
    const { page, problems } = operator;
    await page.route('**/console/api/overview', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        body: '{"detail":"The database is away."}',
      }),
    );
    await page.getByRole('alert').getByText('The database is away.').waitFor();
    await page.getByRole('row').filter({ hasText: 'tide-70b' }).waitFor();
    await page.unroute('**/console/api/overview');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    assert.match(problems.splice(0).join(), /\b503\b/);
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has nothing that axe finds on a phone, in ${colorScheme}, and only tables scroll`, async () => {
      const { page } = operator;
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 375, height: 740 });
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 375);
      assert.deepEqual(await axeFindings(page), []);
      await picture(page, `console-phone-${colorScheme}`);
    });
  }

  it('signs out, and the session is over', async () => {
    const { page } = operator;
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.deepEqual(unexpected(operator), []);
  });
});
