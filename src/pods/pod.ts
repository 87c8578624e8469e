/**
 * A pod is one backend with a number of slots: an OpenAI-compatible chat server at a URL, or a simulated one inside
 * this process. Both answer through the same interface, so nothing outside this folder knows which it is talking to.
 */
import type { Attempt, AttemptRequest, AttemptSink } from '#orders/ports.ts';
import type { SystemPolicy } from './system-policy.ts';

/** One pod of one listing, as configured. Times are milliseconds. */
export interface PodConfig {
  /** Unique among the pods of its listing. */
  readonly id: string;
  /** The listing it serves. */
  readonly model: string;
  /** The base address that `/chat/completions` is appended to, such as `http://10.0.0.5:8000/v1`; null: simulated. */
  readonly url: string | null;
  /** The model's name on the backend. */
  readonly upstreamModel: string;
  /** Attempts it may run at once, at least 1. */
  readonly slots: number;
  /** What a simulated pod draws its answers from. */
  readonly seed: number;
  /** Sent as a bearer token; null sends none. */
  readonly apiKey: string | null;
  readonly systemPolicy: SystemPolicy;
  /** From the start of an attempt to its first output. */
  readonly firstTokenTimeoutMs: number;
  /** Between two chunks once output has come. */
  readonly idleTimeoutMs: number;
  /** From the start of an attempt to its end. */
  readonly totalTimeoutMs: number;
  /** Whether the backend takes `stream_options.continuous_usage_stats` (vLLM does). */
  readonly continuousUsage: boolean;
  /** In tokens; usage above it is not believed. */
  readonly contextLength: number;
}

/** What a pod has that its configuration may leave out. */
export const podDefaults = {
  seed: 1,
  apiKey: null,
  systemPolicy: 'merge_leading',
  firstTokenTimeoutMs: 120_000,
  idleTimeoutMs: 60_000,
  totalTimeoutMs: 1_800_000,
  continuousUsage: false,
} as const satisfies Partial<PodConfig>;

/** How a ping of a pod went; `refused`: nobody listens there, `denied`: it does not take our key. */
export type Ping = 'alive' | 'failing' | 'refused' | 'denied';

/** One backend. */
export interface Pod {
  readonly config: PodConfig;
  /** Starts an attempt; the sink is never called from inside this call, nor from inside `abort`. */
  execute(request: AttemptRequest, sink: AttemptSink): Attempt;
  /** Asks whether it could serve. Never rejects. */
  ping(): Promise<Ping>;
  /** Closes its connections. The attempts must have ended or been aborted before. */
  close(): Promise<void>;
}
