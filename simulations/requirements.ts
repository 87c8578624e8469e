/**
 * What must hold of a market's prices, each with its figure and its target: attacks that cost little, honest days of
 * many kinds, and how fast and how steady the level is. Days are compared with the same seed's day without the attack.
 */

import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import type { ReliabilityTenth } from '#market/estimates/reliability.ts';
import { assaults, attackOf } from './assaults.ts';
import { attacks, type NamedAttack } from './attacks.ts';
import { type Sample, TradingFloor } from './floor.ts';
import { againstHindsight } from './hindsight.ts';
import { clearRatesOf, type HonestDay, honestDays } from './honest-days.ts';
import { markdownTable } from './markdown-table.ts';
import { type Figures, figuresOf } from './measures.ts';
import { besiegedStarts, estimatedStarts } from './start-estimates.ts';
import { clearingPrice, startTraders } from './traders.ts';

/** One thing that must hold: what was measured, as text, and whether it holds. Null: it is not asked of this one. */
export interface Requirement {
  readonly name: string;
  readonly figure: string;
  readonly target: string;
  readonly holds: boolean | null;
  /** Level and quote over the day, for the picture. */
  readonly samples?: readonly Sample[];
  /** Chances that were given, and the share of each that came true, for the picture. */
  readonly reliability?: readonly ReliabilityTenth[];
}

/** Requirements that are checked together, from a seed. The same seed gives the same figures. */
export interface RequirementGroup {
  readonly name: string;
  readonly run: (seed: number) => Requirement[];
}

/** What came of a requirement with one seed. */
export interface SeededRequirement extends Requirement {
  readonly seed: number;
}

/** The sizes of markets that are attacked. */
export const SLOTS = [8, 64, 512] as const;
/** The honest load under every attack. */
const LOAD = 1.5;
const LOCK_SHARE = 0.3;

/** All of them, in the order in which they are printed. */
export const requirements: readonly RequirementGroup[] = [
  ...SLOTS.flatMap((slots) =>
    [...attacks, ...assaults.map(attackOf)].map((attack) => ({
      name: `requirements: attacks with ${slots} slots: ${attack.name}`,
      run: (seed: number) => underAttack({ slots, seed, measuredMs: measuredMs(slots) }, [attack]),
    })),
  ),
  ...[64, 512].flatMap((slots) =>
    honestDays.map((day) => ({
      name: `requirements: honest days with ${slots} slots: ${day.name}`,
      run: (seed: number) => [honestly(day, slots, seed)],
    })),
  ),
  ...[64, 512].map((slots) => ({
    name: `requirements: estimates of starts with ${slots} slots`,
    run: (seed: number) => estimatedStarts(slots, seed),
  })),
  {
    name: 'requirements: estimates of starts beside strangers',
    run: (seed: number) => besiegedStarts(64, seed),
  },
  { name: 'requirements: small markets', run: smallMarkets },
  ...[64, 512].map((slots) => ({
    name: `requirements: quote in hindsight with ${slots} slots`,
    run: (seed: number) => [inHindsight(slots, seed)],
  })),
  ...[64, 512].map((slots) => ({
    name: `requirements: speed and rest with ${slots} slots`,
    run: (seed: number) => speedAndRest(slots, seed),
  })),
];

/** The figures with their targets, and with their seed if they have one; empty without any. */
export function requirementTable(outcomes: readonly (Requirement | SeededRequirement)[]): string {
  const isSeeded = outcomes.some((outcome) => 'seed' in outcome);
  const rows = outcomes.map((outcome) => {
    const { name, figure, target, holds } = outcome;
    const seed = 'seed' in outcome ? `${outcome.seed}` : '';
    return [name, ...(isSeeded ? [seed] : []), holds === null ? '–' : holds ? '✔' : '✘', figure, target];
  });
  const names = ['requirement', ...(isSeeded ? ['seed'] : []), 'holds', 'figure', 'target'];
  return outcomes.length === 0 ? '' : markdownTable(names, rows);
}

