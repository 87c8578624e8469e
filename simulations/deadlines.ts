/**
 * What a deadline saves: orders that are to start within half an hour to twelve hours, on markets with days and nights,
 * and for each a twin that bids the same limit at once. Both run for the same time and pay the level or their bid.
 */
import { normal, seededRandom } from '#base/random.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { TradingFloor } from './floor.ts';
import { exponential, type OrdinaryTraders, startTraders } from './traders.ts';

const SLOTS = 64;
const EVERY_MS = MINUTE_MS;
const RUNS_MS = 20_000;
/** Time left: from half an hour to twelve hours, every magnitude as likely. */
const LEFT_MS = { min: HOUR_MS / 2, max: 12 * HOUR_MS } as const;
/** Limits around this, log-normally. */
const LIMIT = 2.5e9;
const LIMIT_SPREAD = 0.3;
const DAYS = 2;

/** A market with days and nights. */
export interface DeadlineDay {
  readonly name: string;
  readonly slots?: number;
  readonly traders: Partial<OrdinaryTraders>;
  /** Whether orders come that must be done within so much time in this part of a day; default as above. */
  readonly atOnce?: number;
}

const sun = (ms: number) => Math.sin((ms / DAY_MS) * 2 * Math.PI);

export const deadlineDays: readonly DeadlineDay[] = [
  { name: 'day and night', traders: { load: (ms) => 1.2 + 0.8 * sun(ms) } },
  { name: 'a day of three hours', traders: { load: (ms) => 1.2 + 0.8 * Math.sin((ms / (3 * HOUR_MS)) * 2 * Math.PI) } },
  {
    name: 'days that differ',
    traders: { load: (ms) => (1.2 + 0.8 * sun(ms)) * (1 + 0.3 * Math.sin(ms / (5 * HOUR_MS))) },
  },
  { name: 'a night that does not come', traders: { load: (ms) => (ms > 1.5 * DAY_MS ? 1.7 : 1.2 + 0.8 * sun(ms)) } },
  { name: 'nights from one moment to the next', traders: { load: (ms) => (sun(ms) > 0 ? 1.8 : 0.6) } },
  { name: 'steady', traders: { load: () => 1.5 } },
];

/** One order and its twin. */
interface Pair {
  readonly sentMs: number;
  readonly leftMs: number;
  started: boolean;
  paid: number;
  twinStarted: boolean;
  twinPaid: number;
}

export function deadlinesOn(day: DeadlineDay, seed: number) {
  const slots = day.slots ?? SLOTS;
  const asked = new Map<string, (level: number, bid: number) => void>();
  const floor = new TradingFloor({
    seed,
    slots,
    admitted: (bid, order, level) => asked.get(order)?.(level, bid),
  });
  startTraders(floor, { load: () => 1.5, lockShare: 0.3, slots, ...day.traders });
  const random = seededRandom(seed ^ 0xdead);
  const pairs: Pair[] = [];
  floor.run(DAY_MS);
  const endMs = floor.nowMs + DAYS * DAY_MS;
  while (floor.nowMs < endMs) {
    floor.run(Math.ceil(exponential(random.next(), EVERY_MS)));
    const leftMs = Math.round(LEFT_MS.min * (LEFT_MS.max / LEFT_MS.min) ** random.next());
    const limit = Math.round(LIMIT * Math.exp(LIMIT_SPREAD * normal(random)));
    const account = `patient ${Math.floor(random.next() * 20)}`;
    const runsMs = Math.ceil(exponential(random.next(), RUNS_MS));
    const pair: Pair = { sentMs: floor.nowMs, leftMs, started: false, paid: 0, twinStarted: false, twinPaid: 0 };
    pairs.push(pair);
    const wish = { account, limit, lock: false, runsMs, patienceMs: leftMs, unmeasured: true };
    // An order may start before its name is known.
    const next = { at: floor.sent + 1 };
    asked.set(`o${next.at}`, (level, bid) => {
      pair.started = true;
      pair.paid = Math.min(level, bid);
    });
    asked.set(`o${next.at + 1}`, (level, bid) => {
      pair.twinStarted = true;
      pair.twinPaid = Math.min(level, bid);
    });
    floor.send({ ...wish, byMs: floor.nowMs + leftMs });
    floor.send({ ...wish, account: `hasty ${account}` });
  }
  floor.run(LEFT_MS.max);
  return { pairs, samples: floor.samples };
}
