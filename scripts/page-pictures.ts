/**
 * Draws the pictures of pages in docs/, in Chromium: the page of a model on a gateway with a made-up past, and the
 * console's overview of a gateway that a crowd of simulated callers has used for two minutes. The figures differ from run to run;
 * `npm run page-pictures` after a change of how pages look.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { launchChromium } from '#testing/chromium.ts';
import { freePort } from '#testing/free-port.ts';
import { makeSite } from '#testing/gateway-process.ts';
import { makePagesSite } from '#testing/pages-gateway.ts';
import { openAccounts } from './harness/accounts.ts';
import { between, chance } from './harness/chance.ts';
import { Client } from './harness/client.ts';
import { type Lane, runLanes } from './harness/lane.ts';
import { Ledger } from './harness/ledger.ts';

const ROOT = join(import.meta.dirname, '..');
const WIDTH = 1280;
/** Together more than there are slots, so that orders wait and the level is above its floor. */
const CALLERS_EACH = 15;
/** One figure of the overview is that of the last whole minute. */
const BUSY_MS = 100_000;

const browser = await launchChromium();
try {
  await drawModel(browser);
  await drawOverview(browser);
} finally {
  await browser.close();
}

async function drawModel(browser: Browser): Promise<void> {
  const site = await makePagesSite();
  const gateway = await site.start();
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 985 } });
  await page.goto(`${gateway.url}/#/model/tide-70b`);
  await page.getByRole('img', { name: 'Level of tide-70b over 24h' }).waitFor();
  await page.getByText(/valid for \d+ s/).waitFor();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  await page.locator('.chart[data-drawn]').first().waitFor();
  await page.screenshot({ path: join(ROOT, 'docs/understand/market-page.png') });
  await page.close();
  await gateway.stop();
  await site.remove();
}

async function drawOverview(browser: Browser): Promise<void> {
  const site = await makeSite(readFileSync(join(ROOT, 'sluice.yaml'), 'utf8'), {
    METRICS_PORT: String(await freePort()),
  });
  const gateway = await site.start();
  const accounts = await openAccounts(site, { 'buyer-0': {}, 'buyer-1': {}, 'buyer-2': {}, 'buyer-3': {} });
  const ledger = new Ledger(null, { mayBreak: true });
  const client = new Client(ledger, { urls: [gateway.url] });
  const lanes = Object.entries(accounts).map(([name, caller]) => {
    return { name, count: CALLERS_EACH, caller, pauseMs: 0, once: order };
  });
  let isOver = false;
  const busy = runLanes({ client, ledger, seed: 1, isOver: () => isOver }, lanes);
  try {
    const invited = ['operator@example.com', '--operator', 'operator', '--url', gateway.url];
    const { json } = await site.command('member', 'invite', ...invited);
    const page = await browser.newPage({ viewport: { width: WIDTH, height: 500 } });
    await page.goto(String(json.link));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Money' }).click();
    await page.getByRole('button', { name: 'Audit now' }).click();
    await pause(BUSY_MS);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('row').filter({ hasText: 'tide-70b' }).first().waitFor();
    await page.screenshot({ path: join(ROOT, 'docs/sell/console-overview.png'), fullPage: true });
    await page.close();
  } finally {
    isOver = true;
    await client.close();
    await busy;
    await gateway.stop();
    site.remove();
  }
}

/** An order at a price around the level; a few for a model that there is not, or with a wrong key. */
async function order({ client, caller, random }: Lane): Promise<void> {
  const model = chance(random, 1 / 23) ? 'ebb-1t' : chance(random, 1 / 5) ? 'harbor-8b' : 'tide-70b';
  const [prompt_tokens, output_tokens] = [between(random, 900, 2_400), between(random, 60, 330)];
  const price = model === 'tide-70b' ? { price_limit: 0.05 + 0.03 * between(random, 0, 19), max_wait: 20 } : {};
  const messages = [{ role: 'user', content: 'What is a sluice?' }];
  const body = { model, messages, x_simulate: { prompt_tokens, output_tokens, token_ms: 15 }, ...price };
  const who = chance(random, 1 / 31) ? { ...caller, apiKey: 'sk-lost' } : caller;
  await client.call(who, '/v1/chat/completions', { body });
}
