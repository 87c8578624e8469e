import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { systemClock } from '#base/clock.ts';
import { freePort } from '#testing/free-port.ts';
import { axeFindings, loadAnew, picture, printedLink, type WatchedPage } from '#testing/open-pages.ts';
import {
  completed,
  paidIntent,
  STRIPE_KEY,
  STRIPE_SECRET,
  type StripeServer,
  signedEvent,
  startStripeServer,
} from '#testing/stripe-server.ts';
import { useOwnPages } from '#testing/use-pages.ts';

const CONFIGURATION = readFileSync(new URL('../../sluice.yaml', import.meta.url), 'utf8');

describe('the money of an account in Chromium', () => {
  let stripe: StripeServer;
  let port = 0;
  const pages = useOwnPages(
    () => {
      const back = `http://127.0.0.1:${port}/settings/billing`;
      return `${CONFIGURATION}\npayments: {stripe: {success_url: "${back}?paid", cancel_url: "${back}", api_url: "${stripe.url}"}}\nbilling: {issuer: "Example Ltd\\n1 Mill Lane", tax: "No tax is included."}\n`;
    },
    async () => {
      stripe = await startStripeServer();
      port = await freePort();
      return { PORT: String(port), STRIPE_SECRET_KEY: STRIPE_KEY, STRIPE_WEBHOOK_SECRET: STRIPE_SECRET };
    },
  );
  let owner: WatchedPage;
  before(async () => {
    owner = await pages.settings(await printedLink(pages.gateway));
  });
  after(() => stripe?.close());

  const member = async (role: string) => {
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
    return pages.settings(String(json.link).replace(/^.*\/settings/, `${pages.url}/settings`));
  };
  const free = (page: Page) => page.locator('.big');

  it('tops up: to the page of the provider, back, and credited when its event arrives', async () => {
    const { page } = owner;
    await page.route('https://checkout.stripe.com/**', (route) => route.fulfill({ body: 'Pay here.' }));
    await page.getByRole('link', { name: 'Billing' }).click();
    await free(page).getByText('$10.00', { exact: true }).waitFor();
    const amounts = page.getByRole('group', { name: 'Top up' });
    await amounts.getByRole('button', { name: 'Other' }).waitFor();
    assert.deepEqual(await amounts.getByRole('button').allInnerTexts(), ['$20', '$50', '$100', '$500', 'Other']);
    await amounts.getByRole('button', { name: 'Other' }).click();
    await page.getByLabel('Top up, USD').fill('12.34');
    await page.getByRole('button', { name: 'Pay by card' }).click();
    await page.waitForURL('https://checkout.stripe.com/**');
    const session = stripe.sessions.at(-1);
    assert.equal(session?.amount_total, 1234);
    assert.ok(session);
    await page.goto(`${pages.url}/settings/billing?paid`);
    await page.getByText('credited when its provider confirms it').waitFor();
    await page.getByRole('row').filter({ hasText: 'not paid yet' }).getByText('It ends after a day').waitFor();
    const event = { id: 'evt_1', type: 'checkout.session.completed', object: completed(session) };
    const { body, signature } = signedEvent(event, systemClock.nowMs());
    const headers = { 'stripe-signature': signature, 'content-type': 'application/json' };
    const answer = await fetch(`${pages.url}/payments/stripe/webhook`, {
      method: 'POST',
      headers,
      body: body.toString(),
    });
    assert.equal(answer.status, 200);
    await free(page).getByText('$22.34').waitFor();
    await page.getByRole('status').getByText('$12.34: Credited to the balance.').waitFor();
    await page.getByRole('row').filter({ hasText: '$12.34' }).filter({ hasText: 'paid' }).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'settings-billing');
    assert.deepEqual(pages.unexpected(owner), []);
  });

  it('keeps a card, tops up with it below a threshold, and says why it stopped', async () => {
    const { page } = owner;
    const tell = async (id: string, type: string, object: object) => {
      const { body, signature } = signedEvent({ id, type, object }, systemClock.nowMs());
      const headers = { 'stripe-signature': signature, 'content-type': 'application/json' };
      const answer = await fetch(`${pages.url}/payments/stripe/webhook`, {
        method: 'POST',
        headers,
        body: body.toString(),
      });
      assert.equal(answer.status, 200);
    };
    assert.equal(await page.getByRole('button', { name: 'Switch on' }).isDisabled(), true);
    await page.getByLabel('Keep the card').check();
    await page.getByRole('button', { name: 'Pay by card' }).click();
    await page.waitForURL('https://checkout.stripe.com/**');
    const session = stripe.sessions.at(-1);
    assert.ok(session);
    await tell('evt_card', 'payment_intent.succeeded', paidIntent(session, 'pm_1'));
    await page.goto(`${pages.url}/settings/billing`);
    await page.getByText('A card is saved.').waitFor();
    stripe.card('authentication');
    await page.getByLabel('Below USD').fill('50');
    // The bank may refuse before the page has seen that it is on.
    const switched = page.waitForResponse((response) => response.request().method() === 'PUT');
    await page.getByRole('button', { name: 'Switch on' }).click();
    assert.equal((await switched).ok(), true);
    assert.equal((await switched).request().postDataJSON().enabled, true);
    await page.getByText('The bank requires the holder of the card to confirm').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'settings-automatic-top-up');
    await page.getByRole('button', { name: 'Remove the card' }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('No card is saved').waitFor();
    assert.deepEqual(stripe.detached, ['pm_1']);
    assert.deepEqual(pages.unexpected(owner), []);
  });

  it('lists the ledger, and a statement whose CSV sums up to the balance', async () => {
    const { page } = owner;
    await page.getByRole('row').filter({ hasText: 'top-up' }).filter({ hasText: '$12.34' }).waitFor();
    await page.getByLabel('Entries').selectOption('charges');
    await page.getByText('There is no such entry.').waitFor();
    await page.getByRole('link', { name: 'Monthly statements' }).click();
    await page.getByRole('row').filter({ hasText: 'Balance now' }).filter({ hasText: '$22.34' }).waitFor();
    for (const text of ['1 Mill Lane', 'No tax is included.', 'not over yet']) await page.getByText(text).waitFor();
    await page.getByText(/^\d{4}-\d\d-[0-9a-f]{12}$/).waitFor();
    await page.getByRole('row').filter({ hasText: 'payment' }).filter({ hasText: '$12.34' }).waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const rows = readFileSync(await (await downloading).path(), 'utf8')
      .trim()
      .split('\r\n')
      .slice(1);
    const amounts = rows.map((row) => Math.round(Number(row.split(',').at(-1)) * 1e9));
    const closing = amounts.pop();
    assert.equal(closing, 22_340_000_000);
    assert.equal(
      amounts.reduce((sum, amount) => sum + amount, 0),
      closing,
    );
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'settings-statement');
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.getByRole('link', { name: 'Keys' }).isVisible(), false);
    const at = await page.getByRole('heading', { level: 1 }).boundingBox();
    assert.ok((at?.x ?? 999) < 60, 'the navigation leaves no gap on paper');
    await picture(page, 'settings-statement-printed');
    await page.emulateMedia({ media: 'screen' });
    await page.getByLabel('Month').selectOption({ index: 1 });
    await page.getByRole('row').filter({ hasText: 'Balance when it ended' }).filter({ hasText: '$0.00' }).waitFor();
    await page.getByRole('link', { name: 'Billing', exact: true }).last().click();
    await free(page).waitFor();
    assert.deepEqual(pages.unexpected(owner), []);
  });

  it('shows balances and bills with every digit, and bills with whole counts', async () => {
    const { page } = owner;
    const list = (path: string, change: (body: Record<string, unknown>) => object) =>
      page.route(path, async (route) => route.fulfill({ json: change(await (await route.fetch()).json()) }));
    await list('**/settings/api/balance', (body) => ({ ...body, balance_usd: 2344.979, free_usd: 2344.979 }));
    await free(page).getByText('$2,344.979', { exact: true }).waitFor();
    await list('**/settings/api/statements/*', (body) => ({
      ...body,
      opening_usd: 2344.971,
      by_model: [{ model: 'tide-70b', requests: 1407, amount_usd: -1845.679 }],
    }));
    await page.getByRole('link', { name: 'Monthly statements' }).click();
    await page.getByRole('row').filter({ hasText: 'Balance when the month began' }).getByText('$2,344.971').waitFor();
    const charged = page
      .getByRole('region', { name: 'Charges by model' })
      .getByRole('row')
      .filter({ hasText: 'tide-70b' });
    assert.match(await charged.innerText(), /tide-70b\s+1,407\s+-\$1,845\.679/);
    await page.unrouteAll();
    await page.getByRole('link', { name: 'Billing', exact: true }).last().click();
    await free(page).getByText('$22.34').waitFor();
    assert.deepEqual(pages.unexpected(owner), []);
  });

  it('warns on every screen of a balance that is too low, until the reader hides it', async () => {
    const { page } = owner;
    await page.getByLabel('Alert under').fill('50, 5');
    await page.getByRole('button', { name: 'Set the alerts' }).click();
    await page.getByText('The balance is below $50.00 since').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByText('The balance is below $50.00 since').waitFor();
    const warning = page.getByRole('status').filter({ hasText: 'The balance is below' });
    await warning.getByRole('button', { name: 'Hide' }).click();
    await warning.waitFor({ state: 'detached' });
    const known = page.waitForResponse('**/settings/api/alerts');
    await page.reload();
    await known;
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    assert.equal(await warning.count(), 0);
    await page.getByRole('link', { name: 'Billing', exact: true }).first().click();
    await page.getByLabel('Alert under').fill('60');
    await page.getByRole('button', { name: 'Set the alerts' }).click();
    await page.getByText('The balance is below $60.00 since').waitFor();
    await page.getByLabel('Alert under').fill('');
    await page.getByRole('button', { name: 'Set the alerts' }).click();
    await page.getByText('The balance is below').waitFor({ state: 'detached' });
    assert.deepEqual(pages.unexpected(owner), []);
  });

  it('says why a payment cannot begin', async () => {
    const { page, problems } = owner;
    stripe.failNext({ status: 403 });
    await page.getByRole('button', { name: 'Pay by card' }).click();
    assert.match(await page.getByRole('alert').filter({ hasNotText: 'Switched off' }).innerText(), /^[A-Z].{10,}\.$/);
    assert.match(problems.pop() ?? '', /\b503\b/);
  });

  it('lets viewers see it and pay nothing, and shows developers none of it', async () => {
    const viewer = await member('viewer');
    await viewer.page.getByRole('link', { name: 'Billing' }).click();
    await free(viewer.page).getByText('$22.34').waitFor();
    await viewer.page.getByRole('row').filter({ hasText: '$12.34' }).filter({ hasText: 'paid' }).waitFor();
    assert.equal(await viewer.page.getByRole('button', { name: 'Pay by card' }).count(), 0);
    const developer = await member('developer');
    assert.equal(await developer.page.getByRole('link', { name: 'Billing' }).count(), 0);
    await loadAnew(developer.page, `${pages.url}/settings#/billing`);
    await developer.page.getByRole('heading', { name: 'Nothing is here' }).waitFor();
    assert.deepEqual([...pages.unexpected(viewer), ...pages.unexpected(developer)], []);
    await viewer.close();
    await developer.close();
  });
});
