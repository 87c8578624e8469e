import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LimitSettings, limitDefaults } from '#access/limits.ts';
import { jsonOf, testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { rateLimitsHandlers } from './rate-limits.ts';

const printed = async (limits: LimitSettings) =>
  conforming(
    'getRateLimits 200',
    jsonOf(await rateLimitsHandlers({ limits }).getRateLimits(testCall('getRateLimits'))),
  );

/** From the table of Spec 8, not from the code; the bounds of JSON are from docs/buy/errors.md. */
const SPECIFIED = {
  object: 'rate_limits',
  inference: {
    requests_per_minute_per_key: 1200,
    request_body_bytes_max: 8 * 1024 ** 2,
    request_bytes_at_once: 67108864,
    unread_bytes_max: 134217728,
    request_body_nesting_max: 256,
    request_body_values_max: 100_000,
    price_limit_max: 1_000_000_000,
    output_cap_max: 10_000_000,
    stop_sequences_max: 4,
    stop_sequence_length_max: 256,
  },
  orders: {
    queued_per_account: 2000,
    queued_max: 8000,
    queued_bytes_per_account: 4294967296,
    queued_bytes_max: 8589934592,
    queued_bytes_in_memory: 134217728,
    timeout_seconds_min: 10,
    timeout_seconds_max: 30 * 86_400,
    price_lock_window_seconds: 10,
    reprice_ids_max: 500,
    page_size_default: 100,
    page_size_max: 500,
  },
  account: {
    requests_per_minute_per_account: 2400,
    downloads_bytes_per_hour_per_account: 4 * 1024 ** 3,
    active_keys_max: 50,
    top_up_usd_min: 10,
    top_up_usd_max: 10_000,
    usage_page_size_default: 50,
    usage_page_size_max: 200,
  },
  files: { requests_per_minute_per_account: 1200, page_size_default: 20, page_size_max: 100 },
  batch: {
    submissions_per_minute_per_account: 1200,
    running_per_account: 5,
    queued_orders_per_account: 5000,
    queued_orders_max: 20_000,
    requests_per_file_max: 10_000,
    input_file_bytes_max: 50 * 1024 ** 2,
    metadata_pairs_max: 16,
    metadata_key_length_max: 64,
    metadata_value_length_max: 512,
    min_retention_days: 1,
  },
  storage: { retention_days_max: 30, bytes_max_per_account: 100 * 1024 ** 3 },
  public: {
    requests_per_minute_per_address: 600,
    partner_requests_per_minute_per_address: 600,
    open_streams_per_address: 5,
  },
};

test('without settings the limits are those of the specification', async () => {
  assert.deepEqual(await printed(limitDefaults), SPECIFIED);
});

test('every limit that can be configured is shown as configured', async () => {
  const names = Object.keys(limitDefaults) as (keyof LimitSettings)[];
  // Every setting has a different number.
  const set = Object.fromEntries(names.map((name, index) => [name, 100_003 + 2 * index]));
  const figures = Object.values((await printed({ ...limitDefaults, ...set })) as object)
    .filter((part) => typeof part === 'object')
    .flatMap((part) => Object.values(part as object));
  for (const name of names) assert.equal(figures.filter((figure) => figure === set[name]).length, 1, name);
});
