import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { MINUTE_MS } from '#base/time.ts';
import { LOOK_MS, STATISTICS_BUCKET_MS } from '#observe/ports.ts';
import { openDatabase } from '#storage/database/database.ts';
import { openRun } from '#storage/market/level-past.ts';
import { freePort } from '#testing/free-port.ts';
import { assertLooksFine, axeFindings, openWatched, picture, type WatchedPage } from '#testing/open-pages.ts';
import { useOwnPages } from '#testing/use-pages.ts';

/** One pod for the market and one that is not there, and nothing that the gateway itself asks for. */
const CONFIGURATION = readFileSync(new URL('../../sluice.yaml', import.meta.url), 'utf8')
  .replace(/^.*slots: 8, seed: 2.*\n/m, '      - {id: bogus-9, url: "http://127.0.0.1:9/v1", slots: 8}\n')
  .replace('probes: {enabled: true', 'probes: {enabled: false');
const LONG = { token_ms: 10_000, output_tokens: 100 };

/** Ten quarters of an hour of another gateway, up to the one before the present one, whose begin is returned. */
async function writeLoad(databaseUrl: string): Promise<number> {
  const db = openDatabase(databaseUrl);
  const looks = STATISTICS_BUCKET_MS / LOOK_MS;
  const nowMs = Date.now();
  const lastMs = nowMs - (nowMs % STATISTICS_BUCKET_MS) - STATISTICS_BUCKET_MS;
  const podLooks = (ago: number) => (ago === 4 ? [0, looks, 0] : ago === 3 ? [looks - 6, 6, 0] : [looks, 0, 0]);
  const rows = Array.from({ length: 10 }, (_, ago) => ({
    ...{ width_ms: STATISTICS_BUCKET_MS, at_ms: lastMs - ago * STATISTICS_BUCKET_MS, boot: 99, looks },
    ...{ queued: (12 - ago) * looks, busy_slots: 4 * looks, slots: 8 * looks, failed: ago === 2 ? 3 : 0, charged: 0 },
    ...{ first_tokens: Buffer.of(0, 50, 0, 0, 0, 4), pods: JSON.stringify({ 'sim-1': podLooks(ago) }) },
  }));
  try {
    await db.knex('gateway_load').insert(rows);
    await openRun(db, 98, lastMs - 2 * STATISTICS_BUCKET_MS, '9.9.8');
    await openRun(db, 99, lastMs - 2 * STATISTICS_BUCKET_MS + MINUTE_MS, '9.9.9');
  } finally {
    await db.close();
  }
  return lastMs;
}

