/**
 * How busy an engine says it is, on its own page of metrics in the text format of Prometheus. Of that format only what
 * is needed is read: lines of samples with one of a few names. A page with an implausible value is not used at all.
 */

/** An engine at one moment. */
export interface EngineLoad {
  /** Requests that it computes, and that wait in it. */
  readonly running: number;
  readonly waiting: number;
  /** The share of its cache of keys and values that is in use, 0 to 1; null where it does not say. */
  readonly cache: number | null;
}

interface Names {
  readonly running: string;
  readonly waiting: string;
  readonly cache: readonly string[];
}

/** vLLM (the second name of its cache is that of V0), SGLang with `--enable-metrics`, llama.cpp's server with `--metrics`. */
const ENGINES: readonly Names[] = [
  {
    running: 'vllm:num_requests_running',
    waiting: 'vllm:num_requests_waiting',
    cache: ['vllm:kv_cache_usage_perc', 'vllm:gpu_cache_usage_perc'],
  },
  { running: 'sglang:num_running_reqs', waiting: 'sglang:num_queue_reqs', cache: ['sglang:token_usage'] },
  {
    running: 'llamacpp:requests_processing',
    waiting: 'llamacpp:requests_deferred',
    cache: ['llamacpp:kv_cache_usage_ratio'],
  },
];

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{.*\})?[ \t]+(\S+)(?:[ \t]+-?\d+)?[ \t]*$/;
const NUMBER = /^\d+(\.\d+)?([eE][+-]?\d+)?$/;
/** SGLang lists waiting requests for each priority, beside the sum under an empty priority. */
const OF_ONE_PRIORITY = /[{,]priority="[^"]/;
/** No engine runs this many requests. */
const REQUESTS_MAX = 1_000_000;

/** The load on a page; null when the page is of no engine known here, lacks a number, or has one that cannot be. */
export function engineLoadOf(page: string): EngineLoad | null {
  const samples = samplesOf(page);
  const names = ENGINES.find(({ running }) => samples?.has(running));
  if (!samples || !names) return null;
  const [running, waiting] = [sum(samples.get(names.running)), sum(samples.get(names.waiting))];
  const cache = names.cache.flatMap((name) => samples.get(name) ?? []);
  if (running === null || waiting === null || cache.some((share) => share > 1)) return null;
  return {
    running,
    waiting,
    cache: cache.length === 0 ? null : cache.reduce((most, share) => Math.max(most, share), 0),
  };
}

/** The lines with a name that is wanted: most are of other names, and a histogram's are long. */
const WANTED = new RegExp(
  `^(${ENGINES.flatMap(({ running, waiting, cache }) => [running, waiting, ...cache]).join('|')})(?![^{ \\t\\n]).*$`,
  'gm',
);

/**
 * The samples with a name that is wanted: several where an engine has several parts, each with its labels. Null when one
 * of them is not a number from 0.
 */
function samplesOf(page: string): ReadonlyMap<string, readonly number[]> | null {
  const samples = new Map<string, number[]>();
  for (const [line, name = ''] of page.matchAll(WANTED)) {
    const [, , labels = '', value = ''] = SAMPLE.exec(line.trimEnd()) ?? [];
    if (OF_ONE_PRIORITY.test(labels)) continue;
    if (!NUMBER.test(value)) return null;
    const known = samples.get(name);
    if (known) known.push(Number(value));
    else samples.set(name, [Number(value)]);
  }
  return samples;
}

function sum(values: readonly number[] | undefined): number | null {
  const total = values?.reduce((all, value) => all + value, 0) ?? null;
  return total === null || total > REQUESTS_MAX ? null : total;
}
