import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { MarketSummary } from '#generated/types.ts';
import { assertLooksFine, axeFindings, openWatched, picture, watched } from '#testing/open-pages.ts';
import { HOSTILE_NAME, makePagesSite } from '#testing/pages-gateway.ts';
import { usePages } from '#testing/use-pages.ts';

const focused = (page: Page) => page.evaluate('document.activeElement.textContent.trim()');
/** What Chromium says by itself of a request that a test made fail. */
const EXPECTED = /^Failed to load resource/;
const STREAM = /\/v1\/market\/levels\/stream\?view=board$/;
/** As in console/src/data/live.ts. */
const POLL_MS = 5_000;
const RETRY_STREAM_MS = 60_000;
/** Where the cells of a row have the quote. */
const QUOTE = 6;

describe('the board in Chromium', () => {
  const pages = usePages();

  const summary = async () => (await (await fetch(`${pages.url}/v1/market/summary`)).json()) as MarketSummary;
  const rowsOf = (page: Page) => page.locator('tbody tr');
  const live = (page: Page) => page.locator('.link-live').waitFor();
  const ink = (page: Page) => page.evaluate("getComputedStyle(document.querySelector('tbody .level')).color");

  it('has a row for each model of the summary, with its prices, and the browser has no complaint', async () => {
    const { page, problems, close } = await openWatched(pages.browser, pages.url);
    await live(page);
    const { models } = await summary();
    assert.equal(await rowsOf(page).count(), models.length);
    for (const { model, display_name } of models) {
      const row = rowsOf(page).filter({ hasText: model });
      assert.ok((await row.locator('th').innerText()).includes(display_name));
    }
    const harbor = await rowsOf(page).filter({ hasText: 'harbor-8b' }).innerText();
    for (const price of ['$0.1', '$0.02', '$0.4']) assert.ok(harbor.includes(price), harbor);
    assert.deepEqual(problems, []);
    await close();
  });

  it('follows the levels without being loaded again', async () => {
    const { page, close } = await openWatched(pages.browser, pages.url);
    await live(page);
    const level = page.locator('tbody tr', { hasText: 'tide-70b' }).locator('.level');
    const first = await level.innerText();
    // Nobody buys, so it falls.
    await page.locator('tbody tr', { hasText: 'tide-70b' }).filter({ hasNotText: first }).waitFor();
    assert.notEqual(await level.innerText(), first);
    await close();
  });

  it('shows names as they are written, whatever is in them', async () => {
    const { page, problems, close } = await openWatched(pages.browser, pages.url);
    await live(page);
    assert.equal(await page.getByText(HOSTILE_NAME).count(), 1);
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.title(), 'Market · Sluice');
    assert.deepEqual(problems, []);
    await close();
  });

  it('has nothing that axe finds, in light, dark and on a phone, where only the table scrolls', async () => {
    const { page, close } = await openWatched(pages.browser, pages.url);
    await live(page);
    await assertLooksFine(page, 'board', ['light', 'dark', 'laptop', 'tablet', 'phone', 'zoomed']);
    await close();
  });

  it('keeps room for names, and leaves out columns in steps', async () => {
    const { page, close } = await openWatched(pages.browser, pages.url);
    await live(page);
    const heads = page.getByRole('columnheader');
    for (const [width, columns] of [
      [1440, 11],
      [1100, 9],
      [800, 6],
    ] as const) {
      await page.setViewportSize({ width, height: 740 });
      assert.ok(((await rowsOf(page).first().locator('th').boundingBox())?.width ?? 0) >= 180, String(width));
      assert.equal(await heads.filter({ visible: true }).count(), columns, String(width));
    }
    await close();
  });

  it('on a phone is a card for each model with its prices, below a menu that Escape closes', async () => {
    const { page, close } = await openWatched(pages.browser, pages.url, { viewport: { width: 390, height: 740 } });
    await live(page);
    const harbor = rowsOf(page).filter({ hasText: 'harbor-8b' });
    for (const text of ['$0.1', '$0.02', '$0.4']) {
      const box = await harbor.getByText(text, { exact: true }).boundingBox();
      assert.ok(box && box.x >= 0 && box.x + box.width <= 390, text);
    }
    const status = page.getByRole('link', { name: 'Status' });
    assert.equal(await status.isVisible(), false);
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 740 });
      const header = await page.locator('.top').boundingBox();
      assert.ok(header && header.height < 56, `the header is one row at ${width}`);
    }
    const menu = page.getByRole('button', { name: 'Menu' });
    await menu.click();
    await status.waitFor();
    await status.focus();
    await page.keyboard.press('Escape');
    assert.equal(await status.isVisible(), false);
    assert.equal(await focused(page), 'Menu');
    await menu.click();
    await status.click();
    await page.getByRole('heading', { level: 1, name: 'Status' }).waitFor();
    assert.equal(await status.isVisible(), false);
    await close();
  });

  it('leads to the account of the reader who signs in, and back', async () => {
    const { page, close } = await openWatched(pages.browser, pages.url);
    await live(page);
    await page.getByRole('link', { name: 'Your account' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await page.getByRole('link', { name: 'Market' }).click();
    await live(page);
    await close();
  });

  it('is a table that can be read without JavaScript', async () => {
    const { page, close } = await openWatched(pages.browser, pages.url, { javaScriptEnabled: false });
    const { models } = await summary();
    assert.equal(await rowsOf(page).count(), models.length);
    assert.ok((await rowsOf(page).filter({ hasText: 'harbor-8b' }).innerText()).includes('$0.4'));
    assert.equal(await page.getByText(HOSTILE_NAME).count(), 1);
    await picture(page, 'board-without-javascript');
    await close();
  });

  it('finds models by name and kind, sorts them by a heading, and keeps all of it in the address', async () => {
    const { page, problems, close } = await openWatched(pages.browser, pages.url);
    await live(page);
    const names = () => page.locator('tbody th .name').allInnerTexts();
    await page.getByRole('button', { name: 'Input', exact: true }).click();
    assert.equal(
      await page.getByRole('columnheader', { name: 'Input' }).first().getAttribute('aria-sort'),
      'descending',
    );
    assert.equal((await names())[0], 'Surge 400B');
    await page.getByRole('button', { name: 'Input', exact: true }).click();
    assert.equal((await names()).at(-1), 'Surge 400B');
    await page.getByRole('button', { name: 'Fixed price' }).click();
    assert.deepEqual(await names(), ['Harbor 8B']);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByRole('searchbox', { name: 'Search models' }).fill('400b');
    await page.getByText('1 model', { exact: true }).waitFor();
    assert.equal(new URL(page.url()).hash, '#/?sort=-Input&search=400b');
    await page.reload();
    await live(page);
    assert.deepEqual(await names(), ['Surge 400B']);
    assert.deepEqual(problems, []);
    await close();
  });

  it('shows the columns that the reader chooses, remembers them, and keeps them in the address', async () => {
    const { page, problems, close } = await openWatched(pages.browser, pages.url, {
      viewport: { width: 800, height: 740 },
    });
    await live(page);
    const heads = () => page.getByRole('columnheader').filter({ visible: true }).allInnerTexts();
    assert.equal((await heads()).length, 6);
    const list = page.getByRole('group', { name: 'Columns of models' });
    await page.getByRole('button', { name: 'Columns of models' }).press('Enter');
    for (const head of ['24 h', 'Change', 'Compare', 'Cached input', 'Quote'])
      await list.getByLabel(head, { exact: true }).uncheck();
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'board-columns');
    await page.keyboard.press('Escape');
    assert.match(page.url(), /sort-columns=Level%7CInput%7COutput%7CUptime/);
    // What was chosen is there also where there is little room.
    const chosen = ['Model', 'Level?', 'Input', 'Output', 'Uptime', 'Tokens, 24 h'];
    const shown = async () => (await heads()).map((text) => text.replaceAll(/\s*\n\s*/g, ''));
    assert.deepEqual(await shown(), chosen);
    await page.goto(`${pages.url}/#/status`);
    await page.goto(pages.url);
    await live(page);
    assert.deepEqual(await shown(), chosen);
    await page.getByRole('button', { name: 'Columns of models' }).click();
    await list.getByRole('button', { name: 'As usual' }).click();
    assert.equal((await heads()).length, 6);
    assert.deepEqual(problems, []);
    await close();
  });

  it('stays readable with 200 models: they are found by name, and the status folds those that are well', async () => {
    const models = Array.from({ length: 200 }, (_, at) => ({
      ...{ id: `model-${at}`, display_name: `Model ${at}`, context_length: 8192, max_output_length: 1024 },
      pods: [{ id: `sim-${at}`, simulated: true, slots: 1, seed: at }],
      ...(at % 4 === 0
        ? { type: 'fixed', usd_per_million: { cached: 0.02, uncached: 0.1, output: 0.4 } }
        : { type: 'market', pricing_ratio: { cached: 0.1, uncached: 1, output: 4 }, floor: 0.01, ceiling: 100 }),
    }));
    const crowded = await makePagesSite({ models, default_model: 'model-1' });
    const { url, stop } = await crowded.start();
    const { page, problems, close } = await openWatched(pages.browser, url);
    await live(page);
    assert.equal(await rowsOf(page).count(), 200);
    await picture(page, 'board-200');
    await page.setViewportSize({ width: 320, height: 740 });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
    // Cards have no headings to sort by, and the page scrolls, not the list.
    await page.getByRole('combobox', { name: 'Order of models' }).selectOption('-Model');
    assert.match(await rowsOf(page).first().innerText(), /Model 99/);
    const height = async () => (await page.getByRole('region', { name: 'Models' }).boundingBox())?.height ?? 0;
    assert.ok((await height()) < 5_000, `${await height()}`);
    await page.getByRole('button', { name: 'Show 180 more' }).click();
    assert.ok((await height()) > 20_000, `${await height()}`);
    assert.equal(await page.evaluate('document.activeElement.innerText'), 'Show fewer');
    await page.setViewportSize({ width: 1280, height: 740 });
    await page.getByRole('searchbox', { name: 'Search models' }).fill('model 19');
    await page.getByText('11 models', { exact: true }).waitFor();
    assert.equal(await rowsOf(page).count(), 11);
    await page.goto(`${url}/#/status`);
    const others = page.getByText('models without a failed probe in 24 hours');
    await others.waitFor();
    assert.ok((await page.locator('main summary').filter({ visible: true }).count()) < 15);
    await picture(page, 'status-200');
    await others.click();
    await page.getByText('Model 199').waitFor();
    assert.deepEqual(problems, []);
    await close();
    await stop();
    await crowded.remove();
  });

  it('remembers favorites, and compares models beside each other, at most four', async () => {
    const { page, problems, close } = await openWatched(pages.browser, pages.url);
    await live(page);
    await page.getByRole('button', { name: 'Favorite: Harbor 8B' }).click();
    await page.reload();
    await live(page);
    await page.getByRole('button', { name: 'Favorites' }).click();
    assert.deepEqual(await page.locator('tbody th .name').allInnerTexts(), ['Harbor 8B']);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    for (const name of ['Tide 70B', 'Harbor 8B', 'Surge 400B', 'ebb-8b'])
      await page.getByRole('checkbox', { name: `Compare ${name}` }).check();
    assert.equal(await page.getByRole('checkbox', { name: `Compare ${HOSTILE_NAME}` }).isDisabled(), true);
    const comparison = page.getByRole('region', { name: 'Comparison' });
    await comparison.getByRole('row').filter({ hasText: 'Tide 70B' }).getByText('8,192').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await comparison.getByRole('button', { name: 'Clear' }).click();
    await comparison.waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
    await close();
  });

  it('says what it is, the cheapest start, and what the words of its headings mean', async () => {
    const { page, problems, close } = await openWatched(pages.browser, pages.url);
    await live(page);
    await page.getByText('name your limit, pay the level, never more').waitFor();
    // The market has nobody who buys, so it falls below the fixed price of the other in the end.
    await page.getByText('Cheapest start now').waitFor();
    const meaning = page.getByText('It moves with demand.');
    assert.equal(await meaning.isVisible(), false);
    await page.getByRole('button', { name: 'What is the level?' }).press('Enter');
    assert.equal(await meaning.isVisible(), true);
    await page.keyboard.press('Escape');
    assert.equal(await meaning.isVisible(), false);
    await page.getByRole('link', { name: 'Try it' }).click();
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.deepEqual(
      problems.filter((problem) => !EXPECTED.test(problem)),
      [],
    );
    await close();
  });

  it('shows how busy the slots of all markets on sale are, not of the busiest alone', async () => {
    const { page, close } = await openWatched(pages.browser, pages.url);
    await page.route('**/v1/market/summary', async (route) => {
      const body = (await (await route.fetch()).json()) as { models: object[] };
      const known = body.models.map((row) => ({ ...row, slots: null, busy_slots: null }));
      const more = [0, 2, 4, 6, 8].map((busy_slots) => {
        return { ...known[0], model: `copy-${busy_slots}`, slots: 10, busy_slots };
      });
      await route.fulfill({ json: { ...body, models: [...known, ...more] } });
    });
    await page.reload();
    await page.getByTitle('20 of 50 slots of 5 markets').getByText('40%').waitFor();
    await close();
  });

  it('finds models and pages with Ctrl-K and the arrows, and gives the focus back on Escape', async () => {
    const { page, problems, close } = await openWatched(pages.browser, pages.url);
    await live(page);
    await page.getByRole('searchbox', { name: 'Search models' }).focus();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('textbox', { name: 'Find a model or a page' });
    await field.fill('nobody is called so');
    await page.getByText('Nothing is called so.').waitFor();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    assert.equal(await page.evaluate("document.activeElement.getAttribute('aria-label')"), 'Search models');
    await page.keyboard.press('Control+k');
    await field.fill('b');
    await page.getByRole('link', { name: 'Tide 70B Model' }).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Tide 70B' }).waitFor();
    await field.waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
    await close();
  });

  it('says that it is offline and since when, dims what it knew, and is live again by itself', async () => {
    const { page, problems, close } = await openWatched(pages.browser, pages.url);
    await live(page);
    const lively = await ink(page);
    await pages.restarted(async () => {
      await page.locator('.link-offline').waitFor();
      assert.ok((await rowsOf(page).count()) > 0);
      await page.getByText(/^as of (?:[2-9]|\d\d) s ago$/).waitFor();
      await page.setViewportSize({ width: 320, height: 740 });
      const state = await page.locator('.link-offline').boundingBox();
      assert.ok(state && state.y < 40, 'also on a phone in the row of the header');
      await page.setViewportSize({ width: 1280, height: 720 });
      assert.notEqual(await ink(page), lively);
      await assertLooksFine(page, 'board-offline', ['light', 'dark', 'phone']);
    });
    await live(page);
    await page.getByText(/^as of/).waitFor({ state: 'detached' });
    assert.equal(await ink(page), lively);
    assert.deepEqual(
      problems.filter((problem) => !EXPECTED.test(problem)),
      [],
    );
    await close();
  });

  it('has one stream for all tabs; when its tab is closed, another takes over', async () => {
    const context = await pages.browser.newContext();
    const opened = async () => {
      const page = await context.newPage();
      const streams: string[] = [];
      page.on('request', (request) => STREAM.test(request.url()) && streams.push(request.url()));
      const problems = await watched(page);
      await page.goto(pages.url);
      await live(page);
      return { page, streams, problems };
    };
    const [first, second] = [await opened(), await opened()];
    assert.deepEqual([first.streams.length, second.streams.length], [1, 0]);
    await Promise.all([second.page.waitForRequest(STREAM), first.page.close()]);
    await live(second.page);
    assert.deepEqual(second.problems, []);
    await context.close();
  });

  it('is offline while the network is cut, keeps what it knew, and is live again by itself', async () => {
    const { page, problems, close } = await openWatched(pages.browser, pages.url);
    await live(page);
    await page.context().setOffline(true);
    await page.locator('.link-offline').waitFor();
    assert.equal(await rowsOf(page).count(), (await summary()).models.length);
    const again = page.waitForRequest(STREAM);
    await page.context().setOffline(false);
    await again;
    await live(page);
    assert.deepEqual(
      problems.filter((problem) => !EXPECTED.test(problem)),
      [],
    );
    await close();
  });

  it('brings the quotes with the stream, without asking for them', async () => {
    const { page, close } = await openWatched(pages.browser, pages.url);
    await live(page);
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('/v1/') && asked.push(request.url()));
    const surge = rowsOf(page).filter({ hasText: 'surge-400b' });
    const quote = surge.locator('td').nth(QUOTE).locator('span');
    const first = await quote.getAttribute('title');
    await surge.locator(`td:nth-child(${QUOTE + 2}) span:not([title="${first}"])`).waitFor();
    assert.deepEqual(asked, []);
    await close();
  });

  it('polls where the address has no stream left, and returns to the stream when it has one', async () => {
    const crowded = await makePagesSite({ limits: { streams_per_address: 1 } });
    const { url, stop } = await crowded.start();
    const leave = new AbortController();
    const taken = await fetch(`${url}/v1/market/levels/stream`, { signal: leave.signal });
    assert.equal(taken.status, 200);
    const context = await pages.browser.newContext();
    const page = await context.newPage();
    await page.clock.install();
    const problems = await watched(page);
    const polled = page.waitForResponse(/\/v1\/market\/levels$/);
    await page.goto(url);
    await page.locator('.link-polling').waitFor();
    assert.match((await (await polled).allHeaders()).etag ?? '', /^W\/"/);
    assert.ok((await rowsOf(page).count()) > 0);
    const again = page.waitForResponse(/\/v1\/market\/levels$/);
    await page.clock.fastForward(POLL_MS);
    await again;
    leave.abort();
    for (let status = 429; status !== 200; ) {
      const tried = page.waitForResponse(STREAM);
      await page.clock.fastForward(RETRY_STREAM_MS);
      status = (await tried).status();
    }
    await live(page);
    assert.deepEqual(
      problems.filter((problem) => !EXPECTED.test(problem)),
      [],
    );
    await context.close();
    await stop();
    await crowded.remove();
  });

  it('says at an address that is nobody’s that nothing is there, on this page and on this gateway', async () => {
    const { page, problems, close } = await openWatched(pages.browser, `${pages.url}/#/nowhere/else`);
    await page.getByRole('heading', { level: 1, name: 'Nothing is here' }).waitFor();
    assert.equal(await page.title(), 'Nothing is here · Sluice');
    await page.getByRole('link', { name: 'Go to the first page' }).click();
    await live(page);
    assert.deepEqual(problems, []);
    await page.goto(`${pages.url}/nothing`);
    await assertLooksFine(page, 'nothing', ['light', 'dark', 'phone']);
    await page.getByRole('main').getByRole('link', { name: 'on the first page' }).click();
    await live(page);
    await close();
  });

  it('gives the focus to the heading of a screen that is gone to, and to the page of those who skip to it', async () => {
    const { page, close } = await openWatched(pages.browser, pages.url);
    await live(page);
    await page.keyboard.press('Tab');
    assert.equal(await focused(page), 'Skip to the page');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.id'), 'main');
    assert.equal(new URL(page.url()).hash, '');
    await rowsOf(page).getByRole('link', { name: 'Tide 70B' }).press('Enter');
    await page.locator('h1:focus').filter({ hasText: 'Tide 70B' }).waitFor();
    await page.waitForFunction('/^\\$\\d.* Tide 70B · Sluice$/.test(document.title)');
    await close();
  });

  it('is not there where the pages are switched off', async () => {
    const closed = await makePagesSite({ console: { enabled: false } });
    const { url, stop } = await closed.start();
    const page = await fetch(`${url}/`, { headers: { accept: 'text/html' } });
    assert.equal(page.status, 404);
    assert.equal((await fetch(`${url}/v1/models`)).status, 200);
    await stop();
    await closed.remove();
  });
});
