/** The settings and the console are loaded by the first request. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import type { RequestContext } from '#http/request-context.ts';
import { consoleRoutes } from './http.ts';

test('what could not be loaded is tried again by the next request', async () => {
  let tries = 0;
  const parts = {
    outside: { config: { console: { served: true } }, log: silentLog },
    payments: null,
    get storage(): never {
      tries++;
      throw new Error('planted');
    },
  } as unknown as Parameters<typeof consoleRoutes>[0];
  const routes = consoleRoutes(parts);
  let destroyed = 0;
  const context = { response: { destroy: () => void destroyed++ } } as unknown as RequestContext;
  await routes?.answer(context);
  await routes?.answer(context);
  assert.deepEqual([tries, destroyed], [2, 2]);
});
