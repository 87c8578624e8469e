/**
 * How good the estimates of starts are: on each honest day, orders at random limits are sent, each is asked about before,
 * and what came true is compared. The Brier score is the mean squared error of the chances: 0 is a prophet, a coin 0.25.
 */
import { normal, type Random, seededRandom } from '#base/random.ts';
import { HOUR_MS } from '#base/time.ts';
import { Estimate } from '#market/estimates/estimates.ts';
import { chanceWithin } from '#market/estimates/start-chance.ts';
import { TradingFloor } from './floor.ts';
import { type HonestDay, honestDays } from './honest-days.ts';
import { exponential, startTraders } from './traders.ts';

/** The times within which an order is to start, and the greatest Brier score of each over all days. */
const ESTIMATED = [
  { withinS: 10, brierMax: 0.06 },
  { withinS: 60, brierMax: 0.05 },
  { withinS: 300, brierMax: 0.08 },
] as const;

const WATCHED_MS = 2 * HOUR_MS;
/** About one order in fifty of a market with 64 slots. */
const EVERY_MS = 10_000;
/** Estimates are of a picture that is up to a second old. */
const PICTURE_MS = 1_000;
const RUNS_MS = 20_000;
const VALUE_SPREAD = 0.5;
const PATIENCE_MS = 301_000;

/** What was said of an order, and whether it came true. */
interface Foretold {
  readonly withinS: number;
  readonly chance: number;
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
    const brier = brierOf(all);
    const worst = those
      .map(({ day, foretold }) => ({ day, brier: brierOf(foretold) }))
      .toSorted((one, two) => two.brier - one.brier)[0];
    const figure = `Brier ${brier.toFixed(3)} of ${all.length}, worst day ${worst?.brier.toFixed(3)} (${worst?.day})`;
    const name = `${slots} slots: chance to start within ${withinS} s`;
    return {
      name,
      figure,
      target: `≤ ${brierMax} over all days`,
      holds: brier <= brierMax,
      reliability: reliability(all),
    };
  });
}

/** The estimates of every honest day. */
function foretoldOn(
  slots: number,
  seed: number,
): readonly { readonly day: string; readonly foretold: readonly Foretold[] }[] {
  return honestDays.map((day) => ({ day: day.name, foretold: foretoldOf(day, day.slots ?? slots, seed) }));
}

/** Mean squared error; NaN for none. */
function brierOf(foretold: readonly Foretold[]): number {
  return foretold.reduce((sum, { chance, started }) => sum + (chance - Number(started)) ** 2, 0) / foretold.length;
}

/** Of the orders whose chance was in one tenth: how many, the mean of what was said, and the share that came true. */
export interface Reliability {
  readonly orders: number;
  readonly said: number;
  readonly came: number;
}

/** By tenths of the chance, the lowest first; those without orders are left out. */
function reliability(foretold: readonly Foretold[]): Reliability[] {
  const tenths = Map.groupBy(foretold, ({ chance }) => Math.min(9, Math.floor(chance * 10)));
  return [...tenths]
    .toSorted(([one], [two]) => one - two)
    .map(([, those]) => ({
      orders: those.length,
      said: those.reduce((sum, { chance }) => sum + chance, 0) / those.length,
      came: those.filter(({ started }) => started).length / those.length,
    }));
}

function foretoldOf(day: HonestDay, slots: number, seed: number): Foretold[] {
  const floor = new TradingFloor({ seed, slots });
  const startMs = floor.nowMs;
  startTraders(floor, { load: () => 1.5, lockShare: 0.3, slots, ...day.traders });
  day.event?.(floor);
  floor.run(HOUR_MS);
  const random = seededRandom(seed ^ 0xe57);
  const foretold: Foretold[] = [];
  for (const endMs = floor.nowMs + WATCHED_MS; floor.nowMs < endMs; ) {
    const estimate = new Estimate(floor.odds());
    floor.run(random.next() * PICTURE_MS);
    const value = day.traders.values?.(floor.nowMs - startMs) ?? 1;
    askAbout(
      floor,
      estimate,
      { limit: Math.round(1e9 * value * Math.exp(VALUE_SPREAD * normal(random))), random },
      foretold,
    );
    floor.run(Math.ceil(exponential(random.next(), EVERY_MS)));
  }
  // The last ones become known.
  floor.run(PATIENCE_MS);
  return foretold;
}

/** Sends an order after its chances are told, and remembers whether they came true. */
function askAbout(
  floor: TradingFloor,
  estimate: Estimate,
  { limit, random }: { readonly limit: number; readonly random: Random },
  foretold: Foretold[],
): void {
  const runsMs = Math.ceil(exponential(random.next(), RUNS_MS));
  const account = `asker ${Math.floor(random.next() * 20)}`;
  const order = floor.send({ account, limit, lock: false, runsMs, patienceMs: PATIENCE_MS, unmeasured: true });
  for (const { withinS } of ESTIMATED) {
    const chances = estimate.chances(limit, { orders: 1, withinS });
    if (!chances) continue;
    const chance = chanceWithin(chances, withinS);
    floor.agenda.after(withinS * 1000, () => foretold.push({ withinS, chance, started: !floor.isWaiting(order) }));
  }
}
