/**
 * Draws the pictures of pages in docs/ anew, in Chromium: the page of a model on a gateway with a made-up past, and the
 * console's overview of a gateway that a crowd of simulated callers has used for two minutes. The figures differ from run to run;
 * `npm run page-pictures` after a change of how pages look.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { launchChromium } from '#testing/chromium.ts';
import { freePort } from '#testing/free-port.ts';
import { type GatewayProcess, makeSite } from '#testing/gateway-process.ts';
import { makePagesSite } from '#testing/pages-gateway.ts';

const ROOT = join(import.meta.dirname, '..');
const WIDTH = 1280;
/** More than there are slots, so that orders wait and the level is above its floor. */
const CALLERS = 60;
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
  for (const name of ['Level of tide-70b over 24h', 'Tokens billed over time'])
    await page.getByRole('img', { name }).waitFor();
  await page.getByText(/valid for \d+ s/).waitFor();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  await page.locator('.chart canvas').nth(1).waitFor();
  await page.screenshot({ path: join(ROOT, 'docs/market-page.png') });
  await page.close();
  await gateway.stop();
  await site.remove();
}

async function drawOverview(browser: Browser): Promise<void> {
  const site = await makeSite(readFileSync(join(ROOT, 'sluice.yaml'), 'utf8'), {
    METRICS_PORT: String(await freePort()),
  });
  const gateway = await site.start();
  const keys = await Promise.all(Array.from({ length: 4 }, (_, number) => site.openAccount(`buyer-${number}`, '100')));
  const over = new AbortController();
  const busy = Promise.all(
    Array.from({ length: CALLERS }, (_, at) =>
      calls(gateway, keys[at % keys.length]?.apiKey ?? '', { at, over: over.signal }),
    ),
  );
  try {
    const { json } = await site.command(
      'member',
      'invite',
      'operator@example.com',
      '--operator',
      'operator',
      '--url',
      gateway.url,
    );
    const page = await browser.newPage({ viewport: { width: WIDTH, height: 500 } });
    await page.goto(String(json.link));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Money' }).click();
    await page.getByRole('button', { name: 'Audit now' }).click();
    await pause(BUSY_MS);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('row').filter({ hasText: 'tide-70b' }).first().waitFor();
    await page.screenshot({ path: join(ROOT, 'docs/console-overview.png'), fullPage: true });
    await page.close();
  } finally {
    over.abort();
    await busy;
    await gateway.stop();
    site.remove();
  }
}

/** One order after the other at prices around the level; a few for a model that there is not, or with a wrong key. */
async function calls(
  gateway: GatewayProcess,
  key: string,
  { at, over }: { at: number; over: AbortSignal },
): Promise<void> {
  for (let turn = at; !over.aborted; turn++) {
    const headers = {
      authorization: `Bearer ${turn % 31 === 0 ? 'sk-lost' : key}`,
      'content-type': 'application/json',
    };
    const model = turn % 23 === 0 ? 'ebb-1t' : turn % 5 === 0 ? 'harbor-8b' : 'tide-70b';
    const simulated = { prompt_tokens: 900 + 37 * (turn % 40), output_tokens: 60 + 9 * (turn % 30), token_ms: 15 };
    const price = model === 'tide-70b' ? { price_limit: 0.05 + 0.03 * ((turn * 7) % 20), max_wait: 20 } : {};
    const body = JSON.stringify({
      model,
      messages: [{ role: 'user', content: 'What is a sluice?' }],
      x_simulate: simulated,
      ...price,
    });
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body,
      signal: over,
    }).catch(() => null);
    await answer?.arrayBuffer().catch(() => null);
  }
}
