/**
 * A gateway is killed at the moments when something was decided and is not committed: while a lock of the test keeps its
 * database from committing. Nothing that is not in the database may have reached a pod or a caller.
 * docs/decisions/0040.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Knex } from 'knex';
import { type Database, openDatabase } from '#storage/database/database.ts';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { cannedReply, type MockBackend, type MockReply, startMockBackend } from '#testing/mock-backend.ts';
import { marketModel, selling } from '#testing/test-config.ts';
import { until } from '#testing/until.ts';

const CREDIT = 100_000_000_000n;

describe('a gateway that is killed before a commit', () => {
  let backend: MockBackend;
  let reply: MockReply;
  let site: Site;
  let gateway: GatewayProcess;
  let apiKey: string;
  let db: Database;

  beforeEach(async () => {
    backend = await startMockBackend({ reply: () => reply });
    reply = cannedReply();
    const pods = [{ id: 'pod', url: backend.url, slots: 4 }];
    // Callers wait for as long as the tests keep the database from committing.
    site = await makeSite(selling([{ ...marketModel('tide', 4), pods }], { database_deadline_ms: 60_000 }));
    const account = await site.command('account', 'create', 'test', '--credit', '100');
    apiKey = String((await site.command('key', 'create', String(account.json.account_id))).json.api_key);
    gateway = await site.start();
    db = openDatabase(site.environment.DATABASE_URL ?? '');
  });
  afterEach(async () => {
    await db.close();
    await gateway.kill();
    await backend.close();
    site.remove();
  });

  /** Everything that the caller gets before the connection breaks. */
  async function ask(stream: boolean): Promise<string> {
    let got = '';
    try {
      const body = { messages: [{ role: 'user', content: 'hello' }], price_limit: 10, max_tokens: 50, stream };
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      got = `${response.status} `;
      for await (const bytes of response.body ?? []) got += Buffer.from(bytes).toString();
    } catch {
      // The gateway was killed.
    }
    return got;
  }

  /** Keeps the gateway from committing until the end of the transaction. */
  async function lock(): Promise<Knex.Transaction> {
    const transaction = await db.knex.transaction();
    await transaction('accounts').update({ status: 'active' });
    return transaction;
  }

  const triedToCommit = () => until(async () => gateway.log().includes('did not commit'));

  /** Kills the gateway and starts another; every account must have what it was credited, and the books must agree. */
  async function killAndStartAgain(locked: Knex.Transaction | null): Promise<void> {
    await gateway.kill();
    await locked?.rollback();
    gateway = await site.start();
    const accounts = await db.knex('accounts').where('house', 0).select('balance', 'held');
    assert.deepEqual(accounts, [{ balance: CREDIT, held: 0n }]);
    assert.deepEqual((await site.command('audit')).json.findings, []);
  }

  const orders = () => db.knex('orders').select('status', 'error', 'attempt', 'hold');

  test('of an admission has sent nothing to a pod and answered its caller nothing; no order is left', async () => {
    const locked = await lock();
    const answer = ask(true);
    await triedToCommit();
    await killAndStartAgain(locked);
    assert.equal(await answer, '');
    assert.equal(backend.requests.length, 0);
    assert.deepEqual(await orders(), []);
  });

  test('of an end, while a pod works, has an order that is executing, with its hold; it ends uncharged', async () => {
    reply = { ...reply, instead: 'hang' };
    const answer = ask(false);
    await backend.requested(1);
    const [order] = await orders();
    assert.deepEqual([order?.status, order?.attempt], ['executing', 1n]);
    assert.ok(order?.hold > 0n);
    await killAndStartAgain(null);
    assert.equal(await answer, '');
    assert.deepEqual((await orders())[0], { status: 'error', error: 'gateway_restarted', attempt: 1n, hold: 0n });
  });

  for (const stream of [false, true]) {
    test(`of a settlement has given no receipt ${stream ? 'on a stream' : 'and no answer'}; nothing is charged`, async () => {
      const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
      reply = { ...reply, headAfter: mayAnswer };
      const answer = ask(stream);
      await backend.requested(1);
      const locked = await lock();
      letAnswer();
      await triedToCommit();
      await killAndStartAgain(locked);
      const got = await answer;
      if (stream) assert.doesNotMatch(got, /charged_usd|x_market|\[DONE\]/);
      else assert.equal(got, '');
      assert.deepEqual((await orders())[0], { status: 'error', error: 'gateway_restarted', attempt: 1n, hold: 0n });
    });
  }
});
