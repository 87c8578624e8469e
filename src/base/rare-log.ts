/** A log line for what strangers can cause as often as they like: once in a while, with how often it happened. */
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import { MINUTE_MS } from './time.ts';

/** Writes one warning at once, and later ones at most once a minute with their number in `times`. */
export class RareLog {
  readonly #clock: Clock;
  readonly #log: Log;
  #times = 0;
  #writtenAtMs: number | null = null;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Something happened. It is counted, and written unless a line was in the last minute. */
  warn(fields: object, sentence: string): void {
    this.#times++;
    const nowMs = this.#clock.nowMs();
    // A clock that was set back must not silence it for the difference.
    if (this.#writtenAtMs !== null && Math.abs(nowMs - this.#writtenAtMs) < MINUTE_MS) return;
    this.#log.warn({ ...fields, times: this.#times }, sentence);
    this.#writtenAtMs = nowMs;
    this.#times = 0;
  }
}
