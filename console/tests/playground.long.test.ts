import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ran } from '#testing/curl.ts';
import { assertLooksFine, loadAnew, openWatched, printedLink, type WatchedPage } from '#testing/open-pages.ts';
import { useOwnPages } from '#testing/use-pages.ts';

/** A market without pods: its orders wait. */
const REEF = `  - {id: reef-9b, type: market, context_length: 8192, max_output_length: 1024, floor: 0.01, ceiling: 100,
     pricing_ratio: {cached: 0.1, uncached: 1, output: 4}}

  # Sold at fixed prices`;
const CONFIGURATION = readFileSync(new URL('../../sluice.yaml', import.meta.url), 'utf8').replace(
  '  # Sold at fixed prices',
  REEF,
);
/** Far above the level of a market where nobody else buys. */
const MUCH = '5';

describe('the playground and the first call in Chromium', () => {
  const pages = useOwnPages(() => CONFIGURATION);
  let owner: WatchedPage;
  let page: Page;
  before(async () => {
    owner = await pages.settings(await printedLink(pages.gateway));
    page = owner.page;
    // The 401 by which the page learned that nobody was signed in.
    owner.problems.length = 0;
  });

  const player = (name: string) => page.getByRole('region', { name });
  const send = () => page.getByRole('button', { name: 'Send', exact: true }).click();
  const open = async (query = '') => {
    await loadAnew(page, `${pages.url}/#/playground${query}`);
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
  };

  it('streams an answer, and says what it cost, what was bid and what the level was', async () => {
    await open('?model=tide-70b');
    const tide = player('Tide 70B (simulated)');
    await tide.getByLabel('Price limit, USD per 1M').fill(MUCH);
    await tide.getByText('At most').waitFor();
    await page.getByLabel('Prompt').fill('What is a sluice?');
    const asked = page.waitForRequest('**/v1/chat/completions');
    await page.keyboard.press('Control+Enter');
    const body = (await asked).postDataJSON();
    assert.deepEqual([body.model, body.price_limit, body.stream], ['tide-70b', 5, true]);
    await tide.getByText('Done', { exact: true }).waitFor();
    assert.match(
      await tide.getByRole('region', { name: 'Answer of Tide 70B (simulated)' }).innerText(),
      /simulated answer/,
    );
    await tide
      .getByText(/You bid \$5, the level was \$0\.\d+ when it started: you paid the level and saved 9\d/)
      .waitFor();
    const charged = await tide.locator('strong').innerText();
    await tide.getByRole('link', { name: 'Receipt' }).click();
    await page.getByText(charged).first().waitFor();
    assert.deepEqual(owner.problems, []);
  });

  it('says what an empty field of output tokens stands for, and asks for that many', async () => {
    await open('?model=harbor-8b&tokens=5');
    const field = page.getByLabel('Output tokens, at most (300 if empty)');
    assert.equal(await field.inputValue(), '5');
    await field.fill('');
    assert.equal(await field.inputValue(), '');
    const asked = page.waitForRequest('**/v1/chat/completions');
    await send();
    assert.equal((await asked).postDataJSON().max_tokens, 300);
    await player('Harbor 8B (simulated)').getByText('Done', { exact: true }).waitFor();
    assert.deepEqual(owner.problems, []);
  });

  it('asks two models at once, and keeps models and limits in the address', async () => {
    await open('?model=tide-70b');
    await player('Tide 70B (simulated)').getByLabel('Price limit, USD per 1M').fill(MUCH);
    await page.getByRole('button', { name: 'Two models side by side' }).click();
    await send();
    for (const name of ['Tide 70B (simulated)', 'Harbor 8B (simulated)'])
      await player(name).getByText('Done', { exact: true }).waitFor();
    assert.match(page.url(), /model=tide-70b&limit=5&two=yes$/);
    await assertLooksFine(page, 'playground', ['light', 'dark', 'laptop', 'tablet', 'phone', 'zoomed']);
    assert.deepEqual(owner.problems, []);
  });

  it('shows the place in the queue while it waits, and cancels the order when the reader stops it', async () => {
    await open('?model=reef-9b&limit=3');
    const reef = player('reef-9b');
    await send();
    await reef.getByText(/Number \d+ in the queue/).waitFor();
    await reef.getByRole('button', { name: 'Stop' }).click();
    await reef.getByText('You stopped it.').waitFor();
    assert.deepEqual(owner.problems, []);
  });

  it('obeys the budget of the key that it was lent', async () => {
    const token = await page.evaluate<string>(
      "fetch('/settings/api/session').then((a) => a.json()).then((s) => s.csrf_token)",
    );
    const key = await page.evaluate<string>(
      "fetch('/settings/api/keys').then((a) => a.json()).then(({ data }) => data.find(({ name }) => name.startsWith('Playground')).key_id)",
    );
    const status = await page.evaluate(`fetch('/settings/api/keys/${key}', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'x-csrf-token': '${token}' },
      body: JSON.stringify({ budget_usd: '0.000000001' }),
    }).then((answer) => answer.status)`);
    assert.equal(status, 204);
    await open('?model=harbor-8b');
    await send();
    await player('Harbor 8B (simulated)')
      .getByText(/budget/)
      .waitFor();
    owner.problems.length = 0;
  });

  it('is copied as code for each client, whatever is in the prompt', async () => {
    await open('?model=harbor-8b');
    await page.getByLabel('Prompt').fill(`It's "quoted" \\ and $HOME`);
    const code = page.getByRole('region', { name: 'As code' });
    for (const name of ['OpenAI, Python', 'OpenAI, JavaScript', 'Anthropic', 'AI SDK', 'Claude Code', 'curl']) {
      await code.getByRole('button', { name, exact: true }).click();
      assert.match(await code.locator('pre').innerText(), /quoted/);
    }
    const call = await code.locator('pre').innerText();
    assert.ok(call.includes(`It'\\''s \\"quoted\\" \\\\ and $HOME`), call);
  });

  it('leads a stranger who signs in, makes a key and runs the printed call to its cost', async () => {
    await loadAnew(page, `${pages.url}/#/start?model=harbor-8b`);
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByText('Waiting for your first request…').waitFor();
    const key = (await page.locator('pre').first().innerText()).replace('export SLUICE_KEY=', '');
    await assertLooksFine(page, 'first-call-waiting', ['light', 'dark', 'phone', 'zoomed']);
    const call = (await page.locator('pre').last().innerText()).replace('$SLUICE_KEY', key);
    assert.equal((await ran(call)).status, 200);
    await page.getByRole('link', { name: 'See what it cost and why' }).click();
    await page.waitForURL(/\/settings#\/order\//);
    await page.goto(`${pages.url}/settings#/activity`);
    const row = page.locator('tbody tr', { hasText: 'harbor-8b' }).first();
    await row.getByText('fixed', { exact: true }).waitFor();
    assert.doesNotMatch(await row.innerText(), /bid/);
    assert.deepEqual(owner.problems, []);
  });

  it('asks a stranger to sign in, and leads back', async () => {
    const { page: stranger, close } = await openWatched(pages.browser, `${pages.url}/#/playground?model=harbor-8b`);
    await stranger.getByRole('link', { name: 'Sign in' }).click();
    await stranger.waitForURL(/\/settings\/sign-in\?return=%2F%23%2Fplayground%3Fmodel%3Dharbor-8b$/);
    await close();
  });

  it('fills in the reference the key that the gateway lends to a member', async () => {
    await page.goto(`${pages.url}/docs/reference`);
    await page.locator('.opblock').first().waitFor();
    await page.getByRole('button', { name: 'Try it with my key' }).click();
    await page.getByText('Your playground key is filled in for an hour').waitFor();
    await page.locator('.authorize.locked').first().waitFor();
    assert.deepEqual(owner.problems, []);
  });
});
