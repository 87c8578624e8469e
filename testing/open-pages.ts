/**
 * Pages of a gateway in Chromium, for tests: whatever a browser complains of is a problem of the test. Requests that are
 * meant to fail are named by the test.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { GatewayProcess } from './gateway-process.ts';

/** A page, and what its browser said of it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors in the console, errors that nothing caught, and what the content security policy kept out. */
  readonly problems: string[];
  close(): Promise<void>;
}

/** What pages ask for every few seconds, they ask for four times as often with this script: no test waits for them. */
export const HURRIED =
  'const every = window.setInterval; window.setInterval = (run, ms, ...more) => every(run, ms / 4, ...more);';

/** Opens a page in a context of its own; `script` runs in it before its own scripts. */
export async function openWatched(
  browser: Browser,
  url: string,
  { script, ...options }: BrowserContextOptions & { readonly script?: string } = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  if (script !== undefined) await context.addInitScript(script);
  const page = await context.newPage();
  const problems = await watched(page);
  await page.goto(url);
  return { page, problems, close: () => context.close() };
}

/**
 * Loads a page again. A `goto` to another place of the same page changes the address and returns before the page has
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

/** What axe finds on a page, one sentence each; `rules` are the only ones that it asks for. */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  const isThere = await page.evaluate("typeof axe !== 'undefined'");
  if (!isThere)
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  const options = JSON.stringify(rules ? { runOnly: rules } : { rules: { 'target-size': { enabled: true } } });
  const found: unknown = await page.evaluate(
    `axe.run(${options}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary].join(' · '))))`,
  );
  assert.ok(Array.isArray(found));
  return found.map(String);
}

/** How a page is looked at, by name. */
const LOOKS = {
  light: { colorScheme: 'light', width: 1280 },
  dark: { colorScheme: 'dark', width: 1280 },
  laptop: { colorScheme: 'light', width: 1024 },
  tablet: { colorScheme: 'light', width: 768 },
  phone: { colorScheme: 'light', width: 375 },
  'phone-dark': { colorScheme: 'dark', width: 375 },
  zoomed: { colorScheme: 'light', width: 320 },
} as const;

/**
 * Looks at a page in each way: axe finds nothing, and it does not scroll sideways; only tables may. What is dark differs in
 * nothing but its colors, so only their contrast is asked for.
 */
export async function assertLooksFine(page: Page, name: string, looks: readonly (keyof typeof LOOKS)[]): Promise<void> {
  const before = page.viewportSize();
  for (const look of looks) {
    const { colorScheme, width } = LOOKS[look];
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 740 });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, `${name}, ${look}`);
    const rules = colorScheme === 'dark' ? ['color-contrast', 'link-in-text-block'] : undefined;
    assert.deepEqual(await axeFindings(page, rules), [], `${name}, ${look}`);
    await picture(page, `${name}-${look}`);
  }
  // What follows looks for links that a phone has in its menu.
  if (before) await page.setViewportSize(before);
}

/** Keeps a picture of the page in coverage/pages/. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync('coverage/pages', { recursive: true });
  await page.screenshot({ path: `coverage/pages/${name}.png`, fullPage: true });
}

/** The link that the start of a gateway prints, soon after it is healthy, at `url`: a session belongs to its host. */
export async function printedLink({ url, output }: Pick<GatewayProcess, 'url' | 'output'>): Promise<string> {
  for (;;) {
    const [path] = /\/settings\/sign-in#\w+/.exec(output()) ?? [];
    if (path !== undefined) return `${url}${path}`;
    await pause(20);
  }
}
