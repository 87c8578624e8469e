/** A complete gateway whose reserve changes between its runs: what waited runs, or does not, by the new one. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeSite, type Site } from '#testing/gateway-process.ts';

let site: Site;
let key = '';
before(async () => {
  site = await makeSite(configuration(0.5, 0));
  const { json: account } = await site.command('account', 'create', 'waiting', '--credit', '100');
  key = String((await site.command('key', 'create', String(account.account_id))).json.api_key);
});
after(() => site?.remove());

/** A market with this reserve and one pod with so many slots. */
function configuration(reserve: number, slots: number): string {
  const listing = { type: 'market', context_length: 4096, max_output_length: 1024, floor: 0.01, ceiling: 100, reserve };
  const pods = slots === 0 ? [] : [{ id: 'sim', simulated: true, slots, seed: 1 }];
  return JSON.stringify({
    default_model: 'tide',
    models: [{ ...listing, id: 'tide', pricing_ratio: { cached: 0.1, uncached: 1, output: 4 }, pods }],
    probes: { enabled: false },
  });
}

/** Runs a gateway with this configuration. */
async function whileServing(text: string, act: (call: Caller) => Promise<void>): Promise<void> {
  writeFileSync(join(site.folder, 'sluice.yaml'), text);
  const { url, stop } = await site.start();
  await act(async (path, body) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
    return (await (await fetch(url + path, sent)).json()) as Record<string, unknown>;
  });
  assert.equal(await stop(), 0);
}
type Caller = (path: string, body?: object) => Promise<Record<string, unknown>>;

function order(price_limit: number, more: object = {}): object {
  return { messages: [{ role: 'user', content: 'hello' }], price_limit, max_tokens: 4, ...more };
}

test('a raised reserve keeps orders waiting over a restart, and a lowered one lets them run', async () => {
  const waiting: unknown[] = [];
  await whileServing(configuration(0.5, 0), async (call) => {
    for (const bid of [1, 10]) {
      const { id } = await call('/v1/chat/completions', order(bid, { detached: true, max_wait: 3600 }));
      waiting.push(id);
    }
  });
  const statuses = async (call: Caller) =>
    Promise.all(waiting.map(async (id) => (await call(`/v1/orders/${id}`)).status));
  // One slot: when an order that bids less is answered, the better ones have run.
  await whileServing(configuration(5, 1), async (call) => {
    assert.ok((await call('/v1/chat/completions', order(6))).usage);
    assert.deepEqual(await statuses(call), ['queued', 'done']);
    assert.ok(Number((await call('/v1/market')).level) >= 5);
  });
  await whileServing(configuration(0.5, 1), async (call) => {
    assert.ok((await call('/v1/chat/completions', order(0.6))).usage);
    assert.deepEqual(await statuses(call), ['done', 'done']);
  });
});
