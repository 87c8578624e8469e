/** The machine's own Chromium, for tests; nothing is downloaded. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** What scripts/test looks for, too. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Starts it. Fails when there is none. */
export function launchChromium(): Promise<Browser> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const executablePath = folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(existsSync);
  assert.ok(executablePath, 'Chromium is not installed: run scripts/need chromium chromium, or install it yourself.');
  // Its sandbox does not work for root.
  return chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
}
