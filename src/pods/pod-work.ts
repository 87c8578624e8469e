/**
 * What a pod did since the gateway started, in counts and two moving averages. An attempt costs a few additions; nothing
 * here grows.
 */
import type { AttemptOutcome } from '#orders/ports.ts';

/** The share of the newest answer in an average: about the last 16 count. */
const NEWEST_SHARE = 1 / 16;
const REASON_CHARACTERS_MAX = 300;

/** When an attempt began, when its first output came (null: never) and when it ended, in epoch milliseconds. */
export interface AttemptTimes {
  readonly startMs: number;
  readonly firstOutputMs: number | null;
  readonly endMs: number;
}

/** Counts of attempts since the start, and averages of about the last 16 answers; null before there is one. */
export interface PodFigures {
  /** Answered to the end. */
  readonly answers: number;
  /** Failed: no connection, a broken answer, a timeout. */
  readonly failures: number;
  /** Turned away because the pod had no room. */
  readonly full: number;
  /** Requests that the model refused. */
  readonly refused: number;
  /** Stopped by the gateway, because the caller left or the order ended. */
  readonly aborted: number;
  /** What the last failure was, in one line as in the log; null before the first. */
  readonly lastFailure: string | null;
  /** From the start of an attempt to its first output. */
  readonly firstTokenMs: number | null;
  /** Tokens a second of one answer, from its first output to its end, by the pod's own count. */
  readonly tokensPerSecond: number | null;
}

const COUNTED = {
  complete: 'answers',
  failed: 'failures',
  'no-slot': 'full',
  refused: 'refused',
  aborted: 'aborted',
} as const;

/** The figures of one pod. */
export class PodWork {
  readonly #counts = { answers: 0, failures: 0, full: 0, refused: 0, aborted: 0 };
  #lastFailure: string | null = null;
  #firstTokenMs: number | null = null;
  #tokensPerSecond: number | null = null;

  /** What is known now. */
  get figures(): PodFigures {
    return {
      ...this.#counts,
      lastFailure: this.#lastFailure,
      firstTokenMs: this.#firstTokenMs,
      tokensPerSecond: this.#tokensPerSecond,
    };
  }

  /** An attempt ended. Only whole answers count in the averages. */
  ended(outcome: AttemptOutcome, { startMs, firstOutputMs, endMs }: AttemptTimes): void {
    this.#counts[COUNTED[outcome.kind]]++;
    if (outcome.kind === 'failed') this.#lastFailure = firstLine(outcome.reason);
    if (outcome.kind !== 'complete' || firstOutputMs === null) return;
    const outputMs = endMs - firstOutputMs;
    const tokens = outcome.usage?.outputTokens ?? 0;
    this.#firstTokenMs = averaged(this.#firstTokenMs, firstOutputMs - startMs);
    if (outputMs > 0 && tokens > 0) this.#tokensPerSecond = averaged(this.#tokensPerSecond, (tokens * 1000) / outputMs);
  }
}

function averaged(average: number | null, newest: number): number {
  return average === null ? newest : average + (newest - average) * NEWEST_SHARE;
}

/** Leaves out the stack of an error of our own. */
function firstLine(reason: string): string {
  return (reason.split('\n', 1)[0] ?? '').slice(0, REASON_CHARACTERS_MAX);
}
