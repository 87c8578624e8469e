/** Accounts, orders, money, the audit log and the settings of the console, as the operator uses them. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openDatabase } from '#storage/database/database.ts';
import { assertLooksFine, axeFindings, loadAnew, openWatched, picture, type WatchedPage } from '#testing/open-pages.ts';
import { HOSTILE_NAME } from '#testing/pages-gateway.ts';
import { useOwnPages } from '#testing/use-pages.ts';

/** What Chromium says by itself of an answer 404: an order that is none. */
const EXPECTED = /^Failed to load resource.*\b404\b/;
const CONFIGURATION = readFileSync(new URL('../../sluice.yaml', import.meta.url), 'utf8')
  .replace('probes: {enabled: true', 'probes: {enabled: false')
  .concat('\naudit: {daily: false}\n');
const PAGES = ['Accounts', 'Money', 'Orders', 'Log', 'Settings'];
const HEADINGS: Readonly<Record<string, string>> = { Log: 'Audit log' };

describe('the operator’s accounts, money, orders, log and settings in Chromium', () => {
  const pages = useOwnPages(() => CONFIGURATION);
  let operator: WatchedPage;
  let page: Page;
  /** An account whose requests are kept, with an order. */
  let account: { id: string; order: string };
  before(async () => {
    operator = await pages.operator('operator');
    page = operator.page;
    account = await traded();
  });

  const traded = async () => {
    const made = await pages.site.command('account', 'create', HOSTILE_NAME, '--credit', '100', '--log-payloads');
    const id = String(made.json.account_id);
    const { json } = await pages.site.command('key', 'create', id, '--name', HOSTILE_NAME);
    return { id, order: await sent(String(json.api_key)) };
  };
  /** The id of an order that this key sent. */
  const sent = async (key: string, model = 'tide-70b') => {
    const messages = [{ role: 'user', content: `<script>document.title='hacked'</script>` }];
    const answer = await fetch(`${pages.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages, price_limit: 50, max_tokens: 5, user: HOSTILE_NAME }),
    });
    assert.equal(answer.status, 200, await answer.text());
    return answer.headers.get('x-service-order-id') ?? '';
  };
  const unexpected = (watched: WatchedPage) => pages.unexpected(watched).filter((problem) => !EXPECTED.test(problem));
  const visit = async (name: string) => {
    await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { name: HEADINGS[name] ?? name, exact: true, level: 1 }).waitFor();
  };
  const fine = async (name: string) => {
    assert.deepEqual(await axeFindings(page), [], name);
    assert.deepEqual(unexpected(operator), [], name);
    assert.notEqual(await page.title(), 'hacked');
    await picture(page, `console-${name}`);
  };
  /** Of what the page has, one panel or section by its name. */
  const part = (name: string) => page.getByRole('region', { name, exact: true }).first();

  it('opens an account, credits it once and not more, gives back, and suspends it', async () => {
    await visit('Accounts');
    await page.getByLabel('Name of a new account').fill('Ada & Söhne');
    await page.getByRole('button', { name: 'Open an account' }).click();
    await page.getByRole('heading', { name: 'Ada & Söhne' }).waitFor();
    const credit = part('Credit');
    await credit.getByLabel('USD').fill('25.50');
    await credit.getByLabel('Reason').fill('Invoice 7');
    await credit.getByRole('button', { name: 'Credit' }).click();
    await page.getByText('$25.50 credited; the balance is $25.50.').waitFor();
    await credit.getByLabel('USD').fill('999999999999');
    await credit.getByRole('button', { name: 'Credit' }).click();
    await credit.getByRole('alert').getByText('balance').waitFor();
    assert.match(operator.problems.splice(0).join(), /\b400\b/);
    const refund = part('Refund');
    await refund.getByLabel('USD').fill('1');
    await refund.getByLabel('Reason').fill('Nothing was charged');
    await refund.getByRole('button', { name: 'Give back' }).click();
    await refund.getByRole('alert').waitFor();
    assert.match(operator.problems.splice(0).join(), /\b400\b/);
    const debit = part('Debit');
    await debit.getByLabel('USD').fill('0.000000001');
    await debit.getByLabel('Reason').fill('Too much');
    await debit.getByRole('button', { name: 'Take back' }).click();
    await page.getByText('the balance is $25.499999999.').waitFor();
    const entries = page.getByRole('region', { name: 'Entries' }).getByRole('row');
    await page.reload();
    await entries.filter({ hasText: 'Invoice 7' }).getByText('$25.50').waitFor();
    assert.equal(await entries.count(), 3);
    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('button', { name: 'Suspend it' }).click();
    await page.locator('.now').getByText('suspended').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Resume it' }).click();
    await page.locator('.now').getByText('active').waitFor();
    await fine('account');
  });

  it('finds an account by a part of its name, whatever that holds, and revokes its key', async () => {
    await visit('Accounts');
    await page.getByLabel('Id, part of the name').fill('ONERROR=');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('row').filter({ hasText: 'Ada' }).waitFor({ state: 'detached' });
    await fine('accounts');
    await page.getByRole('link', { name: HOSTILE_NAME }).click();
    await page.getByRole('heading', { name: HOSTILE_NAME }).waitFor();
    await page.getByRole('button', { name: `Revoke ${HOSTILE_NAME}` }).click();
    await fine('account-of-trader');
    await page.getByRole('button', { name: 'Revoke it' }).click();
    await page.getByText('It has no key.').waitFor();
  });

  it('invites the owner of an account, whose link signs in, and removes the member', async () => {
    await page.getByLabel('E-mail').fill('owner@shop.example');
    await page.getByRole('button', { name: 'Invite' }).click();
    const link = await part('New link').locator('code').innerText();
    const owner = await openWatched(pages.browser, link);
    await owner.page.getByRole('button', { name: 'Sign in' }).click();
    await owner.page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByLabel('E-mail').fill('owner@shop.example');
    await page.getByRole('button', { name: 'Invite' }).click();
    await part('New link').waitFor();
    await owner.page.reload();
    const notice = owner.page.getByText('made a sign-in link for owner@shop.example');
    await notice.waitFor();
    assert.deepEqual(await axeFindings(owner.page), []);
    await owner.page.getByRole('button', { name: 'I have read this' }).click();
    await notice.waitFor({ state: 'detached' });
    await owner.page.reload();
    await owner.page.getByRole('heading', { name: 'Home' }).waitFor();
    assert.equal(await notice.count(), 0);
    assert.deepEqual(unexpected(owner), []);
    await owner.close();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Remove owner@shop.example' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Nobody may sign in').waitFor();
    assert.deepEqual(unexpected(operator), []);
  });

  it('lists the orders of all accounts, finds one by the first characters of its id, and reads what it sent only when asked to', async () => {
    await page.getByRole('img', { name: 'Charged by day' }).waitFor();
    await page.getByRole('link', { name: 'Its orders' }).click();
    await page.getByText('Of the account').getByRole('link', { name: HOSTILE_NAME }).waitFor();
    await page.getByRole('link', { name: account.order }).waitFor();
    await fine('orders');
    await visit('Orders');
    await page.getByRole('row').filter({ hasText: account.order }).getByText(HOSTILE_NAME).waitFor();
    await page.getByLabel('Status').selectOption('not answered');
    await page.getByText('There is no such order.').waitFor();
    await page.getByLabel('Status').selectOption('done');
    await page.getByRole('link', { name: account.order }).waitFor();
    assert.match(page.url(), /#\/orders\?status=done$/);
    const other = await pages.site.openAccount('Bea', '10');
    // Without being loaded again.
    await page
      .getByRole('row')
      .filter({ hasText: await sent(other.apiKey) })
      .getByText('Bea')
      .waitFor();
    const find = (id: string) =>
      page
        .getByLabel('Id of an order')
        .fill(id)
        .then(() => page.getByRole('button', { name: 'Find', exact: true }).click());
    await find('ffffffff-ffff-7000-8000-000000000000');
    await page.getByRole('alert').getByText('No order has this id, or one that begins like this.').waitFor();
    await find(account.id);
    await page.getByText(account.order, { exact: true }).first().waitFor();
    await page.getByRole('heading', { name: 'Order', exact: true }).waitFor();
    await visit('Orders');
    await find(` ${account.order.slice(0, 30).toUpperCase()} `);
    const life = part('Timeline');
    for (const step of ['submitted', 'admitted', 'settled', 'done'])
      await life.getByText(step, { exact: true }).first().waitFor();
    await part('Money').getByText('Charged').waitFor();
    assert.equal(await page.getByText('<script>').count(), 0);
    await part('Terms').getByText(HOSTILE_NAME).waitFor();
    await part('What it sent').getByRole('button', { name: 'Show it' }).click();
    await page.getByText(`<script>document.title='hacked'</script>`).waitFor();
    await fine('order');
  });

  it('shows no bid of an order at a fixed price', async () => {
    const buyer = await pages.site.openAccount('Cem', '10');
    const order = await sent(buyer.apiKey, 'harbor-8b');
    await page.goto(`${pages.url}/console#/orders/${order}`);
    await page.getByText(order, { exact: true }).waitFor();
    await part('Money').getByText('Charged').waitFor();
    const names = (name: string) => part(name).locator('dt').allInnerTexts();
    const terms = await names('Terms');
    assert.ok(terms.includes('Fixed price'));
    for (const bid of ['Bid', 'Own limit', 'Price lock']) assert.ok(!terms.includes(bid), bid);
    assert.ok(!(await names('Money')).includes('At its bid'));
  });

  it('shows who changed what, also that somebody read an order', async () => {
    await visit('Log');
    const read = page.getByRole('row').filter({ hasText: 'order.read' });
    await read.getByText('operator@example.com').waitFor();
    await page.getByRole('row').filter({ hasText: 'key.revoke' }).getByText('onerror=').first().waitFor();
    await fine('log');
    await page.getByRole('link', { name: HOSTILE_NAME }).first().click();
    await page.getByRole('link', { name: 'What was changed' }).click();
    await page.getByRole('row').filter({ hasText: 'key.revoke' }).waitFor();
    assert.equal(await page.getByRole('row').filter({ hasText: 'Invoice 7' }).count(), 0);
  });

  it('audits the ledger, shows what it found and who explained it, and what was sold', async () => {
    await visit('Money');
    await page.getByText('No audit has ended yet.').waitFor();
    await page.getByText('An audit sums what was sold, and none has ended yet: press Audit now.').waitFor();
    await page.getByRole('button', { name: 'Audit now' }).click();
    await page.getByText('The books agree.').waitFor({ timeout: 150_000 });
    const sold = page.getByRole('region', { name: 'By model' }).getByRole('row').filter({ hasText: 'tide-70b' });
    await sold.waitFor({ timeout: 150_000 });
    const moved = page
      .getByRole('region', { name: 'Credits and refunds' })
      .getByRole('row')
      .filter({ hasText: 'Invoice 7' });
    await moved.getByRole('link', { name: 'Ada & Söhne' }).waitFor();
    await page.getByRole('img', { name: 'Net revenue by day' }).waitFor();
    await fine('money');

    const db = openDatabase(String(pages.site.environment.DATABASE_URL));
    try {
      const before = await db.knex('accounts').where({ id: account.id }).first('balance');
      await db.knex('accounts').where({ id: account.id }).update({ balance: '7' });
      await page.getByRole('button', { name: 'Audit now' }).click();
      const finding = page.getByRole('row').filter({ hasText: 'the balance is 7' });
      await finding.waitFor({ timeout: 150_000 });
      await fine('money-finding');
      await finding.getByRole('button', { name: 'Acknowledge' }).click();
      await finding.getByLabel('Why it is accepted').fill(HOSTILE_NAME);
      await finding.getByRole('button', { name: 'Acknowledge' }).click();
      await finding.getByText(HOSTILE_NAME).waitFor();
      await page.getByText('Every finding is acknowledged.').waitFor();
      await db
        .knex('accounts')
        .where({ id: account.id })
        .update({ balance: String(before.balance) });
    } finally {
      await db.close();
    }
    const download = page.waitForEvent('download');
    await part('Sold').getByRole('button', { name: 'CSV' }).click();
    assert.equal((await download).suggestedFilename(), 'money.csv');
  });

  it('shows the settings in force and what the file says otherwise, reloads it, and names what needs a restart', async () => {
    await visit('Settings');
    await page.getByText('The gateway runs with what this file says.').waitFor();
    const shown = page.getByRole('region', { name: 'Settings in force' });
    await shown.getByText('models[tide-70b].ceiling').waitFor();
    assert.equal(await shown.getByText('drain_announce_ms').count(), 0);
    await page.getByText('with their defaults').click();
    await page.getByRole('region', { name: 'Defaults' }).getByText('drain_announce_ms').waitFor();
    await page.getByLabel('Filter').fill('models[tide-70b].ceiling');
    await page.getByRole('region', { name: 'Settings in force' }).getByText('100.00').waitFor();
    const file = join(pages.site.folder, 'sluice.yaml');
    writeFileSync(
      file,
      CONFIGURATION.replace('slots: 8, seed: 2', 'slots: 9, seed: 2').concat('drain_timeout_ms: 45000\n'),
    );
    await page.reload();
    const difference = (setting: string) =>
      page.getByRole('region', { name: 'Differences' }).getByRole('row').filter({ hasText: setting });
    await difference('pods[sim-2].slots').getByText('9').waitFor();
    await difference('drain_timeout_ms').getByText('45000').waitFor();
    await fine('settings');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('button', { name: 'Reload it' }).click();
    await page.getByText('Taken: pods[sim-2].slots. This needs a restart: drain_timeout_ms.').waitFor();
    await difference('pods[sim-2].slots').waitFor({ state: 'detached' });
    await difference('drain_timeout_ms').waitFor();
    writeFileSync(file, CONFIGURATION.replace('ceiling: 100', 'ceiling: lots'));
    await page.reload();
    await page.getByRole('alert').getByText('look at line').waitFor();
    writeFileSync(file, CONFIGURATION);
    assert.deepEqual(unexpected(operator), []);
  });

  it('gives a viewer nothing to change', async () => {
    const viewer = await pages.operator('viewer');
    for (const path of [`accounts/${account.id}`, 'accounts', `orders/${account.order}`, 'money']) {
      await loadAnew(viewer.page, `${pages.url}/console#/${path}`);
      await viewer.page.locator('.source').first().waitFor();
      const buttons = await viewer.page.getByRole('main').getByRole('button').allInnerTexts();
      const others = buttons.filter(
        (text) => !['Columns', 'Copy as curl', 'CSV', 'Search', 'Older', 'Hide'].includes(text),
      );
      assert.deepEqual(others, [], path);
    }
    assert.deepEqual(unexpected(viewer), []);
    await viewer.close();
  });

  it('has nothing that axe finds on a phone, and only tables scroll', async () => {
    for (const name of PAGES) {
      await visit(name);
      await page.locator('.source, main form').first().waitFor();
      await assertLooksFine(page, `console-${name.toLowerCase()}`, ['phone', 'phone-dark']);
    }
    for (const path of [`accounts/${account.id}`, `orders/${account.order}`]) {
      await loadAnew(page, `${pages.url}/console#/${path}`);
      await page.locator('dl').first().waitFor();
      await assertLooksFine(page, `console-${path.split('/')[0]}-one`, ['phone', 'phone-dark']);
    }
    assert.deepEqual(unexpected(operator), []);
    assert.notEqual(await page.title(), 'hacked');
  });
});
