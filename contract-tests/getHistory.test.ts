import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { operatorBrowser } from './support/operator-browser.ts';
import { useServer } from './support/server.ts';

const MINUTE_MS = 60_000;

describe('GET /console/api/history and /console/api/pod-history', () => {
  const server = useServer({ trust_proxy: 1 });

  it('200 each range in its bins, with what was charged, waited and failed, and what was changed meanwhile', async () => {
    const browser = await operatorBrowser(server);
    const { id, key } = await server.createAccount();
    (await server.api.as(key).call('createChatCompletion', { body: chat() })).body(200);
    const { balance_usd } = (await browser.call('showAccount', { params: { id } })).body(200);
    (await browser.call('drainPod', { params: { id: 'tide-1' } })).body(200);
    await server.pass(2 * MINUTE_MS, 10_000);
    const history = async (query: Record<string, string>) => (await browser.call('getHistory', { query })).body(200);
    for (const [range, bins, bin_seconds] of [
      ['1h', 60, 60],
      ['24h', 96, 900],
      ['7d', 168, 3600],
    ] as const) {
      const past = await history({ range });
      assert.deepEqual([past.range, past.bins, past.bin_seconds], [range, bins, bin_seconds]);
      const lists = [past.revenue_usd_per_minute, past.utilisation, past.queued, past.failed];
      for (const list of [...lists, past.first_token_ms.median, past.first_token_ms.p95])
        assert.equal(list.length, bins);
      for (const { level } of past.levels) assert.equal(level.length, bins);
      const nowS = Date.parse(past.at) / 1000;
      const endS = past.from + bins * bin_seconds;
      assert.ok(nowS < endS && nowS >= endS - bin_seconds);
      assert.deepEqual(past.marks.map(({ what }) => what).toSorted(), ['gateway.start', 'pod.drain']);
      assert.ok(past.failed.some((count) => count === 0));
      assert.ok(past.first_token_ms.median.some((ms) => ms !== null));
    }
    const { revenue_usd_per_minute: revenue } = await history({ range: '1h' });
    const charged = revenue.reduce<number>((sum, usd) => sum + (usd ?? 0), 0);
    assert.ok(Math.abs(charged - (100 - balance_usd)) < 1e-9);
    assert.equal((await history({ range: 'nonsense' })).range, '24h');
    assert.equal((await history({})).range, '24h');
  });

  it('200 a letter for each bin of each pod', async () => {
    const browser = await operatorBrowser(server, 'viewer');
    const past = (await browser.call('getPodHistory', { query: { range: '1h' } })).body(200);
    const pods = (await browser.call('listPods')).body(200).data;
    assert.deepEqual(
      past.data.map(({ model, pod }) => [model, pod]),
      pods.map(({ model, pod }) => [model, pod]),
    );
    for (const { states } of past.data) assert.match(states, /^[updo-]{60}$/);
    assert.match(past.data.find(({ pod }) => pod === 'tide-1')?.states ?? '', /o/);
    assert.match(past.data.find(({ pod }) => pod !== 'tide-1')?.states ?? '', /u/);
  });
});
