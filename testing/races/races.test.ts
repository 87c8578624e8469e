/** Looks for races between a decision and its commit in a few worlds. `races.long.test.ts` lives the others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { liveAll, type WorldKind } from './worlds.ts';

const seeds = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const plans: Readonly<Record<WorldKind, { readonly count: number; readonly happens: readonly string[] }>> = {
  alone: { count: 30, happens: ['done', 'canceled', 'error', 'expired', 'parked', 'key-held', 'killed', 'clock set'] },
  cluster: { count: 20, happens: ['takeovers', 'burials', 'adopted', 'left', 'paused', 'stale-epoch'] },
};

for (const [kind, { count, happens }] of Object.entries(plans)) {
  test(`nothing races in ${count} worlds: ${kind}`, async () => {
    const seen = await liveAll(kind as WorldKind, seeds(count));
    for (const what of happens) assert.ok(seen.has(what), `${what} happened`);
  });
}

test('a world is the same whenever it is lived', async () => {
  const trace = async () => [...(await liveAll('cluster', [7]))].join();
  assert.equal(await trace(), await trace());
});
