/**
 * The correction that keeps the share of locks that start in time at its target. The quote models the next ten seconds.
 * The model's error shows in locks that miss their window, and adjusts the correction once a window. Unbounded
 * corrections per order diverged in simulation, so step and correction are bounded. docs/decisions/0022.
 */

const GAIN = 0.4;
/** The largest step in one window. After a quiet period the moving average lags far behind the locks resolved now. */
const STEP_MAX = 0.4;
const CORRECTION_MIN = -0.5;
const CORRECTION_MAX = 2.5;
/** The gain falls with the root of the starts of a window, from the square of this many on. */
const STEADY_STARTS = 2;
/** A window in which few locks were resolved is weighted as if there had been this many. */
const RESOLVED_MIN = 20;
/** The weight of the newest window in the moving average. */
const NEWEST_WEIGHT = 0.1;

/** The state to store for a restart. */
export interface CalibrationState {
  readonly correction: number;
  readonly resolvedMean: number;
}

/** The correction m: the quote counts on e^(−m) times the starts that the measured pace predicts. */
export class Calibration {
  readonly #targetStartRate: number;
  #correction: number;
  #resolvedMean: number;
  #resolved = 0;
  #misses = 0;

  constructor(targetStartRate: number, recovered: CalibrationState | null = null) {
    this.#targetStartRate = targetStartRate;
    this.#correction = within(recovered?.correction ?? 0);
    this.#resolvedMean = recovered?.resolvedMean ?? 0;
  }

  get correction(): number {
    return this.#correction;
  }

  /** A lock that counts this much, 0 to 1, started or missed its window. */
  resolve(missed: boolean, weight = 1): void {
    this.#resolved += weight;
    if (missed) this.#misses += weight;
  }

  /** A lock that was counted as started did not start after all; it no longer counts. */
  takeBack(weight: number): void {
    this.#resolved = Math.max(0, this.#resolved - weight);
  }

  /** Ends a window in which about this many orders could start. While `frozen` its outcomes are discarded, because nothing could start. */
  endWindow(frozen: boolean, starts: number): void {
    if (!frozen) {
      this.#resolvedMean += NEWEST_WEIGHT * (this.#resolved - this.#resolvedMean);
      const excess = this.#misses - (1 - this.#targetStartRate) * this.#resolved;
      // Where many orders start in a window, a fixed gain answers chance with a sawtooth.
      const gain = GAIN * Math.min(1, STEADY_STARTS / Math.sqrt(starts));
      const step = (gain * excess) / Math.max(RESOLVED_MIN, this.#resolvedMean);
      this.#correction = within(this.#correction + Math.min(STEP_MAX, step));
    }
    this.#resolved = 0;
    this.#misses = 0;
  }

  state(): CalibrationState {
    return { correction: this.#correction, resolvedMean: this.#resolvedMean };
  }
}

function within(correction: number): number {
  return Math.min(CORRECTION_MAX, Math.max(CORRECTION_MIN, correction));
}
