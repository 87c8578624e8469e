/**
 * Every metric that is the gateway's own, by name: docs/sell/monitoring.md names them, and each scrape explains them.
 * Labels are bounded by the configuration and by our own words, never by what callers send, so the number of series is
 * known at start. Accounts are those that METRICS_ACCOUNTS names.
 */

/** Bounds of buckets as the conventions for generative AI of OpenTelemetry have them, in seconds and tokens. */
const DURATIONS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const FIRST_TOKENS = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const PER_TOKEN = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5];
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];

/** A wait for a price may take days. */
const WAITS = [0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14400, 86400, 604800];
const COMMITS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** One metric. */
export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

interface Distribution extends Metric {
  /** Upper bounds, ascending, without infinity. */
  readonly buckets: readonly number[];
}

const counter = (help: string, ...labels: string[]): Metric => ({ type: 'counter', help, labels });
const gauge = (help: string, ...labels: string[]): Metric => ({ type: 'gauge', help, labels });
const histogram = (help: string, buckets: readonly number[], ...labels: string[]): Distribution => {
  return { type: 'histogram', help, labels, buckets };
};

const OPERATION = ['gen_ai_operation_name', 'gen_ai_request_model'] as const;

/** The metrics, in the order in which they are printed. */
export const metricCatalogue = {
  gen_ai_client_operation_duration_seconds: histogram(
    'Attempts on pods from sending to the end, with probes; error_type if there was no answer.',
    ...[DURATIONS, ...OPERATION, 'error_type'],
  ),
  gen_ai_server_request_duration_seconds: histogram(
    'Orders with a waiting caller, from submission to the end.',
    ...[DURATIONS, ...OPERATION, 'error_type'],
  ),
  gen_ai_server_time_to_first_token_seconds: histogram(
    'Settled orders with a waiting caller, from submission to the first output.',
    ...[FIRST_TOKENS, ...OPERATION],
  ),
  gen_ai_server_time_per_output_token_seconds: histogram(
    'Settled orders: mean time of an output token after the first.',
    ...[PER_TOKEN, ...OPERATION],
  ),
  gen_ai_client_token_usage: histogram(
    'Tokens of settled orders as charged; input includes cached tokens.',
    ...[TOKENS, ...OPERATION, 'gen_ai_token_type'],
  ),
  sluice_market_level_usd: gauge('The level, USD per 1M input tokens at the reference mix.', 'model'),
  sluice_market_quote_usd: gauge('The quote for locks, in the same unit.', 'model'),
  sluice_market_clear_ratio: gauge(
    'Share of locks that started in time in the last day; missing below 30 locks.',
    'model',
  ),
  sluice_market_clear_ratio_target: gauge('market.quote.target_start_rate, which quotes aim at.'),
  sluice_market_degraded: gauge('1 while no pod of the model is healthy and its level is frozen.', 'model'),
  sluice_orders_total: counter(
    'Orders that ended in this gateway, without probes: done, error, expired or canceled.',
    ...['model', 'kind', 'status'],
  ),
  sluice_orders_queued: gauge('Orders that wait in this gateway.', 'model'),
  sluice_orders_executing: gauge('Orders that run, or whose admission or end is being committed.', 'model'),
  sluice_order_queue_seconds: histogram('From submission to admission, for orders admitted once.', WAITS, 'model'),
  sluice_order_pipeline_seconds: histogram('From the last admission to the end.', DURATIONS, 'model'),
  sluice_pod_slots: gauge('Slots that the pod offers now.', 'model', 'pod'),
  sluice_pod_slots_busy: gauge('Running attempts of this gateway.', 'model', 'pod'),
  sluice_pod_up: gauge('1 if the pod is healthy.', 'model', 'pod'),
  sluice_pod_attempts_total: counter(
    'Ended attempts: answered, failed, full, refused by the model or aborted by the gateway.',
    ...['model', 'pod', 'outcome'],
  ),
  sluice_refusals_total: counter('API requests answered with an error.', 'code'),
  sluice_revenue_usd_total: counter('Charges before refunds.', 'model'),
  sluice_written_off_usd_total: counter('Charges that neither balance nor budget covered.', 'model'),
  sluice_above_bounds_usd_total: counter('Charges above max_charge_usd, written off.', 'model'),
  sluice_estimated_usage_total: counter('Settled orders whose tokens the gateway estimated.', 'model'),
  sluice_account_orders_total: counter('Ended orders of an account in METRICS_ACCOUNTS.', 'account', 'status'),
  sluice_account_tokens_total: counter('Tokens charged to it.', 'account', 'gen_ai_token_type'),
  sluice_account_revenue_usd_total: counter('Its charges before refunds.', 'account'),
  sluice_balances_usd: gauge('The sum of all balances; up to a minute old.'),
  sluice_holds_usd: gauge('The part held for running orders.'),
  sluice_journal_commit_seconds: histogram('Commits of the journal.', COMMITS),
  sluice_journal_queue: gauge('Writes not known to be committed.'),
  sluice_journal_stalled: gauge('1 if writes wait and none has committed for a second.'),
  sluice_audit_last_success_timestamp_seconds: gauge(
    'End of the newest audit in any gateway; missing before the first.',
  ),
  sluice_audit_findings: gauge('Its unacknowledged findings.'),
  sluice_webhook_attempts_total: counter('Webhook messages of this gateway: delivered or failed.', 'outcome'),
  sluice_webhook_endpoints_disabled: gauge(
    'Endpoints disabled because they could not be reached, of all gateways; up to a minute old.',
  ),
  sluice_queued_bytes: gauge('Inputs of waiting orders, in memory and on disk.'),
  sluice_spans_total: counter(
    'Spans sent to the collector, failed there, or dropped before because too many waited.',
    'outcome',
  ),
  sluice_disk_free_bytes: gauge('Free space on the disk of SLUICE_DATA.'),
  sluice_disk_reserve_bytes: gauge('disk_reserve_bytes, below which nothing new is stored.'),
} as const satisfies Record<string, Metric>;

/** The name of one of them. */
export type MetricName = keyof typeof metricCatalogue;
