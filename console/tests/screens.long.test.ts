import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { assertLooksFine, openWatched, picture } from '#testing/open-pages.ts';
import { HOSTILE_NAME } from '#testing/pages-gateway.ts';
import { usePages } from '#testing/use-pages.ts';

describe('the other screens in Chromium', () => {
  const pages = usePages();

  const open = (screen: string, options: Parameters<typeof openWatched>[2] = {}) =>
    openWatched(pages.browser, `${pages.url}/#/${screen}`, { viewport: { width: 1280, height: 800 }, ...options });
  const ready: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    status: (page) => page.getByText('2 incidents').first().waitFor(),
    calculator: (page) => page.getByText('or fell to it within the wait').waitFor(),
    start: (page) => page.getByText('curl http').waitFor(),
  };

  for (const [screen, untilReady] of Object.entries(ready)) {
    it(`${screen} has nothing that axe finds and no complaint of the browser, in light, dark and on a phone`, async () => {
      const { page, problems, close } = await open(screen);
      await untilReady(page);
      await assertLooksFine(page, screen, ['light', 'dark', 'laptop', 'phone', 'zoomed']);
      assert.deepEqual(problems, []);
      await close();
    });
  }

  it('the status shows each incident of the probes', async () => {
    const { page, close } = await open('status');
    const tide = page.getByRole('region', { name: 'Tide 70B' });
    await page.getByText('1 of 3 models has no healthy pod: orders wait').waitFor();
    await tide.getByText(/9 of [\d,]+ probes failed/).waitFor();
    await tide.getByText(/4 of [\d,]+ probes failed/).waitFor();
    await page.getByRole('region', { name: HOSTILE_NAME }).getByText('Not measured').waitFor();
    await close();
  });

  it('the calculator multiplies tokens with the prices of the gateway', async () => {
    const { page, close } = await open('calculator');
    await page.getByLabel('Model').selectOption('harbor-8b');
    await page.getByLabel('Input tokens each').fill('1000000');
    await page.getByLabel('Of these cached, %').fill('50');
    await page.getByLabel('Output tokens each').fill('1000000');
    await page.getByLabel('Requests').fill('10');
    // 0.5 × $0.02 + 0.5 × $0.1 + $0.4
    await page.getByTitle('$0.46', { exact: true }).waitFor();
    await page.getByTitle('$4.60', { exact: true }).waitFor();
    await close();
  });

  it('a limit at the ceiling would always have started, one of nothing never', async () => {
    const { page, close } = await open('calculator');
    const limit = page.getByLabel('Price limit, USD');
    await limit.fill('100');
    await page.getByText('100% of the time').first().waitFor();
    await limit.fill('0');
    await page.getByText('0% of the time', { exact: true }).first().waitFor();
    await close();
  });

  it('the calculator says when a request at a limit would start now, and what it would cost at most', async () => {
    const { page, close } = await open('calculator');
    await page.getByLabel('Price limit, USD').fill('100');
    const one = page.getByRole('region', { name: 'Sent now, one request' });
    await one.getByText('100% chance').waitFor();
    await one.getByText('at once').first().waitFor();
    const estimate = await fetch(
      `${pages.url}/v1/market/estimate?price_limit=100&input_tokens=10000&output_tokens=500`,
    ).then((reply) => reply.json() as Promise<{ greatest_charge_usd: number }>);
    await one.getByTitle(`$${estimate.greatest_charge_usd}`, { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Sent now, all 1,000' }).waitFor();
    await close();
  });

  it('the first call names this gateway, the model that is chosen, and a limit only on a market', async () => {
    const { page, close } = await open('start');
    const text = page.locator('pre');
    await page.getByRole('button', { name: 'Codex' }).click();
    assert.match(await text.innerText(), new RegExp(`base_url = "${pages.url}/v1"`));
    await page.getByLabel('Model').selectOption('harbor-8b');
    for (const name of ['curl', 'OpenAI, Python', 'OpenAI, JavaScript', 'Anthropic', 'AI SDK', 'Claude Code']) {
      await page.getByRole('button', { name, exact: true }).click();
      const written = await text.innerText();
      assert.ok(written.includes(pages.url) && written.includes('harbor-8b'), name);
      assert.doesNotMatch(written, /limit|max_price/i);
    }
    await close();
  });

  it('the first call says what the level is, when a request starts and what it is charged, and not that it waits below', async () => {
    const { page, close } = await openWatched(pages.browser, `${pages.url}/#/start`);
    const explained = page.getByText('The level is what this market costs at the moment');
    await explained.waitFor();
    const text = await explained.innerText();
    assert.match(text, /charged the level at which it starts, never more than its limit/);
    assert.match(text, /While others offer more and no slot is free, it waits\./);
    await picture(page, 'first-call');
    await close();
  });

  it('the calculator keeps its figures in the address, so that a link shows the same', async () => {
    const { page, close } = await open('calculator');
    await page.getByLabel('Model').selectOption('harbor-8b');
    await page.getByLabel('Requests').fill('25');
    await page.waitForURL(/#\/calculator\?model=harbor-8b&requests=25$/);
    const other = await openWatched(pages.browser, page.url());
    assert.equal(await other.page.getByLabel('Requests').inputValue(), '25');
    assert.equal(await other.page.getByLabel('Model').inputValue(), 'harbor-8b');
    await other.close();
    await close();
  });

  it('the first call leads to where a key is made', async () => {
    const { page, close } = await open('start');
    await page.getByRole('link', { name: 'your keys' }).click();
    await page.waitForURL(/\/settings#\/keys$/);
    await close();
  });

  it('the first call is copied as it is shown', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, close } = await open('start', { permissions });
    // It says so for two seconds only.
    await Promise.all([
      page.getByRole('button', { name: 'Copied' }).waitFor(),
      page.getByRole('button', { name: 'Copy', exact: true }).click(),
    ]);
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), await page.locator('pre').innerText());
    await close();
  });
});
