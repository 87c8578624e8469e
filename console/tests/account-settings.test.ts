import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchChromium } from '#testing/chromium.ts';
import type { GatewayProcess, Site } from '#testing/gateway-process.ts';
import { axeFindings, loadAnew, openWatched, picture, printedLink, type WatchedPage } from '#testing/open-pages.ts';
import { makeOwnSite } from '#testing/own-site.ts';

/** What Chromium says by itself of an answer 401, which is how a page learns that nobody is signed in. */
const EXPECTED = /^Failed to load resource.*\b401\b/;

describe('what an account has besides keys and money, in Chromium', () => {
  let site: Site;
  let gateway: GatewayProcess;
  let browser: Browser;
  let owner: WatchedPage;
  before(async () => {
    site = await makeOwnSite(readFileSync(new URL('../../sluice.yaml', import.meta.url), 'utf8'));
    gateway = await site.start();
    browser = await launchChromium();
    owner = await entered(printedLink(gateway));
  });
  after(async () => {
    await browser?.close();
    await gateway?.stop();
    site?.remove();
  });

  const entered = async (link: string) => {
    const opened = await openWatched(browser, link);
    await opened.page.getByRole('button', { name: 'Sign in' }).click();
    await opened.page.getByRole('heading', { name: 'Keys' }).waitFor();
    return opened;
  };
  const unexpected = ({ problems }: WatchedPage) => problems.filter((problem) => !EXPECTED.test(problem));
  const fine = async (opened: WatchedPage, name: string) => {
    assert.deepEqual(await axeFindings(opened.page), []);
    await picture(opened.page, name);
    assert.deepEqual(unexpected(opened), []);
  };

  it('invites a member with a link that is shown once and signs in, and removes it with its sessions', async () => {
    const { page } = owner;
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('row').filter({ hasText: 'you' }).waitFor();
    await page.getByLabel('E-mail').fill('grace@example.com');
    await page.getByLabel('Role').selectOption('viewer');
    await page.getByRole('button', { name: 'Invite' }).click();
    const link = await page.locator('.secret').innerText();
    await page.getByRole('row').filter({ hasText: 'grace@example.com' }).filter({ hasText: 'viewer' }).waitFor();
    await fine(owner, 'settings-members');
    await page.getByRole('button', { name: 'Done' }).click();
    assert.equal(await page.getByText(link).count(), 0);

    const viewer = await entered(link);
    await viewer.page.getByRole('link', { name: 'Members' }).click();
    await viewer.page.getByRole('row').filter({ hasText: 'grace@example.com' }).waitFor();
    assert.equal(await viewer.page.getByRole('button', { name: /invite|remove/i }).count(), 0);

    await page.getByRole('button', { name: 'Remove grace@example.com' }).click();
    await page.locator('button:focus', { hasText: 'Keep it' }).waitFor();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('grace@example.com is removed').waitFor();
    await page.getByRole('row').filter({ hasText: 'grace@example.com' }).waitFor({ state: 'detached' });
    await viewer.page.reload();
    await viewer.page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.deepEqual([...unexpected(owner), ...unexpected(viewer)], []);
    await viewer.close();
  });

  it('changes what is kept, warns of the payload log, and deletes everything after a question', async () => {
    const { page } = owner;
    await page.getByRole('link', { name: 'Storage' }).click();
    await page.getByLabel('Keep results').fill('7');
    await page.getByLabel('Log payloads').check();
    await page.getByText('can read every prompt').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('This is kept from now on.').waitFor();
    await page.reload();
    await page.getByText('can read every prompt').waitFor();
    assert.equal(await page.getByLabel('Keep results').inputValue(), '7');
    await fine(owner, 'settings-storage');
    await page.getByRole('button', { name: 'Delete everything' }).click();
    await page.getByRole('button', { name: 'Delete it all' }).click();
    await page.getByText('0 results, 0 files and 0 logged requests are deleted.').waitFor();
    assert.deepEqual(unexpected(owner), []);
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`has nothing that axe finds on a phone, in ${colorScheme}, and only tables scroll`, async () => {
      const { page } = owner;
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 375, height: 740 });
      for (const screen of ['members', 'storage', 'danger']) {
        await loadAnew(page, `${gateway.url}/settings#/${screen}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.locator('.loading').waitFor({ state: 'detached' });
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 375, screen);
        await fine(owner, `settings-${screen}-phone-${colorScheme}`);
      }
    });

  it('suspends and resumes the keys, exports everything, and closes the account', async () => {
    const { page } = owner;
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.getByRole('button', { name: 'Suspend the keys' }).click();
    await page.getByText('Every key is refused now.').waitFor();
    await page.getByRole('button', { name: 'Resume the keys' }).click();
    await page.getByRole('button', { name: 'Suspend the keys' }).waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export everything' }).click();
    const saved = await downloading;
    assert.equal(saved.suggestedFilename(), 'sluice-account.jsonl');
    const [first = ''] = readFileSync(await saved.path(), 'utf8').split('\n');
    const { object, name } = JSON.parse(first);
    assert.equal(object, 'account');
    await fine(owner, 'settings-danger');
    assert.equal(await page.getByRole('button', { name: 'Close the account' }).isDisabled(), true);
    await page.getByLabel(`Type ${name}`).fill(name);
    await page.getByRole('button', { name: 'Close the account' }).click();
    await page.getByText('You are not signed in.').waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.deepEqual(unexpected(owner), []);
  });
});