describe('the console in Chromium, of a gateway that was just started', () => {
  const hangUp = new AbortController();
  // Before the gateway ends, which would wait for the orders.
  after(() => hangUp.abort());
  const pages = useOwnPages(
    () => CONFIGURATION,
    async () => ({ METRICS_PORT: String(await freePort()) }),
  );
  let operator: WatchedPage;
  before(async () => {
    operator = await pages.operator('operator');
  });

  /** Sends an order; by default one that runs for longer than the test. */
  const send = (key: string, price_limit: number, simulated: object = LONG, model = 'tide-70b') => {
    const body = { model, messages: [{ role: 'user', content: 'Hello' }], price_limit };
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = JSON.stringify({ ...body, x_simulate: simulated });
    const { signal } = hangUp;
    return fetch(`${pages.url}/v1/chat/completions`, { method: 'POST', headers, body: sent, signal }).then(
      async (answer) => ({ status: answer.status, body: await answer.json() }),
      () => null,
    );
  };

  it('says where to sign in to those who are not', async () => {
    const stranger = await openWatched(pages.browser, `${pages.url}/console`);
    await stranger.page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.deepEqual(await axeFindings(stranger.page), []);
    await picture(stranger.page, 'console-signed-out');
    assert.deepEqual(pages.unexpected(stranger), []);
    await stranger.close();
  });

  it('leads an owner to the settings, and the operator from there to the console', async () => {
    const { id } = await pages.site.openAccount('ada', '10');
    const { json } = await pages.site.command('member', 'invite', 'ada@example.com', '--account', id);
    const owner = await pages.settings(String(json.link).replace(/^.*\/settings/, `${pages.url}/settings`));
    await owner.page.goto(`${pages.url}/console`);
    await owner.page.getByRole('link', { name: 'its settings are there' }).click();
    await owner.page.getByRole('heading', { name: 'Home' }).waitFor();
    const { page } = operator;
    await page.goto(`${pages.url}/settings`);
    await page.getByRole('link', { name: 'the console is there' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto(`${pages.url}/settings#/security`);
    await page.getByRole('heading', { name: 'Security' }).waitFor();
    await page.getByRole('link', { name: 'Console', exact: true }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    assert.deepEqual([...pages.unexpected(owner), ...pages.unexpected(operator)], []);
    await owner.close();
  });

  it('shows the figures of the gateway that answers, and where they come from', async () => {
    const { page } = operator;
    await page.getByRole('row').filter({ hasText: 'tide-70b' }).waitFor();
    await page.getByText('No request of the API was answered with an error.').waitFor();
    assert.equal((await fetch(`${pages.url}/v1/orders`)).status, 401);
    await page.getByText('invalid_api_key').waitFor();
    const figures = (await (await page.request.get(`${pages.url}/console/api/overview`)).json()) as {
      pods: { total: number };
    };
    const { total } = figures.pods;
    await page
      .locator('.now')
      .getByText(`${total - 1} of ${total}`)
      .waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'console-overview');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).last().click();
    assert.equal((await download).suggestedFilename(), 'overview.csv');
    assert.deepEqual(pages.unexpected(operator), []);
  });

  it('shows six charts of the day with one cursor, which keys move and a table repeats, and what was changed', async () => {
    const { page } = operator;
    const past = page.getByRole('region', { name: 'The last day' });
    const read = async () => (await page.request.get(`${pages.url}/console/api/history`)).json();
    const empty = { ...((await read()) as object), queued: [null], revenue_usd_per_minute: [0] };
    await page.route('**/console/api/history?*', (route) => route.fulfill({ json: empty }));
    await page.reload();
    await past.getByText('Nothing is recorded of this time.').waitFor();
    await page.unroute('**/console/api/history?*');
    const lastMs = await writeLoad(String(pages.site.environment.DATABASE_URL));
    await page.reload();
    const moment = past.getByRole('slider', { name: 'Moment of the charts' });
    await moment.waitFor();
    assert.equal(await past.locator('.small-chart').count(), 6);
    await past.getByRole('img', { name: 'Orders waiting' }).waitFor();
    const { from, bin_seconds } = (await read()) as { from: number; bin_seconds: number };
    await moment.fill(String((lastMs / 1000 - from) / bin_seconds));
    assert.match((await moment.getAttribute('aria-valuetext')) ?? '', /Utilization 50%, Orders waiting 12,/);
    await moment.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    const chart = (title: string) => past.locator('.small-chart figcaption').filter({ hasText: title });
    await chart('Orders waiting').getByText('10', { exact: true }).waitFor();
    await chart('Failed orders').getByText('3', { exact: true }).waitFor();
    await past.getByText('a new version was deployed, version 9.9.9').first().waitFor();
    await past.getByText('As a table').click();
    const rows = past.getByRole('region', { name: 'The last day in figures' }).locator('tbody tr');
    // The table is made when it is opened.
    await rows.nth(95).waitFor();
    assert.equal(await rows.count(), 96);
    assert.deepEqual(await axeFindings(page), []);
    await past.getByRole('button', { name: '1 h' }).click();
    await page.getByRole('region', { name: 'The last hour' }).waitFor();
    assert.match(page.url(), /range=1h/);
    await page.reload();
    await page.getByRole('region', { name: 'The last hour' }).waitFor();
    await page.goto(`${pages.url}/console#/overview`);
    await past.waitFor();
    await picture(page, 'console-overview-past');
    assert.deepEqual(pages.unexpected(operator), []);
  });

  it('keeps what it knew when the gateway refuses, and says why', async () => {
    const { page, problems } = operator;
    await page.route('**/console/api/overview', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        body: '{"detail":"The database is away."}',
      }),
    );
    await page.getByRole('alert').getByText('The database is away.').waitFor();
    await page.getByText(/What is below is as of \d+ (?:ms|s) ago/).waitFor();
    await page.getByRole('row').filter({ hasText: 'tide-70b' }).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.unroute('**/console/api/overview');
    await page.getByText('The database is away.').waitFor({ state: 'detached' });
    assert.match(problems.splice(0).join(), /\b503\b/);
  });

  it('shows each pod with its health and its slots, and how to change them', async () => {
    const { page } = operator;
    await page.getByRole('link', { name: 'Pods' }).click();
    const row = page.getByRole('row').filter({ hasText: 'sim-1' });
    await row.getByText('healthy').waitFor();
    await row.getByText('0 busy of 8').waitFor();
    await row
      .getByRole('img', { name: /^sim-1, of 96 periods: up in (?:8|9|10), partly up in 1, down in 1/ })
      .waitFor();
    await page.getByText('have the file read again').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    assert.equal((await download).suggestedFilename(), 'pods.csv');
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'console-pods');
    assert.deepEqual(pages.unexpected(operator), []);
  });

  it('counts pods that get orders in one way on both pages, and its alarm names pod, model, state and time', async () => {
    const { page } = operator;
    const pods = 'bogus-9';
    const row = page.getByRole('row').filter({ hasText: pods });
    await row.getByText('unhealthy', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Drain sim-3' }).click();
    await page.getByRole('button', { name: 'Drain it' }).click();
    const drained = page.getByRole('row').filter({ hasText: 'sim-3' });
    await drained.getByText('drained', { exact: true }).waitFor();
    assert.equal(await drained.locator('.rise').count(), 0);
    await page.getByText('1 of 3 get orders').waitFor();
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Resume');
    await page.getByRole('link', { name: 'Overview' }).click();
    const down = page.getByRole('alert', { name: 'bogus-9 of tide-70b' });
    await down.getByText('bogus-9 of tide-70b is unhealthy').waitFor();
    await down.getByText(/^Since .*\d\d:\d\d:\d\d/).waitFor();
    await down.getByRole('button', { name: 'Drain bogus-9' }).waitFor();
    const kept = page.getByRole('region', { name: 'sim-3 of harbor-8b' });
    await kept.getByText('sim-3 of harbor-8b is drained').waitFor();
    await page.locator('.now').getByText('1 of 3').waitFor();
    // An operator of many models looks for those where most waits.
    const models = page.getByRole('region', { name: 'Models' });
    await models.getByRole('button', { name: 'Model', exact: true }).click();
    const names = await models.locator('tbody th a').allInnerTexts();
    assert.deepEqual(names, names.toSorted());
    await kept.getByRole('link', { name: 'Health and slots' }).click();
    await page.getByRole('button', { name: 'Resume sim-3' }).click();
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate("document.activeElement.getAttribute('aria-label')"), 'Resume sim-3');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Resume it' }).click();
    await page.getByText('2 of 3 get orders').waitFor();
    assert.deepEqual(pages.unexpected(operator), []);
  });

  it('shows what waits at which bid, what runs, and a fixed price without bids', async () => {
    const { page } = operator;
    const account = await pages.site.command('account', 'create', 'Trader', '--credit', '1000');
    const made = await pages.site.command('key', 'create', String(account.json.account_id));
    await page.getByRole('link', { name: 'Book' }).click();
    await page.getByText('Nothing waits').waitFor();
    const figure = (name: string) => page.locator('.now > div').filter({ hasText: name }).locator('dd');
    const key = String(made.json.api_key);
    await page.getByRole('button', { name: 'Play it' }).click();
    await page.getByText('Too few orders have ended lately').waitFor();
    const short = Array.from({ length: 8 }, () => send(key, 9, { first_token_ms: 1_200, output_tokens: 2 }));
    for (const order of await Promise.all(short)) assert.equal(order?.status, 200);
    // The page may still show the eight that have ended; it asks for one answer at a time.
    const hears = (executing: number) =>
      page.waitForResponse(
        async (answer) => answer.url().includes('/api/book?') && (await answer.json()).executing === executing,
      );
    await hears(0);
    for (let slot = 0; slot < 8; slot++) void send(key, 9);
    await hears(8);
    for (const limit of [2, 5, 2]) void send(key, limit);
    await figure('Waiting').getByText('3', { exact: true }).waitFor();
    const bids = page.getByRole('region', { name: 'Waiting bids' }).locator('tbody tr');
    await bids.filter({ hasText: /^\$5\s*1\s*1$/ }).waitFor();
    await bids.filter({ hasText: /^\$2\s*2\s*3$/ }).waitFor();
    assert.deepEqual(
      (await bids.allInnerTexts()).map((text) => text.trim().split(/\s+/)),
      [
        ['$5', '1', '1'],
        ['$2', '2', '3'],
      ],
    );
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: 'one more pod: 16' }).click();
    await page.getByText('the level would be about').waitFor();
    await page.getByText('It assumes that orders keep coming').waitFor();
    await page.getByRole('img', { name: 'The level, foretold' }).waitFor();
    assert.equal(await page.getByLabel('Slots').inputValue(), '16');
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'console-book');
    await page.getByLabel('Model').selectOption('harbor-8b');
    await page.getByText('Nothing waits').waitFor();
    assert.match(page.url(), /#\/book\/harbor-8b$/);
    for (let order = 0; order < 6; order++) void send(key, 9, LONG, 'harbor-8b');
    // All have come: two may wait as well before four have begun.
    await figure('Executing').getByText('4', { exact: true }).waitFor();
    await figure('Waiting').getByText('2', { exact: true }).waitFor();
    const turns = page.getByRole('region', { name: 'Accounts that wait' }).locator('tbody tr');
    // Its id stands there until its name is known.
    await turns.filter({ hasText: /^Trader\s*2\s*4$/ }).waitFor();
    assert.equal(await turns.count(), 1);
    assert.deepEqual(await axeFindings(page), []);
    await page.getByLabel('Model').selectOption('surge-400b');
    await page.getByText('or it is a preview').waitFor();
    assert.deepEqual(pages.unexpected(operator), []);
  });

  it('has nothing that axe finds on a phone, and only tables scroll', async () => {
    const { page } = operator;
    for (const name of ['Overview', 'Pods', 'Book']) {
      await page.getByRole('link', { name }).click();
      await page.getByRole('heading', { name }).waitFor();
      await page.getByRole('button', { name: 'CSV' }).last().waitFor();
      await assertLooksFine(page, `console-${name.toLowerCase()}`, ['phone', 'phone-dark']);
    }
  });

  it('signs out, and the session is over', async () => {
    const { page } = operator;
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.deepEqual(pages.unexpected(operator), []);
  });
});
