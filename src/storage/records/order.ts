/**
 * Converts orders to rows and back, column by column. A new field of `OrderRow` is added in the three
 * places of this file, in a migration, and in both lists of `journal/packed-units.ts`.
 */
import { type OrderRow, type OrderWithUsage, orderKinds, orderStatuses } from '#orders/order.ts';
import {
  bit,
  flag,
  int,
  intOrNull,
  money,
  type NewRow,
  oneOf,
  price,
  priceOrNull,
  type Row,
  text,
  textOrNull,
} from '../database/values.ts';
import { customIdFrom, customIdText } from './custom-id.ts';

/** The columns of an order. */
export const orderColumns = [
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
  'quote_seq',
  'max_charge',
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
  'budget_from_ms',
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
  'deadline_ms',
] as const;

const resultStates = ['none', 'promised', 'stored', 'deleted'] as const;

/** The row of an order. */
export function orderRecord(order: OrderRow): NewRow {
  return {
    id: order.id,
    account_id: order.accountId,
    key_id: order.keyId,
    kind: order.kind,
    model: order.model,
    status: order.status,
    bid: price(order.bid),
    price_limit: priceOrNull(order.limit),
    price_lock: bit(order.priceLock),
    quote_at_submission: priceOrNull(order.quoteAtSubmission),
    quote_seq: order.quoteSeq ?? null,
    max_charge: order.maxCharge ?? null,
    tariff_id: order.tariffId,
    created_at_ms: order.createdAtMs,
    admitted_at_ms: order.admittedAtMs,
    finished_at_ms: order.finishedAtMs,
    expires_at_ms: order.expiresAtMs,
    level_at_execution: priceOrNull(order.price),
    level_seq: order.levelSeq,
    price_cap: priceOrNull(order.firstPrice),
    attempt: order.attempt,
    failures: order.failures,
    hold: order.hold,
    budget_from_ms: order.budgetFromMs ?? null,
    rested_seq: order.restedSeq,
    pod: order.pod,
    error: order.error,
    error_message: order.errorMessage,
    detached: bit(order.detached),
    outlives: bit(order.outlives),
    house: bit(order.house),
    batch_id: order.batchId,
    custom_id: order.customId === null ? null : customIdText(order.customId),
    prompt_bound: order.promptBound,
    prompt_estimate: order.promptEstimate,
    output_cap: order.outputCap,
    result_state: order.resultState,
    result_expires_at_ms: order.resultExpiresAtMs,
    retention_days: order.retentionDays,
    boot_epoch: order.bootEpoch,
    deadline_ms: order.deadlineMs ?? null,
  };
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
    quoteSeq: intOrNull(row.quote_seq),
    maxCharge: row.max_charge === null ? null : money(row.max_charge),
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
    budgetFromMs: intOrNull(row.budget_from_ms),
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
    deadlineMs: intOrNull(row.deadline_ms),
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
