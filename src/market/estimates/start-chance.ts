/**
 * The chance that an order starts within a time. The number of orders ahead of it is a walk: some come ahead, some ahead
 * are served, and each ahead may give up. The order starts when nobody is ahead and a slot is free. The walk is solved on
 * a grid, so that one pass gives the chance for every time up to the horizon, in a fraction of a millisecond.
 * What price locks really did, started or missed, is counted in `price/clear-rate.ts`. docs/decisions/0057.
 */

/** What stands between an order and its start. Rates are per second, from 0. */
export interface Queueing {
  /** Orders that would start before it now, at least as many as slots are free. */
  readonly ahead: number;
  readonly free: number;
  /** Orders that the slots start while all are busy; above 0. */
  readonly served: number;
  /** Orders that come and would start before it: of late, and usually. The former becomes the latter with time. */
  readonly outbid: number;
  readonly outbidUsually: number;
  /** How many times as much arrivals vary as those that come one by one; from 1. */
  readonly burstiness: number;
  /** The share of the waiting that gives up. */
  readonly givingUp: number;
}

/** A chance, 0 to 1, by time. Times rise, and the chance never falls. */
export type ChanceByTime = readonly { readonly withinS: number; readonly chance: number }[];

/** The time over which a forecast moves from recent figures to the usual ones. */
export const USUAL_AFTER_S = 120;
/** More cells would move no figure that is shown. */
const CELLS_MAX = 120;
/** The walk is followed as far up as this many standard deviations. */
const DEVIATIONS = 5;
const FIRST_STEP_S = 0.1;
/** Each step in time is longer than the one before by this factor. */
const STEP_GROWTH = 1.08;

/**
 * The chance by time, up to `horizonS`, of an order that finds no free slot, in a market that serves orders. With
 * `untilS` the same curve ends there, which costs less.
 */
export function startChances(queueing: Queueing, horizonS: number, untilS = horizonS): ChanceByTime {
  return new Walk(queueing, horizonS).chances(untilS);
}

/** The chance to start within this time, between two points of the curve. */
export function chanceWithin(curve: ChanceByTime, seconds: number): number {
  return between(curve, 'withinS', 'chance', seconds) ?? curve.at(-1)?.chance ?? 0;
}

/** The time within which it starts with this chance; null where that is beyond the curve. */
export function waitFor(curve: ChanceByTime, chance: number): number | null {
  return between(curve, 'chance', 'withinS', chance);
}

type Axis = keyof ChanceByTime[number];

/** The value on one axis where the curve reaches a value on the other; null where it does not. */
function between(curve: ChanceByTime, from: Axis, to: Axis, value: number): number | null {
  let before = { withinS: 0, chance: 0 };
  for (const point of curve) {
    if (point[from] >= value) {
      const part = point[from] === before[from] ? 1 : (value - before[from]) / (point[from] - before[from]);
      return before[to] + part * (point[to] - before[to]);
    }
    before = point;
  }
  return null;
}

/** The walk of one order. Cell c stands for (c + 1) × width places from the front; below cell 0 it has started. */
class Walk {
  readonly #queueing: Queueing;
  /** The width of a cell in places, and how many places the order is from the front. */
  readonly #width: number;
  readonly #places: number;
  /** By cell: the rates up and down, what elimination keeps, and the chance to be there now. */
  readonly #up: Float64Array;
  readonly #down: Float64Array;
  readonly #factors: Float64Array;
  readonly #mass: Float64Array;

  constructor(queueing: Queueing, horizonS: number) {
    this.#queueing = queueing;
    const { ahead, free, served, outbid, outbidUsually, burstiness } = queueing;
    this.#places = ahead + 1 - free;
    const variance = (served + Math.max(outbid, outbidUsually) * burstiness) * horizonS;
    // An order further back than four times its place hardly returns in time.
    const height = this.#places + Math.min(DEVIATIONS * Math.sqrt(variance), 3 * this.#places + 100);
    this.#width = Math.max(1, height / CELLS_MAX);
    const cells = Math.ceil(height / this.#width);
    this.#up = new Float64Array(cells);
    this.#down = new Float64Array(cells);
    this.#factors = new Float64Array(cells);
    this.#mass = new Float64Array(cells);
  }

  chances(untilS: number): ChanceByTime {
    const points: { withinS: number; chance: number }[] = [];
    const mass = this.#mass;
    const place = Math.max(0, this.#places / this.#width - 1);
    const low = Math.min(mass.length - 1, Math.floor(place));
    const part = low + 1 < mass.length ? place - low : 0;
    mass[low] = 1 - part;
    if (part > 0) mass[low + 1] = part;
    let [atS, started] = [0, 0];
    for (let stepS = FIRST_STEP_S; atS < untilS; stepS *= STEP_GROWTH) {
      this.#setRates(atS + stepS / 2);
      started += this.#step(stepS);
      atS += stepS;
      points.push({ withinS: atS, chance: Math.min(1, started) });
    }
    return points;
  }

  /** The rates at a time from now. */
  #setRates(atS: number): void {
    const { served, outbid, outbidUsually, burstiness, givingUp } = this.#queueing;
    const width = this.#width;
    const coming = outbidUsually + (outbid - outbidUsually) * Math.exp(-atS / USUAL_AFTER_S);
    for (let cell = 0; cell < this.#up.length; cell++) {
      const leaving = served + givingUp * cell * width;
      const drift = (coming - leaving) / width;
      const spread = (coming * burstiness + leaving) / (width * width);
      const [up, down] = [(spread + drift) / 2, (spread - drift) / 2];
      // Where the drift is stronger than chance in so wide a cell, only the drift is left.
      this.#up[cell] = down < 0 ? drift : Math.max(0, up);
      this.#down[cell] = up < 0 ? -drift : Math.max(0, down);
    }
  }

  /** One implicit step in time of where the order may be. Returns how much of it started. */
  #step(stepS: number): number {
    const mass = this.#mass;
    const last = mass.length - 1;
    let [before, up, factor] = [0, 0, 0];
    for (let cell = 0; cell <= last; cell++) {
      const own = cell === last ? 0 : stepS * (this.#up[cell] ?? 0);
      const pivot = 1 + own + stepS * (this.#down[cell] ?? 0) - up * factor;
      before = ((mass[cell] ?? 0) + up * before) / pivot;
      mass[cell] = before;
      factor = cell === last ? 0 : (stepS * (this.#down[cell + 1] ?? 0)) / pivot;
      this.#factors[cell] = factor;
      up = own;
    }
    for (let cell = last - 1; cell >= 0; cell--)
      mass[cell] = (mass[cell] ?? 0) + (this.#factors[cell] ?? 0) * (mass[cell + 1] ?? 0);
    return stepS * (this.#down[0] ?? 0) * (mass[0] ?? 0);
  }
}
