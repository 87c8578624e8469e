/** Where traces go, and which; `config/environment.ts` reads it and `observe/traces/` goes by it. */

/** Which traces are kept. */
export interface SamplingSettings {
  /** Whether the caller's trace header decides if its request is kept. */
  readonly parentBased: boolean;
  /** The share of the other traces that is kept, 0 to 1. */
  readonly ratio: number;
}

/** A collector, and what it gets. */
export interface TraceSettings {
  /** The whole address, such as `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  /** Sent with each export; they may hold a secret. */
  readonly headers: Readonly<Record<string, string>>;
  /** After how long an export is given up, with its repetitions. */
  readonly timeoutMs: number;
  readonly sampling: SamplingSettings;
  readonly serviceName: string;
  /** More of what names this process, such as `deployment.environment.name`. */
  readonly attributes: Readonly<Record<string, string>>;
}
