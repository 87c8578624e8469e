/** An attempt as the pool follows it: when it began, when its output began, and how it ended. */
import type { Clock } from '#base/clock.ts';
import type { Attempt, AttemptOutcome, AttemptSink } from '#orders/ports.ts';
import type { AttemptTimes } from './pod-work.ts';

/**
 * Wraps the order service's sink to see the end of an attempt first. Then it drops its references to both: deleted
 * members of a Set stay reachable for a while, as `LiveOrder.end` explains.
 */
export class TrackedAttempt implements Attempt, AttemptSink {
  attempt: Attempt | null = null;
  #sink: AttemptSink | null;
  readonly #clock: Clock;
  readonly #startMs: number;
  #firstOutputMs: number | null = null;
  readonly #onEnd: (outcome: AttemptOutcome, times: AttemptTimes) => void;

  constructor(sink: AttemptSink, clock: Clock, onEnd: (outcome: AttemptOutcome, times: AttemptTimes) => void) {
    this.#sink = sink;
    this.#clock = clock;
    this.#startMs = clock.nowMs();
    this.#onEnd = onEnd;
  }

  abort(): void {
    this.attempt?.abort();
  }

  events(batch: Parameters<AttemptSink['events']>[0]): void {
    this.#firstOutputMs ??= this.#clock.nowMs();
    this.#sink?.events(batch);
  }

  ended(outcome: AttemptOutcome): void {
    const sink = this.#sink;
    this.#sink = null;
    this.attempt = null;
    const times = { startMs: this.#startMs, firstOutputMs: this.#firstOutputMs, endMs: this.#clock.nowMs() };
    try {
      this.#onEnd(outcome, times);
    } finally {
      sink?.ended(outcome);
    }
  }
}