/** How long a day of this many slots must be to measure it. A small market trades little in an hour. */
function measuredMs(slots: number): number {
  return slots <= 8 ? 4 * HOUR_MS : slots <= 64 ? HOUR_MS : 20 * MINUTE_MS;
}

/** Each attack on a market of this many slots, measured for this long after half an hour without it. */
export function underAttack(day: AttackedDay, by = attacks): Requirement[] {
  return by.map((attack) => {
    const { attacked, quiet } = besideQuiet(day, attack);
    const shape = { ...attack, slots: day.slots };
    return { ...verdict(`${day.slots} slots: ${attack.name}`, shape, attacked, quiet), samples: attacked.samples };
  });
}

/** A day under attack, and the same day without it. */
export function besideQuiet(day: AttackedDay, attack: NamedAttack) {
  const attacked = playAttacked(day, attack);
  return { attacked, quiet: attack.listing ? playAttacked(day, { ...attack, play: () => {} }) : quietDay(day) };
}

/** Attacks on the same few days follow each other, so those without any are kept for the next. */
const quietDays = new Map<string, ReturnType<typeof playAttacked>>();
const QUIET_DAYS_MAX = 8;

function quietDay(day: AttackedDay) {
  const key = JSON.stringify(day);
  const played = quietDays.get(key) ?? playAttacked(day, null);
  if (quietDays.size >= QUIET_DAYS_MAX) quietDays.clear();
  quietDays.set(key, played);
  return played;
}

/** A day of attacks, or of none. */
export interface AttackedDay {
  readonly slots: number;
  readonly seed: number;
  readonly measuredMs: number;
}

/** A day's figures, and the greatest quote of any window in USD. */
export interface AttackedFigures extends Figures {
  readonly quoteMax: number;
}

function playAttacked(
  { slots, seed, measuredMs: ms }: AttackedDay,
  attack: NamedAttack | null,
): AttackedFigures & { readonly samples: readonly Sample[] } {
  const floor = new TradingFloor({ seed, slots, listing: attack?.listing ?? {} });
  startTraders(floor, { load: () => LOAD, slots, lockShare: LOCK_SHARE });
  floor.run(HOUR_MS / 2);
  floor.resetMeasures();
  floor.samples.length = 0;
  attack?.play(floor, slots);
  floor.run(ms);
  const quoteMax = Math.max(...floor.samples.map(({ quote }) => quote)) / 1e9;
  return { ...figuresOf(floor.measures, slots), quoteMax, samples: floor.samples };
}

/** What decides the bounds of an attack. */
type AttackShape = Pick<NamedAttack, 'freshAccounts'> & { readonly slots: number };

/**
 * How far an attack moved the market. Cost is a share of the revenue without the attack; leverage the rise of the level for
 * each part of the slot time, beyond what chance explains. `excess` is the worst of them as a multiple of what it may be;
 * 0 for an attack that costs more than a tenth of the revenue.
 */
export function movedBy({ freshAccounts, slots }: AttackShape, day: AttackedFigures, quiet: AttackedFigures) {
  const cost = day.attackCostPerHour / quiet.revenuePerHour;
  const [level = 0, quote = 0, paid = 0] = (['level', 'quote', 'othersPaid'] as const).map(
    (figure) => day[figure] / quiet[figure] - 1,
  );
  const window = day.quoteMax / Math.max(3 * quiet.quote, quiet.quoteMax);
  const leverage = Math.max(0, level - chanceOf(slots)) / Math.max(1e-4, day.attackShare);
  const leverageMax = freshAccounts ? (slots <= 8 ? 10 : 5) : slots <= 8 ? 5 : 3;
  const small = [Math.abs(level) / 0.05, Math.abs(quote) / 0.15, window, Math.abs(paid) / 0.05];
  const bounded = [leverage / leverageMax, ...(cost <= 0.01 ? small : [Math.abs(level) / 0.25])];
  const excess = cost > 0.1 ? 0 : Math.max(...bounded);
  return { cost, level, quote, paid, leverage, leverageMax, excess };
}

