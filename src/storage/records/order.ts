/** Describes the table of orders. A field of `OrderRow` is stored when it has a line here and a column in a migration. */
import { type OrderRow, type OrderUsage, type OrderWithUsage, orderKinds, orderStatuses } from '#orders/order.ts';
import { codec, column } from '../database/codec.ts';
import { flag, int, intOrNull, money, oneOf, orNull, price, type Row, text, textOrNull } from '../database/values.ts';
import { customId } from './custom-id.ts';

/** The orders. */
export const {
  from: orderFrom,
  row: orderRecord,
  columns: orderColumns,
  pack: packOrder,
  unpack: unpackOrder,
} = codec<OrderRow>({
  id: text,
  accountId: text,
  keyId: textOrNull,
  kind: oneOf(orderKinds),
  model: text,
  status: oneOf(orderStatuses),
  bid: price,
  limit: column('price_limit', orNull(price)),
  priceLock: flag,
  quoteAtSubmission: orNull(price),
  quoteSeq: intOrNull,
  maxCharge: orNull(money),
  tariffId: text,
  createdAtMs: int,
  admittedAtMs: intOrNull,
  finishedAtMs: intOrNull,
  expiresAtMs: int,
  price: column('level_at_execution', orNull(price)),
  levelSeq: intOrNull,
  firstPrice: column('price_cap', orNull(price)),
  attempt: int,
  failures: int,
  hold: money,
  budgetFromMs: intOrNull,
  restedSeq: intOrNull,
  pod: textOrNull,
  error: textOrNull,
  errorMessage: textOrNull,
  detached: flag,
  outlives: flag,
  house: flag,
  batchId: textOrNull,
  customId: orNull(customId),
  promptBound: int,
  promptEstimate: int,
  outputCap: int,
  resultState: oneOf(['none', 'promised', 'stored', 'deleted']),
  resultExpiresAtMs: intOrNull,
  retentionDays: int,
  bootEpoch: int,
  deadlineMs: intOrNull,
});

/** The usage in a row of a query that joined `usage_records` under the names `usage_…`. */
const { from: usageFrom } = codec<OrderUsage>({
  promptTokens: column('usage_prompt_tokens', int),
  cachedTokens: column('usage_cached_tokens', int),
  outputTokens: column('usage_output_tokens', int),
  charged: column('usage_charged', money),
});

/** The order in a row of such a query. */
export function orderWithUsageFrom(row: Row): OrderWithUsage {
  return { ...orderFrom(row), usage: row.usage_charged === null ? null : usageFrom(row) };
}
