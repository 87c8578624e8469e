import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ran } from '#testing/curl.ts';
import { axeFindings, picture, printedLink, type WatchedPage } from '#testing/open-pages.ts';
import { HOSTILE_NAME } from '#testing/pages-gateway.ts';
import { useOwnPages } from '#testing/use-pages.ts';

/** A market without pods: what is sent there waits. */
const REEF = `  - {id: reef-9b, type: market, context_length: 8192, max_output_length: 1024, floor: 0.01, ceiling: 100,
     pricing_ratio: {cached: 0.1, uncached: 1, output: 4}}

  # Sold at fixed prices`;
const LINES = 5000;
const PAGE = 50;

describe('the activity of an account in Chromium', () => {
  const pages = useOwnPages(() =>
    readFileSync(new URL('../../sluice.yaml', import.meta.url), 'utf8').replace('  # Sold at fixed prices', REEF),
  );
  let owner: WatchedPage;
  let page: Page;
  let key: string;
  before(async () => {
    owner = await pages.settings(await printedLink(pages.gateway));
    page = owner.page;
    // The 401 by which the page learned that nobody was signed in.
    owner.problems.length = 0;
  });

  const post = async (path: string, body: object | FormData) => {
    const form = body instanceof FormData;
    const headers = { authorization: `Bearer ${key}`, ...(form ? {} : { 'content-type': 'application/json' }) };
    const answer = await fetch(pages.url + path, {
      method: 'POST',
      headers,
      body: form ? body : JSON.stringify(body),
    });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return (await answer.json()) as { id: string };
  };
  const messages = [{ role: 'user', content: HOSTILE_NAME }];
  const rows = () => page.locator('tbody tr');
  const open = async (name: string) => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('navigation', { name: 'Activity' }).getByRole('link', { name }).click();
  };
  const region = (name: string) => page.getByRole('region', { name });

  it('shows an order that waits, with its place and the level; it is repriced and canceled there', async () => {
    await page.getByLabel('New key').fill('worker');
    await page.getByText('Budget, expiry and models').click();
    await page.getByLabel('Budget, USD').fill('5');
    await page.getByRole('button', { name: 'Create key' }).click();
    key = await page.locator('.secret').innerText();
    const call = await page.locator('.call').innerText();
    assert.equal((await ran(call)).status, 200);
    const { id } = await post('/v1/chat/completions', { model: 'reef-9b', detached: true, price_limit: 3, messages });
    await open('Orders');
    const row = rows().filter({ hasText: id });
    await row.getByText('as no. 1').waitFor();
    await row.getByText(/^now \$/).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await row.getByRole('button', { name: `Reprice ${id}` }).click();
    await row.getByLabel('New limit').fill('2.5');
    await picture(page, 'settings-reprice');
    await page.keyboard.press('Enter');
    await row.locator('[title="$2.5"]').waitFor();
    await row.getByRole('button', { name: `Cancel ${id}` }).click();
    assert.deepEqual(await axeFindings(page), []);
    await row.getByRole('button', { name: 'Cancel it' }).click();
    await row.getByText('canceled', { exact: true }).waitFor();
    assert.equal(await row.getByRole('button').count(), 0);
    await row.getByRole('link').click();
    const timeline = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
    await timeline.filter({ hasText: 'canceled' }).waitFor();
    assert.match((await timeline.allInnerTexts()).join(' '), /^submitted .*canceled .* after /);
    await page.getByText('Nothing was charged.', { exact: true }).waitFor();
    assert.deepEqual(owner.problems, []);
  });

  it('says why an order was not repriced', async () => {
    const { id } = await post('/v1/chat/completions', { model: 'reef-9b', detached: true, price_limit: 3, messages });
    await open('Orders');
    const row = rows().filter({ hasText: id });
    await row.getByRole('button', { name: `Reprice ${id}` }).click();
    await row.getByLabel('New limit').fill('9999999999');
    const complaint = page.waitForEvent('console');
    await row.getByRole('button', { name: 'Set' }).click();
    await complaint;
    assert.match(await row.getByRole('alert').innerText(), /^A price limit is a number from 0 to 1000000000/);
    assert.match(owner.problems.pop() ?? '', /\b400\b/);
    await row.getByRole('button', { name: 'Leave it' }).click();
    assert.deepEqual(owner.problems, []);
  });

  it('shows the order that was charged, whose receipt the browser computes from the tariff of the order', async () => {
    await open('Orders');
    await rows().filter({ hasText: 'done' }).getByRole('link').click();
    await page.getByText('Recomputed in this browser: agrees.').waitFor();
    await page.getByRole('list', { name: 'Timeline' }).getByText('settled').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'settings-order');
    assert.deepEqual(owner.problems, []);
  });

  it('shows usage by day, model and key, with a picture and as files', async () => {
    await open('Usage');
    await rows().filter({ hasText: 'worker' }).waitFor();
    await page.locator('.chart canvas').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'settings-usage');
    const [line] = await saved('JSON Lines');
    assert.deepEqual([line?.model, line?.key_name, line?.requests], ['tide-70b', 'worker', 1]);
    const charged = await region('Usage')
      .locator('tbody tr')
      .first()
      .getByRole('cell')
      .last()
      .locator('[title]')
      .getAttribute('title');
    assert.equal(Number(charged?.slice(1)), line?.charged_usd);
    assert.deepEqual(owner.problems, []);
  });

  it(`stays usable with ${LINES} orders: a page has ${PAGE} rows, filters and files have all`, async () => {
    const lines = Array.from({ length: LINES }, (_, line) =>
      JSON.stringify({
        ...{ custom_id: `${line} ${HOSTILE_NAME}`, method: 'POST', url: '/v1/chat/completions' },
        body: { model: 'reef-9b', messages, max_tokens: 1 },
      }),
    );
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob([lines.join('\n')]), 'lines.jsonl');
    const file = await post('/v1/files', form);
    const metadata = { title: HOSTILE_NAME };
    await post('/v1/batches', {
      ...{ input_file_id: file.id, endpoint: '/v1/chat/completions', price_limit: 0.02, metadata },
    });
    await open('Orders');
    await page.getByLabel('Orders', { exact: true }).first().selectOption('working');
    await page.getByLabel('Model').fill('reef-9b');
    await page.getByLabel('Model').press('Enter');
    // The newest order of a batch waits behind all others, when all are there.
    await page
      .getByText(`as no. ${(LINES + 1).toLocaleString('en-US').replace(',', '')}`)
      .first()
      .waitFor({ timeout: 100_000 });
    assert.equal(await rows().count(), PAGE);
    const nodes = Number(await page.evaluate('document.querySelectorAll("*").length'));
    assert.ok(nodes < 2500, `${nodes} elements`);
    const first = await rows().first().innerText();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByText('page 2').waitFor();
    await page.locator('[aria-busy="false"] tbody').waitFor();
    await page.mouse.wheel(0, 5000);
    assert.equal(await rows().count(), PAGE);
    assert.notEqual(await rows().first().innerText(), first);
    await picture(page, 'settings-5000-orders');
    const orders = await saved('JSON Lines');
    assert.equal(orders.length, LINES + 1);
    assert.equal(new Set(orders.map(({ id }) => id)).size, LINES + 1);
    assert.equal(orders.filter(({ custom_id }) => custom_id?.endsWith(HOSTILE_NAME)).length, LINES);
    const one = orders.at(2500)?.id ?? '';
    await page.getByLabel('Order id begins with').fill(one);
    await page.getByLabel('Order id begins with').press('Enter');
    await page.getByText('page 2').waitFor({ state: 'detached' });
    await rows().filter({ hasText: one }).waitFor();
    assert.equal(await rows().count(), 1);
    await rows().getByRole('link').click();
    await page.getByText(orders.at(2500)?.custom_id ?? '').waitFor();
    await noScriptRan();
    assert.deepEqual(owner.problems, []);
  });

  it('shows the batch with its progress, and cancels it', async () => {
    await open('Batches');
    await rows()
      .getByText(`0 of ${LINES.toLocaleString('en-US')}`)
      .waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await rows()
      .getByRole('button', { name: /^Cancel/ })
      .click();
    await picture(page, 'settings-batches');
    await rows().getByRole('button', { name: 'Cancel it' }).click();
    await rows().getByText('cancelled').waitFor({ timeout: 100_000 });
    assert.equal((await saved('JSON Lines'))[0]?.metadata, JSON.stringify({ title: HOSTILE_NAME }));
    await noScriptRan();
    assert.deepEqual(owner.problems, []);
  });

  it('has nothing that axe finds on a phone, and only tables scroll', async () => {
    for (const [name, table] of [
      ['Orders', 'Orders'],
      ['Batches', 'Batches'],
      ['Usage', 'Usage'],
    ] as const) {
      // A phone has the navigation in its menu.
      await page.setViewportSize({ width: 1280, height: 740 });
      await open(name);
      await page.setViewportSize({ width: 375, height: 740 });
      await region(table).waitFor();
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 375, name);
      assert.deepEqual(await axeFindings(page), []);
    }
    await picture(page, 'settings-usage-phone');
  });

  /** The rows of the file that a button saves. */
  async function saved(button: string) {
    const arrival = page.waitForEvent('download');
    await page.getByRole('button', { name: button, exact: true }).click();
    const text = await readFile(await (await arrival).path(), 'utf8');
    return text
      .trim()
      .split('\n')
      .map((line): Record<string, string | number | null> & { id: string; custom_id?: string } => JSON.parse(line));
  }

  async function noScriptRan() {
    assert.equal(await page.locator('main img').count(), 0);
    assert.notEqual(await page.title(), 'hacked');
  }
});
