/** A gateway with its pages, and a browser, for all tests of a suite. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import type { GatewayProcess, Site } from './gateway-process.ts';
import { HURRIED, openWatched, type WatchedPage } from './open-pages.ts';
import { makeOwnSite } from './own-site.ts';
import { makePagesSite, type PagesGateway } from './pages-gateway.ts';

/** What `usePages` starts. */
export interface UsedPages {
  readonly browser: Browser;
  /** Where the gateway listens, whichever it is now. */
  readonly url: string;
  /** Runs `meanwhile` while there is no gateway; then another follows on the same port and data. */
  restarted(meanwhile: () => Promise<void>): Promise<void>;
}

/** What `useOwnPages` starts. */
export interface OwnPages {
  readonly browser: Browser;
  readonly url: string;
  readonly site: Site;
  readonly gateway: GatewayProcess;
  /** Invites an operator with this role, and signs in to the console. */
  operator(role: string): Promise<WatchedPage>;
  /** Signs in to the settings with a link, and opens the keys. */
  settings(link: string): Promise<WatchedPage>;
  /** What the browser complained of, without answers 401: from them a page learns that nobody is signed in. */
  unexpected(watched: WatchedPage): string[];
}

/** To be called in a suite: starts a gateway with a past of 30 days and a browser, and ends both after its tests. */
export function usePages(): UsedPages {
  return useStarted(async (ending) => {
    const site = await makePagesSite();
    ending(() => site.remove());
    let gateway: PagesGateway = await site.start();
    ending(() => gateway.stop());
    const browser = await launchChromium();
    ending(() => browser.close());
    const restarted = async (meanwhile: () => Promise<void>) => {
      await gateway.stop();
      await meanwhile();
      gateway = await site.start();
    };
    return { browser, url: gateway.url, restarted };
  });
}

/**
 * To be called in a suite: starts a gateway with a database of its own, in a process of its own as an operator does, and a
 * browser. The text of its configuration is asked for when the tests begin, and so are more variables of its environment.
 */
export function useOwnPages(
  configuration: () => string,
  environment: () => NodeJS.ProcessEnv | Promise<NodeJS.ProcessEnv> = () => ({}),
): OwnPages {
  return useStarted(async (ending) => {
    // First: the configuration names what it starts.
    const variables = await environment();
    const site = await makeOwnSite(configuration(), variables);
    ending(async () => site.remove());
    const gateway = await site.start();
    ending(() => gateway.stop());
    const browser = await launchChromium();
    ending(() => browser.close());
    const signedIn = async (link: string, heading: string) => {
      const opened = await openWatched(browser, link, { script: HURRIED });
      await opened.page.getByRole('button', { name: 'Sign in' }).click();
      await opened.page.getByRole('heading', { name: heading }).waitFor();
      return opened;
    };
    return {
      ...{ site, gateway, browser, url: gateway.url },
      async operator(role) {
        const { json } = await site.command('member', 'invite', `${role}@example.com`, '--operator', role);
        return signedIn(String(json.link).replace(/^.*\/settings/, `${gateway.url}/settings`), 'Overview');
      },
      async settings(link) {
        const opened = await signedIn(link, 'Home');
        await opened.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Keys' }).click();
        await opened.page.getByRole('heading', { name: 'Keys' }).waitFor();
        return opened;
      },
      unexpected: ({ problems }) => problems.filter((problem) => !/^Failed to load resource.*\b401\b/.test(problem)),
    };
  });
}

/** Starts something before the tests of a suite, and ends its parts afterwards, the last first. */
function useStarted<Started extends object>(
  start: (ending: (end: () => Promise<unknown>) => void) => Promise<Started>,
): Started {
  const endings: (() => Promise<unknown>)[] = [];
  let started: Started | null = null;
  before(async () => {
    started = await start((end) => void endings.push(end));
  });
  after(async () => {
    for (const end of endings.reverse()) await end();
  });
  return new Proxy({} as Started, {
    get: (_, name) => Reflect.get(started ?? assert.fail('Nothing has begun.'), name),
  });
}
