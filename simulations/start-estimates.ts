/**
 * How good the estimates of starts are: on each honest day, orders at random limits are sent, each is asked about before,
 * and what came true is compared. The Brier score is the mean squared error of the chances: 0 is a prophet, a coin 0.25.
 */
import { normal, type Random, seededRandom } from '#base/random.ts';
import { HOUR_MS } from '#base/time.ts';
import { Estimate } from '#market/estimates/estimates.ts';
import type { MarketOdds } from '#market/estimates/odds.ts';
import type { ReliabilityTenth } from '#market/estimates/reliability.ts';
import { chanceWithin } from '#market/estimates/start-chance.ts';
import { type Assault, attackOf } from './assaults.ts';
import { TradingFloor } from './floor.ts';
import { type HonestDay, honestDays } from './honest-days.ts';
import { exponential, startTraders } from './traders.ts';

/** The times within which an order is to start, and the greatest Brier score of each over all days. */
const ESTIMATED = [
  { withinS: 10, brierMax: 0.05 },
  { withinS: 60, brierMax: 0.05 },
  { withinS: 300, brierMax: 0.06 },
] as const;
/** The correction may make the Brier score no more than this worse, by chance. */
const BRIER_SLACK = 0.002;
/** In each tenth of the chance, what came may differ from what was said by this. */
const OFF_MAX = 0.1;
/** Of fewer orders a share is chance. */
const TENTH_ORDERS_MIN = 50;

/** One order in fifteen to twenty is asked about. */
const EVERY_SLOT_MS = 320_000;
/** Estimates are of a picture that is up to a second old. */
const PICTURE_MS = 1_000;
const RUNS_MS = 20_000;
const VALUE_SPREAD = 0.5;
const PATIENCE_MS = 301_000;

/** What was said of an order, what the walk alone would have said, and whether it came true. */
interface Foretold {
  readonly withinS: number;
  readonly chance: number;
  readonly uncorrected: number;
  readonly started: boolean;
}

/** What must hold over all honest days; of one day nothing must. */
export function estimatedStarts(slots: number, seed: number) {
  const days = foretoldOn(slots, seed);
  return ESTIMATED.map(({ withinS, brierMax }) => {
    const those = days.map(({ day, foretold }) => ({
      day,
      foretold: foretold.filter((one) => one.withinS === withinS),
    }));
    const all = those.flatMap(({ foretold }) => foretold);
    const [brier, uncorrected] = briersOf(all);
    const worst = those
      .map(({ day, foretold }) => ({ day, brier: briersOf(foretold)[0] }))
      .toSorted((one, two) => two.brier - one.brier)[0];
    const tenths = reliability(all);
    const off = mostOff(tenths);
    const briers = `Brier ${brier.toFixed(3)} of ${all.length}, uncorrected ${uncorrected.toFixed(3)}`;
    const worstDay = `worst day ${worst?.brier.toFixed(3)} (${worst?.day})`;
    const said = tenths.map(({ said, came }) => `${said.toFixed(2)} → ${came.toFixed(2)}`).join(', ');
    return {
      name: `${slots} slots: chance to start within ${withinS} s`,
      figure: `${briers}, ${worstDay}; off by ${off.toFixed(2)} at most; said → came: ${said}`,
      target: `≤ ${brierMax}, no worse than uncorrected, every tenth within ${OFF_MAX}`,
      holds: brier <= Math.min(brierMax, uncorrected + BRIER_SLACK) && off <= OFF_MAX,
      reliability: tenths,
    };
  });
}

/** How strangers try to teach a market wrong chances, for nothing: their orders leave before they start, or hold no slot. */
const STRANGERS: Readonly<Record<string, Assault>> = {
  'a crowd far below the level': {
    ...{ orders: 1, runsMs: 1000, upMs: 900, everyMs: 1000, accounts: 1000, height: 0.01 },
    ...{ fresh: true, ends: 'canceled', kind: 'bid' },
  },
  'a crowd of single tokens far above it': {
    ...{ orders: 1, runsMs: 20, upMs: 900, everyMs: 1000, accounts: 1000, height: 2 },
    ...{ fresh: true, ends: 'canceled', kind: 'bid' },
  },
  'a wall that leaves after 4.9 s, every minute': {
    ...{ orders: 5, runsMs: 5200, upMs: 4900, everyMs: 60_000, accounts: 1000, height: 3 },
    ...{ fresh: true, ends: 'canceled', kind: 'bid' },
  },
};

