/**
 * A rate that forgets: what was added counts less and less, so that the rate follows the present without keeping a
 * list of moments. A steady stream of n per second is read as n once a few time constants have passed, less before.
 */

/** What is left of a rate, to go on from after a restart. */
export interface RateState {
  readonly sum: number;
  readonly atMs: number;
}

/**
 * Events per second, each fading with the time constant. Time is an argument; a step back counts as none, and what was
 * faded stays so: asking about moments that have passed fades the same time twice.
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

  /** Counts `weight` events now; a negative weight takes back what was counted a moment ago. */
  add(weight: number, nowMs: number): void {
    this.#fade(nowMs);
    this.#sum = Math.max(0, this.#sum + weight);
  }

  /** Never below 0. */
  perSecond(nowMs: number): number {
    this.#fade(nowMs);
    return (this.#sum * 1000) / this.#timeConstantMs;
  }

  state(): RateState {
    return { sum: this.#sum, atMs: this.#atMs };
  }

  #fade(nowMs: number): void {
    if (nowMs === this.#atMs) return;
    if (nowMs > this.#atMs) this.#sum *= Math.exp((this.#atMs - nowMs) / this.#timeConstantMs);
    this.#atMs = nowMs;
  }
}
