import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ran } from '#testing/curl.ts';
import { axeFindings, picture, printedLink, type WatchedPage } from '#testing/open-pages.ts';
import { HOSTILE_NAME } from '#testing/pages-gateway.ts';
import { useOwnPages } from '#testing/use-pages.ts';

describe('budgets and rotation of keys in Chromium', () => {
  const pages = useOwnPages(() => readFileSync(new URL('../../sluice.yaml', import.meta.url), 'utf8'));
  let owner: WatchedPage;
  let page: Page;
  before(async () => {
    owner = await pages.settings(await printedLink(pages.gateway));
    page = owner.page;
    // The 401 by which the page learned that nobody was signed in.
    owner.problems.length = 0;
  });

  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  /** Makes a key, and returns the call that the page shows with it. */
  const created = async (name: string, budget = '') => {
    await page.getByLabel('New key').fill(name);
    const form = page.locator('form').filter({ has: page.getByRole('button', { name: 'Create key' }) });
    await form.getByText('Budget, expiry and models').click();
    if (budget !== '') await form.getByLabel('Budget, USD').fill(budget);
    await page.getByRole('button', { name: 'Create key' }).click();
    const call = await page.locator('.call').innerText();
    await form.getByText('Budget, expiry and models').click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    return call;
  };
  const changed = async (name: string, budget: string) => {
    await page.getByRole('button', { name: `Change ${name}` }).click();
    const panel = page.getByRole('region', { name: `Change ${name}` });
    await panel.getByLabel('Budget, USD').fill(budget);
    // The page still says so of the change before.
    const answer = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await panel.getByRole('button', { name: 'Save' }).click();
    assert.equal((await answer).status(), 204);
    await page.getByText(`${name} is changed.`).waitFor();
  };
  const dollars = (usd: number) => `$${usd.toFixed(9).replace(/(\.\d\d\d*?)0+$/, '$1')}`;

  it('makes a key with a budget; at its end calls get 402, and the page says what is spent', async () => {
    const call = await created('metered', '1');
    const answer = await ran(call);
    assert.equal(answer.status, 200);
    const { usage } = (await answer.json()) as { usage: { x_market: { charged_usd: number } } };
    const spent = usage.x_market.charged_usd;
    // The worst case of a call is far more than what one costs.
    await changed('metered', (1.5 * spent).toFixed(9));
    const refused = await ran(call);
    assert.equal(refused.status, 402);
    assert.equal(((await refused.json()) as { error: { code: string } }).error.code, 'key_budget_exceeded');
    await row('metered')
      .locator(`[title="${dollars(spent)}"]`)
      .first()
      .waitFor();
    await row('metered')
      .filter({ hasText: /of \$0\.0\d+ a month\s*\$0\.0\d+ left/ })
      .waitFor();
    await changed('metered', spent.toFixed(9));
    await row('metered').getByText('reached: calls get 402').waitFor();
    assert.equal((await ran(call)).status, 402);
    await picture(page, 'settings-budget-reached');
    assert.deepEqual(await axeFindings(page), []);
    await changed('metered', '5');
    assert.equal((await ran(call)).status, 200);
    assert.deepEqual(owner.problems, []);
  });

  it('makes keys that call models unless more is chosen, and says what a key may do', async () => {
    const made = page.getByRole('region', { name: 'The new key' });
    const uses = [
      ['caller', 'call models, and read what it made', 'inference, read_own'],
      [
        'owner',
        'do everything, also change defaults and what other keys made',
        'inference, read_own, read_all, manage',
      ],
    ] as const;
    for (const [name, may, scopes] of uses) {
      await page.getByLabel('New key').fill(name);
      if (name === 'owner') await page.getByLabel('It may').selectOption(may);
      assert.equal(await page.getByLabel('It may').inputValue(), may);
      await page.getByRole('button', { name: 'Create key' }).click();
      await made.getByText(`It may ${may}.`).waitFor();
      await made.getByRole('button', { name: 'I have stored it' }).click();
      await row(name).getByText(scopes, { exact: true }).waitFor();
    }
    await picture(page, 'settings-keys');
    assert.deepEqual(owner.problems, []);
  });

  it('shows what a key may do: only its own, until scopes, addresses and an owner are set', async () => {
    await row('metered').getByText('inference, read_own').waitFor();
    await page.getByRole('button', { name: 'Change metered' }).click();
    const panel = page.getByRole('region', { name: 'Change metered' });
    await panel.getByText(/^Scopes: /).click();
    await panel.getByLabel('read_all').check();
    await panel.getByLabel('Addresses').fill('127.0.0.0/8, ::1');
    await panel.getByLabel('Owner').fill('nobody@example.com');
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.getByRole('alert').getByText('is no member of this account').waitFor();
    await panel.getByLabel('Owner').fill('');
    await panel.getByRole('button', { name: 'Save' }).click();
    await row('metered').getByText('inference, read_own, read_all').waitFor();
    await row('metered').getByText('from 127.0.0.0/8, ::1').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    owner.problems.length = 0;
  });

  it('changes models, limits and expiry, and shows what the gateway refuses as a sentence', async () => {
    await page.getByRole('button', { name: 'Change metered' }).click();
    const panel = page.getByRole('region', { name: 'Change metered' });
    assert.deepEqual(await axeFindings(page), []);
    await panel.getByText(/^Models: all/).click();
    await panel.getByRole('checkbox').first().check();
    await panel
      .getByLabel(/^Default limit of/)
      .first()
      .fill('0.5');
    await panel.getByLabel('Expires').fill('2020-01-01T00:00');
    await panel.getByLabel(/Refuse calls with misspelt fields/).check();
    await picture(page, 'settings-change-key');
    const complaint = page.waitForEvent('console');
    await panel.getByRole('button', { name: 'Save' }).click();
    await complaint;
    assert.match(await panel.getByRole('alert').innerText(), /^[A-Z].{10,}\.$/);
    assert.match(owner.problems.pop() ?? '', /\b400\b/);
    await panel.getByLabel('Expires').fill('2099-01-01T00:00');
    await panel.getByRole('button', { name: 'Save' }).click();
    for (const before of ['all', 'never'])
      await row('metered').getByRole('cell', { name: before, exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Change metered' }).click();
    assert.ok(await panel.getByLabel(/Refuse calls with misspelt fields/).isChecked());
    await panel.getByRole('button', { name: 'Leave it' }).click();
    assert.deepEqual(owner.problems, []);
  });

  it('rotates a key: both secrets work while the overlap lasts', async () => {
    const call = await created('turning');
    await page.getByRole('button', { name: 'Rotate turning' }).click();
    await page.getByRole('button', { name: 'Give it a new secret' }).click();
    const newer = await page.locator('.call').innerText();
    assert.notEqual(newer, call);
    await row('turning').getByText('former secret until').waitFor();
    for (const either of [call, newer]) assert.equal((await ran(either)).status, 200);
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    assert.deepEqual(owner.problems, []);
  });

  it('shows a name that is a script as a text, everywhere', async () => {
    await created(HOSTILE_NAME);
    await row(HOSTILE_NAME).waitFor();
    await page.getByRole('button', { name: `Rotate ${HOSTILE_NAME}` }).click();
    await page.getByRole('heading', { name: `Rotate ${HOSTILE_NAME}` }).waitFor();
    await page.getByRole('button', { name: 'Leave it' }).click();
    assert.equal(await page.locator('main img').count(), 0);
    assert.notEqual(await page.title(), 'hacked');
    assert.deepEqual(owner.problems, []);
  });

  it('gives the table as CSV and as JSON Lines', async () => {
    const texts: string[] = [];
    for (const name of ['CSV', 'JSON Lines']) {
      const arrival = page.waitForEvent('download');
      await page.getByRole('button', { name, exact: true }).click();
      texts.push(await readFile(await (await arrival).path(), 'utf8'));
    }
    const [csv = '', lines = ''] = texts;
    assert.match(csv, /^key_id,name,hint,/);
    const keys = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(csv.trim().split('\r\n').length, keys.length + 1);
    assert.equal(keys.find(({ name }) => name === 'metered').budget_usd, 5);
    assert.ok(keys.some(({ name }) => name === HOSTILE_NAME));
    assert.ok(!texts.some((text) => /sk-sluice-\w{20}/.test(text)), 'no secret is in a file');
  });

  it('has nothing that axe finds on a phone, only the table scrolls, and no label is cut at any width', async () => {
    const cut =
      "[...document.querySelectorAll('th, td, label, .scroll')].filter((part) => part.scrollWidth > part.clientWidth + 1)";
    for (const width of [1280, 1024, 768, 600, 320, 375]) {
      await page.setViewportSize({ width, height: 740 });
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
      const parts = await page.evaluate(
        `${cut}.map((part) => part.clientWidth + ' ' + part.scrollWidth + part.innerText)`,
      );
      assert.deepEqual(parts, [], `at ${width}`);
    }
    await page.getByRole('button', { name: 'Change metered' }).click();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 375);
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'settings-change-key-phone');
  });
});
