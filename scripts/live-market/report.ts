/**
 * What a live market came to: what agrees with the simulation, what must hold, and tables of both.
 *
 * A live day and its simulation have the same orders at the same times. What differs is what no simulation knows: some
 * milliseconds of network and database, and the random instants at which a quote is read. So their figures must be closer to each other than two days of different orders are: within
 * two standard deviations of the simulated figure between seeds. A hundredth (of the level, of all slot time, of the
 * revenue) is allowed in any case: what must hold of prices is said in hundredths.
 */
import { markdownTable } from '#simulations/markdown-table.ts';
import { type AttackedFigures, type Requirement, requirementTable, verdict } from '#simulations/requirements.ts';
import { clearingPrice } from '#simulations/traders.ts';
import { type Day, type LiveMarket, simulated } from './days.ts';
import type { LiveDay } from './live-day.ts';

/** A figure of a day. */
interface Comparison {
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

/** Who leaves early locks nothing. */
function figuresOf(day: Day): typeof everyDay {
  if (day === 'leaves') return everyDay.filter(([name]) => name !== 'clear rate of the crowd');
  return day === 'crowd' ? everyDay : [...everyDay, ...attackedDay];
}

/** The live days with what the simulation says of each: its figures, and the comparisons. */
interface Compared {
  readonly simulated: readonly AttackedFigures[];
  readonly comparisons: readonly Comparison[];
}

/** Everything that a run says. */
export interface Outcome {
  /** Whether live and simulation agree, what must hold holds, and no answer was odd. */
  readonly ok: boolean;
  readonly market: LiveMarket;
  readonly comparisons: readonly Comparison[];
  readonly requirements: readonly Requirement[];
  /** How many orders each attacker started, and how long they held their slots: half of them, and all but a hundredth. */
  readonly attacks: readonly {
    readonly day: Day;
    readonly started: number;
    readonly halfMs: number;
    readonly mostMs: number;
  }[];
  /** Level and quote of each day, second by second. */
  readonly prices: readonly Pick<LiveDay, 'day' | 'prices'>[];
  readonly findings: readonly string[];
}

/** Compares the days with simulated ones. The first of them is the crowd alone. */
export function outcomeOf(market: LiveMarket, live: readonly LiveDay[]): Outcome {
  const { simulated, comparisons } = compare(live, market);
  const played = { live: live.map(({ figures }) => figures), simulated };
  const requirements = live.slice(1).flatMap(({ day }, before) =>
    Object.entries(played).flatMap(([where, figures]) => {
      const [crowd, other] = [figures[0], figures[before + 1]];
      if (!crowd || !other) return [];
      const name = `${day}, ${where}`;
      return [day === 'leaves' ? nearClearing(name, market, other) : verdict(name, market, other, crowd)];
    }),
  );
  const findings = live.flatMap(({ day, findings: found }) => found.map((finding) => `${day}: ${finding}`));
  const agree = comparisons.every(({ agrees }) => agrees);
  return {
    ok: agree && requirements.every(({ holds }) => holds !== false) && findings.length === 0,
    market,
    comparisons,
    requirements,
    attacks: live.filter(({ heldMs }) => heldMs.length > 0).map(attackOf),
    prices: live.map(({ day, prices }) => ({ day, prices })),
    findings,
  };
}

/** The same for people. */
export function textOf({ market, comparisons, requirements, attacks, findings }: Outcome): string {
  const { slots, load, runsMs, measuredMs, seed } = market;
  const rows = comparisons.map(({ day, figure, live, simulated, tolerance, agrees }) => [
    `${day}: ${figure}`,
    ...[live, simulated, tolerance].map((value) => value.toFixed(4)),
    agrees ? '✔' : '✘',
  ]);
  return [
    `${slots} slots, load ${load}, orders of ${runsMs / 1000} s, ${measuredMs / 60_000} minutes, seed ${seed}`,
    markdownTable(['day and figure', 'live', 'simulated', 'may differ by', 'agrees'], rows),
    requirementTable(requirements),
    attacks.map(attackText).join('\n'),
    findings.map((finding) => `FOUND ${finding}`).join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** Impatient buyers must not break the level. */
function nearClearing(name: string, { load }: LiveMarket, { level }: AttackedFigures): Requirement {
  const share = level / clearingPrice(load);
  const figure = `level ${level.toFixed(3)}, ${share.toFixed(2)} of what clears`;
  return { name, figure, target: '0.8 to 1.2', holds: share >= 0.8 && share <= 1.2 };
}

function attackOf({ day, heldMs }: LiveDay): Outcome['attacks'][number] {
  const sorted = heldMs.toSorted((one, two) => one - two);
  const at = (share: number) => sorted[Math.floor(share * sorted.length)] ?? 0;
  return { day, started: sorted.length, halfMs: at(0.5), mostMs: at(0.99) };
}

function attackText({ day, started, halfMs, mostMs }: Outcome['attacks'][number]): string {
  return `${day}: ${started} orders started; half of them held their slot for ${halfMs} ms or less, 99 % for ${mostMs} ms`;
}

/** Simulates the same days, and those of other seeds, and compares. The first of them is the crowd alone. */
function compare(live: readonly LiveDay[], market: LiveMarket): Compared {
  const play = (seed: number) => live.map(({ day, heldMs }) => simulated(day, { ...market, seed }, heldMs));
  const same = play(market.seed);
  const others = Array.from({ length: SEEDS }, (_, more) => play(market.seed + 1 + more));
  const figures = live.map((day) => day.figures);
  const comparisons = live.flatMap(({ day }, at) =>
    figuresOf(day).map(([figure, read]): Comparison => {
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
