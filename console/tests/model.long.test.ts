import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { systemClock } from '#base/clock.ts';
import type { MarketCandles, MarketEstimate, MarketHistory } from '#generated/types.ts';
import { ASKED_BY_BOARD, ASKED_BY_MODEL } from '#testing/asked-by-pages.ts';
import { assertLooksFine, axeFindings, openWatched, picture } from '#testing/open-pages.ts';
import { HOSTILE_NAME } from '#testing/pages-gateway.ts';
import { usePages } from '#testing/use-pages.ts';

/** Gathers what is written on canvases. */
const WRITTEN = `window.written = [];
const fill = CanvasRenderingContext2D.prototype.fillText;
const clear = CanvasRenderingContext2D.prototype.clearRect;
let drawing = 0;
CanvasRenderingContext2D.prototype.clearRect = function (...at) { drawing++; return clear.apply(this, at); };
CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
  const { a, e, f } = this.getTransform();
  window.written.push({ drawing, text, x: a * x + e, y: y + f, width: this.measureText(text).width, end: this.canvas.width });
  return fill.call(this, text, x, y, ...more);
};`;

/** Minutes pass in milliseconds; shorter times stay as they are. */
const MINUTES_FLY =
  'const every = window.setInterval; window.setInterval = (run, ms, ...more) => every(run, ms < 60_000 ? ms : ms / 600, ...more);';

interface Written {
  readonly drawing: number;
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Of the canvas. */
  readonly end: number;
}
const written = async (page: Page) => (await page.evaluate('window.written')) as Written[];

/** Waits until such a text is on a canvas. */
async function until(page: Page, isIt: (text: string) => boolean): Promise<void> {
  for (let tries = 0; !(await written(page)).some(({ text }) => isIt(text)); tries++) {
    assert.ok(tries < 200, (await written(page)).map(({ text }) => text).join());
    await page.waitForTimeout(50);
  }
}

