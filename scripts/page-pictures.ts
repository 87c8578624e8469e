/**
 * Draws pages in Chromium, as a demo shows them. `npm run page-pictures` draws those that README and docs show; the figures
 * differ from run to run. With `-- --folder DIR` it draws every page at four widths, light and dark, into DIR instead:
 * `--models` and `--orders` make the demo larger, `--empty` shows the day of the opening, `--only TEXT,…` draws the pages whose
 * names contain one of them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '#testing/chromium.ts';

const ROOT = join(import.meta.dirname, '..');
const WIDTHS = [1440, 1024, 768, 390];
const HEIGHT = 900;
/** The traders have filled the books, and the figures of the last whole minute exist. */
const BUSY_MS = 75_000;
/** What a page asks for after it has loaded has come, and its charts are drawn; at another width they are drawn again. */
const SETTLED_MS = 1200;
const RESIZED_MS = 400;
const PATIENCE_MS = 180_000;
/** Of the public internet, as targets have to be; nobody listens there. */
const SLACK = 'https://hooks.example.com/services/T0/B0/pictures';

const MARKET_PAGES = {
  market: '/',
  model: '/#/model/tide-70b',
  'model-with-pod-down': '/#/model/surge-400b',
  'model-down': '/#/model/ebb-13b',
  'model-fixed': '/#/model/harbor-8b',
  'model-preview': '/#/model/delta-1t',
  playground: '/#/playground',
  status: '/#/status',
  calculator: '/#/calculator',
  'first-call': '/#/start',
  'no-such-screen': '/#/nothing',
  'no-such-page': '/nothing',
  docs: '/docs',
  'docs-page': '/docs/buy/bidding',
  reference: '/docs/reference',
  'sign-in': '/settings',
};
const BUYER_PAGES = {
  home: '/settings#/home',
  keys: '/settings#/keys',
  activity: '/settings#/activity',
  batches: '/settings#/batches',
  bill: '/settings#/bill',
  order: '/settings#/order/ORDER',
  billing: '/settings#/billing',
  statement: `/settings#/statement/${new Date().toISOString().slice(0, 7)}`,
  alerts: '/settings#/alerts',
  webhooks: '/settings#/webhooks',
  storage: '/settings#/storage',
  members: '/settings#/members',
  security: '/settings#/security',
  danger: '/settings#/danger',
  'playground-signed-in': '/#/playground',
};
const OPERATOR_PAGES = {
  'console-overview': '/console#/overview',
  'console-pods': '/console#/pods',
  'console-book': '/console#/book',
  'console-accounts': '/console#/accounts',
  'console-account': '/console#/accounts/ACCOUNT',
  'console-money': '/console#/money',
  'console-orders': '/console#/orders',
  'console-order': '/console#/orders/ORDER',
  'console-log': '/console#/log',
  'console-alerts': '/console#/alerts',
  'console-settings': '/console#/settings',
};

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    models: { type: 'string', default: '6' },
    orders: { type: 'string', default: '4000' },
    empty: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
});

/** What a demo prints, and its end. */
interface RunningDemo {
  readonly market: string;
  readonly buyer_link: string;
  readonly operator_link: string;
  stop(): Promise<void>;
}

const demo = await startDemo();
const browser = await launchChromium();
try {
  if (!values.empty) await pause(BUSY_MS);
  if (values.folder === undefined) await drawDocuments(browser, demo);
  else await drawAll(browser, demo, values.folder);
} finally {
  await browser.close();
  await demo.stop();
}

async function startDemo(): Promise<RunningDemo> {
  const { models, orders, empty } = values;
  const sizes = ['--models', models, '--orders', orders, ...(empty ? ['--empty'] : [])];
  const args = [join(ROOT, 'src/cli.ts'), 'demo', '--json', '--port', '0', ...sizes];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exit.then(() => Promise.reject(new Error('The demo did not start.'))),
  ]);
  const stop = async () => {
    child.kill('SIGINT');
    await exit;
  };
  return { ...JSON.parse(line), stop };
}

/** The pictures of README and docs. */
async function drawDocuments(browser: Browser, { market, buyer_link, operator_link }: RunningDemo): Promise<void> {
  const visitor = await patientPage(browser, { width: 1280, height: 985 });
  await visitor.goto(`${market}#/model/tide-70b`);
  await settled(visitor);
  await visitor.locator('.chart[data-drawn]').first().waitFor();
  await visitor.screenshot({ path: join(ROOT, 'docs/understand/market-page.png') });

  const buyer = await signedIn(browser, buyer_link, { width: 1440, height: 720 });
  await buyer.goto(await addressOf(buyer, market, BUYER_PAGES.order));
  await settled(buyer);
  await buyer.screenshot({ path: join(ROOT, 'docs/buy/receipt.png') });

  const operator = await signedIn(browser, operator_link, { width: 1280, height: 720 });
  await operator.getByRole('link', { name: 'Money' }).click();
  await operator.getByRole('button', { name: 'Audit now' }).click();
  await operator.getByText('The books agree.').waitFor();
  await operator.getByRole('link', { name: 'Overview' }).click();
  await settled(operator);
  await operator.screenshot({ path: join(ROOT, 'docs/sell/console-overview.png') });
}

