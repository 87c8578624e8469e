/** Models that come, change and go in a cluster under load, one gateway after the other, by restarts and by reloads. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { OpenedDatabase } from '#testing/databases.ts';
import { clusterSite, type GatewayProcess, type Site } from '#testing/gateway-process.ts';
import { openMariadb, skipMariadb } from '#testing/mariadb.ts';
import { fixedModel, type Model, marketModel, selling, unlimited } from '#testing/test-config.ts';
import { until } from '#testing/until.ts';

const tide = marketModel('tide', 4);
const harbor = fixedModel('harbor', 4);
const reef = marketModel('reef', 2);
/** Other prices, bounds and pods. */
const otherTide = {
  ...marketModel('tide', 2, 5),
  ...{ reserve: 1, ceiling: 80, pricing_ratio: { cached: 0.2, uncached: 1, output: 5 } },
};
const CLIENTS = 6;

interface Row {
  readonly id: string;
  readonly status: string;
}

describe('three gateways on one MariaDB', { skip: skipMariadb }, () => {
  let opened: OpenedDatabase;
  let sites: Site[];
  let apiKey: string;
  /** By site. */
  let running: GatewayProcess[];
  /** Those that a load balancer sends requests to. */
  let rotation: Set<GatewayProcess>;
  let over: boolean;
  let clients: Promise<void>[];
  /** Answers to the clients, which ask for models that are sold all the time. */
  let answers: Map<number, number>;

  beforeEach(async () => {
    opened = await openMariadb();
    sites = [];
    for (let at = 0; at < 3; at++)
      sites.push(await clusterSite(fileOf([tide, harbor]), { databaseUrl: opened.url, beside: sites[0] }));
    const account = await first().command('account', 'create', 'test', '--credit', '1000');
    apiKey = String((await first().command('key', 'create', String(account.json.account_id))).json.api_key);
    [running, rotation, over, clients, answers] = [[], new Set(), false, [], new Map()];
    for (const site of sites) running.push(await site.start());
    rotation = new Set(running);
    clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
  });
  afterEach(async () => {
    over = true;
    await Promise.all(clients);
    for (const gateway of running) await gateway.kill();
    for (const site of sites) site.remove();
    await opened.drop();
  });

  const fileOf = (models: readonly [Model, ...Model[]]) =>
    selling(models, { limits: unlimited, market: { quote: { interval_ms: 1000 } } });
  const first = (): Site => sites[0] as Site;
  const gatewayAt = (at: number): GatewayProcess => running[at] as GatewayProcess;

  async function ask(gateway: GatewayProcess, model: string, more: object = {}) {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ model, messages: [{ role: 'user', content: 'hello' }] },
        ...(model === 'harbor' ? {} : { price_limit: 50 }),
        ...{ x_simulate: { output_tokens: 3, token_ms: 10 }, ...more },
      }),
    });
    return { status: response.status, json: (await response.json()) as Row };
  }

  async function client(number: number): Promise<void> {
    for (let at = number; !over; at++) {
      const all = [...rotation];
      const { status } = await ask(all[at % all.length] as GatewayProcess, at % 3 === 0 ? 'harbor' : 'tide');
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
  }

  /** Writes the file of one gateway. */
  const write = (at: number, models: readonly [Model, ...Model[]]) =>
    writeFileSync(join((sites[at] as Site).folder, 'sluice.yaml'), fileOf(models));

  /** Restarts one gateway with these models, as a load balancer and Kubernetes do: out of the rotation, ended, ready. */
  async function restart(at: number, models: readonly [Model, ...Model[]]): Promise<void> {
    write(at, models);
    rotation.delete(gatewayAt(at));
    assert.equal(await gatewayAt(at).stop(), 0);
    running[at] = await (sites[at] as Site).start();
    rotation.add(gatewayAt(at));
  }

  async function reload(at: number, models: readonly [Model, ...Model[]]): Promise<void> {
    write(at, models);
    process.kill(gatewayAt(at).pid, 'SIGHUP');
  }

  const statusesOf = async (model: string) =>
    Promise.all(running.map(async (gateway) => (await ask(gateway, model)).status));
  const rowsOf = (where: object): Promise<Row[]> => opened.db.knex('orders').where(where);

  /** No client was refused, and every order and charge is as it must be. */
  async function allWentWell(): Promise<void> {
    over = true;
    await Promise.all(clients);
    assert.deepEqual([...answers.keys()], [200]);
    assert.ok((answers.get(200) ?? 0) >= CLIENTS);
    await until(async () => (await opened.db.knex('orders').whereIn('status', ['queued', 'executing'])).length === 0);
    assert.deepEqual((await first().command('audit')).json.findings, []);
  }

  test('a model is added, others are changed and it is removed again by restarts, the last gateway first', async () => {
    await restart(2, [tide, harbor, reef]);
    assert.deepEqual(await statusesOf('reef'), [404, 404, 200]);
    for (const at of [1, 0]) await restart(at, [tide, harbor, reef]);
    assert.deepEqual(await statusesOf('reef'), [200, 200, 200]);

    for (const at of [2, 1, 0]) {
      await restart(at, [otherTide, harbor, reef]);
      assert.deepEqual(await statusesOf('tide'), [200, 200, 200]);
    }

    for (const at of [2, 1]) await restart(at, [otherTide, harbor]);
    assert.deepEqual(await statusesOf('reef'), [200, 404, 404]);
    await restart(0, [otherTide, harbor]);
    assert.deepEqual(await statusesOf('reef'), [404, 404, 404]);
    const { json, exitCode } = await first().command('cluster');
    assert.equal(exitCode, 0, JSON.stringify(json));
    await allWentWell();
  });

  test('a model is added, changed and opened by reloads, one gateway after the other', async () => {
    const preview = { ...reef, preview: true };
    for (const at of [0, 1, 2]) {
      await reload(at, [tide, harbor, preview]);
      await until(async () => (await fetch(`${gatewayAt(at).url}/v1/market?model=reef`)).status === 200);
    }
    assert.deepEqual(await statusesOf('reef'), [400, 400, 400]);
    for (const at of [0, 1, 2]) await reload(at, [otherTide, harbor, reef]);
    for (const gateway of running) await until(async () => (await ask(gateway, 'reef')).status === 200);
    const fjord = fixedModel('fjord', 2);
    await reload(1, [otherTide, harbor, reef, fjord]);
    await until(async () => (await ask(gatewayAt(1), 'fjord', { price_limit: undefined })).status === 200);
    await allWentWell();
  });

  test('a detached order of a model that only its gateway sold waits for that to come back', async () => {
    await restart(2, [tide, harbor, reef]);
    over = true;
    await Promise.all(clients);
    const sent = { detached: true, x_simulate: { output_tokens: 10, token_ms: 500 } };
    const { status, json } = await ask(gatewayAt(2), 'reef', sent);
    assert.equal(status, 202);
    await until(async () => (await rowsOf({ id: json.id, status: 'executing' })).length === 1);
    await gatewayAt(2).kill();
    const isSetApart = () => [0, 1].some((at) => /does not sell this model/.test(gatewayAt(at).log()));
    await until(async () => isSetApart());
    running[2] = await (sites[2] as Site).start();
    await until(async () => (await rowsOf({ id: json.id, status: 'done' })).length === 1);
    await allWentWell();
  });
});
