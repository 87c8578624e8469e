/** `sluice payments`, for people and for programs. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { PaymentStore } from '#accounts/payments/payment-store.ts';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { listPayments } from './accounts.ts';
import { type OperatorStore, withOperatorStore } from './operator-store.ts';

const USD = 1_000_000_000n;
const folder = mkdtempSync(join(tmpdir(), 'sluice-payments-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let databases = 0;

function fresh(use: (store: OperatorStore) => Promise<void>): Promise<void> {
  return withOperatorStore(`sqlite:${join(folder, `${databases++}.sqlite`)}`, use);
}

test('payments are listed with what was taken back, and refused events below them', () =>
  fresh(async (store) => {
    const payments = new PaymentStore({ db: store.db, clock: systemClock, ids: idSource(systemClock) });
    const { id: accountId } = await store.accounts.create({ name: 'Ada' }, COMMAND_LINE);
    const { id: otherId } = await store.accounts.create({ name: 'Bo' }, COMMAND_LINE);
    const bounds = { openMax: 9, sinceMs: 0 };
    const payment = await payments.open({ accountId, amount: 20n * USD, provider: 'stripe' }, bounds);
    await payments.open({ accountId: otherId, amount: 10n * USD, provider: 'stripe' }, bounds);
    const paid = { kind: 'paid', paymentId: payment.id, accountId, sessionId: 'cs_1', intent: 'pi_1' } as const;
    const money = { currency: 'usd', cents: 2000 };
    await payments.handle({ id: 'evt_1', type: 'paid', news: { ...paid, ...money, cents: 1 } });
    await payments.handle({ id: 'evt_2', type: 'paid', news: { ...paid, ...money } });
    const refund = { kind: 'reversal', reversalId: 're_1', of: 'refund', intent: 'pi_1', state: 'taken' } as const;
    await payments.handle({ id: 'evt_3', type: 'refund', news: { ...refund, ...money, cents: 550 } });

    const { json, text } = await listPayments(store, { account: accountId });
    const [listed] = json.payments as Record<string, unknown>[];
    assert.deepEqual(
      [listed?.payment_id, listed?.status, listed?.amount_usd, listed?.reversed_usd, listed?.owed_usd],
      [payment.id, 'paid', 20, 5.5, 0],
    );
    assert.equal((json.payments as unknown[]).length, 1);
    assert.match(
      text,
      /PAYMENT .*\n.* paid +20\.00 +5\.50 +0\.00 .*\n.*refused.* evt_1 paid: The payment is 2000 cents/s,
    );
    assert.equal(((await listPayments(store, {})).json.payments as unknown[]).length, 2);
    assert.equal(((await listPayments(store, { limit: '1' })).json.payments as unknown[]).length, 1);
  }));

test('an unknown account, a wrong limit and no payments at all are said', () =>
  fresh(async (store) => {
    assert.equal((await listPayments(store, {})).text, 'There are no payments yet.');
    await assert.rejects(listPayments(store, { account: 'nobody' }), /There is no account "nobody"/);
    for (const limit of ['0', '1001', 'x', '-1', '1.5'])
      await assert.rejects(listPayments(store, { limit }), /write a whole number from 1 to 1000/);
  }));
