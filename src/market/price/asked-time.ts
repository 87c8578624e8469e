/**
 * How much slot time is asked for at the level, beyond what there is. Against what waited at the level or above and was
 * not served stands what started below it, or stayed free: it would not have had to. Whether more or fewer orders start
 * than usual does not matter, because slots come free by chance. docs/decisions/0035.
 */

/** With this many starts a second or more, chance is small enough to look at single seconds. */
const STARTS_OF_LARGE = 3.2;
/** So much may start below the level at rest, times the root of the slowness beyond 1. */
const SPARE = 0.05;
const SPARE_MAX = 0.15;
/** Unserved orders count with this factor, and up to these parts of the slots. */
const UNSERVED = 0.8;
const UNSERVED_MIN = -0.5;
const UNSERVED_MAX = 0.7;
/** The sums are smoothed over this many starts, and for this long at least. */
const SMOOTHED_STARTS = 12;
const SMOOTHED_MS_MIN = 1000;

/** The smoothed sums that a restart continues from, as parts of the slots. */
export type AskedState = ReturnType<AskedTime['state']>;

/** The sums of one market. Times are slot milliseconds: slots times how long they are held. */
export class AskedTime {
  /** Since the last call of `take`. */
  #above = 0;
  #below = 0;
  #idle = 0;
  #unserved = 0;
  #servedExcess: number;
  #unservedPart: number;

  constructor(recovered: AskedState | null = null) {
    this.#servedExcess = recovered?.served ?? 0;
    this.#unservedPart = recovered?.unserved ?? 0;
  }

  /** An order started that is expected to hold its slot for `ms`; or a start is corrected by that, also down. */
  starts(ms: number, atLevel: boolean): void {
    if (atLevel) this.#above += ms;
    else this.#below += ms;
  }

  /** An order at the level or above waits, or left, unserved; if negative, one that counted so is served after all. */
  unserved(ms: number): void {
    this.#unserved += ms;
  }

  /** Counts slots that were free for this long. */
  idles(slots: number, ms: number): void {
    this.#idle += slots * ms;
  }

  /**
   * The excess, −1 to 1, with what happened since the last call, which is `elapsedMs`, above 0, with this many slots.
   */
  take({ slots, perSecond, elapsedMs }: { slots: number; perSecond: number; elapsedMs: number }): number {
    const spare = Math.min(SPARE_MAX, SPARE * Math.sqrt(slownessOf(perSecond) - 1));
    const whole = slots * elapsedMs;
    const smoothedMs = Math.max(SMOOTHED_MS_MIN, (SMOOTHED_STARTS * 1000) / perSecond);
    const weight = -Math.expm1(-elapsedMs / smoothedMs);
    const served = (spare * this.#above - (1 - spare) * (this.#below + this.#idle)) / whole;
    this.#servedExcess += weight * (served - this.#servedExcess);
    this.#unservedPart += weight * ((UNSERVED * this.#unserved) / whole - this.#unservedPart);
    [this.#above, this.#below, this.#idle, this.#unserved] = [0, 0, 0, 0];
    const unserved = Math.max(UNSERVED_MIN, Math.min(UNSERVED_MAX, this.#unservedPart));
    return Math.max(-1, Math.min(1, this.#servedExcess + unserved));
  }

  state() {
    return { served: this.#servedExcess, unserved: this.#unservedPart };
  }
}

/** How much fewer orders start in this market than in a large one: 1 or more. */
export function slownessOf(startsPerSecond: number): number {
  return Math.max(1, STARTS_OF_LARGE / startsPerSecond);
}
