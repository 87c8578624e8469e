/**
 * A pod is one backend with a number of slots: an OpenAI-compatible chat server at a URL, or a simulated one in this
 * process. Both have the same interface, so nothing outside this folder knows which one it uses.
 */
import type { Attempt, AttemptRequest, AttemptSink } from '#orders/ports.ts';
import type { Engine } from './engine-profiles.ts';
import type { SystemPolicy } from './system-policy.ts';

/** One pod of one listing, as configured. Times are milliseconds. */
export interface PodConfig {
  /** Unique among the pods of its listing. */
  readonly id: string;
  /** The listing it serves. */
  readonly model: string;
  /** Whether an operator added it while the gateway ran; the file does not have it. */
  readonly added: boolean;
  /** The base address before `/chat/completions`, such as `http://10.0.0.5:8000/v1`; null for a simulated pod. */
  readonly url: string | null;
  /** The model's name on the backend. */
  readonly upstreamModel: string;
  /** The most attempts at once, at least 1. */
  readonly slots: number;
  /** The fewest, where its slots follow what its engine says about itself; null for a fixed number of them. */
  readonly slotsMin: number | null;
  /** The random seed of a simulated pod. */
  readonly seed: number;
  /** Sent as a bearer token; null sends none. */
  readonly apiKey: string | null;
  readonly systemPolicy: SystemPolicy;
  /** The only name under which the backend takes an output cap. */
  readonly capField: 'max_tokens' | 'max_completion_tokens';
  readonly engine: Engine;
  /** From the start of an attempt to its first output. */
  readonly firstTokenTimeoutMs: number;
  /** Between two chunks after the first output. */
  readonly idleTimeoutMs: number;
  /** From the start of an attempt to its end. */
  readonly totalTimeoutMs: number;
  /** Whether the backend accepts `stream_options.continuous_usage_stats` (vLLM does). */
  readonly continuousUsage: boolean;
  /** Whether each chunk of its output holds one token, so that chunks can stand in for a usage that never comes. */
  readonly tokenPerChunk: boolean;
  /** In tokens; higher usage is implausible. */
  readonly contextLength: number;
  /** A larger answer fails the attempt. Bytes of text, reasoning, tool calls, and logprobs as JSON. */
  readonly answerBytesMax: number;
}

/** The defaults of optional pod settings. */
export const podDefaults = {
  added: false,
  slotsMin: null,
  seed: 1,
  apiKey: null,
  systemPolicy: 'merge_leading',
  capField: 'max_tokens',
  engine: 'auto',
  firstTokenTimeoutMs: 120_000,
  idleTimeoutMs: 60_000,
  totalTimeoutMs: 1_800_000,
  continuousUsage: false,
  tokenPerChunk: false,
} as const satisfies Partial<PodConfig>;

/**
 * The result of a ping. `refused`: nothing listens there. `denied`: the backend does not accept the key. `unlisted`: its list
 * of models lacks the pod's, which some servers nevertheless serve.
 */
export type Ping = 'alive' | 'failing' | 'refused' | 'denied' | 'unlisted';

/** The text of a page of metrics, or why there is none, to follow "its metrics". */
export type MetricsPage = { readonly text: string } | { readonly fault: string };

/** One backend. */
export interface Pod {
  readonly config: PodConfig;
  /** Its engine as configured, or as guessed; `auto` while that is not known. */
  readonly engine: Engine;
  /** Starts an attempt. The sink is never called from inside this call or `abort`. */
  execute(request: AttemptRequest, sink: AttemptSink): Attempt;
  /** Asks whether it can serve. Never rejects. */
  ping(): Promise<Ping>;
  /** The page of metrics of its engine. Never rejects. */
  metrics(): Promise<MetricsPage>;
  /** Closes its connections. All attempts must have ended or been aborted before. */
  close(): Promise<void>;
}
