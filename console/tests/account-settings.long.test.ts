import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { assertLooksFine, axeFindings, loadAnew, picture, printedLink, type WatchedPage } from '#testing/open-pages.ts';
import { useOwnPages } from '#testing/use-pages.ts';

describe('what an account has besides keys and money, in Chromium', () => {
  const pages = useOwnPages(() => readFileSync(new URL('../../sluice.yaml', import.meta.url), 'utf8'));
  let owner: WatchedPage;
  before(async () => {
    owner = await pages.settings(await printedLink(pages.gateway));
  });

  const fine = async (opened: WatchedPage, name: string) => {
    assert.deepEqual(await axeFindings(opened.page), []);
    await picture(opened.page, name);
    assert.deepEqual(pages.unexpected(opened), []);
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

    const viewer = await pages.settings(link);
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
    assert.deepEqual([...pages.unexpected(owner), ...pages.unexpected(viewer)], []);
    await viewer.close();
  });

  it('gives a member that has signed in a role without a link, and offers the keys that it knows to be revoked', async () => {
    const { page } = owner;
    const invite = async (role: string) => {
      await page.getByLabel('E-mail').fill('dev@example.com');
      await page.getByLabel('Role').selectOption(role);
      await page.getByRole('button', { name: 'Invite' }).click();
    };
    await invite('viewer');
    const link = await page.locator('.secret').innerText();
    const developer = await pages.settings(link);
    await invite('developer');
    await page.getByText('It has signed in before, so there is no new link').waitFor();
    await fine(owner, 'settings-members-role');
    await page.getByRole('button', { name: 'Done' }).click();
    await developer.page.reload();
    await developer.page.getByLabel('New key').fill('left behind');
    await developer.page.getByRole('button', { name: 'Create key' }).click();
    await developer.page.locator('.secret').waitFor();
    await developer.close();
    await page.getByRole('button', { name: 'Remove dev@example.com' }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    const known = page.getByRole('region', { name: 'Keys that still work' });
    await known.getByText('left behind').waitFor();
    await fine(owner, 'settings-members-keys');
    await known.getByRole('button', { name: 'Revoke left behind' }).click();
    await known.getByRole('button', { name: 'Revoke it' }).click();
    await known.waitFor({ state: 'detached' });
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
    await page.getByRole('button', { name: 'Delete what is stored' }).click();
    await page.getByRole('button', { name: 'Delete it all' }).click();
    await page.getByText('0 results, 0 files and 0 logged requests are deleted.').waitFor();
    assert.deepEqual(pages.unexpected(owner), []);
  });

  it('has nothing that axe finds on a phone, and only tables scroll', async () => {
    const { page } = owner;
    for (const screen of ['members', 'storage', 'danger']) {
      await loadAnew(page, `${pages.url}/settings#/${screen}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('.loading').waitFor({ state: 'detached' });
      await assertLooksFine(page, `settings-${screen}`, ['phone', 'phone-dark']);
    }
    assert.deepEqual(pages.unexpected(owner), []);
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
    assert.deepEqual(pages.unexpected(owner), []);
  });
});
