/** The ordinary simulated days: one market, its traders, and an event. Attacks and what must hold: `requirements.ts`. */
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { type Sample, TradingFloor } from './floor.ts';
import { type Figures, figuresOf } from './measures.ts';
import { startTraders } from './traders.ts';

/** One day. */
export interface Scenario {
  readonly name: string;
  readonly slots: number;
  readonly lockShare: number;
  /** Demand as a multiple of capacity, by the time since the start. */
  readonly load: (sinceStartMs: number) => number;
  /** An event besides the trading, such as a failing pod. */
  readonly event?: (floor: TradingFloor, slots: number) => void;
}

/** The outcome of a day. */
export interface Outcome {
  readonly name: string;
  readonly figures: Figures;
  readonly samples: readonly Sample[];
}

/** The same load all day. */
export const steady = (load: number) => () => load;
/** Four times the capacity for four minutes of every twenty. */
export function bursts(sinceMs: number): number {
  return sinceMs % (20 * MINUTE_MS) < 4 * MINUTE_MS ? 4 : 0.6;
}

const day = { slots: 64, lockShare: 0.3 } as const;

/** All scenarios, quiet ones first. */
export const scenarios: readonly Scenario[] = [
  ...[0.5, 0.8, 1, 1.2, 1.5, 2].map((load) => ({ ...day, name: `load ${load}`, load: steady(load) })),
  ...[8, 16, 256].map((slots) => ({ ...day, slots, name: `load 1.5, ${slots} slots`, load: steady(1.5) })),
  { ...day, name: 'load 1.5, everyone locks', lockShare: 1, load: steady(1.5) },
  { ...day, name: 'bursts', load: bursts },
  { ...day, name: 'half of the slots fail', load: steady(0.9), event: failingPod },
  { ...day, name: 'price war', load: steady(1.2), event: priceWar },
];

/** Simulates a day; the first part is a warm-up and is not measured. The same seed gives the same day. */
export function play(scenario: Scenario, seed: number, { warmUpMs = HOUR_MS, measuredMs = 2 * HOUR_MS } = {}): Outcome {
  const { name, slots, lockShare, load, event } = scenario;
  const floor = new TradingFloor({ seed, slots });
  startTraders(floor, { load, slots, lockShare });
  floor.run(warmUpMs);
  floor.resetMeasures();
  floor.samples.length = 0;
  event?.(floor, slots);
  floor.run(measuredMs);
  return { name, figures: figuresOf(floor.measures, slots), samples: floor.samples };
}

/** Every forty minutes half of the slots fail for ten minutes. */
function failingPod(floor: TradingFloor, slots: number): void {
  floor.agenda.after(15 * MINUTE_MS, () => {
    floor.pod('pod-1', slots / 2);
    floor.agenda.after(10 * MINUTE_MS, () => {
      floor.pod('pod-1', slots);
      failingPod(floor, slots);
    });
  });
}

/** Two bidders with many orders repeatedly outbid each other by two per cent, up to five times the level. */
function priceWar(floor: TradingFloor, slots: number): void {
  let bid = Math.max(1e8, floor.level);
  const again = () => {
    bid = bid > 5 * Math.max(1e8, floor.level) ? Math.max(1e8, floor.level) : Math.round(bid * 1.02);
    for (let order = 0; order < slots / 16; order++) {
      floor.send({ account: `rival ${order % 2}`, limit: bid, lock: false, runsMs: 5000, patienceMs: 10_000 });
    }
    floor.agenda.after(2000, again);
  };
  again();
}
