/** A batch with a deadline whose gateway is killed: another one adopts it. Two gateways on one MariaDB, in processes of their own. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { OpenedDatabase } from '#testing/databases.ts';
import { clusterSite, type GatewayProcess, type Site } from '#testing/gateway-process.ts';
import { openMariadb, skipMariadb } from '#testing/mariadb.ts';
import { marketModel, selling } from '#testing/test-config.ts';
import { until } from '#testing/until.ts';

const LINES = 8;
/** Two lines wait, and a fifth of the places stays free. */
const PLACES = 3;
const DEADLINE_S = 28_800;

// A market without pods: lines wait.
const CONFIGURATION = selling([marketModel('reef')], { limits: { queued_batch_orders_per_account: PLACES } });

interface BatchAnswer {
  readonly id: string;
  readonly created_at: number;
  readonly x_market: { readonly canceled: number; readonly deadline: number | null };
}
interface OrderAnswer {
  readonly id: string;
  readonly strategy: { readonly deadline: string; readonly price_limit: number };
}

describe('a batch with a deadline on two gateways', { skip: skipMariadb }, () => {
  let opened: OpenedDatabase;
  let sites: Site[];
  let apiKey: string;
  let running: GatewayProcess[];

  beforeEach(async () => {
    opened = await openMariadb();
    [sites, running] = [[], []];
    for (let at = 0; at < 2; at++) {
      sites.push(await clusterSite(CONFIGURATION, { databaseUrl: opened.url, beside: sites[0] }));
    }
    const [site] = sites as [Site];
    const account = await site.command('account', 'create', 'test', '--credit', '100');
    apiKey = String((await site.command('key', 'create', String(account.json.account_id))).json.api_key);
  });
  afterEach(async () => {
    for (const gateway of running) await gateway.kill();
    for (const site of sites) site.remove();
    await opened.drop();
  });

  async function start(site: Site | undefined): Promise<GatewayProcess> {
    assert.ok(site);
    const gateway = await site.start();
    running.push(gateway);
    return gateway;
  }

  function send({ url }: GatewayProcess, path: string, body?: FormData | object): Promise<Response> {
    const json = body && !(body instanceof FormData) ? { 'content-type': 'application/json' } : {};
    return fetch(`${url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${apiKey}`, ...json },
      ...(body ? { body: body instanceof FormData ? body : JSON.stringify(body) } : {}),
    });
  }

  async function call<Answer>(gateway: GatewayProcess, path: string, body?: FormData | object): Promise<Answer> {
    const reply = await send(gateway, path, body);
    assert.equal(reply.status, 200, path);
    return (await reply.json()) as Answer;
  }

  async function createBatch(gateway: GatewayProcess): Promise<BatchAnswer> {
    const body = { model: 'reef', messages: [{ role: 'user', content: 'hello' }] };
    const lines = Array.from({ length: LINES }, (_, at) =>
      JSON.stringify({ custom_id: `line ${at}`, method: 'POST', url: '/v1/chat/completions', body }),
    );
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob([lines.join('\n')]), 'night.jsonl');
    const { id } = await call<{ id: string }>(gateway, '/v1/files', form);
    const fields = { input_file_id: id, endpoint: '/v1/chat/completions', price_limit: 2, deadline: DEADLINE_S };
    return call(gateway, '/v1/batches', fields);
  }

  test('the adopter has its deadline and those of its lines, and goes on with the lines that are left', async () => {
    const [first, second] = [await start(sites[0]), await start(sites[1])];
    const batch = await createBatch(first);
    const path = `/v1/batches/${batch.id}`;
    // Waits look at the rows: a caller may not ask so often.
    const linesOf = async (where = {}) =>
      (await opened.db.knex('orders').where({ batch_id: batch.id, ...where })).length;
    const statusOf = async () => (await opened.db.knex('batches').first('status')).status;
    const orders = async () => {
      const { data } = await call<{ data: OrderAnswer[] }>(second, `/v1/orders?batch=${batch.id}`);
      return data.map(({ id, strategy: { deadline, price_limit } }) => ({ id, deadline, price_limit }));
    };
    await until(async () => (await linesOf()) === 2);
    const before = await orders();
    assert.equal(batch.x_market.deadline, batch.created_at + DEADLINE_S);
    await first.kill();
    const owner = async () => String((await opened.db.knex('batches').first('boot_epoch')).boot_epoch);
    const dead = await owner();
    await until(async () => (await owner()) !== dead);
    assert.deepEqual((await call<BatchAnswer>(second, path)).x_market.deadline, batch.x_market.deadline);
    assert.deepEqual(await orders(), before);
    for (const { deadline, price_limit } of before) {
      const part = (Date.parse(deadline) / 1000 - batch.created_at) / DEADLINE_S;
      assert.ok(part > 0.2 && part < 0.4, `${part} of the time for two of eight lines`);
      assert.equal(price_limit, 2);
    }
    // Once a line is gone, the next one takes its place at the adopter.
    // Its rows are the adopter's a moment before it has read them.
    await until(async () => (await send(second, `/v1/orders/${before[0]?.id}/cancel`, {})).status === 200);
    await until(async () => (await linesOf()) === 3);
    await call(second, `${path}/cancel`, {});
    await until(async () => (await statusOf()) === 'cancelled');
    assert.equal((await call<BatchAnswer>(second, path)).x_market.canceled, LINES);
    assert.deepEqual((await (sites[1] as Site).command('audit')).json.findings, []);
  });
});
