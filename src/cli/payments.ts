/** `sluice payments`: payments by card, and events of the provider that were refused. */

import { PaymentStore, type RefusedEvent } from '#accounts/payments/payment-store.ts';
import type { ListedPayment } from '#accounts/payments/provider.ts';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { formatUsd, nanoToUsd } from '#base/money.ts';
import type { OperatorStore } from './operator-store.ts';
import { CommandError, type CommandResult, faint, table, timeText, wrong } from './output.ts';

const LIMIT_MAX = 1_000;
const REFUSED_MAX = 100;

/** `payments`: the newest payments, of one account or of all, and the newest refused events. Throws CommandError. */
export async function listPayments(
  { db, accounts }: OperatorStore,
  { account, limit: limitText = '100' }: { readonly account?: string; readonly limit?: string },
): Promise<CommandResult> {
  const limit = /^\d{1,4}$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > LIMIT_MAX)
    throw new CommandError(`--limit is ${limitText}; write a whole number from 1 to ${LIMIT_MAX}.`);
  if (account !== undefined) await accounts.show(account);
  const store = new PaymentStore({ db, clock: systemClock, ids: idSource(systemClock) });
  const payments = await store.list({ accountId: account ?? null, limit });
  const refused = await store.refused(REFUSED_MAX);
  return {
    json: { payments: payments.map(wirePayment), refused_events: refused.map(wireRefused) },
    text: [describe(payments), ...refused.map(describeRefused)].join('\n'),
  };
}

function describe(payments: readonly ListedPayment[]): string {
  if (payments.length === 0) return 'There are no payments yet.';
  const rows = payments.map((payment) => [
    payment.id,
    payment.accountId,
    payment.status,
    formatUsd(payment.amount),
    formatUsd(payment.reversed),
    formatUsd(payment.owed),
    timeText(payment.createdAtMs),
    payment.paidAtMs === null ? '' : timeText(payment.paidAtMs),
  ]);
  return table(['PAYMENT', 'ACCOUNT', 'STATUS', 'USD', 'TAKEN BACK', 'OWED', 'CREATED', 'PAID'], rows);
}

function describeRefused({ eventId, type, reason, createdAtMs }: RefusedEvent): string {
  return `${wrong('refused')} ${eventId} ${type}: ${reason} ${faint(timeText(createdAtMs))}`;
}

function wirePayment(payment: ListedPayment): Record<string, unknown> {
  return {
    payment_id: payment.id,
    account_id: payment.accountId,
    provider: payment.provider,
    status: payment.status,
    amount_usd: nanoToUsd(payment.amount),
    reversed_usd: nanoToUsd(payment.reversed),
    owed_usd: nanoToUsd(payment.owed),
    session_id: payment.sessionId,
    created_at: new Date(payment.createdAtMs).toISOString(),
    paid_at: payment.paidAtMs === null ? null : new Date(payment.paidAtMs).toISOString(),
  };
}

function wireRefused({ eventId, type, reason, createdAtMs }: RefusedEvent): Record<string, unknown> {
  return { event_id: eventId, type, reason, created_at: new Date(createdAtMs).toISOString() };
}
