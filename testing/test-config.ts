/**
 * Configurations for gateways in processes of their own: models on simulated pods, without probes. Lengths and prices
 * are the same everywhere; each script sets what it is about (slots, limits on requests).
 */

/** An entry of `models:`, with its keys as the file spells them. */
export interface Model {
  readonly id: string;
  readonly [key: string]: unknown;
}

const lengths = { context_length: 8192, max_output_length: 1024 };

/** Limits that no script reaches. */
export const unlimited = {
  inference_requests_per_minute_per_key: 10_000_000,
  account_operations_per_minute_per_account: 10_000_000,
  batch_submissions_per_minute_per_account: 10_000_000,
  file_operations_per_minute_per_account: 10_000_000,
  public_requests_per_minute_per_address: 10_000_000,
  partner_requests_per_minute_per_address: 10_000_000,
  download_bytes_per_hour_per_account: 2 ** 50,
};

/** A market with a level between 0.5 and 100 USD and one pod for each number of slots; without any, orders wait. */
export function marketModel(id: string, ...slots: readonly number[]): Model {
  const pricing_ratio = { cached: 0.1, uncached: 1, output: 4 };
  return { id, type: 'market', ...lengths, pricing_ratio, floor: 0.5, ceiling: 100, pods: podsOf(id, slots) };
}

/** A model at fixed prices, with one pod for each number of slots. */
export function fixedModel(id: string, ...slots: readonly number[]): Model {
  const usd_per_million = { cached: 0.02, uncached: 0.1, output: 0.4 };
  return { id, type: 'fixed', ...lengths, usd_per_million, pods: podsOf(id, slots) };
}

/** The text of a configuration that sells `models`, the first by default, with `more` of the file's keys. */
export function selling(models: readonly [Model, ...Model[]], more: object = {}): string {
  return JSON.stringify({
    default_model: models[0].id,
    models,
    probes: { enabled: false },
    audit: { daily: false },
    drain_announce_ms: 1_000,
    ...more,
  });
}

function podsOf(model: string, slots: readonly number[]): object[] {
  return slots.map((count, index) => {
    return { id: `${model}-${index + 1}`, simulated: true, slots: count, seed: index + 1 };
  });
}
