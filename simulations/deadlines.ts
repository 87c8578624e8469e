/**
 * What a deadline saves: orders that are to start within half an hour to twelve hours, and beside each a twin that bids the
 * same limit at once. Both have the same limit and hold a slot for the same time, and pay the level or their bid.
 */
import { normal, type Random, seededRandom } from '#base/random.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { TradingFloor } from './floor.ts';
import type { Requirement } from './requirements.ts';
import { exponential, type OrdinaryTraders, startTraders } from './traders.ts';

/** A market on which orders have deadlines, and what must hold: the part of them that starts, and what they pay of their twins' prices. */
export interface DeadlineDay {
  readonly name: string;
  readonly traders: Partial<OrdinaryTraders>;
  readonly slots?: number;
  /** How many are sent together, with one deadline. Default: 1. */
  readonly together?: number;
  /** How often they are sent, on the mean. Default: every minute. */
  readonly everyMs?: number;
  /** Sends what disturbs it. */
  readonly disturb?: (floor: TradingFloor) => void;
  readonly startedMin: number;
  readonly paidMax: number | null;
}

const SLOTS = 64;
/** The first day is not measured: nobody knows its nights. */
const MEASURED_DAYS = 2;
const RUNS_MS = 20_000;
/** Every magnitude between these is as likely. */
const LEFT_MS = { min: HOUR_MS / 2, max: 12 * HOUR_MS } as const;
/** Limits lie around this, log-normally; the level of a dear day is about 1 USD. */
const LIMIT = 2.5e9;
const LIMIT_SPREAD = 0.3;

const sun = (ms: number, dayMs = DAY_MS) => Math.sin((ms / dayMs) * 2 * Math.PI);
const night = (ms: number) => 1.2 + 0.8 * sun(ms);
const must = { startedMin: 0.95, paidMax: 0.75 } as const;

/** All of them. */
export const deadlineDays: readonly DeadlineDay[] = [
  { ...must, name: 'day and night', traders: { load: night } },
  {
    ...must,
    name: 'days that differ',
    traders: { load: (ms) => night(ms) * (1 + 0.3 * Math.sin(ms / (5 * HOUR_MS))) },
  },
  { ...must, name: 'nights from one moment to the next', traders: { load: (ms) => (sun(ms) > 0 ? 1.8 : 0.6) } },
  { ...must, name: 'a day of three hours', traders: { load: (ms) => 1.2 + 0.8 * sun(ms, 3 * HOUR_MS) } },
  { ...must, name: 'a minute of dear orders in ten', traders: { load: night }, disturb: pushUp },
  { ...must, name: 'jobs of five minutes on 16 slots', slots: 16, traders: { load: night, runsMs: 5 * MINUTE_MS } },
  { ...must, name: '300 orders at once', traders: { load: night }, together: 300, everyMs: HOUR_MS, paidMax: null },
  {
    ...{ ...must, paidMax: 1, name: 'a night that does not come' },
    traders: { load: (ms) => (ms > 1.5 * DAY_MS ? 1.7 : night(ms)) },
  },
  { ...must, name: 'no night at all', traders: { load: () => 1.5 }, paidMax: 1 },
];

/** The outcomes of an order and of its twin; prices are null where it did not start. */
interface Pair {
  paid: number | null;
  twinPaid: number | null;
}

/** The figures of one market. */
export function deadlinesOn(day: DeadlineDay, seed: number): Requirement {
  const { pairs, samples } = played(day, seed);
  const started = pairs.filter(({ paid }) => paid !== null).length / pairs.length;
  const both = pairs.filter(({ paid, twinPaid }) => paid !== null && twinPaid !== null);
  const mean = (price: (pair: Pair) => number | null) =>
    both.reduce((sum, pair) => sum + (price(pair) ?? 0), 0) / both.length;
  const [paid, twinPaid] = [mean((pair) => pair.paid), mean((pair) => pair.twinPaid)];
  const { startedMin, paidMax } = day;
  const twins =
    day.together === undefined ? `, ${(paid / twinPaid).toFixed(3)} of what their twins pay (${usd(twinPaid)})` : '';
  return {
    name: `deadlines: ${day.name}`,
    figure: `${started.toFixed(3)} of ${pairs.length} start in time and pay ${usd(paid)}${twins}`,
    target: `≥ ${startedMin}${paidMax === null ? '' : `, ≤ ${paidMax}`}`,
    holds: started >= startedMin && (paidMax === null || paid / twinPaid <= paidMax),
    samples,
  };
}

function played(day: DeadlineDay, seed: number) {
  const { slots = SLOTS, together = 1, everyMs = MINUTE_MS, traders } = day;
  const starts = new Map<string, (paid: number) => void>();
  const floor: TradingFloor = new TradingFloor({
    ...{ seed, slots },
    admitted: (bid, order) => starts.get(order)?.(Math.min(bid, floor.level)),
  });
  startTraders(floor, { load: () => 1.5, lockShare: 0.3, slots, ...traders });
  day.disturb?.(floor);
  floor.run(DAY_MS);
  const random = seededRandom(seed ^ 0xdead);
  const pairs: Pair[] = [];
  for (const endMs = floor.nowMs + MEASURED_DAYS * DAY_MS; floor.nowMs < endMs; ) {
    floor.run(Math.ceil(exponential(random.next(), everyMs)));
    const leftMs = Math.round(LEFT_MS.min * (LEFT_MS.max / LEFT_MS.min) ** random.next());
    for (let order = 0; order < together; order++)
      pairs.push(sendPair(floor, starts, { leftMs, random, twin: together === 1 }));
  }
  floor.run(LEFT_MS.max);
  return { pairs, samples: floor.samples };
}

function sendPair(
  floor: TradingFloor,
  starts: Map<string, (paid: number) => void>,
  { leftMs, random, twin }: { readonly leftMs: number; readonly random: Random; readonly twin: boolean },
): Pair {
  const account = Math.floor(random.next() * 20);
  const runsMs = Math.ceil(exponential(random.next(), RUNS_MS));
  const limit = Math.round(LIMIT * Math.exp(LIMIT_SPREAD * normal(random)));
  const wish = { limit, lock: false, runsMs, patienceMs: leftMs, unmeasured: true };
  const pair: Pair = { paid: null, twinPaid: twin ? null : 0 };
  // An order may start before its name is known.
  starts.set(floor.nextOrder, (paid) => {
    pair.paid = paid;
  });
  floor.send({ ...wish, account: `patient ${account}`, byMs: floor.nowMs + leftMs });
  if (!twin) return pair;
  starts.set(floor.nextOrder, (paid) => {
    pair.twinPaid = paid;
  });
  floor.send({ ...wish, account: `hasty ${account}` });
  return pair;
}

/** For a minute of every ten, orders of five seconds at ten dollars, as many as all slots take. */
function pushUp(floor: TradingFloor): void {
  const again = () => {
    const isDear = floor.nowMs % (10 * MINUTE_MS) < MINUTE_MS;
    for (let order = 0; isDear && order < SLOTS; order++)
      floor.send({
        account: `dear ${order % 20}`,
        limit: 10e9,
        lock: false,
        runsMs: 5_000,
        patienceMs: 10_000,
        unmeasured: true,
      });
    floor.agenda.after(5_000, again);
  };
  again();
}

function usd(nano: number): string {
  return `$${(nano / 1e9).toFixed(3)}`;
}
