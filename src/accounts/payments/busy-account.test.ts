/** An account that orders change all the time, on a server whose transactions refuse rows that changed since they began. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { idSource } from '#base/id.ts';
import { fundedAccount, type OpenedDatabase } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { openMariadb, skipMariadb } from '#testing/mariadb.ts';
import { startMs } from '#testing/order-fixtures.ts';
import { Accounts } from '../account/account-store.ts';
import { Attempts } from '../members/attempts.ts';
import { Identities } from '../members/identities.ts';
import type { IdentityProvider } from '../members/identity-provider.ts';
import { Sessions } from '../members/sessions.ts';
import { PaymentStore } from './payment-store.ts';
import type { Payment } from './provider.ts';
import { TopUpStore } from './top-up-store.ts';

const USD = 1_000_000_000n;
const TIMES = 60;
const clock = new ManualClock(startMs);

describe('a busy account on MariaDB with innodb_snapshot_isolation, or on MySQL', { skip: skipMariadb }, () => {
  let opened: OpenedDatabase;
  /** The setting of the server before; undefined on MySQL, which has none. */
  let former: string | undefined;
  let accountId: string;
  let isOver = false;
  let busy: Promise<unknown>;

  before(async () => {
    opened = await openMariadb();
    const { knex } = opened.db;
    const [[row]] = await knex.raw("SHOW GLOBAL VARIABLES LIKE 'innodb_snapshot_isolation'");
    former = row?.Value;
    if (former !== undefined) await knex.raw('SET GLOBAL innodb_snapshot_isolation = ON');
    // Only a new connection has it.
    await knex.destroy();
    knex.initialize();
    accountId = await fundedAccount(opened.db, clock, 10n * USD);
    const change = async () => {
      while (!isOver) await knex('accounts').where({ id: accountId }).increment('stored_bytes', 1);
    };
    busy = Promise.all([change(), change()]);
  });
  after(async () => {
    isOver = true;
    await busy;
    if (former !== undefined)
      await opened.db.knex.raw('SET GLOBAL innodb_snapshot_isolation = ?', [Number(former === 'ON')]);
    await opened.drop();
  });

  const parts = () => ({ db: opened.db, clock, ids: idSource(clock) });
  const balance = async () => (await new Accounts(parts()).show(accountId)).balance;

  async function pay(store: PaymentStore, payment: Payment): Promise<string> {
    const { outcome } = await store.handle({
      id: `evt_${payment.id}`,
      type: 'test',
      news: {
        ...{
          kind: 'paid',
          paymentId: payment.id,
          accountId,
          currency: 'usd',
          cents: Number(payment.amount / 10_000_000n),
        },
        ...{ sessionId: payment.automatic ? null : `cs_${payment.id}`, intent: `pi_${payment.id}` },
      },
    });
    return outcome;
  }

  test('is credited with each of 60 card payments', async () => {
    const store = new PaymentStore(parts());
    const before = await balance();
    for (let time = 0; time < TIMES; time++) {
      const wanted = { accountId, amount: 10n * USD, provider: 'stripe' } as const;
      assert.equal(await pay(store, await store.open(wanted, { openMax: 3, sinceMs: 0 })), 'credited');
    }
    assert.equal(await balance(), before + 600n * USD);
  });

  test('is credited with each of 60 automatic top-ups', async () => {
    const payments = new PaymentStore(parts());
    const store = new TopUpStore(parts());
    const wanted = { accountId, amount: 10n * USD, provider: 'stripe' } as const;
    const first = await payments.open(wanted, { openMax: 3, sinceMs: 0 });
    const card = { kind: 'card', paymentId: first.id, accountId, customer: 'cus_1', method: 'pm_1' } as const;
    await payments.handle({ id: 'evt_card', type: 'test', news: card });
    const wishes = { enabled: true, threshold: 5_000n * USD, amount: 20n * USD, perDayMax: 10, monthMax: 9_000n * USD };
    const before = await balance();
    for (let time = 0; time < TIMES; time++) {
      await clock.advance(5 * 3_600_000);
      await store.change({ email: 'ada@example.com', accountId }, wishes);
      const due = await store.take(accountId);
      assert.ok(due);
      await store.accepted(due.payment);
      assert.equal(await pay(payments, due.payment), 'credited');
    }
    assert.equal(await balance(), before + 1_200n * USD);
  });

  test('gets each of 60 members who sign in for the first time', async () => {
    let email = '';
    // What the identity provider says is all that is not real here.
    const provider = {
      settings: {
        ...{ issuer: 'https://id.example', clientId: 'sluice', clientSecret: 's', name: 'Example', scope: 'openid' },
        ...{ roleClaim: 'role', places: new Map([['builder', { accountId, role: 'developer' }]]) },
      },
      begin: async () => ({ url: '', visit: { state: 's', nonce: 'n', verifier: 'v', redirectUri: '' } }),
      finish: async () => ({ sub: email, email, email_verified: true, role: 'builder' }),
    } as unknown as IdentityProvider;
    const attempts = new Attempts(parts());
    const identities = new Identities(parts(), { provider, attempts, sessions: new Sessions(parts()) });
    for (let time = 0; time < TIMES; time++) {
      email = `ada${time}@example.com`;
      const { attempt } = await identities.begin('https://gateway.example', null);
      await identities.open('', attempt, { cookie: null, agent: '', address: '127.0.0.1' });
    }
    assert.equal((await opened.db.knex('members').where({ account_id: accountId })).length, TIMES);
  });
});
