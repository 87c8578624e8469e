import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { ran } from '#testing/curl.ts';
import {
  assertLooksFine,
  axeFindings,
  loadAnew,
  openWatched,
  picture,
  printedLink,
  type WatchedPage,
} from '#testing/open-pages.ts';
import { useOwnPages } from '#testing/use-pages.ts';

describe('the settings in Chromium, of a gateway that was just started', () => {
  const pages = useOwnPages(() => readFileSync(new URL('../../sluice.yaml', import.meta.url), 'utf8'));
  let owner: WatchedPage;
  before(async () => {
    owner = await pages.settings(await printedLink(pages.gateway));
    const { page } = owner;
    await page.getByLabel('New key').fill('notebook');
    await page.getByRole('button', { name: 'Create key' }).click();
    assert.equal((await ran(await page.locator('.call').innerText())).status, 200);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.locator('tbody tr').getByRole('link').click();
    await page.getByText('Recomputed in this browser: agrees.').waitFor();
  });

  const invited = async (role: string) => {
    const account = (await owner.page.locator('.who[title]').getAttribute('title')) ?? '';
    const { json } = await pages.site.command(
      'member',
      'invite',
      `${role}@example.com`,
      '--account',
      account,
      '--role',
      role,
    );
    return String(json.link).replace(/^.*\/settings/, `${pages.url}/settings`);
  };

  it('shows on the page of an order, on a phone, what was charged without scrolling', async () => {
    const { page } = owner;
    const address = page.url();
    await page.getByRole('dialog').getByRole('link').first().click();
    const paid = page.locator('.paid');
    await page.getByRole('heading', { level: 1, name: 'Order' }).waitFor();
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 740 });
      const box = await paid.boundingBox();
      assert.ok(box && box.y + box.height < 740, String(width));
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
    }
    await page.setViewportSize({ width: 1280, height: 720 });
    await loadAnew(page, address);
    await page.getByText('Recomputed in this browser: agrees.').waitFor();
    assert.deepEqual(pages.unexpected(owner), []);
  });

  it('says where to sign in to those who are not', async () => {
    const stranger = await openWatched(pages.browser, `${pages.url}/settings`);
    await stranger.page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.deepEqual(await axeFindings(stranger.page), []);
    await picture(stranger.page, 'settings-signed-out');
    await stranger.page.getByRole('link', { name: 'Sign in' }).click();
    await stranger.page.getByRole('button', { name: 'Sign in' }).waitFor();
    assert.deepEqual(pages.unexpected(stranger), []);
    await stranger.close();
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
      await page.getByText(says).waitFor();
      await page.unroute('**/settings/api/orders/*/receipt');
      assert.deepEqual(pages.unexpected(owner), []);
    });

  it('says that it cannot tell in a browser without Ed25519', async () => {
    const { page } = owner;
    await page.route('**/.well-known/jwks.json', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({
        response: answer,
        body: (await answer.text()).replaceAll(/"kty":"OKP"/g, '"kty":"unknown"'),
      });
    });
    await page.reload();
    await page.getByText('This browser cannot verify Ed25519').waitFor();
    await page.unroute('**/.well-known/jwks.json');
    assert.deepEqual(pages.unexpected(owner), []);
  });

  it('says what differs when a charge is not what the tariff gives', async () => {
    const { page } = owner;
    await page.route('**/settings/api/orders/*/receipt', async (route) => {
      const answer = await route.fetch();
      const signed = await answer.json();
      signed.receipt.charged_nano_usd += 1;
      await route.fulfill({ response: answer, json: signed });
    });
    await page.reload();
    await page.getByText(/Recomputed in this browser: \$0\.\d+, which differs\.$/).waitFor();
    await page.unroute('**/settings/api/orders/*/receipt');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    assert.deepEqual(pages.unexpected(owner), []);
  });

  it('takes no payments by card on this gateway, and says so', async () => {
    const { page } = owner;
    await page.getByRole('link', { name: 'Billing' }).click();
    await page.getByText('This gateway takes no payments by card').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Pay by card' }).count(), 0);
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    assert.deepEqual(pages.unexpected(owner), []);
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
    assert.deepEqual(pages.unexpected(owner), []);
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

  it('finds every page of the settings and of the console, and the accounts', async () => {
    const operator = await pages.operator('operator');
    for (const { page } of [owner, operator]) {
      const begin = page.url();
      const links = page.getByRole('navigation').first().getByRole('link');
      const inPalette = page.getByRole('dialog').getByRole('link');
      const find = async (name: string) => {
        await page.getByRole('button', { name: /^Find/ }).click();
        await page.getByRole('textbox', { name: 'Find a model or a page' }).fill(name);
      };
      for (const name of [...(await links.allInnerTexts()), ...(page === owner.page ? ['Batches', 'Bill'] : [])]) {
        await find(name);
        await inPalette.getByText(name, { exact: true }).first().click();
        await inPalette.first().waitFor({ state: 'detached' });
        await page.getByRole('heading', { level: 1 }).waitFor();
        assert.doesNotMatch(await page.title(), /Nothing is here/, name);
        await page.goto(begin);
        await links.first().waitFor();
      }
    }
    const { page } = operator;
    await page.getByRole('button', { name: /^Find/ }).click();
    await page.getByRole('textbox', { name: 'Find a model or a page' }).fill('account');
    await page
      .getByRole('dialog')
      .getByRole('link', { name: /Account$/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    assert.deepEqual(pages.unexpected(operator), []);
    await operator.close();
  });

  it('shows viewers no button that they may not use', async () => {
    const viewer = await pages.settings(await invited('viewer'));
    await viewer.page.getByRole('row').filter({ hasText: 'demo' }).waitFor();
    assert.equal(await viewer.page.getByRole('button', { name: /create|revoke/i }).count(), 0);
    await viewer.page.getByRole('button', { name: /^Find/ }).click();
    await viewer.page.getByRole('textbox', { name: 'Find a model or a page' }).fill('Danger');
    await viewer.page.getByText('Nothing is called so.').waitFor();
    assert.deepEqual(pages.unexpected(viewer), []);
    await viewer.close();
  });

  it('has nothing that axe finds on a phone, and only tables scroll', async () => {
    await assertLooksFine(owner.page, 'settings', ['phone', 'phone-dark']);
    assert.deepEqual(pages.unexpected(owner), []);
  });
});
