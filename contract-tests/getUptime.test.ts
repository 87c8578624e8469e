import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cannedReply } from '#testing/mock-backend.ts';
import { chat } from './support/chat.ts';
import { itHasARate, itSurvivesAnOutage } from './support/common-refusals.ts';
import { type TestServer, useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

const INTERVAL_MS = 60_000;

describe('GET /v1/uptime', () => {
  const server = useServer({ probes: { enabled: true, interval_ms: INTERVAL_MS } });
  const get = (query: Record<string, string> = {}) => server.api.call('getUptime', { query, key: null });
  itHasARate('public_requests_per_minute_per_address', 'getUptime');
  itSurvivesAnOutage(server, 'getUptime');

  it('200 that may be cached for ten seconds, like the other statistics; accounts may not be cached', async () => {
    const cachingOf = async (id: 'getUptime' | 'getTokenStatistics' | 'getModelStatistics' | 'getAccount') =>
      (await server.api.call(id)).headers['cache-control'];
    assert.equal(await cachingOf('getUptime'), 'public, max-age=10');
    assert.equal(await cachingOf('getTokenStatistics'), 'public, max-age=10');
    assert.equal(await cachingOf('getModelStatistics'), 'public, max-age=10');
    assert.equal(await cachingOf('getAccount'), 'no-store');
  });

  it('200 no measurements at first, for every range with its buckets', async () => {
    for (const [range, bucketS] of [
      ['24h', 900],
      ['7d', 3600],
      ['30d', 14_400],
    ] as const) {
      const uptime = (await get({ range, model: 'harbor' })).body(200);
      assert.deepEqual([uptime.range, uptime.bucket_seconds, uptime.interval_ms], [range, bucketS, INTERVAL_MS]);
      assert.equal(uptime.checks_running, true);
    }
    assert.equal((await get({ range: '1h' })).body(200).range, '24h');
    assert.equal((await get({ range: '90d' })).body(200).range, '24h');
  });

  it('200 the days of a quarter of a year, which only `days=90` asks for', async () => {
    await server.pass(INTERVAL_MS);
    await eventually(async () => (await probed(server, 'tide')).total > 0, 'a probe of tide');
    const { range, bucket_seconds, buckets, summary } = (await get({ days: '90', range: '7d', model: 'tide' })).body(
      200,
    );
    assert.deepEqual([range, bucket_seconds], ['90d', 86_400]);
    assert.equal(buckets.at(-1)?.t, Math.floor(server.clock.nowMs() / 86_400_000) * 86_400);
    assert.equal(summary.total, (await probed(server, 'tide')).total);
    assert.equal((await get({ days: '9', range: '7d' })).body(200).range, '7d');
  });

  // Spec 4.9-48, 4.9-50
  it('200 in each interval every ready model answers a real completion, and its times add up', async () => {
    const account = await server.charged();
    const before = server.backend.requests.length;
    const at = (await probed(server, 'tide')).total;
    await server.pass(INTERVAL_MS);
    await eventually(async () => (await probed(server, 'tide')).total === at + 1, 'a probe of tide');
    const { summary, buckets, model } = (await get({ model: 'tide-latest' })).body(200);
    assert.equal(model, 'tide');
    assert.deepEqual([summary.failures, summary.uptime_pct], [0, 100]);
    assert.ok((summary.avg_ms ?? -1) >= 0 && (summary.max_ms ?? -1) >= (summary.avg_ms ?? 0));
    assert.equal(
      Math.round((summary.avg_queue_ms ?? 0) + (summary.avg_pipeline_ms ?? 0)),
      Math.round(summary.avg_ms ?? 0),
    );
    assert.equal(
      buckets.reduce((sum, bucket) => sum + bucket.total, 0),
      summary.total,
    );
    for (const { t } of buckets) assert.equal(t % 900, 0);
    assert.ok(server.backend.requests.length >= before + 2, 'tide and harbor were asked');
    assert.deepEqual(await server.charged(), account, 'no customer pays for it');
  });

  it('200 without a model all are pooled', async () => {
    const [tide, harbor] = [await probed(server, 'tide'), await probed(server, 'harbor')];
    const pooled = (await get()).body(200);
    assert.equal(pooled.model, null);
    assert.equal(pooled.summary.total, tide.total + harbor.total);
    assert.equal(pooled.degraded, false);
  });

  // Spec 4.9-52
  it('200 models without pods, previews and deprecated ones are unmeasured, not down', async () => {
    for (const [model, degraded] of [
      ['reef', true],
      ['surge', false],
      ['ebb', true],
    ] as const) {
      const uptime = (await get({ model })).body(200);
      assert.deepEqual([uptime.checks_running, uptime.summary.total, uptime.buckets], [false, 0, []], model);
      assert.equal(uptime.summary.uptime_pct, null);
      assert.equal(uptime.degraded, degraded, model);
    }
  });

  // Spec 4.9-55
  it('200 the statistics of tokens and models leave the house account out', async () => {
    assert.ok((await probed(server, 'tide')).total > 0);
    assert.deepEqual((await server.api.call('getTokenStatistics')).body(200).series, []);
    const { data } = (await server.api.call('getModelStatistics')).body(200);
    for (const { requests } of data) assert.equal(requests, 0);
  });

  it('200 an answer that fails is a failure', async () => {
    const { failures } = await probed(server, 'harbor');
    server.answer({ status: 400, contentType: 'application/json', writes: ['{"error":{"message":"No."}}'] });
    await server.pass(INTERVAL_MS);
    await eventually(async () => (await probed(server, 'harbor')).failures > failures, 'a failed probe');
    const { uptime_pct } = await probed(server, 'harbor');
    assert.ok(uptime_pct !== null && uptime_pct < 100);
  });

  describe('while the pods have never answered', () => {
    const young = useServer({ probes: { enabled: true, interval_ms: INTERVAL_MS } });
    const refusing = { status: 500, contentType: 'application/json', writes: ['{"error":{"message":"No."}}'] };
    const isReady = async (model: string) => {
      const { data } = (await young.api.call('getPartnerCatalog', { key: null })).body(200);
      return data.find(({ id }) => id === model)?.is_ready;
    };
    const told = async (query: Record<string, string> = {}) => {
      const { checks_running, summary, buckets } = (await young.api.call('getUptime', { query })).body(200);
      return [checks_running, summary.uptime_pct, summary.total, buckets.length];
    };

    it('200 a model is unmeasured and not ready until its first answer, and then counts', async () => {
      young.answer(refusing);
      await young.pass(INTERVAL_MS);
      young.answer(cannedReply());
      await young.api.call('createChatCompletion', { body: chat({ model: 'harbor' }) });
      young.answer(refusing);
      assert.deepEqual(await told(), [true, null, 0, 0]);
      await young.pass(INTERVAL_MS);
      await eventually(async () => (await probed(young, 'harbor')).failures === 1, 'a failure of harbor');
      assert.deepEqual(await told({ model: 'tide' }), [true, null, 0, 0]);
      assert.deepEqual(await told(), [true, 0, 1, 1]);
      assert.deepEqual([await isReady('tide'), await isReady('harbor')], [false, true]);
    });

    it('200 a restart does not forget which models answered', async () => {
      await young.restart();
      assert.deepEqual([await isReady('tide'), await isReady('harbor')], [false, true]);
      young.answer(cannedReply());
      await young.pass(INTERVAL_MS);
      await eventually(async () => (await probed(young, 'tide')).total === 1, 'the first answer of tide');
      assert.deepEqual((await told({ model: 'tide' })).slice(0, 3), [true, 100, 1]);
      assert.equal(await isReady('tide'), true);
    });
  });

  it('400 unknown_model for a model that is not served', async () => {
    assert.equal((await get({ model: 'nobody' })).refusal(400, 'unknown_model').param, 'model');
  });

  describe('with probes switched off', () => {
    const quiet = useServer();

    it('200 reports that nothing is measured', async () => {
      await quiet.pass(INTERVAL_MS);
      const uptime = (await quiet.api.call('getUptime', { key: null })).body(200);
      assert.deepEqual([uptime.checks_running, uptime.summary.total], [false, 0]);
      assert.equal(quiet.backend.requests.length, 0);
    });
  });

  describe('while customers fill every slot', () => {
    const crowded = useServer({ probes: { enabled: true, interval_ms: 10_000 } });

    // Spec 4.9-51
    it('200 a probe kept waiting by demand is not a failure, and a drain ends waiting probes', async () => {
      await crowded.api.call('createChatCompletion', { body: chat() });
      crowded.answer({ writes: [], instead: 'hang' });
      for (let slot = 0; slot < 8; slot++) {
        void crowded.api.open('createChatCompletion', { body: chat({ price_limit: 50 }) }).catch(() => {});
      }
      await crowded.orders({ executing: 8 });
      await crowded.pass(21_000);
      await eventually(async () => (await probed(crowded, 'tide')).total > 0, 'a probe that gave up');
      const { failures, avg_pipeline_ms, avg_queue_ms } = await probed(crowded, 'tide');
      assert.deepEqual([failures, avg_pipeline_ms], [0, null]);
      assert.ok((avg_queue_ms ?? 0) >= 10_000);
    });
  });
});

async function probed(server: TestServer, model: string) {
  return (await server.api.call('getUptime', { query: { model } })).body(200).summary;
}
