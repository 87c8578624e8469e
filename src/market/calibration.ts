/**
 * The correction that keeps locks starting as often as promised. The quote is read from a model of the next ten seconds;
 * what the model gets wrong shows in the locks that miss their window, and moves the correction once a window. Per-order
 * corrections without bounds ran away in simulation, so both are bounded here. docs/decisions/0022.
 */

const GAIN = 0.4;
/** One bad window moves it no further: when a quiet time ends the running mean is far behind what is resolved now. */
const STEP_MAX = 0.4;
const LEAST = -0.5;
const MOST = 2.5;
/** A window in which few locks were resolved moves the correction as if this many had been. */
const RESOLVED_MIN = 20;
/** The part of the newest window in the running mean. */
const NEWEST = 0.1;

/** What a restart needs. */
export interface CalibrationState {
  readonly correction: number;
  readonly resolvedMean: number;
}

/** The correction m: pods are trusted with e^(−m) of the starts that their pace promises. */
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

  /** A lock started, or missed its window. */
  resolve(missed: boolean): void {
    this.#resolved++;
    if (missed) this.#misses++;
  }

  /** A lock that was counted as started had not: it counts as nothing. */
  takeBack(): void {
    this.#resolved = Math.max(0, this.#resolved - 1);
  }

  /** A window ended. While `frozen` what it brought is forgotten: nothing could start. */
  endWindow(frozen: boolean): void {
    if (!frozen) {
      this.#resolvedMean += NEWEST * (this.#resolved - this.#resolvedMean);
      const excess = this.#misses - (1 - this.#targetStartRate) * this.#resolved;
      const step = (GAIN * excess) / Math.max(RESOLVED_MIN, this.#resolvedMean);
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
  return Math.min(MOST, Math.max(LEAST, correction));
}
