/**
 * Keeps the levels of every market over time: it hears each change, writes the minutes that are over to the journal, and
 * gives out charts. A chart knows this process from the first moment; what earlier ones saw is read when it is first
 * asked for and put before it. Nothing is filled in for the time when no gateway was up. Design: history.
 */
import { setImmediate as othersFirst } from 'node:timers/promises';
import type { Clock, Timer } from '#base/clock.ts';
import { every } from '#base/every.ts';
import type { Log } from '#base/log.ts';
import { CHANGES_WANTED_MS, LevelChart, MINUTES_KEPT_MS } from '#market/level-chart.ts';
import type { GatewayRun, LevelMinute, LevelMoved, LevelPast, UnfinishedRun } from '#market/ports.ts';
import type { JournalPort } from '#orders/journal-port.ts';

/** What the recorder is built from. */
export interface LevelRecorderParts {
  /** The markets and previews. */
  readonly models: readonly string[];
  readonly past: LevelPast;
  readonly journal: JournalPort;
  readonly clock: Clock;
  readonly log: Log;
  readonly bootEpoch: number;
}

const MINUTE_MS = 60_000;

/** How long after its opening a recorder begins to read what earlier processes saw: a start has more urgent things to do. */
const WARM_UP_AFTER_MS = 100;

/** Units that may wait for a database that does not commit. */
const UNWRITTEN_MAX = 10;

