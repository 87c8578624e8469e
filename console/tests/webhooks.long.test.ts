import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { axeFindings, picture, printedLink, type WatchedPage } from '#testing/open-pages.ts';
import { useOwnPages } from '#testing/use-pages.ts';
import { isSignedWith, type WebhookReceiver, webhookReceiver } from '#testing/webhook-receiver.ts';

const CONFIGURATION = readFileSync(new URL('../../sluice.yaml', import.meta.url), 'utf8');

describe('webhooks in Chromium', () => {
  let receiver: WebhookReceiver;
  const pages = useOwnPages(
    () => `${CONFIGURATION}\nwebhooks: {allow: ["${receiver.host}"]}\n`,
    async () => {
      receiver = await webhookReceiver();
      return {};
    },
  );
  let owner: WatchedPage;
  before(async () => {
    owner = await pages.settings(await printedLink(pages.gateway));
  });
  after(() => receiver?.close());

  it('one is added, shows its secret once, is tried, gets a new secret and is removed', async () => {
    const { page } = owner;
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('No endpoints yet.').waitFor();
    await page.getByLabel('Address').fill('https://10.0.0.1/');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('10.0.0.1 is not a host of the public internet.').waitFor();
    await page.getByLabel('Address').fill(receiver.url);
    await page.getByRole('button', { name: 'Add' }).click();
    const shown = page.getByRole('region', { name: 'New secret' }).locator('code');
    const secret = (await shown.textContent()) ?? '';
    assert.match(secret, /^whsec_/);
    await page.getByRole('button', { name: 'Done' }).click();
    const endpoint = page.getByRole('region', { name: receiver.url });
    await endpoint.getByRole('button', { name: 'Send a test' }).click();
    await endpoint.getByText('webhook.test').waitFor();
    const delivered = endpoint.getByText('delivered', { exact: true });
    while ((await delivered.count()) === 0) {
      await endpoint.getByRole('button', { name: 'Look again' }).click();
      await page.waitForTimeout(100);
    }
    const [message] = receiver.came;
    assert.ok(message && isSignedWith(secret, message));
    assert.deepEqual(await axeFindings(page), []);
    await endpoint.getByRole('button', { name: 'Send again' }).click();
    while (receiver.came.length < 2 || (await delivered.count()) === 0) {
      await endpoint.getByRole('button', { name: 'Look again' }).click();
      await page.waitForTimeout(100);
    }
    assert.deepEqual(
      receiver.came.map(({ id }) => id),
      [message.id, message.id],
    );
    await endpoint.getByRole('button', { name: 'New secret' }).click();
    await shown.waitFor();
    assert.notEqual(await shown.textContent(), secret);
    await endpoint.getByRole('button', { name: `Remove ${receiver.url}` }).click();
    await endpoint.getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('No endpoints yet.').waitFor();
    assert.equal(await shown.count(), 0, 'the secret goes with its webhook');
  });

  it('one watches a level, receives all orders, and is changed', async () => {
    const { page } = owner;
    await page.getByLabel('Address').fill(receiver.url);
    await page.getByLabel('Batches', { exact: true }).uncheck();
    await page.getByLabel('Also orders that are answered at once').check();
    await page.getByRole('button', { name: 'Watch a level' }).click();
    await page.getByLabel('Level of').selectOption('tide-70b');
    await page.getByLabel('crosses').fill('0.0625');
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'settings-webhooks');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    const endpoint = page.getByRole('region', { name: receiver.url });
    await endpoint.getByText('order.canceled, price.crossed, all orders, tide-70b at $0.0625').waitFor();
    assert.doesNotMatch(await endpoint.innerText(), /batch/);
    await endpoint.getByRole('button', { name: 'Change' }).click();
    assert.equal(await endpoint.getByLabel('crosses').inputValue(), '0.0625');
    await endpoint.getByLabel('crosses').fill('7');
    await endpoint.getByLabel('Budgets of keys').check();
    await endpoint.getByLabel('Also orders that are answered at once').uncheck();
    await endpoint.getByRole('button', { name: 'Save' }).click();
    await endpoint.getByText('key.budget_reached, price.crossed, tide-70b at $7').waitFor();
    await endpoint.getByRole('button', { name: 'Change' }).click();
    await endpoint.getByRole('button', { name: 'Watch no more: tide-70b at 7' }).click();
    await endpoint.getByRole('button', { name: 'Save' }).click();
    await endpoint.getByText(/key\.budget_reached$/).waitFor();
    assert.deepEqual(
      owner.problems.filter((problem) => !/^Failed to load resource/.test(problem)),
      [],
    );
  });
});
