/** Every limit of this gateway, read from the same tables as the code that enforces it. Spec 4.9, 8. */
import type { LimitSettings } from '#access/limits.ts';
import {
  BATCH_METADATA,
  BATCH_RETENTION_DAYS_MIN,
  LOCK_WINDOW_S,
  NESTING_MAX,
  ORDER_TIMEOUT_S,
  OUTPUT_CAP_MAX,
  REPRICE_IDS_MAX,
  RETENTION_DAYS_MAX,
  STOP_SEQUENCES,
  TOP_UP_USD,
} from '#base/bounds.ts';
import { JSON_VALUES_MAX } from '#base/exact-json.ts';
import { PRICE_LIMIT_USD_MAX } from '#base/money.ts';
import type { HandlersFor } from '#contract/call.ts';
import { type JsonOf, rendered } from '#contract/reply.ts';
import { queries } from '#generated/queries.ts';
import { CONFIGURED_AGE_S, conditionalReply } from './conditional.ts';

/** getRateLimits. The limits that are in force now. */
export function rateLimitsHandlers({ limits }: { readonly limits: LimitSettings }): HandlersFor<'getRateLimits'> {
  const raw = () => rendered(rateLimitsObject(limits));
  return { getRateLimits: ({ headers }) => conditionalReply(headers, { raw: raw(), maxAgeS: CONFIGURED_AGE_S }) };
}

function rateLimitsObject(limits: LimitSettings): JsonOf<'getRateLimits'> {
  const { listOrders, listUsage, listFiles } = queries;
  return {
    object: 'rate_limits',
    inference: {
      requests_per_minute_per_key: limits.inferenceRequestsPerMinutePerKey,
      request_body_bytes_max: limits.requestBodyBytes,
      request_bytes_at_once: limits.requestBytesAtOnce,
      unread_bytes_max: limits.unreadBytes,
      request_body_nesting_max: NESTING_MAX,
      request_body_values_max: JSON_VALUES_MAX,
      price_limit_max: PRICE_LIMIT_USD_MAX,
      output_cap_max: OUTPUT_CAP_MAX,
      stop_sequences_max: STOP_SEQUENCES.max,
      stop_sequence_length_max: STOP_SEQUENCES.lengthMax,
    },
    orders: {
      queued_per_account: limits.queuedOrdersPerAccount,
      queued_max: limits.queuedOrders,
      queued_bytes_per_account: limits.queuedBytesPerAccount,
      queued_bytes_max: limits.queuedBytes,
      queued_bytes_in_memory: limits.queuedBytesInMemory,
      timeout_seconds_min: ORDER_TIMEOUT_S.min,
      timeout_seconds_max: ORDER_TIMEOUT_S.max,
      price_lock_window_seconds: LOCK_WINDOW_S,
      reprice_ids_max: REPRICE_IDS_MAX,
      page_size_default: listOrders.readers.limit.standard,
      page_size_max: listOrders.readers.limit.max,
    },
    account: {
      requests_per_minute_per_account: limits.accountOperationsPerMinutePerAccount,
      downloads_bytes_per_hour_per_account: limits.downloadBytesPerHourPerAccount,
      active_keys_max: limits.activeKeysPerAccount,
      top_up_usd_min: TOP_UP_USD.min,
      top_up_usd_max: TOP_UP_USD.max,
      usage_page_size_default: listUsage.readers.limit.standard,
      usage_page_size_max: listUsage.readers.limit.max,
    },
    files: {
      requests_per_minute_per_account: limits.fileOperationsPerMinutePerAccount,
      page_size_default: listFiles.readers.limit.standard,
      page_size_max: listFiles.readers.limit.max,
    },
    batch: {
      submissions_per_minute_per_account: limits.batchSubmissionsPerMinutePerAccount,
      running_per_account: limits.runningBatchesPerAccount,
      queued_orders_per_account: limits.queuedBatchOrdersPerAccount,
      queued_orders_max: limits.queuedBatchOrders,
      requests_per_file_max: limits.batchRequestsPerFile,
      input_file_bytes_max: limits.batchFileBytes,
      metadata_pairs_max: BATCH_METADATA.pairsMax,
      metadata_key_length_max: BATCH_METADATA.keyLengthMax,
      metadata_value_length_max: BATCH_METADATA.valueLengthMax,
      min_retention_days: BATCH_RETENTION_DAYS_MIN,
    },
    storage: { retention_days_max: RETENTION_DAYS_MAX, bytes_max_per_account: limits.storedBytesPerAccount },
    public: {
      requests_per_minute_per_address: limits.publicRequestsPerMinutePerAddress,
      partner_requests_per_minute_per_address: limits.partnerRequestsPerMinutePerAddress,
      open_streams_per_address: limits.streamsPerAddress,
    },
  };
}
