/**
 * The past of markets, written as an earlier gateway would have: 30 days of levels for charts and candles, two days of single
 * changes, a day of quotes and locks, and probes. Everything follows from `levelAt`, so orders of the past can name the level at
 * which they ran.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { JournalPort } from '#base/journal.ts';
import { hashOf, type Random, seededRandom } from '#base/random.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { LevelChart } from '#market/data/level-chart.ts';
import type { MarketUnits } from '#market/units.ts';
import type { LevelUnits } from '#observe/ports.ts';
import type { Database } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { openRun } from '#storage/market/level-past.ts';
import { createProbeStore } from '#storage/statistics/probes.ts';
import { levelAt } from './models.ts';

/** A market with a past. */
export interface PastMarket {
  readonly id: string;
  /** The level around which it moved, USD. */
  readonly middle: number;
  /** For how long it has existed; 30 days at most. */
  readonly lengthMs: number;
  /** Nobody locks a price where nothing is sold yet. */
  readonly hasLocks: boolean;
}

/** The clock of those who write the past: it stands where it was set. */
export class PastClock implements Clock {
  #atMs: number;

  constructor(atMs: number) {
    this.#atMs = atMs;
  }

  nowMs(): number {
    return this.#atMs;
  }

  monotonicMs(): number {
    return this.#atMs;
  }

  after(): Timer {
    throw new Error('Nothing waits in the past.');
  }

  /** Moves it on. */
  set(atMs: number): void {
    this.#atMs = atMs;
  }
}

/** A price that was published, and its number. */
interface Published {
  readonly number: number;
  readonly price: number;
}

/** The boot epoch of the gateway that had this past. */
export const PAST_BOOT = 1;
const LENGTH_MS = 30 * DAY_MS;
/** A level stood this long, a quote this long. */
const LEVEL_MS = MINUTE_MS;
const QUOTE_MS = 15 * MINUTE_MS;
/** For how long the storage keeps single changes, and the outcomes of locks. */
const CHANGES_MS = 2 * DAY_MS;
const LOCKS_MS = DAY_MS;
/** The locks of one window of the quote. Half of them meet others that wait; of these, one in twenty misses. */
function locksOf(random: Random) {
  const [scarce, scarceMissed] = [5 + Math.floor(15 * random.next()), Math.floor(2.2 * random.next())];
  return {
    started: 2 * scarce - scarceMissed,
    missed: scarceMissed,
    scarceStarted: scarce - scarceMissed,
    scarceMissed,
  };
}
/** Between probes of the last day, and of the days before. */
const PROBES_MS = { lastDay: QUOTE_MS, before: 2 * HOUR_MS } as const;

/** The 30 days before `untilMs`. */
export class Past {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Where windows begin: on whole minutes. */
  readonly #beginMs: number;

  constructor(untilMs: number) {
    this.untilMs = untilMs;
    this.fromMs = untilMs - LENGTH_MS;
    this.#beginMs = this.fromMs - (this.fromMs % QUOTE_MS);
  }

  /** The level in force at a moment. */
  level(market: Pick<PastMarket, 'id' | 'middle'>, atMs: number): Published {
    return this.#published(market, atMs, LEVEL_MS);
  }

  /** The quote in force at a moment, a sixth above the level. */
  quote(market: Pick<PastMarket, 'id' | 'middle'>, atMs: number): Published {
    const { number, price } = this.#published(market, atMs, QUOTE_MS);
    return { number, price: Math.round((price * 7) / 6) };
  }

  #published({ id, middle }: Pick<PastMarket, 'id' | 'middle'>, atMs: number, widthMs: number): Published {
    const number = Math.floor((atMs - this.#beginMs) / widthMs);
    return { number: number + 1, price: levelAt(id, middle, this.#beginMs + number * widthMs) };
  }

  /** Says that a gateway ran all the time. Must precede `writeMarket`. */
  async open(db: Database): Promise<void> {
    await writing(db, (trx) => trx('counters').insert({ name: 'boot', value: PAST_BOOT }));
    await openRun(db, PAST_BOOT, this.fromMs);
  }

  /** Writes what a market published. */
  async writeMarket(journal: JournalPort<LevelUnits & MarketUnits>, market: PastMarket): Promise<void> {
    const { id: model, lengthMs, hasLocks } = market;
    const { untilMs } = this;
    const chart = new LevelChart();
    const random = seededRandom(hashOf(model));
    const writes: Promise<unknown>[] = [];
    for (let atMs = untilMs - lengthMs; atMs < untilMs; atMs = this.#next(atMs, LEVEL_MS)) {
      const { number, price } = this.level(market, atMs);
      chart.add(price, atMs, this.#next(atMs, LEVEL_MS));
      if (atMs < untilMs - CHANGES_MS) continue;
      writes.push(journal.write({ kind: 'level', model, levelSeq: number, level: price, atMs }));
    }
    const blocks = [...chart.blocks(model, untilMs - lengthMs, untilMs)];
    writes.push(journal.write({ kind: 'level-blocks', boot: PAST_BOOT, untilMs, blocks }));
    for (let atMs = untilMs - LOCKS_MS; atMs < untilMs; atMs = this.#next(atMs, QUOTE_MS)) {
      const { number, price } = this.quote(market, atMs);
      const window = { quoteSeq: number, price, atMs, untilMs: this.#next(atMs, QUOTE_MS), state: null };
      writes.push(journal.write({ kind: 'quote', model, ...window }));
      const minuteMs = atMs - (atMs % MINUTE_MS);
      if (hasLocks) writes.push(journal.write({ kind: 'locks', model, minuteMs, ...locksOf(random) }));
    }
    await Promise.all(writes);
  }

  #next(atMs: number, widthMs: number): number {
    return Math.min(this.untilMs, atMs - (atMs % widthMs) + widthMs);
  }

  /** Writes the probes of a model; `isDown` says whether it failed at a moment. */
  async writeProbes(db: Database, model: string, isDown: (atMs: number) => boolean): Promise<void> {
    const probes = createProbeStore(db);
    const lastDayMs = this.untilMs - DAY_MS;
    const next = (atMs: number) => atMs + (atMs < lastDayMs ? PROBES_MS.before : PROBES_MS.lastDay);
    for (let atMs = this.fromMs; atMs < this.untilMs; atMs = next(atMs)) {
      const busy = 1 + Math.sin((atMs / DAY_MS) * 2 * Math.PI);
      const times = { queueMs: Math.round(300 + 900 * busy), pipelineMs: Math.round(400 + 120 * busy) };
      await probes.record({ model, atMs, outcome: isDown(atMs) ? 'failed' : 'done', ...times });
    }
  }
}
