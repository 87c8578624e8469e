/**
 * The figures of a live day beside those of the simulated one, and whether they agree. Both days have the same orders
 * at the same times. What differs is what no simulation knows: some milliseconds of network and database, and the random
 * instants at which a quote is read. So they must be closer to each other than two days of different orders are: within
 * two standard deviations of the simulated figure between seeds. A hundredth (of the level, of all slot time, of the
 * revenue) is allowed in any case: what must hold of prices is said in hundredths.
 */
import type { AttackedFigures } from '#simulations/requirements.ts';
import { type Day, type LiveMarket, simulated } from './days.ts';
import type { LiveDay } from './live-day.ts';

/** A figure of a day. */
export interface Comparison {
  readonly day: Day;
  readonly figure: string;
  readonly live: number;
  readonly simulated: number;
  /** The largest difference that is no disagreement. */
  readonly tolerance: number;
  readonly agrees: boolean;
}

/** So many other crowds tell how much chance alone changes. */
const SEEDS = 8;
const DEVIATIONS = 2;
const SLACK = 0.01;

type Read = (day: AttackedFigures, crowd: AttackedFigures) => number;

const everyDay: readonly (readonly [name: string, read: Read])[] = [
  ['level', ({ level }) => level],
  ['quote', ({ quote }) => quote],
  ['highest quote', ({ quoteMax }) => quoteMax],
  ['clear rate of the crowd', ({ clearRate }) => clearRate],
  ['paid by the crowd for a slot and hour', ({ othersPaid }) => othersPaid],
  ['slots in use', ({ occupancy }) => occupancy],
];

const attackedDay: typeof everyDay = [
  ['level, move', ({ level }, crowd) => level / crowd.level - 1],
  ['quote, move', ({ quote }, crowd) => quote / crowd.quote - 1],
  ['paid by the attacker, of the revenue', (day, crowd) => day.attackCostPerHour / crowd.revenuePerHour],
  ['slot time of the attacker', ({ attackShare }) => attackShare],
];

/** The live days with what the simulation says of each: its figures, and the comparisons. */
export interface Compared {
  readonly simulated: readonly AttackedFigures[];
  readonly comparisons: readonly Comparison[];
}

/** Simulates the same days, and those of other seeds, and compares. The first of them is the crowd alone. */
export function compare(live: readonly LiveDay[], market: LiveMarket): Compared {
  const play = (seed: number) => live.map(({ day, heldMs }) => simulated(day, { ...market, seed }, heldMs));
  const same = play(market.seed);
  const others = Array.from({ length: SEEDS }, (_, more) => play(market.seed + 1 + more));
  const figures = live.map((day) => day.figures);
  const comparisons = live.flatMap(({ day }, at) =>
    [...everyDay, ...(at === 0 ? [] : attackedDay)].map(([figure, read]): Comparison => {
      const of = (played: readonly AttackedFigures[]) => {
        const [crowd, one] = [played[0], played[at]];
        return crowd && one ? read(one, crowd) : Number.NaN;
      };
      const tolerance = Math.max(DEVIATIONS * deviationOf(others.map(of)), SLACK);
      const difference = Math.abs(of(figures) - of(same));
      return { day, figure, live: of(figures), simulated: of(same), tolerance, agrees: difference <= tolerance };
    }),
  );
  return { simulated: same, comparisons };
}

function deviationOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}
