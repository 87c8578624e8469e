import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { operatorBrowser } from './support/operator-browser.ts';
import { useServer } from './support/server.ts';

describe('GET /console/api/overview', () => {
  const server = useServer({ trust_proxy: 1 });

  it('200 what is earned, waits and runs, with the pods and the models', async () => {
    const browser = await operatorBrowser(server, 'viewer');
    const overview = async () => (await browser.call('getOverview')).body(200);
    const { id, key } = await server.createAccount();
    const api = server.api.as(key);
    const idle = await overview();
    assert.match(idle.version, /^\d+\.\d+\.\d+/);
    assert.deepEqual([idle.orders, idle.utilisation, idle.disk_low], [{ queued: 0, executing: 0 }, 0, false]);
    assert.equal(idle.revenue_usd_per_minute, 0);
    assert.equal(idle.pods.healthy, idle.pods.total);
    assert.ok(idle.pods.total > 0);
    assert.equal(idle.journal.stalled, false);
    assert.ok(idle.journal.lag_ms >= 0);
    (await api.call('createChatCompletion', { body: chat() })).body(200);
    const release = server.holdAnswers();
    const order = api.call('createChatCompletion', { body: chat() });
    await server.orders({ executing: 1 }, api);
    const busy = await overview();
    assert.deepEqual(busy.orders, { queued: 0, executing: 1 });
    assert.ok(busy.utilisation !== null && busy.utilisation > 0 && busy.utilisation <= 1);
    const { balance_usd } = (await browser.call('showAccount', { params: { id } })).body(200);
    const earned = 100 - balance_usd;
    const tide = busy.models.find(({ model }) => model === 'tide');
    assert.deepEqual([tide?.pricing, tide?.degraded, tide?.requests], ['market', false, 1]);
    assert.deepEqual([tide?.queued, tide?.executing], [0, 1]);
    const previews = busy.models.filter(({ preview }) => preview);
    assert.deepEqual(
      previews.map(({ model }) => model),
      ['surge'],
    );
    assert.equal(busy.refusals, null, 'metrics are off here');
    assert.ok(Math.abs((tide?.earned_usd ?? 0) - earned) < 1e-9);
    assert.ok((tide?.level ?? 0) > 0);
    const minutes = (Date.parse(busy.at) - Date.parse(busy.revenue_from)) / 60_000;
    // It is rounded to a nano-dollar a minute, of at most 30 minutes.
    assert.ok(Math.abs(busy.revenue_usd_per_minute * minutes - earned) < 30e-9);
    release();
    (await order).body(200);
  });

  it('200 a pod that is out, with its model, since when, and what it costs a minute by what its model earned in a day', async () => {
    const browser = await operatorBrowser(server);
    const { key } = await server.createAccount();
    (await server.api.as(key).call('createChatCompletion', { body: chat() })).body(200);
    const overview = async () => (await browser.call('getOverview')).body(200);
    const { models, pods } = await overview();
    assert.deepEqual(pods.out, []);
    const tide = (await browser.call('listPods')).body(200).data.filter(({ model }) => model === 'tide');
    const [first] = tide;
    (await browser.call('drainPod', { params: { id: first?.pod ?? '' } })).body(200);
    const { out } = (await overview()).pods;
    assert.deepEqual([out[0]?.pod, out[0]?.model, out[0]?.state], [first?.pod, 'tide', 'drained']);
    assert.ok(out[0]?.since !== null);
    const slots = tide.reduce((sum, pod) => sum + pod.slots.configured, 0);
    const earned = models.find(({ model }) => model === 'tide')?.earned_usd ?? 0;
    const cost = (earned * (first?.slots.configured ?? 0)) / slots / 1440;
    assert.ok(Math.abs((out[0]?.cost_usd_per_minute ?? 0) - cost) <= 1e-9);
    (await browser.call('resumePod', { params: { id: first?.pod ?? '' } })).body(200);
    assert.deepEqual((await overview()).pods.out, []);
  });
});
