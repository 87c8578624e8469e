/** Describes the table of payments. */

import { codec } from '#storage/database/codec.ts';
import { flag, int, intOrNull, money, oneOf, text, textOrNull } from '#storage/database/values.ts';
import type { Payment } from './ports.ts';

/** The payments, in rows that have `reversed` and `owed` of their reversals, too. */
export const { from: paymentFrom } = codec<Payment>({
  id: text,
  accountId: text,
  provider: oneOf(['stripe']),
  status: oneOf(['open', 'paid', 'expired', 'failed']),
  amount: money,
  automatic: flag,
  sessionId: textOrNull,
  createdAtMs: int,
  paidAtMs: intOrNull,
  reversed: money,
  owed: money,
});
