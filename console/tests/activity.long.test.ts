import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { ran } from '#testing/curl.ts';
import {
  assertLooksFine,
  axeFindings,
  openWatched,
  picture,
  printedLink,
  type WatchedPage,
} from '#testing/open-pages.ts';
import { HOSTILE_NAME } from '#testing/pages-gateway.ts';
import { useOwnPages } from '#testing/use-pages.ts';

/** A market without pods: what is sent there waits. */
const REEF = `  - {id: reef-9b, type: market, context_length: 8192, max_output_length: 1024, floor: 0.01, ceiling: 100,
     pricing_ratio: {cached: 0.1, uncached: 1, output: 4}}

  # Sold at fixed prices`;
const LINES = 5000;
const PAGE = 50;
/** In the browser: the cells of cards whose texts reach into the next one. */
const TOO_WIDE = `[...document.querySelectorAll('.cards td')]
  .filter((cell) => cell.scrollWidth > cell.clientWidth)
  .map((cell) => cell.textContent)`;
/** In the browser: what is dropped that has a file of 50,000 lines. */
const LONG_FILE = `(() => {
  const dropped = new DataTransfer();
  const line = (at) => JSON.stringify({ custom_id: String(at), method: 'POST', url: '/v1/completions', body: { prompt: 'x' } });
  dropped.items.add(new File([Array.from({ length: 50_000 }, (_, at) => line(at)).join('\\n')], 'long.jsonl'));
  return dropped;
})()`;

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
    const sent = form ? body : JSON.stringify(body);
    const answer = await fetch(pages.url + path, { method: 'POST', headers, body: sent });
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
    await page.getByRole('button', { name: 'Close' }).click();
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

  it('draws waiting bids over the chart of their market, as lines that the pointer or the keys move to another limit', async () => {
    const wait = (price_limit: number) =>
      post('/v1/chat/completions', { model: 'reef-9b', detached: true, price_limit, messages });
    const waiting = [await wait(0.02), await wait(0.02)];
    const market = await page.context().newPage();
    await market.goto(`${pages.url}/#/model/reef-9b?range=1h`);
    const line = market.getByRole('slider', { name: 'Limit of 2 orders that wait' });
    const limitIs = (text: string) => market.locator(`[role=slider][aria-valuetext="${text}"]`).waitFor();
    const question = market.getByRole('group', { name: 'Reprice' });
    await limitIs('$0.02');
    await market.getByRole('row', { name: '$0.02' }).getByText('2', { exact: true }).waitFor();
    await line.focus();
    await market.keyboard.press('ArrowUp');
    await limitIs('$0.0202');
    await question.getByText('Limit of 2 orders: $0.02 → $0.0202').waitFor();
    assert.deepEqual(await axeFindings(market), []);
    await picture(market, 'model-reprice');
    await market.keyboard.press('Escape');
    await limitIs('$0.02');
    assert.equal(await question.count(), 0);
    const box = await line.boundingBox();
    assert.ok(box);
    await market.mouse.move(box.x + 10, box.y + 10);
    await market.mouse.down();
    await market.mouse.move(box.x + 10, box.y + 60, { steps: 4 });
    assert.equal(await question.count(), 0, 'nothing is asked while it is dragged');
    await market.mouse.up();
    await question.getByRole('button', { name: 'Leave it' }).click();
    await limitIs('$0.02');
    assert.equal(await market.evaluate("document.activeElement.getAttribute('role')"), 'slider');
    await market.keyboard.press('PageUp');
    await market.keyboard.press('Enter');
    await market.keyboard.press('Enter');
    await market.getByText('2 orders now have the limit $0.022.').waitFor();
    await limitIs('$0.022');
    for (const { id } of waiting) await post(`/v1/orders/${id}/cancel`, {});
    await market.close();
    assert.deepEqual(owner.problems, []);
  });

  it('puts a line back whose new limit is refused, and says why in a message that outlives the page', async () => {
    const { id } = await post('/v1/chat/completions', {
      ...{ model: 'reef-9b', detached: true, price_limit: 0.01, max_charge_usd: 0.00002, messages },
    });
    const market = await page.context().newPage();
    await market.goto(`${pages.url}/#/model/reef-9b?range=1h`);
    const line = market.locator('[role=slider][aria-valuetext="$0.01"]');
    await line.focus();
    for (let press = 0; press < 60; press++) await market.keyboard.press('PageUp');
    await market.getByRole('button', { name: 'Reprice' }).click();
    const message = market.locator('.toast').getByText(/max_charge_usd/);
    await message.waitFor();
    await line.waitFor();
    await market.goto(`${pages.url}/settings#/security`);
    await message.waitFor();
    await market.getByRole('button', { name: 'Dismiss' }).click();
    await message.waitFor({ state: 'detached' });
    assert.equal(await market.evaluate('document.activeElement.id'), 'main');
    await market.close();
    await post(`/v1/orders/${id}/cancel`, {});
    assert.deepEqual(owner.problems, []);
  });

  it('opens an order beside the list, with its life, a receipt that is verified, and the focus back at its row', async () => {
    await open('Orders');
    await rows().filter({ hasText: 'done' }).getByRole('link').focus();
    await page.keyboard.press('Enter');
    const sheet = page.getByRole('dialog', { name: 'Order' });
    await sheet.getByText('Signed by this gateway: verified in this browser.').waitFor();
    await sheet.getByText('Recomputed in this browser: agrees.').waitFor();
    assert.match(
      await sheet.getByRole('region', { name: 'Receipt' }).innerText(),
      /You bid \$[\d.]+, the level was \$[\d.]+ when it started: you paid the level and saved [\d.]+%\./,
    );
    await sheet
      .getByText(/^\(\d+ input tokens × \$[\d.]+ \+ \d+ output tokens × \$[\d.]+\) ÷ 1,000,000 = \$/)
      .waitFor();
    await sheet.getByRole('list', { name: 'Timeline' }).getByText('first token').waitFor();
    assert.match(await sheet.locator('.waterfall + .readout').innerText(), /Waited.*First token.*Answer/s);
    assert.equal(await sheet.locator('details').getByText('÷ 1,000,000').isVisible(), false, 'the formula is folded');
    await sheet.getByText('How it is computed').click();
    await sheet.locator('details').getByText('÷ 1,000,000').waitFor();
    const playground = await sheet.getByRole('link', { name: 'Repeat in the playground' }).getAttribute('href');
    assert.equal(playground, '/#/playground?model=tide-70b');
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'settings-order-sheet');
    assert.match(page.url(), /#\/activity\?order=/);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    assert.equal(await page.evaluate('document.activeElement.closest("tr") !== null'), true);
    assert.deepEqual(owner.problems, []);
  });

  it('says that what was sent is not kept', async () => {
    await rows().filter({ hasText: 'done' }).getByRole('link').click();
    const complaint = page.waitForEvent('console');
    await page.getByRole('button', { name: 'Show what was sent' }).click();
    await complaint;
    await page.getByRole('alert').getByText('No request of an order with this id is kept.').waitFor();
    assert.match(owner.problems.pop() ?? '', /\b404\b/);
    await page.getByRole('button', { name: 'Close' }).click();
  });

  it('makes a receipt public for a stranger, whose browser verifies it, and revokes the link', async () => {
    await rows().filter({ hasText: 'done' }).getByRole('link').click();
    await page.getByRole('dialog').getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Order' }).waitFor();
    await page.getByRole('button', { name: 'Make a public link' }).click();
    const link = page.getByRole('region', { name: 'Public link' }).getByRole('link');
    const address = (await link.getAttribute('href')) ?? '';
    assert.match(address, /\/#\/receipt\/\w{43}$/);
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'settings-receipt');
    const stranger = await openWatched(pages.browser, address);
    await stranger.page.getByText('Signed by this gateway: verified in this browser.').waitFor();
    await stranger.page.getByText('Recomputed in this browser: agrees.').waitFor();
    const shown = await stranger.page.locator('main').innerText();
    assert.ok(!shown.includes('worker') && !shown.includes('demo') && !shown.includes('sk-'), shown);
    await assertLooksFine(stranger.page, 'public-receipt', ['light', 'dark', 'phone', 'zoomed']);
    assert.deepEqual(stranger.problems, []);
    await page.getByRole('button', { name: 'Revoke the public link' }).click();
    await page.getByRole('button', { name: 'Revoke it' }).click();
    await page.getByRole('button', { name: 'Make a public link' }).waitFor();
    await stranger.page.reload();
    await stranger.page.getByText('There is no receipt here, or its link was revoked.').waitFor();
    await stranger.close();
    assert.deepEqual(owner.problems, []);
  });

  it('looks for orders by status, key, model, cost and time, all of it in the address', async () => {
    await page.goto(`${pages.url}/settings#/activity?status=done&model=tide-70b&cost=0.000001`);
    await page.getByRole('figure', { name: 'Orders by time' }).getByText('In all: 1').waitFor();
    await rows().filter({ hasText: 'worker' }).waitFor();
    assert.equal(await rows().count(), 1);
    await page.getByLabel('Key').selectOption('worker');
    await page.waitForURL(/key=[\w-]{36}/);
    await rows().filter({ hasText: 'worker' }).waitFor();
    await page.getByLabel('Charged at least').fill('5');
    await page.getByLabel('Charged at least').press('Enter');
    await page.getByText('There is no order here yet.').waitFor();
    await page.getByLabel('Charged at least').fill('');
    await page.getByLabel('Charged at least').press('Enter');
    await rows().filter({ hasText: 'worker' }).waitFor();
    await page.getByLabel('Period').selectOption('24 hours');
    await page.getByRole('figure').getByText('In all: 1').waitFor();
    const bars = page.getByRole('figure').getByRole('link');
    assert.ok((await bars.count()) >= 24);
    await bars.last().focus();
    await page.keyboard.press('ArrowLeft');
    assert.equal(await page.evaluate('document.activeElement.nextElementSibling !== null'), true);
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.waitForURL(/from=.*&to=/);
    assert.match(page.url(), /status=done/);
    await page.getByRole('button', { name: /^Not only/ }).click();
    await page.waitForURL((url) => !url.hash.includes('from='));
    assert.deepEqual(owner.problems, []);
  });

  it('explains the bill by key, model and hour, with what was saved; a bar opens its orders', async () => {
    await open('Bill');
    await region('By key').getByRole('link', { name: 'worker' }).waitFor();
    await page.getByText('Saved against the bids').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'settings-bill');
    const [line] = await saved('JSON Lines');
    assert.deepEqual([line?.model, line?.key_name, line?.orders], ['tide-70b', 'worker', 1]);
    const charged = await region('By key')
      .locator('tbody tr')
      .first()
      .getByRole('cell')
      .nth(2)
      .locator('[title]')
      .getAttribute('title');
    assert.equal(Number(charged?.slice(1)), line?.charged_usd);
    await page.getByRole('button', { name: 'By hour' }).click();
    await region('By hour')
      .locator('tbody tr')
      .getByText(/^\d\d:00$/)
      .waitFor();
    await page.getByRole('button', { name: 'By model' }).click();
    await region('By model').getByRole('link', { name: 'tide-70b' }).waitFor();
    await page.getByRole('figure').getByRole('link').last().click();
    await page.getByRole('figure', { name: 'Orders by time' }).waitFor();
    await rows().filter({ hasText: 'worker' }).first().waitFor();
    assert.deepEqual(owner.problems, []);
  });

  it('shows at home the balance, what was spent by key or model, what waits, and what is still to be done', async () => {
    const { id } = await post('/v1/chat/completions', { model: 'reef-9b', detached: true, price_limit: 3, messages });
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByText('Free balance').waitFor();
    await page.getByRole('figure', { name: 'Charged on each day, by key' }).getByText('worker').waitFor();
    await page.getByRole('button', { name: 'By model' }).click();
    await page.getByRole('figure', { name: 'Charged on each day, by model' }).getByText('tide-70b').waitFor();
    const steps = region('First steps');
    await steps.getByRole('link', { name: 'Add a passkey' }).waitFor();
    for (const done of ['Send the first request: done', /You have a key: \S/]) await steps.getByText(done).waitFor();
    await region('Budgets near their end').getByText('No budget is 80% used.').waitFor();
    await assertLooksFine(page, 'settings-home', ['light', 'dark', 'laptop', 'phone', 'zoomed']);
    await region('Live orders').getByRole('link', { name: 'reef-9b' }).first().click();
    await page.getByText(id).first().waitFor();
    await post(`/v1/orders/${id}/cancel`, {});
    assert.deepEqual(owner.problems, []);
  });

  it('filters orders by tag, and sums the bill by tag', async () => {
    const tags = ['search', 'team:blue'];
    await post('/v1/chat/completions', { model: 'tide-70b', price_limit: 5, max_tokens: 5, messages, tags });
    await page.goto(`${pages.url}/settings#/activity?tag=search`);
    await rows().filter({ hasText: 'search, team:blue' }).waitFor();
    assert.equal(await rows().count(), 1);
    await page.getByRole('figure', { name: 'Orders by time' }).getByText('In all: 1').waitFor();
    await page.getByLabel('Tag').fill('sea');
    await page.getByLabel('Tag').press('Enter');
    await page.getByText('There is no order here yet.').waitFor();
    await open('Bill');
    await page.getByRole('button', { name: 'By tag' }).click();
    const byTag = region('By tag').locator('tbody tr');
    await byTag.filter({ hasText: 'no tag' }).waitFor();
    assert.deepEqual([await byTag.count(), await byTag.filter({ hasText: 'team:blue' }).count()], [3, 1]);
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'settings-bill-by-tag');
    await byTag.getByRole('link', { name: 'search' }).click();
    await page.waitForURL(/activity\?.*tag=search/);
    await rows().filter({ hasText: 'search, team:blue' }).waitFor();
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
    await page.getByRole('button', { name: 'Close' }).click();
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

  it('checks a file before it sends it, makes a batch of it, and saves what came of the lines', async () => {
    await open('Batches');
    const panel = region('New batch');
    const line = (id: string, body: object = {}) =>
      JSON.stringify({
        ...{ custom_id: id, method: 'POST', url: '/v1/chat/completions' },
        body: { model: 'tide-70b', messages, max_tokens: 5, ...body },
      });
    const file = (lines: readonly string[]) => ({
      ...{ name: 'lines.jsonl', mimeType: 'application/jsonl' },
      buffer: Buffer.from(lines.join('\n')),
    });
    const choose = (lines: readonly string[]) => panel.getByLabel('A file of requests').setInputFiles(file(lines));
    await choose([line('a'), '{', line('a'), line('b', { model: 'none-1b' })]);
    await panel.getByText('3 of them wrong').waitFor();
    const wrong = await panel.locator('tbody tr').allInnerTexts();
    assert.deepEqual(
      wrong.map((text) => text.replaceAll(/\s+/g, ' ')),
      [
        '2 is not valid JSON. the whole file',
        '3 has the custom_id of line 1. the whole file',
        '4 names a model that is not sold here: none-1b. this line',
      ],
    );
    assert.equal(await panel.getByRole('button', { name: 'Upload' }).count(), 0);
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'settings-wrong-lines');
    await choose([line('a', { tags: ['nightly'] }), line('b', { model: 'none-1b' })]);
    await panel.getByText('1 of them wrong').waitFor();
    await panel.getByText(/^About \$/).waitFor();
    await panel.getByLabel('Price limit').fill('5');
    await panel.getByText('if all lines were charged their limit').waitFor();
    await panel.getByLabel('Tags').fill('nightly, team:blue');
    await picture(page, 'settings-new-batch');
    await panel.getByRole('button', { name: 'Upload and start without those lines' }).click();
    await panel.getByText(/^The batch batch_\w+ is created/).waitFor();
    const newest = page.getByRole('region', { name: 'Batches' }).locator('tbody tr').first();
    const [made] = (await (await page.request.get(`${pages.url}/settings/api/batches?limit=1`)).json()).data;
    assert.deepEqual(made.tags, ['nightly', 'team:blue']);
    assert.deepEqual(
      (await savedBy(newest, 'Output')).map(({ custom_id }) => custom_id),
      ['a'],
    );
    assert.deepEqual(
      (await savedBy(newest, 'Errors')).map(({ custom_id }) => custom_id),
      ['b'],
    );
    assert.deepEqual(
      owner.problems.splice(0).map((problem) => /\b404\b/.test(problem)),
      [true, true],
    );
    await panel.dispatchEvent('drop', { dataTransfer: await page.evaluateHandle(LONG_FILE) });
    await panel.getByText('The file has 50,000 lines; a batch takes up to 10,000.').waitFor();
    assert.deepEqual(owner.problems, []);
  });

  it('has nothing that axe finds on a phone, and only tables scroll', async () => {
    for (const [name, table] of [
      ['Orders', 'Orders'],
      ['Batches', 'Batches'],
      ['Bill', 'By key'],
    ] as const) {
      // A phone has the navigation in its menu.
      await page.setViewportSize({ width: 1280, height: 740 });
      await open(name);
      await page.setViewportSize({ width: 375, height: 740 });
      await region(table).waitFor();
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 375, name);
      assert.deepEqual(await page.evaluate(TOO_WIDE), [], name);
      assert.deepEqual(await axeFindings(page), []);
    }
    await picture(page, 'settings-bill-phone');
  });

  /** The rows of the file that a button saves. */
  async function saved(button: string) {
    return savedAt(page.getByRole('button', { name: button, exact: true }));
  }

  /** The rows of a file of a batch, when there is one. */
  async function savedBy(row: Locator, name: string) {
    return savedAt(row.getByRole('link', { name }));
  }

  async function savedAt(place: Locator) {
    const arrival = page.waitForEvent('download');
    await place.click();
    const text = readFileSync(await (await arrival).path(), 'utf8');
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
