/** Converts rows of payments. */

import { flag, int, intOrNull, money, oneOf, type Row, text, textOrNull } from '#storage/database/values.ts';
import type { Payment } from './ports.ts';

const statuses = ['open', 'paid', 'expired', 'failed'] as const;

/** A payment, from its row with `reversed` and `owed` of its reversals. */
export function paymentFrom(row: Row): Payment {
  return {
    id: text(row.id),
    accountId: text(row.account_id),
    provider: oneOf(['stripe'] as const, row.provider),
    status: oneOf(statuses, row.status),
    amount: money(row.amount),
    automatic: flag(row.automatic),
    sessionId: textOrNull(row.session_id),
    createdAtMs: int(row.created_at_ms),
    paidAtMs: intOrNull(row.paid_at_ms),
    reversed: money(row.reversed),
    owed: money(row.owed),
  };
}
