/**
 * Converts orders to rows and back, column by column, in one fixed order: the journal binds by position, readers read
 * by name. A new field of `OrderRow` is added in the three places of this file and in a migration.
 */
import { type OrderRow, type OrderWithUsage, orderKinds, orderStatuses } from '#orders/order.ts';
import { customIdFrom, customIdText } from '../batches/custom-id.ts';
import {
  bit,
  flag,
  int,
  intOrNull,
  money,
  oneOf,
  price,
  priceOrNull,
  type Row,
  text,
  textOrNull,
  type Value,
} from '../database/values.ts';

const columns = [
  'id',
  'account_id',
  'key_id',
  'kind',
  'model',
  'status',
  'bid',
  'price_limit',
  'price_lock',
  'quote_at_submission',
  'tariff_id',
  'created_at_ms',
  'admitted_at_ms',
  'finished_at_ms',
  'expires_at_ms',
  'level_at_execution',
  'level_seq',
  'price_cap',
  'attempt',
  'failures',
  'hold',
  'rested_seq',
  'pod',
  'error',
  'error_message',
  'detached',
  'outlives',
  'house',
  'batch_id',
  'custom_id',
  'prompt_bound',
  'prompt_estimate',
  'output_cap',
  'result_state',
  'result_expires_at_ms',
  'retention_days',
  'boot_epoch',
] as const;

const resultStates = ['none', 'promised', 'stored', 'deleted'] as const;

/** Inserts an order; bind `orderParams`. */
export const INSERT_ORDER = `INSERT INTO orders (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;

/** The values of a row, in the order of the columns. */
export function orderParams(order: OrderRow): Value[] {
  return [
    order.id,
    order.accountId,
    order.keyId,
    order.kind,
    order.model,
    order.status,
    price(order.bid),
    priceOrNull(order.limit),
    bit(order.priceLock),
    priceOrNull(order.quoteAtSubmission),
    order.tariffId,
    order.createdAtMs,
    order.admittedAtMs,
    order.finishedAtMs,
    order.expiresAtMs,
    priceOrNull(order.price),
    order.levelSeq,
    priceOrNull(order.firstPrice),
    order.attempt,
    order.failures,
    order.hold,
    order.restedSeq,
    order.pod,
    order.error,
    order.errorMessage,
    bit(order.detached),
    bit(order.outlives),
    bit(order.house),
    order.batchId,
    order.customId === null ? null : customIdText(order.customId),
    order.promptBound,
    order.promptEstimate,
    order.outputCap,
    order.resultState,
    order.resultExpiresAtMs,
    order.retentionDays,
    order.bootEpoch,
  ];
}

/** The order in a row of `orders`. */
export function orderFrom(row: Row): OrderRow {
  return {
    id: text(row.id),
    accountId: text(row.account_id),
    keyId: textOrNull(row.key_id),
    kind: oneOf(orderKinds, row.kind),
    model: text(row.model),
    status: oneOf(orderStatuses, row.status),
    bid: int(row.bid),
    limit: intOrNull(row.price_limit),
    priceLock: flag(row.price_lock),
    quoteAtSubmission: intOrNull(row.quote_at_submission),
    tariffId: text(row.tariff_id),
    createdAtMs: int(row.created_at_ms),
    admittedAtMs: intOrNull(row.admitted_at_ms),
    finishedAtMs: intOrNull(row.finished_at_ms),
    expiresAtMs: int(row.expires_at_ms),
    price: intOrNull(row.level_at_execution),
    levelSeq: intOrNull(row.level_seq),
    firstPrice: intOrNull(row.price_cap),
    attempt: int(row.attempt),
    failures: int(row.failures),
    hold: money(row.hold),
    restedSeq: intOrNull(row.rested_seq),
    pod: textOrNull(row.pod),
    error: textOrNull(row.error),
    errorMessage: textOrNull(row.error_message),
    detached: flag(row.detached),
    outlives: flag(row.outlives),
    house: flag(row.house),
    batchId: textOrNull(row.batch_id),
    customId: row.custom_id === null ? null : customIdFrom(row.custom_id),
    promptBound: int(row.prompt_bound),
    promptEstimate: int(row.prompt_estimate),
    outputCap: int(row.output_cap),
    resultState: oneOf(resultStates, row.result_state),
    resultExpiresAtMs: intOrNull(row.result_expires_at_ms),
    retentionDays: int(row.retention_days),
    bootEpoch: int(row.boot_epoch),
  };
}

/** The order in a row of a query that joined `usage_records` under the names `usage_…`. */
export function orderWithUsageFrom(row: Row): OrderWithUsage {
  const order = orderFrom(row);
  if (row.usage_charged === null) return { ...order, usage: null };
  return {
    ...order,
    usage: {
      promptTokens: int(row.usage_prompt_tokens),
      cachedTokens: int(row.usage_cached_tokens),
      outputTokens: int(row.usage_output_tokens),
      charged: money(row.usage_charged),
    },
  };
}