/** Whether an attack moved as little as it must. */
export function verdict(name: string, shape: AttackShape, day: AttackedFigures, quiet: AttackedFigures): Requirement {
  const { cost, level, quote, paid, leverage, leverageMax, excess } = movedBy(shape, day, quiet);
  const figure =
    `cost ${percent(cost)}, slot time ${percent(day.attackShare)}: level ${signed(level)}, leverage ${leverage.toFixed(1)}, quote ${signed(quote)}, ` +
    `highest window ${(day.quoteMax / quiet.quote).toFixed(1)}×, others pay ${signed(paid)}, clear rate ${day.clearRate.toFixed(3)}`;
  // A clear rate is known to within two standard deviations; a small market resolves few locks.
  const locks = day.locksStarted / Math.max(0.01, day.clearRate);
  const clearMin = Math.min(0.93, quiet.clearRate) - 2 * Math.sqrt((0.95 * 0.05) / locks);
  if (cost > 0.1) return { name, figure, target: 'none: it costs more than a tenth of the revenue', holds: null };
  if (cost > 0.01) return { name, figure, target: `level 25 %, leverage ${leverageMax}`, holds: excess <= 1 };
  const target = `level 5 %, leverage ${leverageMax}, quote 15 %, window 3×, others 5 %, clear rate 0.93`;
  return { name, figure, target, holds: excess <= 1 && day.clearRate >= clearMin };
}

/** Two days of one seed go other ways after the first order of an attack. By so much their levels differ in the mean. */
function chanceOf(slots: number): number {
  return slots <= 8 ? 0.02 : slots <= 64 ? 0.01 : 0.005;
}

function honestly(day: HonestDay, slots: number, seed: number): Requirement {
  const { clearRate, inRush, locks, samples } = clearRatesOf(day, slots, seed);
  const figure = `${clearRate.toFixed(3)} of ${locks} locks${inRush === null ? '' : `, inside bursts ${inRush.toFixed(3)}`}`;
  const target = `0.95 ± 0.02${inRush === null ? '' : ', inside bursts 0.85'}`;
  const holds = Math.abs(clearRate - 0.95) <= 0.02 && (inRush === null || inRush >= 0.85);
  return { name: `${day.slots ?? slots} slots: clear rate, ${day.name}`, figure, target, holds, samples };
}

function smallMarkets(seed: number): Requirement[] {
  const { clearRate, locks, samples } = clearRatesOf({ name: 'steady', traders: {} }, 8, seed);
  const figure = `${clearRate.toFixed(3)} of ${locks} locks`;
  const name = '8 slots: clear rate after the first hour';
  return [{ name, figure, target: '≥ 0.93', holds: clearRate >= 0.93, samples }];
}

function inHindsight(slots: number, seed: number): Requirement {
  const { ratio, samples } = againstHindsight(slots, seed);
  const name = `${slots} slots: quote ÷ the lowest constant one that starts 95 % in hindsight`;
  return { name, figure: ratio.toFixed(3), target: '≤ 1.15', holds: ratio <= 1.15, samples };
}

/** The mean level at rest and its deviation, the price that clears the flow, and the level when all jobs are split. */
export function levelsAtRest(slots: number, seed: number) {
  const levels = levelsOf(slots, seed, {}, 2 * HOUR_MS);
  const mean = meanOf(levels);
  const deviation = Math.sqrt(meanOf(levels.map((level) => (level - mean) ** 2))) / mean;
  const clears = clearingPrice(LOAD);
  return { mean, deviation, clears, split: meanOf(levelsOf(slots, seed, { split: 20 }, HOUR_MS)) };
}