/** The history of this process, and the way to that of the ones before. */
export class LevelRecorder {
  readonly #parts: LevelRecorderParts;
  readonly #charts: ReadonlyMap<string, LevelChart>;
  /** Charts that know the past too, or are being told it. */
  readonly #told = new Map<string, Promise<LevelChart>>();
  readonly #startedAtMs: number;
  #recordedToMs: number;
  #unwritten = 0;
  readonly #timer: Timer;
  readonly #warmUp: Timer;
  /** The reading of the past that nobody asked for. */
  #warming: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: LevelRecorderParts) {
    this.#parts = parts;
    this.#charts = new Map(parts.models.map((model) => [model, new LevelChart()]));
    this.#startedAtMs = parts.clock.nowMs();
    this.#recordedToMs = this.#startedAtMs;
    this.#timer = every(parts.clock, MINUTE_MS, () => {
      this.#record(Math.floor(parts.clock.nowMs() / MINUTE_MS) * MINUTE_MS).catch((error) => {
        parts.log.error({ err: error }, 'The levels of a minute could not be recorded.');
      });
    });
    this.#warmUp = parts.clock.after(WARM_UP_AFTER_MS, () => {
      this.#warming = this.#tellAll().catch((error) => {
        if (!this.#closed)
          parts.log.warn({ err: error }, 'The levels of the past will be read when they are asked for.');
      });
    });
  }

  /** Takes a change of level. */
  take({ model, level, atMs }: LevelMoved): void {
    this.#charts.get(model)?.move(level, atMs);
  }

  /** Writes the minutes that a process before this one was cut off from writing. To be done before charts are read. */
  async mend(): Promise<void> {
    const { past, journal, models, bootEpoch } = this.#parts;
    const run = await past.unfinished(bootEpoch);
    if (!run || run.untilMs >= this.#startedAtMs) return;
    const lastSignMs = Math.min(run.lastSignMs, this.#startedAtMs);
    const minutes: LevelMinute[] = [];
    for (const model of models) {
      const missing = { ...run, lastSignMs };
      minutes.push(...minutesFrom(model, await this.#cutOff(model, missing), missing));
    }
    await journal.write({ kind: 'level-minutes', boot: run.boot, untilMs: lastSignMs, minutes });
  }

  /** The levels of a market over the last month, up to now. Rejects when the past cannot be read. */
  async chart(model: string): Promise<LevelChart> {
    let told = this.#told.get(model);
    if (!told) {
      told = this.#tell(model);
      this.#told.set(model, told);
      told.catch(() => this.#told.delete(model));
    }
    const chart = await told;
    chart.count(this.#parts.clock.nowMs());
    return chart;
  }

  /** Records up to now and no further. Resolves when the database is not needed any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer.cancel();
    this.#warmUp.cancel();
    try {
      await this.#record(this.#parts.clock.nowMs());
    } finally {
      await this.#warming;
    }
  }

  /** One market after the other, so that whoever comes later waits for none of them. */
  async #tellAll(): Promise<void> {
    for (const model of this.#parts.models) {
      if (this.#closed) return;
      await this.chart(model);
    }
  }

  async #record(untilMs: number): Promise<void> {
    // What stood meanwhile is in the charts, and is written as one unit once the database commits again.
    if (untilMs <= this.#recordedToMs || this.#unwritten >= UNWRITTEN_MAX) return;
    const minutes: LevelMinute[] = [];
    for (const [model, chart] of this.#charts) {
      chart.count(untilMs);
      minutes.push(...minutesFrom(model, chart, { untilMs: this.#recordedToMs, lastSignMs: untilMs }));
    }
    this.#recordedToMs = untilMs;
    const { journal, bootEpoch: boot } = this.#parts;
    this.#unwritten++;
    await journal.write({ kind: 'level-minutes', boot, untilMs, minutes }).finally(() => this.#unwritten--);
  }

  /** In pages, between which others have their turn: an embedded database is read without ever leaving this thread. */
  async #tell(model: string): Promise<LevelChart> {
    const { past, bootEpoch } = this.#parts;
    const chart = this.#charts.get(model) ?? new LevelChart();
    const nowMs = this.#parts.clock.nowMs();
    const runs = await past.runs(nowMs - CHANGES_WANTED_MS, this.#startedAtMs);
    const older = new LevelChart();
    const earlier = new Walk(
      older,
      runs.filter(({ boot }) => boot < bootEpoch),
    );
    for await (const page of past.changes(model, nowMs - CHANGES_WANTED_MS, this.#startedAtMs)) {
      for (const { level, atMs } of page) earlier.move(level, atMs);
      await this.#othersFirst();
    }
    earlier.end();
    const pages: (readonly LevelMinute[])[] = [];
    for await (const page of past.minutes(model, nowMs - MINUTES_KEPT_MS, bootEpoch)) {
      pages.push(page);
      await this.#othersFirst();
    }
    // All or nothing: whoever asks again after a failure must find the chart as it was.
    chart.prependChanges(older);
    for (const page of pages) for (const minute of page) chart.prependMinute(minute);
    return chart;
  }

  async #othersFirst(): Promise<void> {
    await othersFirst();
    if (this.#closed) throw new Error('The gateway closes while the levels of the past are read.');
  }

  /** The levels between what a run recorded by the minute and its last sign of life. */
  async #cutOff(model: string, { fromMs, untilMs, lastSignMs }: UnfinishedRun): Promise<LevelChart> {
    const chart = new LevelChart();
    const since = Math.max(fromMs, untilMs);
    const walk = new Walk(chart, [{ boot: 0, fromMs: since, untilMs: lastSignMs }]);
    for await (const page of this.#parts.past.changes(model, since, lastSignMs + 1)) {
      for (const { level, atMs } of page) walk.move(level, atMs);
    }
    walk.end();
    return chart;
  }
}

/** Walks through changes of level, oldest first, and keeps of each level the time in which a gateway was up. */
class Walk {
  readonly #chart: LevelChart;
  readonly #runs: readonly GatewayRun[];
  #run = 0;
  #level: number | null = null;
  #atMs = 0;

  constructor(chart: LevelChart, runs: readonly GatewayRun[]) {
    this.#chart = chart;
    this.#runs = runs;
  }

  move(level: number, atMs: number): void {
    this.#standUntil(atMs);
    this.#level = level;
    this.#atMs = Math.max(atMs, this.#atMs);
  }

  end(): void {
    this.#standUntil(Number.POSITIVE_INFINITY);
  }

  #standUntil(untilMs: number): void {
    if (this.#level === null) return;
    for (let run = this.#runs[this.#run]; run; run = this.#runs[++this.#run]) {
      const fromMs = Math.max(this.#atMs, run.fromMs);
      const toMs = Math.min(untilMs, run.untilMs);
      if (fromMs < toMs) this.#chart.add(this.#level, fromMs, toMs);
      // The run may hold the next level too.
      if (run.untilMs > untilMs) return;
    }
  }
}

/** The minutes that overlap the time from `untilMs` to `lastSignMs`. */
function* minutesFrom(
  model: string,
  chart: LevelChart,
  { untilMs, lastSignMs }: Pick<UnfinishedRun, 'untilMs' | 'lastSignMs'>,
): Generator<LevelMinute> {
  const first = Math.max(untilMs, lastSignMs - MINUTES_KEPT_MS);
  for (let atMs = Math.floor(first / MINUTE_MS) * MINUTE_MS; atMs < lastSignMs; atMs += MINUTE_MS) {
    const minute = chart.minute(model, atMs);
    if (minute) yield minute;
  }
}
