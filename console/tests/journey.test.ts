/**
 * One journey through the pages, as `npm test` runs it: a buyer reads the market, signs in, makes a key, calls, checks the
 * receipt, reprices and cancels an order and looks at the balance; the operator watches and drains a pod. The other files
 * here try each page with everything that can go wrong (*.long.test.ts).
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ran } from '#testing/curl.ts';
import { axeFindings, openWatched, printedLink, type WatchedPage } from '#testing/open-pages.ts';
import { useOwnPages } from '#testing/use-pages.ts';

/** A market without pods: what is sent there waits. */
const REEF = `  - {id: reef-9b, type: market, context_length: 8192, max_output_length: 1024, floor: 0.01, ceiling: 100,
     pricing_ratio: {cached: 0.1, uncached: 1, output: 4}}

  # Sold at fixed prices`;
const CONFIGURATION = readFileSync(new URL('../../sluice.yaml', import.meta.url), 'utf8').replace(
  '  # Sold at fixed prices',
  REEF,
);

describe('one journey through the pages in Chromium', () => {
  const pages = useOwnPages(() => CONFIGURATION);
  let owner: WatchedPage;
  let key = '';
  let charged = 0;
  const fine = async (watched: WatchedPage) => {
    assert.deepEqual(await axeFindings(watched.page), []);
    assert.deepEqual(pages.unexpected(watched), []);
  };

  it('the market is read by anybody, and leads to signing in', async () => {
    owner = await openWatched(pages.browser, pages.url);
    const { page } = owner;
    await page.locator('.link-live').waitFor();
    await page.locator('tbody').getByRole('link', { name: 'Tide 70B' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tide 70B' }).waitFor();
    await page.getByRole('region', { name: 'Quote', exact: true }).waitFor();
    await fine(owner);
    await page.getByRole('link', { name: 'Your account' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await fine(owner);
  });

  it('the printed link signs in, a key is made and shown once, and its call works as it is copied', async () => {
    const { page } = owner;
    await page.goto(await printedLink(pages.gateway));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/settings');
    await fine(owner);
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.getByLabel('New key').fill('notebook');
    await page.getByRole('button', { name: 'Create key' }).click();
    key = await page.locator('.secret').innerText();
    assert.match(key, /^sk-sluice-/);
    const answer = await ran(await page.locator('.call').innerText());
    assert.equal(answer.status, 200);
    const { usage } = (await answer.json()) as { usage: { x_market: { charged_usd: number } } };
    charged = usage.x_market.charged_usd;
    await fine(owner);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    assert.equal(await page.getByText(key).count(), 0);
  });

  it('the order of that call has a receipt, which the browser computes again and verifies', async () => {
    const { page } = owner;
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.locator('tbody tr').getByText('done').waitFor();
    assert.equal(await page.locator('tbody tr').count(), 1);
    await fine(owner);
    await page.locator('tbody tr').getByRole('link').click();
    const receipt = page.getByRole('dialog').getByRole('region', { name: 'Receipt' });
    await receipt.getByText('Signed by this gateway: verified in this browser.').waitFor();
    await receipt.getByText('Recomputed in this browser: agrees.').waitFor();
    assert.match((await page.getByRole('link', { name: 'Save the receipt' }).getAttribute('href')) ?? '', /%22jws%22/);
    assert.equal(await receipt.locator('.paid').innerText(), dollars(charged));
    await fine(owner);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('an order that waits is repriced in its row, found in the palette and canceled on its screen', async () => {
    const { page } = owner;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const messages = [{ role: 'user', content: 'Hello' }];
    const body = JSON.stringify({ model: 'reef-9b', detached: true, price_limit: 3, messages });
    const answer = await fetch(`${pages.url}/v1/chat/completions`, { method: 'POST', headers, body });
    const { id } = (await answer.json()) as { id: string };
    await page.getByRole('link', { name: 'Activity' }).click();
    const row = page.locator('tbody tr').filter({ hasText: id });
    await row.getByText('as no. 1').waitFor();
    await row.getByRole('button', { name: `Reprice ${id}` }).click();
    await row.getByLabel('New limit').fill('2.5');
    await page.keyboard.press('Enter');
    await row.locator('[title="$2.5"]').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Find a model or a page' }).fill('cancel');
    await page.getByRole('link', { name: 'Orders that wait Page' }).waitFor();
    await page.getByRole('link', { name: 'reef-9b at $2.5' }).click();
    await page.getByRole('button', { name: `Cancel the order ${id}` }).click();
    await fine(owner);
    await page.getByRole('button', { name: 'Cancel it' }).click();
    await page.getByText('Nothing was charged.', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Cancel/ }).count(), 0);
  });

  it('the balance is what the call left of it, and signing out ends the session', async () => {
    const { page } = owner;
    await page.getByRole('link', { name: 'Billing' }).click();
    assert.equal(await page.locator('.big [title]').getAttribute('title'), dollars(10 - charged));
    await fine(owner);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.deepEqual(pages.unexpected(owner), []);
    await owner.close();
  });

  it('the operator sees the figures, drains a pod and takes it back', async () => {
    const operator = await pages.operator('operator');
    const { page } = operator;
    await page.getByRole('row').filter({ hasText: 'tide-70b' }).waitFor();
    await fine(operator);
    await page.getByRole('link', { name: 'Pods' }).click();
    const pod = page.getByRole('row').filter({ hasText: 'sim-1' });
    await pod.getByText('healthy').waitFor();
    await page.getByRole('button', { name: 'Drain sim-1' }).click();
    await page.getByRole('button', { name: 'Drain it' }).click();
    await pod.getByText('drained', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resume sim-1' }).click();
    await page.getByRole('button', { name: 'Resume it' }).click();
    await page.getByRole('button', { name: 'Drain sim-1' }).waitFor();
    await fine(operator);
    await operator.close();
  });
});

/** As bills have it: every digit, and at least cents. */
const dollars = (usd: number) => `$${usd.toFixed(9).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