function levelsOf(slots: number, seed: number, traders: { split?: number }, ms: number): number[] {
  const floor = new TradingFloor({ seed, slots });
  startTraders(floor, { load: () => LOAD, lockShare: LOCK_SHARE, slots, ...traders });
  floor.run(HOUR_MS);
  floor.samples.length = 0;
  floor.run(ms);
  return floor.samples.map(({ level }) => level / 1e9);
}

function speedAndRest(slots: number, seed: number): Requirement[] {
  const { mean, deviation, clears, split } = levelsAtRest(slots, seed);
  const deviationMax = slots >= 512 ? 0.03 : 0.08;
  const named = (name: string, figure: string, target: string, holds: boolean): Requirement => {
    return { name: `${slots} slots: ${name}`, figure, target, holds };
  };
  return [
    named('level at rest, deviation', percent(deviation), `≤ ${percent(deviationMax)}`, deviation <= deviationMax),
    named('level at rest, bias', signed(mean / clears - 1), '± 3 %', Math.abs(mean / clears - 1) <= 0.03),
    named('twenty short jobs for one', signed(split / mean - 1), 'level ± 5 %', Math.abs(split / mean - 1) <= 0.05),
    ...responses(slots, seed).map(([name, figure, target, holds]) => named(name, figure, target, holds)),
  ];
}

type Line = readonly [name: string, figure: string, target: string, holds: boolean];

/** The mean of several changes of demand, each after twenty minutes of rest. */
function responses(slots: number, seed: number): Line[] {
  const doubled = meanResponse(slots, seed, { before: 1.2, after: 2.4 });
  const [low, high] = [meanOf(doubled.slice(0, 10)), meanOf(doubled.slice(-60))];
  const way = (level: number) => (level - low) / (high - low);
  const at63 = doubled.findIndex((level) => way(level) >= 0.63) - LEAD_S;
  const overshoot = way(Math.max(...doubled)) - 1;
  const rush = meanResponse(slots, seed, { before: 0.4, after: 4 });
  const clearing = meanOf(rush.slice(-60));
  const [half, most] = [0.5, 0.9].map((part) => rush.findIndex((level) => level >= part * clearing) - LEAD_S);
  return [
    [
      'demand doubles',
      `63 % after ${at63} s, overshoot ${percent(overshoot)}`,
      '30 s, 15 %',
      at63 <= 30 && overshoot <= 0.15,
    ],
    [
      'idle, then four times capacity',
      `half after ${half} s, 90 % after ${most} s`,
      '30 s, 90 s',
      (half ?? 99) <= 30 && (most ?? 99) <= 90,
    ],
  ];
}

const LEAD_S = 30;
const CHANGES = 6;

/** The mean level, second by second from half a minute before a change of load until five minutes after it. */
function meanResponse(slots: number, seed: number, { before, after }: { before: number; after: number }): number[] {
  const floor = new TradingFloor({ seed, slots });
  const startMs = floor.nowMs;
  // Changes fall anywhere in a window of the quote.
  const cycleMs = 40 * MINUTE_MS + 1700;
  const isAfter = (sinceMs: number) => sinceMs % cycleMs >= 20 * MINUTE_MS;
  startTraders(floor, { load: (sinceMs) => (isAfter(sinceMs) ? after : before), lockShare: LOCK_SHARE, slots });
  const sums = Array.from({ length: LEAD_S + 300 }, () => 0);
  for (let change = 0; change < CHANGES; change++) {
    floor.run(startMs + change * cycleMs + 20 * MINUTE_MS - LEAD_S * 1000 - floor.nowMs);
    for (let second = 0; second < sums.length; second++) {
      floor.run(1000);
      sums[second] = (sums[second] ?? 0) + floor.level / 1e9 / CHANGES;
    }
  }
  return sums;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function signed(share = Number.NaN): string {
  return `${share < 0 ? '' : '+'}${percent(share)}`;
}