/** What must hold while strangers send orders only to teach the market wrong chances: it does no worse than without learning. */
export function besiegedStarts(slots: number, seed: number) {
  return Object.entries(STRANGERS).map(([name, assault]) => {
    const attack = attackOf(assault);
    const day = { name, traders: {}, event: (floor: TradingFloor) => attack.play(floor, slots) };
    const [brier, uncorrected] = briersOf(foretoldOf(day, { slots, seed, watchedMs: HOUR_MS }));
    return {
      name: `${slots} slots: chances beside ${name}`,
      figure: `Brier ${brier.toFixed(3)}, uncorrected ${uncorrected.toFixed(3)}`,
      target: 'no worse than uncorrected',
      holds: brier <= uncorrected + BRIER_SLACK,
    };
  });
}

/** The estimates of every honest day. */
function foretoldOn(
  slots: number,
  seed: number,
): readonly { readonly day: string; readonly foretold: readonly Foretold[] }[] {
  // Large markets have as many orders in less time.
  const watchedMs = slots <= 64 ? 4 * HOUR_MS : 2 * HOUR_MS;
  return honestDays.map((day) => ({
    day: day.name,
    foretold: foretoldOf(day, { slots: day.slots ?? slots, seed, watchedMs }),
  }));
}

/** Mean squared errors, of what was said and of the walk alone; NaN for none. */
function briersOf(foretold: readonly Foretold[]): readonly [said: number, uncorrected: number] {
  const mean = (of: 'chance' | 'uncorrected') =>
    foretold.reduce((sum, one) => sum + (one[of] - Number(one.started)) ** 2, 0) / foretold.length;
  return [mean('chance'), mean('uncorrected')];
}

/** By tenths of the chance, the lowest first; those without orders are left out. */
function reliability(foretold: readonly Foretold[]): ReliabilityTenth[] {
  const tenths = Map.groupBy(foretold, ({ chance }) => Math.min(9, Math.floor(chance * 10)));
  return [...tenths]
    .toSorted(([one], [two]) => one - two)
    .map(([, those]) => ({
      orders: those.length,
      said: those.reduce((sum, { chance }) => sum + chance, 0) / those.length,
      came: those.filter(({ started }) => started).length / those.length,
    }));
}

/** The greatest difference between what was said and what came in any tenth that has enough orders. */
function mostOff(tenths: readonly ReliabilityTenth[]): number {
  const known = tenths.filter(({ orders }) => orders >= TENTH_ORDERS_MIN);
  return Math.max(0, ...known.map(({ said, came }) => Math.abs(said - came)));
}

/** Asks for this long, after an hour in which nobody asked. */
function foretoldOf(
  day: HonestDay,
  { slots, seed, watchedMs }: { readonly slots: number; readonly seed: number; readonly watchedMs: number },
): Foretold[] {
  const floor = new TradingFloor({ seed, slots });
  const startMs = floor.nowMs;
  startTraders(floor, { load: () => 1.5, lockShare: 0.3, slots, ...day.traders });
  day.event?.(floor);
  floor.run(HOUR_MS);
  const random = seededRandom(seed ^ 0xe57);
  const foretold: Foretold[] = [];
  for (const endMs = floor.nowMs + watchedMs; floor.nowMs < endMs; ) {
    const odds = floor.odds();
    floor.run(random.next() * PICTURE_MS);
    const value = day.traders.values?.(floor.nowMs - startMs) ?? 1;
    askAbout(
      floor,
      odds,
      { limit: Math.round(1e9 * value * Math.exp(VALUE_SPREAD * normal(random))), random },
      foretold,
    );
    floor.run(Math.ceil(exponential(random.next(), EVERY_SLOT_MS / slots)));
  }
  // The last ones become known.
  floor.run(PATIENCE_MS);
  return foretold;
}

/** Sends an order after its chances were given, and remembers whether they came true. */
function askAbout(
  floor: TradingFloor,
  odds: MarketOdds,
  { limit, random }: { readonly limit: number; readonly random: Random },
  foretold: Foretold[],
): void {
  const runsMs = Math.ceil(exponential(random.next(), RUNS_MS));
  const account = `asker ${Math.floor(random.next() * 20)}`;
  const order = floor.send({ account, limit, lock: false, runsMs, patienceMs: PATIENCE_MS, unmeasured: true });
  for (const { withinS } of ESTIMATED) {
    const [chance, uncorrected] = [odds, { ...odds, corrections: [] }].map((each) => {
      const chances = new Estimate(each).chances(limit, { orders: 1, withinS });
      return chances ? chanceWithin(chances, withinS) : null;
    });
    if (typeof chance !== 'number' || typeof uncorrected !== 'number') continue;
    floor.agenda.after(withinS * 1000, () =>
      foretold.push({ withinS, chance, uncorrected, started: !floor.isWaiting(order) }),
    );
  }
}
