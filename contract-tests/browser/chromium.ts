/**
 * A page in Debian's Chromium, served from an origin of its own, with everything that `in-page.ts` exports as the global
 * `inPage`. What the console says is part of the test: a browser reports there what it keeps from the page.
 */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { launchChromium } from '#testing/chromium.ts';

const ENTRY = fileURLToPath(new URL('in-page.ts', import.meta.url));
/** Chromium reports every refusal itself; the page has caught it. */
const REFUSAL = /^Failed to load resource: the server responded with a status of 4\d\d/;

/** A page that is open. */
export interface OpenPage {
  readonly page: Page;
  /** The errors in its console, and what it did not catch. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

/** Opens a page. Fails when there is no Chromium. */
export async function openPage(): Promise<OpenPage> {
  const script = await bundle();
  const browser = await launchChromium();
  const site = await serveSite(script);
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !REFUSAL.test(message.text())) problems.push(message.text());
  });
  await page.goto(site.url);
  return {
    page,
    problems,
    async close() {
      await browser.close();
      site.server.closeAllConnections();
      site.server.close();
    },
  };
}

async function serveSite(script: string): Promise<{ server: Server; url: string }> {
  const server = createServer(({ url }, response) => {
    const type = url === '/clients.js' ? 'text/javascript' : 'text/html';
    response.setHeader('content-type', `${type}; charset=utf-8`);
    response.end(
      url === '/clients.js' ? script : '<!doctype html><title>A page</title><script src="/clients.js"></script>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { server, url: `http://127.0.0.1:${address.port}/` };
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    globalName: 'inPage',
    logLevel: 'silent',
  });
  return outputFiles.map(({ text }) => text).join('');
}
