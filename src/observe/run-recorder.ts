/**
 * Counts how long the runs of this process took, by model and hour, and writes the hours that changed once a minute. An
 * order costs some additions in memory, never a statement. A kill loses the last minute of it.
 */
import { type Clock, RepeatedWork } from '#base/clock.ts';
import type { JournalPort } from '#base/journal.ts';
import type { Log } from '#base/log.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import type { RunTimes } from '#orders/ports.ts';
import type { RunHour, StatisticsUnits } from './ports.ts';
import { RunCounts } from './run-counts.ts';

interface RunRecorderOptions {
  readonly journal: JournalPort<StatisticsUnits>;
  readonly clock: Clock;
  readonly log: Log;
  readonly bootEpoch: number;
}

interface Hour {
  readonly model: string;
  readonly hourMs: number;
  readonly counts: RunCounts;
  changed: boolean;
}

/** The runs of this process. Memory: an hour of each model, and of a day at most while the database does not commit. */
export class RunRecorder {
  readonly #options: RunRecorderOptions;
  readonly #hours = new Map<string, Hour>();
  /** One at a time: while the database does not commit, counts are kept here. */
  readonly #work: RepeatedWork;

  constructor(options: RunRecorderOptions) {
    this.#options = options;
    this.#work = new RepeatedWork(options.clock, MINUTE_MS, () => this.#write());
  }

  /** A run was settled. */
  take({ model, ...times }: RunTimes): void {
    const nowMs = this.#options.clock.nowMs();
    const hourMs = nowMs - (nowMs % HOUR_MS);
    const key = `${hourMs} ${model}`;
    let hour = this.#hours.get(key);
    if (!hour) {
      hour = { model, hourMs, counts: new RunCounts(), changed: true };
      this.#hours.set(key, hour);
    }
    hour.counts.add(times);
    hour.changed = true;
  }

  /** Writes the counts that are not yet written. Resolves when the database is no longer needed. */
  async close(): Promise<void> {
    await Promise.all([this.#work.close(), this.#write()]);
  }

  async #write(): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    // Past hours are dropped once written; those older than a day are given up.
    for (const [key, { hourMs, changed }] of this.#hours) {
      // An hour longer than it lasts: a clock may step back.
      const isPast = hourMs + 2 * HOUR_MS <= nowMs;
      if ((isPast && !changed) || hourMs < nowMs - DAY_MS) this.#hours.delete(key);
    }
    const changed = [...this.#hours.values()].filter((hour) => hour.changed);
    if (changed.length === 0) return;
    const { journal, log, bootEpoch: boot } = this.#options;
    const hours: RunHour[] = changed.map(({ model, hourMs, counts }) => ({ model, hourMs, counts: counts.pack() }));
    for (const hour of changed) hour.changed = false;
    try {
      await journal.write({ kind: 'run-hours', boot, hours });
    } catch (error) {
      for (const hour of changed) hour.changed = true;
      log.error({ err: error }, 'The times of runs could not be recorded.');
    }
  }
}
