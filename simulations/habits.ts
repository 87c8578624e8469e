/**
 * Traders who do not bid their value and wait: impatient ones, and those who bid by the level. The level must still be near
 * the price at which the flow of values fills the slots.
 */
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { TradingFloor } from './floor.ts';
import { figuresOf } from './measures.ts';
import type { Requirement } from './requirements.ts';
import { clearingPrice, type OrdinaryTraders, startTraders } from './traders.ts';

/** A habit of all or some traders. */
export interface Habit {
  readonly name: string;
  /** What is not as usual; it may read the level of the floor. */
  readonly traders: (floor: TradingFloor) => Partial<OrdinaryTraders>;
  /** Demand as a multiple of the capacity. Default: one and a half. */
  readonly load?: number;
  /** One account sends this part of the demand instead. Default: none. */
  readonly dominant?: { readonly part: number; readonly traders: Habit['traders'] };
  /** The level as a part of the price that clears the flow, by slots: at least and at most. Null: only shown. */
  readonly range: ((slots: number) => readonly [least: number, most: number]) | null;
  /** The most that the level may deviate, as a part of its mean. */
  readonly deviationMax?: number;
  /** As a part of the clearing price. Default: none. */
  readonly reserve?: number;
}

const LOAD = 1.5;
const LOCK_SHARE = 0.3;
/** The highest bid that an API takes. */
const HIGHEST = 1e18;
/** The least that those bid who bid by the level: at a level of 0 their bids would all be 0. */
const BID_MIN = 1e6;

const near = (slots: number) => (slots <= 8 ? ([0.8, 1.2] as const) : ([0.9, 1.1] as const));
const nearer = () => [0.8, 1.2] as const;
const atLeast = () => [0.9, Number.POSITIVE_INFINITY] as const;

/** Bids this many times the level, never more than the value. */
const shaded = (floor: TradingFloor, factor: number) => (value: number) =>
  Math.min(value, Math.max(BID_MIN, Math.round(factor * floor.level)));

/** It bids the level and shows no order for longer than two seconds. */
const halfHidden: Pick<Habit, 'traders' | 'dominant'> = {
  traders: () => ({}),
  dominant: { part: 0.5, traders: (floor) => ({ bid: shaded(floor, 1), patienceMs: 2000, lockShare: 0 }) },
};

/** All of them. */
export const habits: readonly Habit[] = [
  { name: 'all lock', traders: () => ({ lockShare: 1 }), range: near },
  { name: 'all wait 10 s', traders: () => ({ patienceMs: 10_000 }), range: near },
  { name: 'all leave after 4 s', traders: () => ({ patienceMs: 4000, lockShare: 0 }), range: nearer },
  { name: 'all leave after 4 s, load 3', traders: () => ({ patienceMs: 4000, lockShare: 0 }), load: 3, range: nearer },
  {
    name: 'all send again each 4.9 s',
    traders: () => ({ patienceMs: 4900, sendsAgain: true, lockShare: 0 }),
    range: near,
  },
  {
    name: 'all bid 1.02 of the level',
    traders: (floor) => ({ bid: shaded(floor, 1.02), lockShare: 0 }),
    range: atLeast,
  },
  {
    name: 'all bid 1.05 of the level',
    traders: (floor) => ({ bid: shaded(floor, 1.05), lockShare: 0 }),
    range: atLeast,
  },
  {
    name: '60 % bid 1.02 of the level',
    traders: (floor) => {
      const bid = shaded(floor, 1.02);
      return { bid: (value) => (floor.random.next() < 0.6 ? bid(value) : value), lockShare: 0 };
    },
    range: atLeast,
  },
  {
    name: 'all bid any price while the level is below their value',
    traders: (floor) => ({ bid: (value) => (floor.level < value ? HIGHEST : value), lockShare: 0 }),
    range: () => [0.85, 1.15],
    deviationMax: 0.2,
  },
  { name: 'one account with half of the demand bids the level and hides', ...halfHidden, range: null },
  {
    name: 'the same account, with a reserve of 0.9 of what clears',
    ...halfHidden,
    range: atLeast,
    reserve: 0.9,
  },
];

/** A market whose traders have this habit, after half an hour. The same seed gives the same figure. */
export function withHabit(habit: Habit, slots: number, seed: number): Requirement {
  const { name, load = LOAD, range, deviationMax } = habit;
  const { level, deviation, occupancy, clearRate, samples } = played(habit, slots, seed);
  const clears = clearingPrice(load);
  const share = level / clears;
  const [least, most] = range?.(slots) ?? [0, Number.POSITIVE_INFINITY];
  const isSteady = deviationMax === undefined || deviation <= deviationMax;
  const bounds = most === Number.POSITIVE_INFINITY ? `≥ ${least}` : `${least} to ${most}`;
  const figure = [
    `level ${level.toFixed(3)}, ${share.toFixed(2)} of ${clears.toFixed(3)}`,
    `deviation ${(100 * deviation).toFixed(0)} %`,
    `occupancy ${occupancy.toFixed(2)}`,
    ...(Number.isNaN(clearRate) ? [] : [`clear rate ${clearRate.toFixed(3)}`]),
  ];
  return {
    name: `${slots} slots: ${name}`,
    figure: figure.join(', '),
    target: range ? `${bounds}${deviationMax === undefined ? '' : `, deviation ${100 * deviationMax} %`}` : '',
    holds: range ? share >= least && share <= most && isSteady : null,
    samples,
  };
}

function played({ traders, load = LOAD, dominant, reserve = 0 }: Habit, slots: number, seed: number) {
  const listing = { reserve: Math.round(reserve * clearingPrice(load) * 1e9) };
  const floor = new TradingFloor({ seed, slots, listing });
  const usual = { lockShare: LOCK_SHARE, slots };
  const part = dominant?.part ?? 0;
  startTraders(floor, { ...usual, load: () => load * (1 - part), ...traders(floor) });
  if (dominant) {
    const own = { load: () => load * part, names: 'dominant', accounts: 1, ...dominant.traders(floor) };
    startTraders(floor, { ...usual, ...own });
  }
  floor.run(HOUR_MS / 2);
  floor.resetMeasures();
  floor.samples.length = 0;
  floor.run(slots <= 8 ? 4 * HOUR_MS : slots <= 64 ? HOUR_MS : 20 * MINUTE_MS);
  const { samples } = floor;
  const figures = figuresOf(floor.measures, slots);
  const variance = samples.reduce((sum, { level }) => sum + (level / 1e9 - figures.level) ** 2, 0) / samples.length;
  return { ...figures, deviation: Math.sqrt(variance) / figures.level, samples };
}
