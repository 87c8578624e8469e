/** Converts ledger entries to rows and back. */
import type { Entry } from '#ledger/ports.ts';
import { int, money, oneOf, type Row, text, textOrNull } from '#storage/database/values.ts';

const kinds = ['top_up', 'charge', 'refund', 'reversal'] as const;

export function entryFrom(row: Row): Entry {
  return {
    id: text(row.id),
    accountId: text(row.account_id),
    kind: oneOf(kinds, row.kind),
    amount: money(row.amount),
    orderId: textOrNull(row.order_id),
    uniqueKey: text(row.unique_key),
    reason: textOrNull(row.reason),
    createdAtMs: int(row.created_at_ms),
  };
}
