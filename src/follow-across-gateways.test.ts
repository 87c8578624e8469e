/** Orders of one gateway that are followed at another, on one MariaDB, in processes of their own. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { OpenedDatabase } from '#testing/databases.ts';
import { clusterSite, type GatewayProcess, type Site } from '#testing/gateway-process.ts';
import { openMariadb, skipMariadb } from '#testing/mariadb.ts';
import { marketModel, selling } from '#testing/test-config.ts';
import { until } from '#testing/until.ts';

const CONFIGURATION = selling([marketModel('tide', 4)]);

/** The events of a stream without comments and numbers. */
const eventsOf = (text: string) => text.match(/^data: .*$/gm) ?? [];

describe('two gateways on one MariaDB', { skip: skipMariadb }, () => {
  let opened: OpenedDatabase;
  let sites: Site[];
  let gateways: GatewayProcess[];
  let apiKey: string;

  beforeEach(async () => {
    opened = await openMariadb();
    sites = [];
    gateways = [];
    for (let at = 0; at < 2; at++) {
      sites.push(await clusterSite(CONFIGURATION, { databaseUrl: opened.url, beside: sites[0] }));
    }
    const [site] = sites as [Site];
    const account = await site.command('account', 'create', 'test', '--credit', '100');
    apiKey = String((await site.command('key', 'create', String(account.json.account_id))).json.api_key);
    for (const each of sites) gateways.push(await each.start());
  });
  afterEach(async () => {
    for (const gateway of gateways) await gateway.kill();
    for (const site of sites) site.remove();
    await opened.drop();
  });

  const call = (gateway: GatewayProcess, path: string, body?: object, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const complete = (gateway: GatewayProcess, more: object, headers: Record<string, string> = {}) => {
    const messages = [{ role: 'user', content: 'hello' }];
    return call(gateway, '/v1/chat/completions', { model: 'tide', messages, price_limit: 10, ...more }, headers);
  };
  const rows = (where: object) => opened.db.knex('orders').where(where);
  const both = () => gateways as [GatewayProcess, GatewayProcess];

  test('a stream is followed at the other one, and at both when it has ended', async () => {
    const [first, second] = both();
    // A gateway that stands still for a moment writes what is due as one event.
    const slow = { stream: true, x_simulate: { output_tokens: 40, token_ms: 30 } };
    const cut = await complete(first, slow, { 'idempotency-key': 'cut' });
    const id = cut.headers.get('x-service-order-id') ?? '';
    const beginning = await call(second, `/v1/orders/${id}/stream`);
    assert.equal(beginning.status, 200);
    await cut.body?.cancel();
    const whole = eventsOf(await beginning.text());
    assert.equal(whole.at(-1), 'data: [DONE]');
    assert.ok(whole.length > 5, `${whole.length} events`);
    for (const gateway of both()) {
      const rest = await call(gateway, `/v1/orders/${id}/stream?starting_after=2`);
      assert.deepEqual(eventsOf(await rest.text()), whole.slice(3));
    }
    assert.deepEqual((await (sites[0] as Site).command('audit')).json.findings, []);
  });

  test('who follows an order is cut when its gateway is killed, and follows its new run from the beginning', async () => {
    const [first, second] = both();
    // It does not end within the test.
    const endless = { detached: true, x_simulate: { output_tokens: 10, token_ms: 60_000 } };
    const { id } = (await (await complete(first, endless)).json()) as { id: string };
    await until(async () => (await rows({ id, status: 'executing' })).length === 1);
    const followed = await call(second, `/v1/orders/${id}/stream`);
    assert.equal(followed.status, 200);
    await first.kill();
    await assert.rejects(followed.text());
    await until(async () => (await rows({ id, status: 'executing', attempt: 2 })).length === 1);
    const refused = await call(second, `/v1/orders/${id}/stream?starting_after=0`);
    assert.equal(refused.status, 409);
    assert.match(await refused.text(), /"code":"stream_restarted"/);
    const again = await call(second, `/v1/orders/${id}/stream`);
    assert.equal(again.status, 200);
    await again.body?.cancel();
  });
});
