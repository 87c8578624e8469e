/**
 * What a deadline saves a batch: large batches whose lines take turns as those of an account do (`batches/pace.ts`), and on
 * another floor with the same seed the same batches whose lines bid their limit at once. A large batch moves the level
 * itself, so the two cannot share a floor.
 */
import { type Random, seededRandom } from '#base/random.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { keptFree, lineDeadlineMs, placesOf } from '#batches/pace.ts';
import { TradingFloor } from './floor.ts';
import type { Requirement } from './requirements.ts';
import { exponential, startTraders } from './traders.ts';

/** A batch, as long after the first day as it says. */
interface BatchPlan {
  readonly lines: number;
  readonly afterMs: number;
  /** From its creation to its deadline. */
  readonly leftMs: number;
  readonly runsMs: number;
}

/** Batches of one account, and what must hold of them. */
export interface BatchDay {
  readonly name: string;
  readonly batches: readonly BatchPlan[];
  /** The part of the lines of each that start in time. */
  readonly startedMin: number;
  /** What those of the last one pay of the price of lines that bid their limit at once; null for no such comparison. */
  readonly paidMax: number | null;
}

const SLOTS = 64;
/** How many lines of an account may wait. */
const PLACES = 5000;
const LIMIT = 2.5e9;
/** From the start of a line until the next one is an order. */
const REFILL_MS = 100;

const night = (ms: number) => 1.2 + 0.8 * Math.sin((ms / DAY_MS) * 2 * Math.PI);
const must = { startedMin: 0.95, paidMax: 0.9 } as const;
const large = { lines: 10_000, afterMs: 0, leftMs: 12 * HOUR_MS, runsMs: 20_000 } as const;

/** All of them. Loads are highest six hours after the day begins, and lowest after eighteen. */
export const batchDays: readonly BatchDay[] = [
  { ...must, name: 'at noon, by midnight', batches: [{ ...large, afterMs: 6 * HOUR_MS }] },
  { ...must, name: 'at dawn, within a day', batches: [{ ...large, leftMs: 23 * HOUR_MS }] },
  {
    ...must,
    name: 'with lines of two minutes, at noon, by midnight',
    batches: [{ ...large, afterMs: 6 * HOUR_MS, runsMs: 2 * MINUTE_MS }],
  },
  {
    ...{ ...must, name: '1,000 lines within an hour, behind 10,000 that wait for the night', paidMax: null },
    batches: [large, { lines: 1000, afterMs: HOUR_MS, leftMs: HOUR_MS, runsMs: 20_000 }],
  },
];

/** The figures of one day. */
export function batchOn(day: BatchDay, seed: number): Requirement {
  const { floor, started, others, mean } = played(day, seed, true);
  const plain = day.paidMax === null ? null : played(day, seed, false).mean;
  const { startedMin, paidMax } = day;
  const beside = plain === null ? '' : `, ${(mean / plain).toFixed(3)} of what they pay at once (${usd(plain)})`;
  const before = others.map((part) => `, and ${part.toFixed(3)} of those before`).join('');
  return {
    name: `deadlines: a batch ${day.name}`,
    figure: `${started.toFixed(3)} of ${day.batches.at(-1)?.lines} lines start in time and pay ${usd(mean)}${beside}${before}`,
    target: `≥ ${startedMin}${paidMax === null ? '' : `, ≤ ${paidMax}`}`,
    holds:
      Math.min(started, ...others) >= startedMin && (plain === null || paidMax === null || mean / plain <= paidMax),
    samples: floor.samples,
  };
}

/** The outcome of the last batch: the part of its lines that started, and the mean of what they paid; and that part of the others. */
function played(day: BatchDay, seed: number, patient: boolean) {
  const starts = new Map<string, (paid: number) => void>();
  const floor: TradingFloor = new TradingFloor({
    ...{ seed, slots: SLOTS },
    admitted: (bid, order) => starts.get(order)?.(Math.min(bid, floor.level)),
  });
  startTraders(floor, { load: night, lockShare: 0.3, slots: SLOTS });
  floor.run(DAY_MS);
  const account = new Account(floor, starts, seededRandom(seed ^ 0xba7c), patient);
  const batches = day.batches.map((plan) => account.add(plan));
  floor.run(Math.max(...day.batches.map(({ afterMs, leftMs }) => afterMs + leftMs)) + 1000);
  const paid = batches.at(-1)?.paid ?? [];
  const [started = 0, ...others] = batches.map((batch) => batch.paid.length / batch.plan.lines).reverse();
  return {
    ...{ floor, started, others },
    mean: paid.reduce((sum, price) => sum + price, 0) / paid.length,
  };
}

/** A batch on the floor. */
interface PlayedBatch {
  readonly plan: BatchPlan;
  deadlineMs: number;
  outside: number;
  queued: number;
  readonly paid: number[];
}

/** One account with its places, which its batches share. */
class Account {
  readonly #floor: TradingFloor;
  readonly #starts: Map<string, (paid: number) => void>;
  readonly #random: Random;
  readonly #patient: boolean;
  readonly #batches: PlayedBatch[] = [];
  #isFilling = false;

  constructor(floor: TradingFloor, starts: Map<string, (paid: number) => void>, random: Random, patient: boolean) {
    this.#floor = floor;
    this.#starts = starts;
    this.#random = random;
    this.#patient = patient;
  }

  add(plan: BatchPlan): PlayedBatch {
    const batch: PlayedBatch = { plan, deadlineMs: 0, outside: plan.lines, queued: 0, paid: [] };
    this.#floor.agenda.after(plan.afterMs, () => {
      batch.deadlineMs = this.#floor.nowMs + plan.leftMs;
      this.#batches.push(batch);
      this.#fill();
    });
    return batch;
  }

  get #free(): number {
    return PLACES - this.#batches.reduce((sum, { queued }) => sum + queued, 0);
  }

  #fill(): void {
    this.#isFilling = false;
    for (const batch of this.#batches) {
      const kept = () => (this.#patient ? keptFree(batch.queued) : 0);
      while (batch.outside > 0 && this.#free > kept() && this.#floor.nowMs < batch.deadlineMs) this.#send(batch);
    }
  }

  #send(batch: PlayedBatch): void {
    const { nowMs } = this.#floor;
    const { deadlineMs, plan } = batch;
    const waiting = batch.queued + batch.outside;
    const byMs = lineDeadlineMs({ nowMs, deadlineMs, waiting, places: placesOf(batch.queued, this.#free) });
    batch.outside--;
    batch.queued++;
    this.#starts.set(this.#floor.nextOrder, (paid) => {
      batch.queued--;
      batch.paid.push(paid);
      if (!this.#isFilling) this.#floor.agenda.after(REFILL_MS, () => this.#fill());
      this.#isFilling = true;
    });
    this.#floor.send({
      ...{ account: 'batch', limit: LIMIT, lock: false, unmeasured: true },
      runsMs: Math.ceil(exponential(this.#random.next(), plan.runsMs)),
      patienceMs: deadlineMs - nowMs,
      ...(this.#patient ? { byMs } : {}),
    });
  }
}

function usd(nano: number): string {
  return `$${(nano / 1e9).toFixed(3)}`;
}
