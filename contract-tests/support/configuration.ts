/**
 * The configuration that contract tests run on, as an object that reads like sluice.yaml: one listing for each way a
 * model can be sold, and limits on requests that are high enough for all tests but those about them.
 */

/** Any part of sluice.yaml. */
export type Settings = Readonly<Record<string, unknown>>;

/** Large prompts of tests are to wait and to run, so the context is larger than they are. */
const lengths = { context_length: 1_048_576, max_output_length: 1024 };
const pricing_ratio = { cached: 0.1, uncached: 1, output: 4 };
const usd_per_million = { cached: 0.02, uncached: 0.1, output: 0.4 };

/** Five listings; those with pods are served by the backend at `backendUrl`. Floor and first level are 1 USD. */
export function testConfiguration(backendUrl: string): Settings {
  const pod = (id: string) => ({ id, url: backendUrl, slots: 8, model: 'upstream' });
  return {
    default_model: 'tide',
    models: [
      {
        id: 'tide',
        type: 'market',
        aliases: ['tide-latest'],
        ...lengths,
        pricing_ratio,
        floor: 1,
        ceiling: 100,
        pods: [pod('tide-1')],
      },
      {
        id: 'harbor',
        type: 'fixed',
        ...lengths,
        usd_per_million,
        accepts_images: true,
        custom_tools: 'as_functions',
        pods: [pod('harbor-1')],
      },
      // No pods: orders wait until they are canceled or expire.
      { id: 'reef', type: 'market', ...lengths, pricing_ratio, floor: 1, ceiling: 100 },
      { id: 'shoal', type: 'fixed', ...lengths, usd_per_million },
      { id: 'surge', type: 'market', ...lengths, pricing_ratio, floor: 1, ceiling: 100, preview: true },
      { id: 'ebb', type: 'market', ...lengths, pricing_ratio, floor: 1, ceiling: 100, deprecated: true },
    ],
    probes: { enabled: false },
    audit: { daily: false },
    // Calls to the disk take real time; a test that jumps ahead must not make it look silent.
    disk_deadline_ms: 60_000,
    limits: {
      inference_requests_per_minute_per_key: 100_000,
      account_operations_per_minute_per_account: 100_000,
      file_operations_per_minute_per_account: 100_000,
      public_requests_per_minute_per_address: 100_000,
    },
  };
}

/** `base` with the keys of `over`, merged recursively; a list replaces a list. */
export function merged(base: Settings, over: Settings): Settings {
  const both = Object.entries(over).map(([key, value]) => {
    const below = base[key];
    return [key, isObject(value) && isObject(below) ? merged(below, value) : value];
  });
  return { ...base, ...Object.fromEntries(both) };
}

function isObject(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
