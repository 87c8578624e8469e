/** Changes whose COMMIT succeeds on MariaDB while its answer is lost: each takes effect once, and its secret is returned. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { idSource } from '#base/id.ts';
import { sweepOperations } from '#storage/cleanup/sweep-expired.ts';
import { type Database, openDatabase } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { BreakingLink } from '#testing/breaking-link.ts';
import { fundedAccount, type OpenedDatabase } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { openMariadb, skipMariadb } from '#testing/mariadb.ts';
import { startMs } from '#testing/order-fixtures.ts';
import { Accounts } from './account/account-store.ts';
import { hashKey } from './keys/api-key.ts';
import { Keys } from './keys/key-store.ts';
import { Members } from './members/member-store.ts';
import { Sessions } from './members/sessions.ts';
import { PaymentStore } from './payments/payment-store.ts';
import { EndpointStore } from './webhooks/endpoint-store.ts';

const clock = new ManualClock(startMs);
const ids = idSource(clock);

describe('a change whose COMMIT is not answered', { skip: skipMariadb }, () => {
  let opened: OpenedDatabase;
  let link: BreakingLink;
  /** The database over a link that breaks. */
  let db: Database;
  let accountId: string;

  beforeEach(async () => {
    opened = await openMariadb();
    accountId = await fundedAccount(opened.db, clock, 1_000_000_000n);
    link = new BreakingLink(opened.url);
    db = openDatabase(await link.open(opened.url));
  });
  afterEach(async () => {
    await db.close();
    await link.close();
    await opened.drop();
  });

  const parts = () => ({ db, clock, ids });
  const rows = (table: string) => opened.db.knex(table);
  const owner = () => ({ email: 'ada@example.com', accountId });
  const endpoint = { url: 'https://example.com', description: '', events: ['key.budget_reached'], allOrders: false };

  async function answerLost<Answer>(change: () => Promise<Answer>): Promise<Answer> {
    const lost = link.lose('answer', 'COMMIT;');
    const answer = await change();
    await lost;
    return answer;
  }

  test('creates one key, and returns its secret', async () => {
    const { key, secret } = await answerLost(() => new Keys(parts()).create(accountId, {}, COMMAND_LINE));
    const [row, ...others] = await rows('api_keys');
    assert.deepEqual([row.id, row.hash, others], [key.id, hashKey(secret), []]);
  });

  test('rotates a key once: the secret of before stays valid', async () => {
    const keys = new Keys(parts());
    const { key, secret } = await keys.create(accountId, {}, COMMAND_LINE);
    const rotated = await answerLost(() => keys.rotate(key.id, { overlapMs: 60_000 }, COMMAND_LINE));
    const [row] = await rows('api_keys');
    assert.deepEqual([row.hash, row.previous_hash], [hashKey(rotated.secret), hashKey(secret)]);
  });

  test('revokes a key once, and does not say that there is none', async () => {
    const keys = new Keys(parts());
    const { key } = await keys.create(accountId, {}, COMMAND_LINE);
    const revoked = await answerLost(() => keys.revoke({ accountId, id: key.id }, owner()));
    assert.equal(revoked.revokedAtMs, startMs);
  });

  test('creates one webhook, and returns its secret', async () => {
    const store = new EndpointStore(parts());
    const { secret } = await answerLost(() => store.create(owner(), { ...endpoint, prices: [], enabled: true }));
    assert.deepEqual(
      (await rows('webhook_endpoints')).map((row) => row.secret),
      [secret],
    );
  });

  test('rotates the secret of a webhook once', async () => {
    const store = new EndpointStore(parts());
    const made = await store.create(owner(), { ...endpoint, prices: [], enabled: true });
    const rotated = await answerLost(() => store.rotate(owner(), made.endpoint.id, 60_000));
    const [row] = await rows('webhook_endpoints');
    assert.deepEqual([row.secret, row.previous_secret], [rotated.secret, made.secret]);
  });

  test('opens one account', async () => {
    const { id } = await answerLost(() => new Accounts(parts()).create({ name: 'twice' }, COMMAND_LINE));
    assert.deepEqual(
      (await rows('accounts').where({ name: 'twice' })).map((row) => row.id),
      [id],
    );
  });

  test('begins one payment', async () => {
    const wanted = { accountId, amount: 10_000_000_000n, provider: 'stripe' } as const;
    const { id } = await answerLost(() => new PaymentStore(parts()).open(wanted, { openMax: 3, sinceMs: 0 }));
    assert.deepEqual(
      (await rows('payments')).map((row) => row.id),
      [id],
    );
  });

  test('uses a one-time link once, and opens the session', async () => {
    const { link: made } = await answerLost(() =>
      new Members(parts()).invite('ada@example.com', { accountId, role: 'owner' }, COMMAND_LINE),
    );
    const place = { address: '127.0.0.1', agent: '', cookie: null };
    const { signedIn } = await answerLost(() => new Sessions(parts()).openByLink(made?.token ?? '', place));
    assert.equal(signedIn.member.email, 'ada@example.com');
    assert.equal((await rows('member_sessions')).length, 1);
  });

  test('is made again when the COMMIT itself was lost', async () => {
    const lost = link.lose('message', 'COMMIT;');
    const { key } = await new Keys(parts()).create(accountId, {}, COMMAND_LINE);
    await lost;
    assert.deepEqual(
      (await rows('api_keys')).map((row) => row.id),
      [key.id],
    );
  });

  test('is tried five times while the database fails, and not when the values are wrong', async () => {
    let tries = 0;
    const failing = (sqlState: string, times: number) =>
      writing(db, async () => {
        if (++tries <= times) throw Object.assign(new Error('it failed'), { sqlState });
        return tries;
      });
    assert.equal(await failing('40001', 4), 5);
    tries = 0;
    await assert.rejects(failing('40001', 5));
    tries = 0;
    await assert.rejects(failing('23000', 1));
    assert.equal(tries, 1);
  });

  test('leaves a row that is deleted minutes later', async () => {
    await new Keys(parts()).create(accountId, {}, COMMAND_LINE);
    const written = () => rows('counters').where('name', 'like', 'written:%');
    const made = (await written()).length;
    assert.equal(await sweepOperations(opened.db, startMs), 0);
    await written().update({ value: 1 });
    assert.equal(await sweepOperations(opened.db, startMs), made);
  });
});