describe('the view of a model in Chromium', () => {
  const pages = usePages();

  const address = (model: string) => `${pages.url}/#/model/${encodeURIComponent(model)}`;
  const drawn = (page: Page) => page.locator('.chart').locator('canvas, .line').first().waitFor();
  const named = (page: Page, name: string) => page.getByRole('region', { name });

  it('asks again for what is near the view as often as the benchmark of viewers does, and for the rest when the reader comes near', async () => {
    const viewport = { width: 1440, height: 900 };
    const { page, close } = await openWatched(pages.browser, address('tide-70b'), { viewport, script: MINUTES_FLY });
    // All sections ask for the first time at once, and this one has its answer.
    await named(page, 'Estimates').locator('.shown').waitFor();
    let asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/v1/')) asked.push(pathname);
    });
    const counted = (paths: readonly string[]) => Object.entries(Object.groupBy(paths, (path) => path)).sort();
    const quarters = 4;
    for (let at = 0; at < quarters; at++) await page.waitForRequest(/price-lock/);
    const expected = [...ASKED_BY_BOARD, ...ASKED_BY_MODEL].flatMap(([path, everyMs]) =>
      Array<string>((quarters * 900_000) / everyMs).fill(path.replace(/\?.*/, '')),
    );
    const [found, wanted] = [counted(asked), counted(expected)];
    assert.deepEqual(
      found.map(([path]) => path),
      wanted.map(([path]) => path),
    );
    for (const [at, [path, all = []]] of wanted.entries()) {
      const times = (found[at]?.[1]?.length ?? 0) / all.length;
      assert.ok(times > 0.5 && times < 1.5, `${path}: ${times} times as often`);
    }
    const reached = page.waitForRequest(/estimate\?model=tide-70b$/);
    await page.setViewportSize({ width: 1440, height: 300 });
    await named(page, 'Estimates').scrollIntoViewIfNeeded();
    await reached;
    asked = [];
    await page.waitForRequest(/price-lock/);
    assert.ok(!asked.includes('/v1/market/depth'), asked.join());
    await page.evaluate('scrollTo(0, 0)');
    await named(page, 'Estimates').locator('.shown.stale').waitFor({ state: 'attached' });
    await close();
  });

  it('draws the candles that the gateway has, and the browser has no complaint', async () => {
    const { page, problems, close } = await openWatched(pages.browser, address('tide-70b'));
    await drawn(page);
    const answer = page.waitForResponse(/\/v1\/market\/ohlc\?/);
    await page.getByRole('button', { name: 'Candles' }).click();
    const { candles } = (await (await answer).json()) as MarketCandles;
    await page.locator('.candles[data-drawn]').waitFor();
    assert.ok(candles.length > 90);
    assert.deepEqual(
      JSON.parse(await page.evaluate("JSON.stringify(document.querySelector('.candles').candleSeries.data())")),
      candles.map(({ t, open, high, low, close }) => ({ time: t, open, high, low, close })),
    );
    await page.getByRole('link', { name: 'TradingView' }).waitFor();
    // All of them at any width, until the reader moves the chart.
    const shown = "document.querySelector('.candles').timeScale.getVisibleLogicalRange()";
    const isWhole = `${shown}.from < 1 && ${shown}.to > ${candles.length - 3}`;
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 720 });
      await page.waitForFunction(isWhole);
    }
    const box = await page.locator('.candles').boundingBox();
    await page.mouse.move((box?.x ?? 0) + 300, (box?.y ?? 0) + 100);
    await page.mouse.down();
    await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 100);
    await page.mouse.up();
    await page.setViewportSize({ width: 390, height: 720 });
    const frame = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
    for (let frames = 0; frames < 5; frames++) await page.evaluate(frame);
    assert.equal(await page.evaluate(isWhole), false);
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.getByLabel('Width of a candle').selectOption('1 h');
    await page.getByText('bucket=3600').waitFor();
    assert.deepEqual(problems, []);
    await picture(page, 'model-candles');
    await close();
  });

  it('writes prices on the axis of candles without what binary fractions leave near zero', async () => {
    const { page, close } = await openWatched(pages.browser, 'about:blank', { script: WRITTEN });
    const t = Math.floor(Date.parse('2026-11-26T00:00:00Z') / 1000);
    const candles = Array.from({ length: 24 }, (_, at) => ({
      ...{ t: t + at * 3600, open: 0.0001, high: 0.3, low: 0.0001, close: 0.2, mean: 0.1 },
    }));
    await page.route('**/v1/market/ohlc?*', async (route) => {
      const json = (await (await route.fetch()).json()) as MarketCandles;
      await route.fulfill({ json: { ...json, candles } });
    });
    await page.goto(`${address('tide-70b')}?shape=candles`);
    await page.locator('.candles[data-drawn]').waitFor();
    await until(page, (text) => text === '$0');
    const prices = (await written(page)).filter(({ text }) => text.includes('$')).map(({ text }) => text);
    assert.deepEqual(
      prices.filter((text) => text.length > 8),
      [],
    );
    await close();
  });

  it('writes times in the locale of the browser, with seconds, none over another, also of a market that is new', async () => {
    const { page, close } = await openWatched(pages.browser, 'about:blank', { script: WRITTEN, locale: 'de-DE' });
    await page.route('**/v1/market/history?*', async (route) => {
      const json = (await (await route.fetch()).json()) as MarketHistory;
      const points = [0, 2, 5, 9].map((at) => ({ t: new Date(systemClock.nowMs() - 10_000 + at * 1000), level: at }));
      await route.fulfill({ json: { ...json, bucket_seconds: 2, points } });
    });
    await page.goto(address('surge-400b'));
    await until(page, (text) => /^\d\d:\d\d:\d\d$/.test(text));
    const times = (await written(page)).filter(({ text }) => /^\d\d:\d\d:\d\d$/.test(text));
    const rows = Map.groupBy(times, ({ drawing, y }) => `${drawing} ${y}`);
    for (const row of rows.values()) {
      const byPlace = row.toSorted((one, other) => one.x - other.x);
      for (const [at, { x, width, text }] of byPlace.entries()) {
        const next = byPlace[at + 1];
        assert.ok(!next || next.text === text || next.x - x >= (next.width + width) / 2, `${text} ${next?.text}`);
      }
    }
    await named(page, 'Level')
      .getByText(/\d+\. \p{L}+\.?, \d\d:\d\d:\d\d/u)
      .waitFor();
    await close();
  });

  it('moves times at the edges of a chart inwards, where they would be cut', async () => {
    const { page, close } = await openWatched(pages.browser, 'about:blank', { script: WRITTEN, timezoneId: 'UTC' });
    const midnight = Date.parse('2026-11-26T00:00:00Z') / 1000;
    const candles = Array.from({ length: 241 }, (_, at) => ({
      ...{ t: midnight + at * 60, open: 1, high: 1.2, low: 0.9, close: 1.1, mean: 1 },
    }));
    await page.route('**/v1/market/ohlc?*', async (route) => {
      const json = (await (await route.fetch()).json()) as MarketCandles;
      await route.fulfill({ json: { ...json, candles } });
    });
    await page.goto(`${address('tide-70b')}?shape=candles`);
    await until(page, (text) => text === 'Nov 26');
    const all = await written(page);
    const newest = all.findLast(({ text }) => text === 'Nov 26')?.drawing;
    for (const { text, x, width, end } of all.filter(({ drawing }) => drawing === newest))
      assert.ok(x - width / 2 > -1 && x + width / 2 < end + 1, `${text} is cut`);
    await close();
  });

  it('keeps in its address what the reader has chosen', async () => {
    const { page, close } = await openWatched(pages.browser, address('tide-70b'));
    await drawn(page);
    await page.getByRole('group', { name: 'Period', exact: true }).getByRole('button', { name: '7 d' }).click();
    await page.getByRole('group', { name: 'Period of the charts below' }).getByRole('button', { name: '30 d' }).click();
    const chosen = page.url();
    assert.match(chosen, /#\/model\/tide-70b\?range=7d&period=30d$/);
    await page.getByRole('link', { name: 'Status' }).click();
    await page.getByRole('heading', { level: 1, name: 'Status' }).waitFor();
    await page.goBack();
    await page.getByRole('img', { name: 'Level of tide-70b over 7d' }).waitFor();
    assert.equal(page.url(), chosen);
    await named(page, 'Uptime, 30 d').waitFor();
    await close();
  });

  it('draws the level of each period', async () => {
    const { page, problems, close } = await openWatched(pages.browser, address('tide-70b'));
    await drawn(page);
    for (const name of ['1 h', '7 d', '30 d']) {
      const range = name.replace(' ', '');
      const answer = page.waitForResponse((response) =>
        response.url().endsWith(`history?model=tide-70b&range=${range}`),
      );
      await page.getByRole('group', { name: 'Period', exact: true }).getByRole('button', { name }).click();
      assert.equal((await answer).status(), 200);
      await page.getByRole('img', { name: `Level of tide-70b over ${range}` }).waitFor();
    }
    assert.deepEqual(problems, []);
    await close();
  });

  it('lists the last levels with their ages, the newest first, all as of the same moment', async () => {
    const { page, close } = await openWatched(pages.browser, address('tide-70b'));
    const times = named(page, 'Last levels').locator('tbody time');
    await times.nth(4).waitFor();
    const first = await times.first().getAttribute('datetime');
    await page
      .locator(`section[aria-label="Last levels"] tbody tr:first-child time:not([datetime="${first}"])`)
      .waitFor();
    const ages = (await times.allInnerTexts()).map(
      (text) => Number.parseInt(text, 10) * (text.includes('min') ? 60 : 1),
    );
    assert.deepEqual(
      ages,
      ages.toSorted((one, other) => one - other),
    );
    await close();
  });

  it('draws what estimates said against what came, and says so where too few orders had to wait', async () => {
    const { page, problems, close } = await openWatched(pages.browser, address('tide-70b'));
    await named(page, 'Estimates').getByText('Too few requests had to wait lately').waitFor();
    const tenths = [
      { said: 0.15, came: 0.5, orders: 120 },
      { said: 0.95, came: 0.94, orders: 900 },
    ];
    await page.route('**/v1/market/estimate?model=tide-70b', async (route) => {
      const json = (await (await route.fetch()).json()) as MarketEstimate;
      const reliability = json.reliability.map((horizon) => ({ ...horizon, orders: 1020, brier: 0.041, tenths }));
      await route.fulfill({ json: { ...json, reliability } });
    });
    await page.reload();
    const squares = named(page, 'Estimates').getByRole('img', { name: '15% said, 50% came; 95% said, 94% came' });
    await squares.first().waitFor();
    assert.equal(await squares.count(), 3);
    await named(page, 'Estimates').getByText('Within 300 s: 1,020 requests, Brier score 0.041').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    assert.deepEqual(problems, []);
    await picture(page, 'model-estimates');
    await close();
  });

  it('says what a limit brings: chance, wait and cost of the gateway, and leads to the ways to send it', async () => {
    const { page, problems, close } = await openWatched(pages.browser, address('tide-70b'), {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const box = named(page, 'Buy');
    const answered = (limit: string) =>
      page.waitForResponse((answer) => answer.url().includes(`price_limit=${limit}.`));
    const asked = answered('7');
    await box.getByLabel('Price limit, USD per 1M').fill('7');
    const estimate = (await (await asked).json()) as MarketEstimate;
    await box.getByTitle(`$${estimate.greatest_charge_usd}`, { exact: true }).waitFor();
    await box.getByText('100%').waitFor();
    assert.equal(await box.getByLabel('Output tokens').getAttribute('placeholder'), '500 if empty');
    await box.getByLabel('Input tokens').fill('1000000');
    await page.waitForURL(/limit=7&input=1000000$/);
    assert.match(
      (await box.getByRole('link', { name: 'Try' }).getAttribute('href')) ?? '',
      /playground\?model=tide-70b&limit=7$/,
    );
    // It says so for two seconds only.
    await Promise.all([
      box.getByRole('button', { name: 'Copied' }).waitFor(),
      box.getByRole('button', { name: 'Copy call' }).click(),
    ]);
    assert.match(String(await page.evaluate('navigator.clipboard.readText()')), /"price_limit":7,/);
    // Each step to the right is a higher limit.
    await box.getByRole('slider', { name: 'Price limit' }).press('Home');
    assert.equal(await box.getByLabel('Price limit, USD per 1M').inputValue(), '0');
    await named(page, 'Prices').getByText('8,192 tokens').waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('shows beside the chart the figures where the reader points, with the tokens sold', async () => {
    const { page, close } = await openWatched(pages.browser, address('tide-70b'));
    await page.locator('.chart[data-drawn]').first().waitFor();
    const readout = named(page, 'Level').locator('.readout');
    // Drawn is the chart before they are there.
    await readout.getByText('Tokens').waitFor();
    const newest = await readout.innerText();
    const box = await page.locator('.chart').first().boundingBox();
    assert.ok(box && box.height === 420);
    await page.mouse.move(box.x + box.width / 3, box.y + 100);
    await readout.filter({ hasNotText: newest.slice(0, 20) }).waitFor();
    assert.match(await readout.innerText(), /Level \$0\.\d+/);
    assert.match(await readout.innerText(), /Tokens [\d.]+K/);
    await close();
  });

  it('shows times in UTC once the reader has chosen that, on all pages, also after the page was loaded again', async () => {
    const { page, problems, close } = await openWatched(pages.browser, address('tide-70b'), {
      timezoneId: 'Asia/Kolkata',
    });
    await page.locator('.chart[data-drawn]').first().waitFor();
    const hourOf = async () => /(\d\d:\d\d):\d\d/.exec(await named(page, 'Level').locator('.readout').innerText())?.[1];
    const local = await hourOf();
    await page.getByRole('button', { name: 'UTC' }).click();
    await named(page, 'Level').locator('.readout').getByText('UTC').waitFor();
    assert.notEqual(await hourOf(), local);
    await page.goto(`${pages.url}/#/status?period=24h`);
    await page.reload();
    await page.getByRole('button', { name: 'UTC', pressed: true }).waitFor();
    await page.locator('time').first().getByText(/UTC$/).waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('loads at most 120 kB, and the board at most 60 kB, compressed, the fonts included', async () => {
    const context = await pages.browser.newContext();
    const page = await context.newPage();
    const loaded = new Map<string, Promise<Record<string, string>>>();
    page.on('response', (answer) => {
      const { pathname } = new URL(answer.url());
      if (pathname.startsWith('/assets/')) loaded.set(pathname, answer.allHeaders());
    });
    const sum = async () => {
      const all = await Promise.all(loaded.values());
      return all.reduce((total, headers) => total + Number(headers['content-length']), 0);
    };
    await page.goto(pages.url);
    await page.locator('.link-live').waitFor();
    const fonts = await page.evaluate(
      'document.fonts.ready.then((all) => [...all].map(({ status }) => status).join())',
    );
    assert.match(String(fonts), /^loaded,loaded/);
    assert.equal([...loaded.keys()].filter((name) => name.endsWith('.woff2')).length, 2);
    const board = await sum();
    assert.ok(board > 10_000 && board <= 60_000, `${board} bytes of the board`);
    await page.goto(address('tide-70b'));
    await page.locator('.chart[data-drawn]').first().waitFor();
    await named(page, 'Uptime, 24 h').locator('.line').first().waitFor();
    const both = await sum();
    assert.ok(both <= 120_000, `${both} bytes of the page of a model`);
    await context.close();
  });

  it('shows the quotes of the gateway, one after the other', async () => {
    // Everything that is quoted while the page is open is in the stream, however long this machine stands still.
    const leave = new AbortController();
    const url = `${pages.url}/v1/market/price-lock/stream?model=surge-400b`;
    const { body } = await fetch(url, { signal: leave.signal });
    assert.ok(body);
    const quotes = body.pipeThrough(new TextDecoderStream()).getReader();
    let quoted = '';
    const untilQuoted = async (shown: string | null) => {
      const price = `"price":${shown?.slice(1)},`;
      while (!quoted.includes(price)) quoted += (await quotes.read()).value ?? assert.fail(`${price} was never quoted`);
    };
    const { page, close } = await openWatched(pages.browser, address('surge-400b'));
    const price = named(page, 'Quote').locator('.level span');
    const first = await price.getAttribute('title');
    await untilQuoted(first);
    await page.locator(`section[aria-label=Quote] .level span:not([title="${first}"])`).waitFor();
    await untilQuoted(await price.getAttribute('title'));
    await named(page, 'Quote')
      .getByText(/valid for \d+ s/)
      .waitFor();
    leave.abort();
    await close();
  });

  it('shows a fixed price without what only markets have', async () => {
    const { page, problems, close } = await openWatched(pages.browser, address('harbor-8b'));
    await drawn(page);
    for (const name of ['Level', 'Quote', 'Depth', 'Estimates']) assert.equal(await named(page, name).count(), 0, name);
    await named(page, 'Prices').locator('.big', { hasText: '$0.036' }).waitFor();
    await named(page, 'Uptime, 24 h').getByText('100%').waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('says of a preview, on its page and on the board, that nobody can buy it', async () => {
    const { page, problems, close } = await openWatched(pages.browser, address('surge-400b'));
    await page.getByText('nobody can buy it yet').waitFor();
    for (const name of ['Buy', 'Depth', /^Uptime/, /^Latency/, 'Estimates'])
      assert.equal(await page.getByRole('region', { name }).count(), 0, String(name));
    await drawn(page);
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'model-preview');
    await page.goto(pages.url);
    const row = page.locator('tbody tr.unsold');
    await row.getByText('Not sold yet').waitFor();
    assert.equal(await row.count(), 1);
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'board-preview');
    await page.goto(`${pages.url}/#/start`);
    assert.doesNotMatch(await page.getByRole('combobox', { name: 'Model' }).innerText(), /Surge/);
    assert.deepEqual(problems, []);
    await close();
  });

  it('offers nothing of a model that takes no requests any more, and nothing to try of one without a healthy pod', async () => {
    const { page, problems, close } = await openWatched(pages.browser, address('ebb-8b'));
    await page.getByText('It takes no requests any more.').waitFor();
    assert.equal(await named(page, 'Buy').count(), 0);
    await page.goto(address('reef/mini:1'));
    await named(page, 'Buy').getByText('no pod of it is healthy, and its level stands still').waitFor();
    assert.equal(await named(page, 'Buy').getByRole('link', { name: 'Try' }).count(), 0);
    await named(page, 'Quote').getByText('A request with price_lock ends with 429').waitFor();
    assert.equal(await named(page, 'Quote').locator('.figures').count(), 0);
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'model-without-pods');
    assert.deepEqual(problems, []);
    await close();
  });

  it('says of a model that had few orders from how many on there is a latency', async () => {
    const { page, close } = await openWatched(pages.browser, address('tide-70b'));
    await named(page, 'Latency, 24 h').getByText('There are figures once 20 requests have ended').waitFor();
    await close();
  });

  it('shows a model whose name and id are hostile', async () => {
    const { page, problems, close } = await openWatched(pages.browser, address('reef/mini:1'));
    await page.getByRole('heading', { name: HOSTILE_NAME }).waitFor();
    await drawn(page);
    assert.equal(await page.locator('img').count(), 0);
    assert.ok((await page.title()).endsWith(`${HOSTILE_NAME} · Sluice`));
    assert.deepEqual(problems, []);
    await close();
  });

  it('says so where there is no such model, whatever is in the address', async () => {
    const { page, problems, close } = await openWatched(pages.browser, address('<img src=x onerror=alert(1)>'));
    await page.getByText('There is no model <img src=x onerror=alert(1)> here.').waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('has nothing that axe finds, in light, dark and on a phone', async () => {
    const { page, problems, close } = await openWatched(pages.browser, address('tide-70b'));
    await drawn(page);
    await named(page, 'Depth').locator('.loading').waitFor({ state: 'detached' });
    await assertLooksFine(page, 'model', ['light', 'dark', 'laptop', 'phone', 'zoomed']);
    assert.deepEqual(problems, []);
    await close();
  });

  it('is reached from the board with the keyboard', async () => {
    const { page, close } = await openWatched(pages.browser, pages.url);
    await page.locator('.link-live').waitFor();
    await page.locator('tbody').getByRole('link', { name: 'Tide 70B' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Tide 70B' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Market' }).waitFor();
    await close();
  });
});
