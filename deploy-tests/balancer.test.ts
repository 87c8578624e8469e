/** The balancer that compose.yaml ships, in front of two real gateways on one MariaDB. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { OpenedDatabase } from '#testing/databases.ts';
import { freePort } from '#testing/free-port.ts';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { openMariadb, skipMariadb } from '#testing/mariadb.ts';
import { chunkOf, frameOf, type MockBackend, startMockBackend } from '#testing/mock-backend.ts';
import { marketModel, selling } from '#testing/test-config.ts';
import { until } from '#testing/until.ts';
import { type RunningProxy, startHaproxy } from './proxies.ts';

const PUBLIC_REQUESTS = 20;
/** As many as make it certain that both gateways get some; the hash of each is always the same. */
const CALLERS = Array.from({ length: 40 }, (_, index) => `caller-${index}`);

describe('the balancer in front of two gateways', { skip: skipMariadb }, () => {
  let opened: OpenedDatabase;
  let pod: MockBackend;
  let sites: [Site, Site];
  let gateways: [GatewayProcess, GatewayProcess];
  let balancer: RunningProxy;
  let key: string;

  before(async () => {
    opened = await openMariadb();
    pod = await startMockBackend({ reply: { writes: [frameOf(chunkOf({ content: 'first' }))], after: 'hang' } });
    const held = { ...marketModel('held'), pods: [{ id: 'held-1', url: pod.url, slots: 8 }] };
    const configuration = selling([marketModel('tide', 8), held], {
      trust_proxy: 1,
      limits: { public_requests_per_minute_per_address: PUBLIC_REQUESTS },
    });
    const first = await siteOf(configuration, {});
    sites = [first, await siteOf(configuration, { SLUICE_DATA: first.environment.SLUICE_DATA })];
    const { account_id } = (await first.command('account', 'create', 'test', '--credit', '100')).json;
    key = String((await first.command('key', 'create', String(account_id))).json.api_key);
    gateways = [await sites[0].start(), await sites[1].start()];
    balancer = await startHaproxy([gateways[0].url, gateways[1].url]);
    await bothServe();
  });
  after(async () => {
    await balancer?.stop();
    for (const gateway of gateways ?? []) await gateway.kill();
    for (const site of sites ?? []) site.remove();
    await pod?.close();
    await opened?.drop();
  });

  async function siteOf(configuration: string, environment: NodeJS.ProcessEnv): Promise<Site> {
    return makeSite(configuration, {
      DATABASE_URL: opened.url,
      LOG_LEVEL: 'debug',
      SLUICE_PEER_ADDRESS: `127.0.0.1:${await freePort()}`,
      SLUICE_PEER_SECRET: 'a secret that only the gateways of this test know',
      ...environment,
    });
  }

  const call = (path: string, headers: Record<string, string>, body?: object, signal?: AbortSignal) =>
    fetch(`${balancer.url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
      ...(signal ? { signal } : {}),
    });

  const order = (more: object, signal?: AbortSignal) =>
    call(
      '/v1/chat/completions',
      { authorization: `Bearer ${key}` },
      { model: 'tide', price_limit: 10, messages: [{ role: 'user', content: 'Hi' }], stream: true, ...more },
      signal,
    );

  /** Which gateway answers, also an unknown key: each logs that. Null when none did, as while one stops. */
  async function servedBy(caller: string, header = 'authorization'): Promise<0 | 1 | null> {
    const value = header === 'authorization' ? `Bearer ${caller}` : caller;
    const response = await call('/v1/account', { [header]: value }).catch(() => null);
    await response?.arrayBuffer();
    const id = response?.headers.get('x-request-id') ?? null;
    if (!response || response.status >= 500 || id === null) return null;
    let at = -1;
    await until(async () => {
      at = gateways.findIndex((gateway) => gateway.log().includes(id));
      return at >= 0;
    });
    return at === 0 ? 0 : 1;
  }

  const serving = () => Promise.all(CALLERS.map((caller) => servedBy(caller)));

  async function bothServe(): Promise<void> {
    await until(async () => {
      const served = new Set(await serving());
      return served.size === 2 && !served.has(null);
    });
  }

  test('requests with one key reach one gateway, in either header', async () => {
    for (const header of ['authorization', 'x-api-key']) {
      const seen = new Map<string, Set<number | null>>(CALLERS.map((caller) => [caller, new Set()]));
      for (let round = 0; round < 3; round++)
        for (const caller of CALLERS) seen.get(caller)?.add(await servedBy(caller, header));
      assert.deepEqual(
        [...seen.values()].filter((served) => served.size > 1 || served.has(null)),
        [],
      );
      assert.equal(new Set([...seen.values()].flatMap((served) => [...served])).size, 2);
    }
  });

  test('a piece of a stream arrives while the rest is not there yet, and who leaves has left', async () => {
    const leaving = new AbortController();
    const { body } = await order({ model: 'held' }, leaving.signal);
    const reader = (body ?? assert.fail('no body')).pipeThrough(new TextDecoderStream()).getReader();
    let streamed = '';
    while (!streamed.includes('first')) streamed += (await reader.read()).value ?? assert.fail('the stream ended');
    leaving.abort();
    await reader.read().catch(() => null);
    await pod.aborted(1);
  });

  test('callers cannot choose their address', async () => {
    let status = 200;
    // Each of these addresses would have a limit of its own.
    for (let at = 1; status === 200 && at < 255; at++) {
      const response = await call('/v1/models', { 'x-forwarded-for': `203.0.113.${at}` });
      await response.arrayBuffer();
      status = response.status;
    }
    assert.equal(status, 429);
  });

  test('metrics are not reached through it', async () => {
    const response = await call('/metrics', {});
    assert.equal(response.status, 404);
    assert.doesNotMatch(await response.text(), /sluice_/);
  });

  test('a gateway that drains keeps its streams and gets no new requests', async () => {
    const at = (await servedBy(key)) ?? assert.fail('Nobody answered.');
    const running = await order({ x_simulate: { output_tokens: 150, token_ms: 10 } });
    const whole = running.text();
    const stopped = gateways[at].stop();
    await until(async () => (await serving()).every((served) => served === 1 - at));
    assert.match(await whole, /\[DONE\]/);
    assert.equal(await stopped, 0);
    gateways[at] = await sites[at].start();
  });

  test('when one gateway is killed the other serves, and its callers come back to it', async () => {
    await bothServe();
    const usual = await serving();
    await gateways[0].kill();
    await until(async () => (await serving()).every((at) => at === 1));
    gateways[0] = await sites[0].start();
    await until(async () => (await serving()).every((at, index) => at === usual[index]));
  });
});
