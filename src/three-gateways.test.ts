/** Three gateways on one MariaDB, in processes of their own, as callers and operators see them. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { OpenedDatabase } from '#testing/databases.ts';
import { clusterSite, type GatewayProcess, type Site } from '#testing/gateway-process.ts';
import { openMariadb, skipMariadb } from '#testing/mariadb.ts';
import { cannedReply, startMockBackend } from '#testing/mock-backend.ts';
import { fixedModel, marketModel, selling } from '#testing/test-config.ts';
import { until } from '#testing/until.ts';

const FILE_REQUESTS = 10;
const CONFIGURATION = selling([marketModel('tide', 4), fixedModel('harbor', 4)], {
  limits: {
    file_operations_per_minute_per_account: FILE_REQUESTS,
    // Callers send as fast as the machine answers.
    inference_requests_per_minute_per_key: 1_000_000,
  },
  market: { quote: { interval_ms: 1000 } },
});

interface LeaseOfMarket {
  readonly name: string;
  readonly holder: string;
}

describe('three gateways on one MariaDB', { skip: skipMariadb }, () => {
  let opened: OpenedDatabase;
  let sites: Site[];
  let apiKey: string;
  let running: GatewayProcess[];

  beforeEach(async () => {
    opened = await openMariadb();
    running = [];
    sites = [];
    for (let at = 0; at < 3; at++) sites.push(await newSite());
    const [site] = sites as [Site];
    const account = await site.command('account', 'create', 'test', '--credit', '100');
    apiKey = String((await site.command('key', 'create', String(account.json.account_id))).json.api_key);
  });
  afterEach(async () => {
    for (const gateway of running) await gateway.kill();
    for (const site of sites) site.remove();
    await opened.drop();
  });

  const newSite = (environment: NodeJS.ProcessEnv = {}): Promise<Site> =>
    clusterSite(CONFIGURATION, { databaseUrl: opened.url, beside: sites[0] }, environment);

  async function start(site: Site | undefined): Promise<GatewayProcess> {
    assert.ok(site);
    const gateway = await site.start();
    running.push(gateway);
    return gateway;
  }

  async function startAll(): Promise<[GatewayProcess, GatewayProcess, GatewayProcess]> {
    return [await start(sites[0]), await start(sites[1]), await start(sites[2])];
  }

  const call = (
    gateway: GatewayProcess,
    path: string,
    body?: object,
    { headers = {}, signal = null }: { headers?: Record<string, string>; signal?: AbortSignal | null } = {},
  ) =>
    fetch(`${gateway.url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal,
    });

  const complete = (gateway: GatewayProcess, more: object = {}, sent: Parameters<typeof call>[3] = {}) =>
    call(
      gateway,
      '/v1/chat/completions',
      {
        ...{ model: 'tide', messages: [{ role: 'user', content: 'hello' }], price_limit: 10 },
        ...{ x_simulate: { output_tokens: 2 }, ...more },
      },
      sent,
    );

  const rows = (where: object = {}) => opened.db.knex('orders').where(where).orderBy('id');
  /** Resolves when so many orders have begun; some may have ended by then. */
  const begun = (count: number) => until(async () => (await rows().whereNot({ status: 'queued' })).length === count);
  const running_ = { x_simulate: { output_tokens: 10, token_ms: 300 } };
  /** It does not end within the test, however slow the machine is. */
  const endless = { x_simulate: { output_tokens: 10, token_ms: 60_000 } };

  async function owners(): Promise<ReadonlyMap<string, string>> {
    const { json } = await (sites[0] as Site).command('cluster');
    return new Map((json.markets as LeaseOfMarket[]).map(({ name, holder }) => [name, holder]));
  }

  async function auditIsClean(): Promise<void> {
    await until(async () => (await rows().whereIn('status', ['queued', 'executing'])).length === 0);
    assert.deepEqual((await (sites[0] as Site).command('audit')).json.findings, []);
  }

  /** What one owner published and what the next one did is one chain, at whichever gateway is asked. */
  async function pricesAreChained(...gateways: GatewayProcess[]): Promise<void> {
    for (const { url } of gateways) {
      const { exitCode, json } = await (sites[0] as Site).command('verify', '--chain', url, '--model', 'tide');
      assert.equal(exitCode, 0, JSON.stringify(json));
      const [levels, quotes] = json.chains as { rows: number; from: number }[];
      assert.deepEqual([levels?.from, quotes?.from], [1, 1]);
      assert.ok((quotes?.rows ?? 0) > 2, 'Quotes of both owners.');
    }
  }

  test('each serves the same markets at the same price, and one owns each', async () => {
    const gateways = await startAll();
    for (const gateway of gateways) {
      for (const model of ['tide', 'harbor']) {
        assert.equal((await complete(gateway, model === 'tide' ? {} : { model, price_limit: undefined })).status, 200);
      }
    }
    const { json, exitCode } = await (sites[0] as Site).command('cluster');
    assert.equal(exitCode, 0);
    assert.equal((json.gateways as unknown[]).length, 3);
    const levels = await Promise.all(
      gateways.map(async (gateway) => (await (await call(gateway, '/v1/market?model=tide')).json()) as object),
    );
    assert.deepEqual(Object.keys(levels[1] ?? {}), Object.keys(levels[0] ?? {}));
    const slotsOf = async (gateway: GatewayProcess) => {
      return ((await (await call(gateway, '/v1/market/depth?model=tide')).json()) as { slots: number | null }).slots;
    };
    // The gateway that has the book is asked; each answers from the same pictures.
    for (const gateway of gateways) await until(async () => (await slotsOf(gateway)) === 4);
    await auditIsClean();
  });

  test('a pod that is added at one gateway gets orders of all, and of none once another has removed it', async (t) => {
    const gateways = await startAll();
    const [first, second] = gateways;
    const backend = await startMockBackend({ reply: cannedReply({ chunks: 2 }) });
    t.after(() => backend.close());
    const [site] = sites as [Site];
    const { json } = await site.command('operator-token', 'create', 'adder', '--scopes', 'read,operate');
    const ask = (gateway: GatewayProcess, method: string, path: string, body?: object) =>
      fetch(`${gateway.url}/console/api/pods${path}`, {
        method,
        headers: { authorization: `Bearer ${json.token}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    const podAt = async (gateway: GatewayProcess) => {
      const { data } = (await (await ask(gateway, 'GET', '')).json()) as { data: { pod: string; healthy: boolean }[] };
      return data.find(({ pod }) => pod === 'added-1') ?? null;
    };
    const body = { model: 'harbor', pod: 'added-1', address: backend.url, slots: 4 };
    assert.equal((await ask(first, 'POST', '', body)).status, 201);
    for (const gateway of gateways) await until(async () => (await podAt(gateway))?.healthy === true);
    await until(async () => (await ask(second, 'POST', '/harbor-1/drain')).status === 200);
    const before = backend.requests.length;
    for (const gateway of gateways)
      assert.equal((await complete(gateway, { model: 'harbor', price_limit: undefined })).status, 200);
    assert.equal(backend.requests.length, before + 3);

    assert.equal((await ask(second, 'DELETE', '/added-1')).status, 204);
    for (const gateway of gateways) await until(async () => (await podAt(gateway)) === null);
    await until(async () => (await ask(first, 'POST', '/harbor-1/resume')).status === 200);
    const last = backend.requests.length;
    for (const gateway of gateways)
      assert.equal((await complete(gateway, { model: 'harbor', price_limit: undefined })).status, 200);
    assert.equal(backend.requests.length, last);
    await auditIsClean();
  });

  test('an order is canceled and repriced through another gateway', async () => {
    const [first, second, third] = await startAll();
    // Below the level of a market whose slots are all held.
    const leave = new AbortController();
    const full = Array.from({ length: 4 }, () => complete(first, endless, { signal: leave.signal }).catch(() => null));
    await begun(4);
    const taken = await complete(second, { detached: true, price_limit: 1 });
    assert.equal(taken.status, 202);
    const [queued] = await rows({ status: 'queued' });
    const repriced = await call(third, '/v1/orders/price', { ids: [queued.id], price_limit: 2 });
    assert.equal(repriced.status, 200);
    assert.equal(Number((await rows({ id: queued.id }))[0].bid), 2_000_000_000);
    assert.equal((await call(first, `/v1/orders/${queued.id}/cancel`, {})).status, 200);
    assert.equal((await rows({ id: queued.id }))[0].status, 'canceled');
    leave.abort();
    await Promise.all(full);
    await auditIsClean();
  });

  test('a limit on requests holds for all of them together', async () => {
    const gateways = await startAll();
    const statuses: number[] = [];
    // Of requests that come fast, each gateway alone would take all of its share.
    for (let round = 0; round < FILE_REQUESTS; round++)
      for (const gateway of gateways) statuses.push((await call(gateway, '/v1/files')).status);
    const taken = statuses.filter((status) => status === 200).length;
    // A few come back while the test runs.
    assert.ok(taken >= FILE_REQUESTS && taken < 2 * FILE_REQUESTS, `${taken} of ${statuses.length}`);
    assert.equal(statuses.length - taken, statuses.filter((status) => status === 429).length);
  });

  test('when the owner of the markets is killed another owns them, and its keyed and detached orders live on', async () => {
    const [first, second, third] = await startAll();
    const held = await owners();
    assert.equal(new Set(held.values()).size, 1);
    const once = { headers: { 'idempotency-key': 'once' } };
    const keyed = complete(first, running_, once).catch(() => null);
    const lost = complete(first, endless).catch(() => null);
    await begun(2);
    assert.equal((await complete(first, { detached: true, ...running_ })).status, 202);
    await first.kill();
    await Promise.all([keyed, lost]);
    // Both others serve at once; nobody waits for the orders of the dead.
    assert.deepEqual([(await complete(second)).status, (await complete(third)).status], [200, 200]);
    assert.notDeepEqual(await owners(), held);
    let repeated = await complete(second, running_, once);
    for (; repeated.status === 429; repeated = await complete(third, running_, once)) await repeated.text();
    assert.equal(repeated.status, 200);
    await auditIsClean();
    const ends = (await rows({ detached: true })).map(({ status }) => status);
    assert.deepEqual(ends, ['done']);
    assert.deepEqual(
      (await rows({ error: 'gateway_restarted' })).map(({ status }) => status),
      ['error'],
    );
    await pricesAreChained(second, third);
  });

  test('each signs the same receipt of an order that another ran, and all show the same keys', async () => {
    const gateways = await startAll();
    const taken = await complete(gateways[0]);
    const id = taken.headers.get('x-service-order-id');
    const texts = async (path: string) => Promise.all(gateways.map(async (one) => (await call(one, path)).text()));
    const [receipt = '', ...others] = await texts(`/v1/orders/${id}/receipt`);
    assert.match(receipt, /"jws":"[\w-]+\.[\w-]+\.[\w-]{86}"/);
    assert.deepEqual(others, [receipt, receipt]);
    const [keys, ...sets] = await texts('/.well-known/jwks.json');
    assert.deepEqual(sets, [keys, keys]);
    assert.equal((JSON.parse(keys ?? '') as { keys: unknown[] }).keys.length, 1);
  });

  test('a gateway that is stopped hands its markets and waiting orders to the others', async () => {
    const [first, second] = await startAll();
    const answer = complete(first, { x_simulate: { output_tokens: 5, token_ms: 100 } });
    await begun(1);
    const stopped = first.stop();
    assert.equal((await complete(second)).status, 200);
    assert.equal((await answer).status, 200);
    assert.equal(await stopped, 0);
    assert.equal((await complete(second)).status, 200);
    await auditIsClean();
  });

  test('all are restarted one after the other under load, and no request is refused or broken', async () => {
    const rotation: GatewayProcess[] = [...(await startAll())];
    let stopped = false;
    const statuses = new Map<number, number>();
    const client = async (first: number) => {
      for (let at = first; !stopped; at++) {
        const gateway = rotation[at % rotation.length];
        assert.ok(gateway);
        const { status } = await complete(gateway, { price_limit: 50, x_simulate: { output_tokens: 3, token_ms: 10 } });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const clients = [0, 1, 2, 3, 4, 5, 6, 7].map((first) => client(first));
    for (const site of sites) {
      // As a load balancer does: out of the rotation first, and in again once it is healthy.
      const gateway = rotation.shift();
      assert.equal(await gateway?.stop(), 0);
      rotation.push(await start(site));
    }
    stopped = true;
    await Promise.all(clients);
    assert.deepEqual([...statuses.keys()], [200]);
    await auditIsClean();
  });

  test('a gateway that was paused until it was declared dead ends, and charges nothing', async () => {
    const [first, second] = await startAll();
    const answer = complete(first, endless).catch(() => null);
    await begun(1);
    process.kill(first.pid, 'SIGSTOP');
    assert.equal((await complete(second)).status, 200);
    await until(async () => (await rows({ error: 'gateway_restarted' })).length === 1);
    process.kill(first.pid, 'SIGCONT');
    assert.equal(await first.lives(60_000), false);
    await answer;
    assert.match(first.log(), /took over the database|declared dead/);
    await auditIsClean();
  });

  describe('refuses', () => {
    const refused = async (site: Site, sentence: RegExp) => {
      try {
        await assert.rejects(site.start(), sentence);
      } finally {
        site.remove();
      }
    };

    test('a gateway without a peer address beside them, and one with it beside a gateway that serves alone', async () => {
      const alone = { SLUICE_PEER_ADDRESS: '', SLUICE_PEER_SECRET: '' };
      const first = await start(sites[0]);
      await refused(await newSite(alone), /SLUICE_PEER_ADDRESS/);
      await first.stop();
      const single = await newSite(alone);
      await start(single);
      await refused(await newSite(), /serves (it|this database) alone|SLUICE_PEER_ADDRESS/);
      single.remove();
    });

    test('another data folder', async () => {
      await start(sites[0]);
      await refused(await newSite({ SLUICE_DATA: undefined }), /another folder/);
    });
  });
});
