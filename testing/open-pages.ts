/**
 * Pages of a gateway in Chromium, for tests: whatever a browser complains of is a problem of the test. Requests that are
 * meant to fail are named by the test.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { GatewayProcess } from './gateway-process.ts';

/** A page, and what its browser said of it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors in the console, errors that nothing caught, and what the content security policy kept out. */
  readonly problems: string[];
  close(): Promise<void>;
}

/** Opens a page in a context of its own. */
export async function openWatched(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems = await watched(page);
  await page.goto(url);
  return { page, problems, close: () => context.close() };
}

/**
 * Loads a page anew. A `goto` to another place of the same page changes the address and returns before the page has
 * followed, so what is looked at next may be the place before.
 */
export async function loadAnew(page: Page, url: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(url);
}

/** Collects what the browser says of a page from now on. */
export async function watched(page: Page): Promise<string[]> {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  await page.exposeFunction('reportViolation', (what: string) => problems.push(`policy: ${what}`));
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) =>
      reportViolation(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`,
  );
  return problems;
}

/** What axe finds on a page, one sentence each. */
export async function axeFindings(page: Page): Promise<string[]> {
  const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  const found: unknown = await page.evaluate(
    `axe.run().then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary].join(' · '))))`,
  );
  assert.ok(Array.isArray(found));
  return found.map(String);
}

/** Keeps a picture of the page in coverage/pages/. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync('coverage/pages', { recursive: true });
  await page.screenshot({ path: `coverage/pages/${name}.png`, fullPage: true });
}

/** The link that the start of a gateway printed, at `url`: a session belongs to the host at which it began. */
export function printedLink({ url, output }: Pick<GatewayProcess, 'url' | 'output'>): string {
  return `${url}${/\/settings\/sign-in#\w+/.exec(output())?.[0] ?? assert.fail('no link was printed')}`;
}
