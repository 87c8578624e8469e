/**
 * A rate with exponential decay: it follows the present without keeping a list of events. A steady stream of n events
 * per second reads as n after a few time constants, and as less before.
 */

/** The state of a rate that a restart continues from. */
export type RateState = ReturnType<DecayingRate['state']>;

/**
 * Events per second, decaying with the time constant. Time is an argument. When it steps back, nothing decays and
 * nothing is restored, so asking about past moments makes the same time decay twice.
 */
export class DecayingRate {
  readonly #timeConstantMs: number;
  #sum = 0;
  #atMs: number;

  constructor(timeConstantMs: number, nowMs: number, recovered: RateState | null = null) {
    this.#timeConstantMs = timeConstantMs;
    this.#atMs = recovered?.atMs ?? nowMs;
    this.#sum = recovered?.sum ?? 0;
  }

  /** Counts `weight` events now. A negative weight removes events that were just counted. */
  add(weight: number, nowMs: number): void {
    this.#decay(nowMs);
    this.#sum = Math.max(0, this.#sum + weight);
  }

  /** Never below 0. */
  perSecond(nowMs: number): number {
    this.#decay(nowMs);
    return (this.#sum * 1000) / this.#timeConstantMs;
  }

  state() {
    return { sum: this.#sum, atMs: this.#atMs };
  }

  #decay(nowMs: number): void {
    if (nowMs === this.#atMs) return;
    if (nowMs > this.#atMs) this.#sum *= Math.exp((this.#atMs - nowMs) / this.#timeConstantMs);
    this.#atMs = nowMs;
  }
}
