import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertLooksFine, axeFindings, openWatched } from '#testing/open-pages.ts';
import { usePages } from '#testing/use-pages.ts';

describe('the documentation in Chromium', () => {
  const pages = usePages();
  const open = (path: string, options = {}) => openWatched(pages.browser, `${pages.url}${path}`, options);

  it('has nothing that axe finds, in light, dark and on a phone, where only tables and code scroll', async () => {
    for (const path of ['/docs', '/docs/buy/errors', '/docs/start']) {
      const { page, problems, close } = await open(path);
      await assertLooksFine(page, `docs${path.replaceAll('/', '-')}`, ['light', 'dark', 'phone']);
      assert.deepEqual(problems, []);
      await close();
    }
  });

  it('is searched by keyboard, and a result leads to its heading', async () => {
    const { page, problems, close } = await open('/docs');
    await page.getByRole('heading', { level: 1, name: 'Sluice documentation' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('insufficient_balance');
    await page.getByText(/results for “insufficient_balance”/).waitFor();
    await assertLooksFine(page, 'docs-search', ['light', 'dark', 'phone']);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/buy\/errors/);
    assert.deepEqual(problems, []);
    await close();
  });

  it('shows the page again when the search is left, and says when nothing matches', async () => {
    const { page, close } = await open('/docs');
    await page.getByRole('searchbox').fill('zzzzzz');
    await page.getByText('Nothing matches “zzzzzz”.').waitFor();
    assert.equal(await page.locator('article').isVisible(), false);
    await page.keyboard.press('Escape');
    await page.locator('article').waitFor();
    await close();
  });

  it('is complete without JavaScript, except for the search', async () => {
    const { page, close } = await open('/docs/buy/errors', { javaScriptEnabled: false });
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Configuration' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.match(page.url(), /\/docs\/sell\/configuration$/);
    assert.equal(await page.getByRole('searchbox').isVisible(), false);
    await close();
  });

  it('has a reference of the interface that can be read in light and dark, with the way back', async () => {
    const { page, problems, close } = await open('/docs/reference');
    await page.locator('.opblock').first().waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)').waitFor();
      assert.deepEqual(await axeFindings(page, ['color-contrast']), [], colorScheme);
      const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      assert.equal(ground === 'rgb(16, 20, 21)', colorScheme === 'dark');
    }
    await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Documentation' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sluice documentation' }).waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('shows every picture of a page', async () => {
    const { page, close } = await open('/docs/understand/benchmarks');
    const sizes = await page.evaluate('Array.from(document.images, ({ naturalWidth }) => naturalWidth)');
    assert.ok(Array.isArray(sizes) && sizes.length > 0 && sizes.every((width) => width > 0), String(sizes));
    await close();
  });
});
