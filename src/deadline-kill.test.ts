/** A gateway is killed while orders with a deadline wait, of a caller and of a batch: the next one has all that they were to cost. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type Database, openDatabase } from '#storage/database/database.ts';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { marketModel, selling } from '#testing/test-config.ts';
import { until } from '#testing/until.ts';

const CHAT = '/v1/chat/completions';
const DEADLINE_S = 28_800;
/** Two lines wait, and the fifth place stays free. */
const CONFIGURATION = selling([marketModel('reef')], { limits: { queued_batch_orders_per_account: 3 } });

describe('a gateway that is killed while orders with a deadline wait', () => {
  let site: Site;
  let gateway: GatewayProcess;
  let apiKey: string;
  let db: Database;

  beforeEach(async () => {
    // A market without pods: orders wait, and bid their limit.
    site = await makeSite(CONFIGURATION);
    const account = await site.command('account', 'create', 'test', '--credit', '100');
    apiKey = String((await site.command('key', 'create', String(account.json.account_id))).json.api_key);
    gateway = await site.start();
    db = openDatabase(site.environment.DATABASE_URL ?? '');
  });
  afterEach(async () => {
    await db.close();
    await gateway.kill();
    site.remove();
  });

  async function call(path: string, sent?: FormData | object): Promise<Record<string, unknown>> {
    const json = sent && !(sent instanceof FormData) ? { 'content-type': 'application/json' } : {};
    const body = sent instanceof FormData ? sent : JSON.stringify(sent);
    const headers = { authorization: `Bearer ${apiKey}`, ...json };
    const reply = await fetch(`${gateway.url}${path}`, sent ? { method: 'POST', headers, body } : { headers });
    assert.ok(reply.ok, `${path}: ${reply.status}`);
    return (await reply.json()) as Record<string, unknown>;
  }

  async function killAndStartAgain(): Promise<void> {
    await gateway.kill();
    gateway = await site.start();
    assert.deepEqual((await site.command('audit')).json.findings, []);
  }

  test('the order has its deadline, its limit, its bid and the most that it may be charged', async () => {
    const messages = [{ role: 'user', content: 'hello' }];
    const terms = { price_limit: 2, max_charge_usd: 0.01, deadline: DEADLINE_S, detached: true };
    const { id } = await call(CHAT, { messages, max_tokens: 50, ...terms });
    const termsOf = async () => {
      const { status, bid, strategy, max_charge_usd, expires_at } = await call(`/v1/orders/${id}?include=pricing`);
      return { status, bid, strategy, max_charge_usd, expires_at };
    };
    const before = await termsOf();
    const { deadline } = before.strategy as { deadline: string };
    assert.deepEqual(before, {
      ...{ status: 'queued', bid: 2, max_charge_usd: 0.01, expires_at: deadline },
      strategy: { kind: 'deadline', deadline, price_limit: 2, at_limit: true },
    });
    await killAndStartAgain();
    assert.deepEqual(await termsOf(), before);
  });

  test('the batch has its deadline, and so have its lines, each once; those outside go on', async () => {
    const line = (at: number) => {
      const body = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 50 };
      return JSON.stringify({ custom_id: `line ${at}`, method: 'POST', url: CHAT, body });
    };
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob([[1, 2, 3, 4].map(line).join('\n')]), 'night.jsonl');
    const { id: input_file_id } = await call('/v1/files', form);
    const { id } = await call('/v1/batches', { input_file_id, endpoint: CHAT, price_limit: 2, deadline: DEADLINE_S });
    const rows = () =>
      db.knex('orders').orderBy('id').select('id', 'bid', 'price_limit', 'deadline_ms', 'expires_at_ms');
    await until(async () => (await rows()).length === 2);
    const before = await rows();
    const batch = await call(`/v1/batches/${id}`);
    await killAndStartAgain();
    assert.deepEqual(await rows(), before);
    const after = await call(`/v1/batches/${id}`);
    assert.deepEqual([after.x_market, after.expires_at], [batch.x_market, batch.expires_at]);
    await call(`/v1/orders/${before[0]?.id}/cancel`, {});
    await until(async () => (await rows()).length === 3);
    await call(`/v1/batches/${id}/cancel`, {});
    await until(async () => (await db.knex('batches').first('status')).status === 'cancelled');
    assert.deepEqual((await rows()).length, 3);
    assert.deepEqual((await site.command('audit')).json.findings, []);
  });
});
