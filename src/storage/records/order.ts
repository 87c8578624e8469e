/**
 * Describes the tables of orders and of Idempotency-Keys. A field of `OrderRow` is stored when it has a line here and a column
 * in a migration.
 */
import { type OrderRow, type OrderUsage, type OrderWithUsage, orderKinds, orderStatuses } from '#orders/order.ts';
import type { IdempotencyRow } from '#orders/units.ts';
import { codec, column } from '../database/codec.ts';
import {
  flag,
  int,
  intOrNull,
  kind,
  money,
  oneOf,
  orNull,
  price,
  type Row,
  text,
  textOrNull,
  type ValueKind,
} from '../database/values.ts';

/**
 * A custom id in its column: a JSON string in plain ASCII. It may be any string, also one that no database stores unchanged:
 * with NUL characters, or half of a surrogate pair.
 */
export const customId: ValueKind<string> = kind(
  (stored) => JSON.parse(text(stored)) as string,
  (id) => JSON.stringify(id).replace(/[\u007f-\uffff]/g, escaped),
);

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Tags in their column: between commas, so that one of them is a part of the text that no other has. */
export const tagList: ValueKind<readonly string[]> = kind<readonly string[]>(
  (stored) => text(stored).slice(1, -1).split(','),
  (tags) => `,${tags.join(',')},`,
);

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
  requestId: textOrNull,
  tags: orNull(tagList),
});

/** The usage in a row of a query that joined `usage_records` under the names `usage_…`. */
const { from: usageFrom } = codec<OrderUsage>({
  promptTokens: column('usage_prompt_tokens', int),
  cachedTokens: column('usage_cached_tokens', int),
  outputTokens: column('usage_output_tokens', int),
  charged: column('usage_charged', money),
  estimated: column('usage_estimated', flag),
});

/** The order in a row of such a query. */
export function orderWithUsageFrom(row: Row): OrderWithUsage {
  return { ...orderFrom(row), usage: row.usage_charged === null ? null : usageFrom(row) };
}

/** The Idempotency-Keys. */
export const {
  from: idempotencyFrom,
  row: idempotencyRecord,
  columns: idempotencyColumns,
} = codec<IdempotencyRow>({
  accountId: text,
  endpoint: text,
  key: column('idempotency_key', text),
  orderId: text,
  fingerprint: text,
  createdAtMs: int,
  expiresAtMs: int,
});
