/**
 * Corrects the chances of the walk (`start-chance.ts`) by the outcomes of earlier ones. Outcomes are counted in bins of
 * the log-odds that the walk gave. Each bin says where its log-odds belong, and between the bins the correction is
 * interpolated. Neighboring bins are pooled where a higher forecast came true less often, so that a higher bid never
 * has a lower chance: isotonic regression by pooling adjacent violators, over counts that decay. Pure.
 * docs/decisions/0057.
 */
import type { ChanceByTime } from './start-chance.ts';

/** The times within which outcomes are counted, in seconds; between them the corrections are mixed. */
export const HORIZONS_S = [10, 60, 300] as const;

/** Greater log-odds, of 6 in a million, are taken for these. */
const LOG_ODDS_MAX = 12;
/** Where the bins above even odds begin; those below mirror them. */
const BOUNDS = [0, 0.4, 0.85, 1.4, 2.2, 3.2, 5, 8];
const BINS = 2 * BOUNDS.length;
/** Each bin counts this many orders in advance that started as often as the walk said. */
const PRIOR = 2;
/** About this many outcomes are remembered: those of four hours. */
const MEMORY = 2880;

/** The outcomes in one bin: orders, the sum of their log-odds, and those that started. They decay, so they are not whole. */
type Outcomes = readonly [orders: number, logOdds: number, started: number];

/** The outcomes of one horizon by bin, the lowest first. */
export type CorrectionState = readonly Outcomes[];

/** Where log-odds of the walk belong. Both rise from point to point; empty: they stay. */
export type Correction = readonly (readonly [walk: number, corrected: number])[];

/** The outcome of the chances of one horizon. */
export class CountedOutcomes {
  #bins: Outcomes[];
  #correction: Correction | null = null;

  constructor(recovered: CorrectionState = []) {
    this.#bins = Array.from({ length: BINS }, (_, bin) => recovered[bin] ?? [0, 0, 0]);
  }

  /** An order that the walk had given this chance started in time or did not. */
  learn(chance: number, started: boolean): void {
    const logOdds = logOddsOf(chance);
    const own = binOf(logOdds);
    this.#bins = this.#bins.map((outcomes, bin) => {
      const [orders, sum, those] = outcomes.map((count) => count * (1 - 1 / MEMORY)) as [number, number, number];
      return bin === own ? [orders + 1, sum + logOdds, those + Number(started)] : [orders, sum, those];
    });
    this.#correction = null;
  }

  get correction(): Correction {
    this.#correction ??= correctionBy(this.#bins);
    return this.#correction;
  }

  state(): CorrectionState {
    return this.#bins;
  }
}

/** The whole curve of the walk as corrected, by the correction of each of `HORIZONS_S`. */
export function correctedCurve(curve: ChanceByTime, corrections: readonly Correction[]): ChanceByTime {
  let least = 0;
  return curve.map(({ withinS, chance }) => {
    least = Math.max(least, correctedWithin(chance, withinS, corrections));
    return { withinS, chance: least };
  });
}

/**
 * Applies the first correction before the first horizon, and the last one after the last. Between two horizons it
 * interpolates between their corrections, by the logarithm of the time.
 */
function correctedWithin(chance: number, withinS: number, corrections: readonly Correction[]): number {
  const next = HORIZONS_S.findIndex((horizonS) => withinS <= horizonS);
  const by = (at: number) => correctedChance(chance, corrections.at(at) ?? []);
  if (next <= 0) return by(next);
  const [fromS, toS] = [HORIZONS_S[next - 1] ?? 1, HORIZONS_S[next] ?? 1];
  const part = Math.log(withinS / fromS) / Math.log(toS / fromS);
  return (1 - part) * by(next - 1) + part * by(next);
}

/** A chance as corrected. It never falls when the chance rises. */
export function correctedChance(chance: number, correction: Correction): number {
  const logOdds = logOddsOf(chance);
  const at = correction.findIndex(([walk]) => walk >= logOdds);
  const above = correction.at(at);
  // Beyond the outermost points the log-odds are shifted as at those points.
  const below = at > 0 ? correction[at - 1] : above;
  if (!below || !above) return chance;
  const rise = below[0] === above[0] ? 1 : (above[1] - below[1]) / (above[0] - below[0]);
  return chanceOf(below[1] + rise * (logOdds - below[0]));
}

/** Bins that are pooled: what is counted in them, with what is counted in advance, and the mean log-odds of each bin. */
interface Pool {
  readonly orders: number;
  readonly started: number;
  readonly walks: readonly number[];
}

function correctionBy(bins: readonly Outcomes[]): Correction {
  const pools: Pool[] = [];
  for (const [bin, [orders, logOdds, started]] of bins.entries()) {
    const middle = middleOf(bin);
    const counted = PRIOR + orders;
    let pool: Pool = {
      orders: counted,
      started: PRIOR * chanceOf(middle) + started,
      walks: [(PRIOR * middle + logOdds) / counted],
    };
    for (let last = pools.at(-1); last && shareOf(last) >= shareOf(pool); last = pools.at(-1)) {
      pools.pop();
      pool = {
        orders: last.orders + pool.orders,
        started: last.started + pool.started,
        walks: [...last.walks, ...pool.walks],
      };
    }
    pools.push(pool);
  }
  return pools.flatMap((pool) => pool.walks.map((walk) => [walk, logOddsOf(shareOf(pool))] as const));
}

function shareOf({ started, orders }: Pool): number {
  return started / orders;
}

function binOf(logOdds: number): number {
  const away = BOUNDS.findLastIndex((bound) => bound <= Math.abs(logOdds));
  return logOdds < 0 ? BOUNDS.length - 1 - away : BOUNDS.length + away;
}

/** The log-odds in the middle of a bin. */
function middleOf(bin: number): number {
  const isBelow = bin < BOUNDS.length;
  const away = isBelow ? BOUNDS.length - 1 - bin : bin - BOUNDS.length;
  const middle = ((BOUNDS[away] ?? 0) + (BOUNDS[away + 1] ?? LOG_ODDS_MAX)) / 2;
  return isBelow ? -middle : middle;
}

function logOddsOf(chance: number): number {
  return Math.max(-LOG_ODDS_MAX, Math.min(LOG_ODDS_MAX, Math.log(chance / (1 - chance))));
}

function chanceOf(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}
