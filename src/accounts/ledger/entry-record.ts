/** Describes the table of ledger entries. */
import type { Entry } from '#ledger/ports.ts';
import { codec } from '#storage/database/codec.ts';
import { int, money, oneOf, text, textOrNull } from '#storage/database/values.ts';

/** The entries. */
export const { from: entryFrom, some: entryColumns } = codec<Entry>({
  id: text,
  accountId: text,
  kind: oneOf(['top_up', 'charge', 'refund', 'reversal']),
  amount: money,
  orderId: textOrNull,
  uniqueKey: text,
  reason: textOrNull,
  createdAtMs: int,
});