/** Every page that somebody can see, at each width, light and dark. */
async function drawAll(browser: Browser, { market, buyer_link, operator_link }: RunningDemo, folder: string) {
  mkdirSync(folder, { recursive: true });
  const visitor = await patientPage(browser);
  const buyer = await signedIn(browser, buyer_link);
  const operator = await signedIn(browser, operator_link);
  const receipt = values.empty ? {} : { receipt: await sharedReceipt(buyer, market) };
  if (!values.empty) await addAlerts([buyer, operator], market);
  for (const [page, pages] of [
    [visitor, { ...MARKET_PAGES, ...receipt }],
    [buyer, BUYER_PAGES],
    [operator, OPERATOR_PAGES],
  ] as const)
    for (const [name, path] of Object.entries(pages)) {
      if (!values.only.split(',').some((part) => name.includes(part))) continue;
      // On the day of the opening the buyer has no order.
      if (values.empty && path === BUYER_PAGES.order) continue;
      // From another page, so that it is loaded and not only its address changed.
      await page.goto('about:blank');
      await page.goto(await addressOf(page, market, path));
      await settled(page);
      await drawAtAllWidths(page, join(folder, name));
    }
}

/** The public link to the receipt of the buyer's newest order. */
async function sharedReceipt(buyer: Page, market: string): Promise<string> {
  await buyer.goto(await addressOf(buyer, market, BUYER_PAGES.order));
  await buyer.getByRole('button', { name: 'Make a public link' }).click();
  return buyer.getByRole('region', { name: 'Public link' }).getByRole('link').innerText();
}

/** A target in Slack for each, and an alert of the buyer. */
async function addAlerts([buyer, operator]: readonly [Page, Page], market: string): Promise<void> {
  for (const [page, path] of [
    [buyer, BUYER_PAGES.alerts],
    [operator, OPERATOR_PAGES['console-alerts']],
  ] as const) {
    await page.goto(new URL(path, market).href);
    await page.getByLabel('Address of the incoming webhook').fill(SLACK);
    await page.getByRole('button', { name: 'Add the target' }).click();
    await page.getByRole('button', { name: 'Send a test' }).waitFor();
  }
  await buyer.getByLabel('Level, USD per 1M at the reference mix').fill('0.05');
  await buyer.getByRole('button', { name: 'Add the alert' }).click();
  await buyer.getByRole('button', { name: /^Pause/ }).waitFor();
}

async function drawAtAllWidths(page: Page, path: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT });
      await pause(RESIZED_MS);
      await page.screenshot({ path: `${path}-${width}-${colorScheme}.png`, fullPage: true });
    }
  }
}

async function settled(page: Page): Promise<void> {
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  await pause(SETTLED_MS);
}

/** A page in a context of its own that waits for minutes: a demo of 200 models keeps a small machine busy. */
async function patientPage(browser: Browser, viewport = { width: 1440, height: HEIGHT }): Promise<Page> {
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(PATIENCE_MS);
  return page;
}

async function signedIn(browser: Browser, link: string, viewport?: { width: number; height: number }): Promise<Page> {
  const page = await patientPage(browser, viewport);
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: /^(Home|Overview)$/ }).waitFor();
  return page;
}

/** The address, with the newest order that is done in place of ORDER, and the first account in place of ACCOUNT. */
async function addressOf(page: Page, market: string, path: string): Promise<string> {
  const first = async (list: string, name: string) => {
    const answer: FirstOf = await (await page.request.get(new URL(list, market).href)).json();
    return String((answer.list?.data ?? answer.data)?.[0]?.[name]);
  };
  const orders = path.startsWith('/console') ? '/console/api/latest-orders' : '/settings/api/orders';
  const filled = path.endsWith('ORDER')
    ? path.replace('ORDER', await first(`${orders}?status=done`, 'id'))
    : path.endsWith('ACCOUNT')
      ? path.replace('ACCOUNT', await first('/console/api/accounts', 'account_id'))
      : path;
  return new URL(filled, market).href;
}

/** A list; that of an account's own orders is within an object. */
interface FirstOf {
  readonly data?: readonly Readonly<Record<string, unknown>>[];
  readonly list?: { readonly data: readonly Readonly<Record<string, unknown>>[] };
}
