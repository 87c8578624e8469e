/** A gateway with its pages, and a browser, for all tests of a suite. */
import { after, before } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { makePagesSite, type PagesGateway } from './pages-gateway.ts';

/** What `usePages` starts. */
export interface UsedPages {
  readonly browser: Browser;
  /** Where the gateway listens, whichever it is now. */
  readonly url: string;
  /** Runs `meanwhile` while there is no gateway; then another follows on the same port and data. */
  restarted(meanwhile: () => Promise<void>): Promise<void>;
}

/** To be called in a suite: starts both before its tests and ends them afterwards. */
export function usePages(): UsedPages {
  const begun: (() => Promise<unknown>)[] = [];
  let used: UsedPages | null = null;
  before(async () => {
    const site = await makePagesSite();
    begun.push(() => site.remove());
    let gateway: PagesGateway = await site.start();
    begun.push(() => gateway.stop());
    const browser = await launchChromium();
    begun.push(() => browser.close());
    const restarted = async (meanwhile: () => Promise<void>) => {
      await gateway.stop();
      await meanwhile();
      gateway = await site.start();
    };
    used = { browser, url: gateway.url, restarted };
  });
  after(async () => {
    for (const end of begun.reverse()) await end();
  });
  const present = () => {
    if (!used) throw new Error('The tests have not begun.');
    return used;
  };
  return {
    get browser() {
      return present().browser;
    },
    get url() {
      return present().url;
    },
    restarted: (meanwhile) => present().restarted(meanwhile),
  };
}
