/** How well estimates did: of the orders whose chance was in one tenth, the mean of what was said and the share that started. */

/** Tenths of the chance. */
const TENTHS = 10;
/** About this many orders are remembered: those of a day. */
const MEMORY = 17_280;
/** With fewer orders than this a share means nothing. */
const ORDERS_MIN = 30;

/** Of the orders in one tenth: how many, the sum of their chances, and those that started. They decay, so they are not whole. */
type TenthCounts = readonly [orders: number, said: number, started: number];

/** What a restart continues from: the tenths, the lowest first, and the sum of the squared errors. */
export interface ReliabilityState {
  readonly tenths: readonly TenthCounts[];
  readonly squares: number;
}

/** How well the chances of one horizon did. */
export interface Reliability {
  readonly withinS: number;
  readonly orders: number;
  /** The mean squared error: 0 is a prophet, a coin 0.25. Null with fewer than 30 orders. */
  readonly brier: number | null;
  /** By tenths of the chance, the lowest first; those with fewer than 30 orders are left out. Means and shares from 0 to 1. */
  readonly tenths: readonly ReliabilityTenth[];
}

/** One tenth. */
export interface ReliabilityTenth {
  readonly said: number;
  readonly came: number;
  readonly orders: number;
}

/** Forecasts for orders and their outcomes, for one horizon. */
export class ForecastScores {
  #tenths: TenthCounts[];
  #squares: number;

  constructor(recovered: ReliabilityState = { tenths: [], squares: 0 }) {
    this.#tenths = Array.from({ length: TENTHS }, (_, tenth) => recovered.tenths[tenth] ?? [0, 0, 0]);
    this.#squares = recovered.squares;
  }

  /** Counts the stated chance of an order, and whether it started in time. */
  learn(chance: number, started: boolean): void {
    const kept = 1 - 1 / MEMORY;
    const own = Math.min(TENTHS - 1, Math.floor(chance * TENTHS));
    this.#tenths = this.#tenths.map(([orders, said, came], tenth) =>
      tenth === own
        ? [orders * kept + 1, said * kept + chance, came * kept + Number(started)]
        : [orders * kept, said * kept, came * kept],
    );
    this.#squares = this.#squares * kept + (chance - Number(started)) ** 2;
  }

  of(withinS: number): Reliability {
    const all = this.#tenths.reduce((sum, [orders]) => sum + orders, 0);
    const tenths = this.#tenths
      .filter(([orders]) => orders >= ORDERS_MIN)
      .map(([orders, said, came]) => ({ said: said / orders, came: came / orders, orders }));
    return { withinS, orders: all, brier: all < ORDERS_MIN ? null : this.#squares / all, tenths };
  }

  state(): ReliabilityState {
    return { tenths: this.#tenths, squares: this.#squares };
  }
}
