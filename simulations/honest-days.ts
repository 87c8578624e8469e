/** Honest days of many kinds, on which the share of locks that start in time must stay on target. */
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { TradingFloor } from './floor.ts';
import { type OrdinaryTraders, startTraders } from './traders.ts';

/** A day. What is not said of its traders is as usual: one and a half times the capacity; 30 % of them lock. */
export interface HonestDay {
  readonly name: string;
  readonly traders: Partial<OrdinaryTraders>;
  /** Only with this many slots. */
  readonly slots?: number;
  /** It repeats itself after this time. Default: 20 minutes. */
  readonly cycleMs?: number;
  /** Whether demand is in a burst, whose locks are also counted by themselves. */
  readonly isRush?: (sinceMs: number) => boolean;
  readonly event?: (floor: TradingFloor) => void;
}

const USUAL = { load: () => 1.5, lockShare: 0.3 } as const;
const LOCKS_MIN = 5000;
const DAY_MS_MAX = 48 * HOUR_MS;

const isBurst = (sinceMs: number) => sinceMs % (20 * MINUTE_MS) < 4 * MINUTE_MS;

export const honestDays: readonly HonestDay[] = [
  { name: 'steady', traders: {} },
  { name: 'Pareto 1.3', traders: { tail: 1.3 } },
  { name: 'batches of 1 to 40', traders: { batchMax: 40 } },
  { name: 'values × 3', traders: { values: (ms) => (ms % (20 * MINUTE_MS) < 10 * MINUTE_MS ? 1 : 3) } },
  { name: 'pulses', traders: { load: (ms) => (ms % (2 * MINUTE_MS) < MINUTE_MS / 2 ? 4 : 0.8) } },
  {
    name: 'day and night',
    traders: { load: (ms) => 1.2 + 0.8 * Math.sin((ms / (3 * HOUR_MS)) * 2 * Math.PI) },
    cycleMs: 3 * HOUR_MS,
  },
  { name: 'unlimited bidders', traders: { unlimitedShare: 0.2 } },
  { name: '16 → 1 → 16 slots', traders: {}, slots: 16, cycleMs: HOUR_MS, event: losePods },
  { name: 'bursts', traders: { load: (ms) => (isBurst(ms) ? 4 : 0.6) }, isRush: isBurst },
];

/** Plays a day until 5,000 locks are resolved, in whole cycles of the day. */
export function clearRatesOf(day: HonestDay, usualSlots: number, seed: number) {
  const slots = day.slots ?? usualSlots;
  const floor = new TradingFloor({ seed, slots });
  const startMs = floor.nowMs;
  startTraders(floor, { ...USUAL, slots, ...day.traders });
  day.event?.(floor);
  floor.run(HOUR_MS);
  floor.resetMeasures();
  floor.samples.length = 0;
  const { measures } = floor;
  const rush = { started: 0, missed: 0 };
  const resolved = () => measures.locksStarted + measures.locksMissed;
  const cycleMs = day.cycleMs ?? 20 * MINUTE_MS;
  while (resolved() < LOCKS_MIN && floor.nowMs - startMs < DAY_MS_MAX) {
    for (let passedMs = 0; passedMs < cycleMs; passedMs += MINUTE_MS) {
      const { locksStarted, locksMissed } = measures;
      const inRush = day.isRush?.(floor.nowMs - startMs) ?? false;
      floor.run(MINUTE_MS);
      if (!inRush) continue;
      rush.started += measures.locksStarted - locksStarted;
      rush.missed += measures.locksMissed - locksMissed;
    }
  }
  const inRush = day.isRush ? rush.started / (rush.started + rush.missed) : null;
  return { clearRate: measures.locksStarted / resolved(), inRush, locks: resolved(), samples: floor.samples };
}

/** For five minutes of every hour one slot is left of sixteen. */
function losePods(floor: TradingFloor): void {
  floor.agenda.after(55 * MINUTE_MS, () => {
    floor.pod('pod-1', 1);
    floor.agenda.after(5 * MINUTE_MS, () => {
      floor.pod('pod-1', 16);
      losePods(floor);
    });
  });
}
