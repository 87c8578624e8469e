/**
 * Keeps the levels of every market over time: it hears each change, writes what it saw to the journal by the minute, and
 * gives out charts. A chart knows this process from the first moment; what earlier ones saw is read when it is first
 * asked for and put before it. Nothing is filled in for the time when no gateway was up. docs/decisions/0012.
 */
import { setImmediate as othersFirst } from 'node:timers/promises';
import type { Clock, Timer } from '#base/clock.ts';
import { every } from '#base/every.ts';
import type { Log } from '#base/log.ts';
import { blockBegin } from '#market/level-block.ts';
import { keptSlots, LevelChart } from '#market/level-chart.ts';
import type { LevelBlock, LevelMoved, LevelPast, StoredBlock, UnfinishedRun, WantedBlocks } from '#market/ports.ts';
import type { JournalPort } from '#orders/journal-port.ts';
import { LevelWalk } from './level-walk.ts';

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

/** How long a recorder waits before it reads the past of the next market by itself: a start has more urgent things to do. */
const READ_AHEAD_MS = 100;

/** Blocks put into a chart before others have their turn: a millisecond or two. */
const BLOCKS_A_TURN = 300;

/** Units that may wait for a database that does not commit. */
const UNWRITTEN_MAX = 10;

/** The history of this process, and the way to that of the ones before. */
export class LevelRecorder {
  readonly #parts: LevelRecorderParts;
  readonly #charts: ReadonlyMap<string, LevelChart>;
  /** Charts that know the past too, or are being told it. */
  readonly #told = new Map<string, Promise<LevelChart>>();
  readonly #startedAtMs: number;
  /** Until then the blocks of the process before are not all there. */
  #mended: Promise<void> = Promise.resolve();
  #recordedToMs: number;
  #unwritten = 0;
  readonly #timer: Timer;
  #readAhead: Timer;
  /** The reading of the past that nobody asked for. */
  #reading: Promise<void> = Promise.resolve();
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
    this.#readAhead = this.#soon(parts.models);
  }

  /** Takes a change of level. */
  take({ model, level, atMs }: LevelMoved): void {
    this.#charts.get(model)?.move(level, atMs);
  }

  /** Writes what a process before this one was cut off from writing; whoever asks for a chart meanwhile waits for it. */
  mend(): Promise<void> {
    this.#mended = this.#mend();
    return this.#mended;
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
    this.#readAhead.cancel();
    try {
      await this.#record(this.#parts.clock.nowMs());
    } finally {
      await this.#reading;
    }
  }

  async #mend(): Promise<void> {
    const { past, journal, models, bootEpoch } = this.#parts;
    const run = await past.unfinished(bootEpoch);
    if (!run || run.untilMs >= this.#startedAtMs) return;
    const lastSignMs = Math.min(run.lastSignMs, this.#startedAtMs);
    const blocks: LevelBlock[] = [];
    for (const model of models) blocks.push(...(await this.#cutOff(model, { ...run, lastSignMs })));
    await journal.write({ kind: 'level-blocks', boot: run.boot, untilMs: lastSignMs, blocks });
  }

  /** One market after the other, with pauses, so that whoever asks waits for hardly more than his own. */
  #soon([model, ...rest]: readonly string[]): Timer {
    return this.#parts.clock.after(READ_AHEAD_MS, () => {
      if (model === undefined) return;
      this.#reading = this.#tellUnasked(model).then(
        () => {
          if (!this.#closed) this.#readAhead = this.#soon(rest);
        },
        (error) => {
          if (!this.#closed)
            this.#parts.log.warn({ err: error }, 'The levels of the past will be read when they are asked for.');
        },
      );
    });
  }

  /** After those that were asked for. */
  async #tellUnasked(model: string): Promise<void> {
    await Promise.allSettled(this.#told.values());
    if (!this.#closed) await this.chart(model);
  }

  async #record(untilMs: number): Promise<void> {
    // What stood meanwhile is in the charts, and is written as one unit once the database commits again.
    if (untilMs <= this.#recordedToMs || this.#unwritten >= UNWRITTEN_MAX) return;
    const blocks: LevelBlock[] = [];
    for (const [model, chart] of this.#charts) {
      chart.count(untilMs);
      blocks.push(...chart.blocks(model, this.#recordedToMs, untilMs));
    }
    this.#recordedToMs = untilMs;
    const { journal, bootEpoch: boot } = this.#parts;
    this.#unwritten++;
    await journal.write({ kind: 'level-blocks', boot, untilMs, blocks }).finally(() => this.#unwritten--);
  }

  async #tell(model: string): Promise<LevelChart> {
    await this.#mended;
    const chart = this.#charts.get(model) ?? new LevelChart();
    const nowMs = this.#parts.clock.nowMs();
    const blocks: StoredBlock[] = [];
    for (const { widthMs, keptMs } of Object.values(keptSlots)) {
      const wanted = { widthMs, fromMs: blockBegin(widthMs, nowMs - keptMs), beforeBoot: this.#parts.bootEpoch };
      const stored = await this.#stored(model, wanted);
      // By a clock that was wrong a gateway saw what is still to come; a chart that began there had no room for today.
      blocks.push(...stored.filter(({ fromMs }) => fromMs <= nowMs));
    }
    const older = await this.#beforeBlocks(model);
    // All or nothing: whoever asks again after a failure must find the chart as it was. From here on nothing fails.
    for (const [index, block] of blocks.entries()) {
      if (index % BLOCKS_A_TURN === 0) await othersFirst();
      chart.prepend(block);
    }
    if (older) chart.prependChanges(older);
    return chart;
  }

  /** In pages, between which others have their turn: an embedded database is read without ever leaving this thread. */
  async #stored(model: string, wanted: WantedBlocks): Promise<StoredBlock[]> {
    const blocks: StoredBlock[] = [];
    for await (const page of this.#parts.past.blocks(model, wanted)) {
      blocks.push(...page);
      await this.#othersFirst();
    }
    return blocks;
  }

  /** The last day as it was seen before there were blocks; null when nobody was there to see it. */
  async #beforeBlocks(model: string): Promise<LevelChart | null> {
    const sinceMs = this.#parts.clock.nowMs() - keptSlots.quarters.keptMs;
    const runs = (await this.#parts.past.runs(sinceMs, this.#startedAtMs)).filter(({ inBlocks }) => !inBlocks);
    const beforeMs = runs.at(-1)?.untilMs;
    if (beforeMs === undefined) return null;
    const chart = new LevelChart();
    await this.#walk(model, { sinceMs, beforeMs }, new LevelWalk(chart, runs));
    return chart;
  }

  async #walk(
    model: string,
    { sinceMs, beforeMs }: { sinceMs: number; beforeMs: number },
    walk: LevelWalk,
  ): Promise<void> {
    for await (const page of this.#parts.past.changes(model, sinceMs, beforeMs)) {
      for (const { level, atMs } of page) walk.move(level, atMs);
      await this.#othersFirst();
    }
    walk.end();
  }

  async #othersFirst(): Promise<void> {
    await othersFirst();
    if (this.#closed) throw new Error('The gateway closes while the levels of the past are read.');
  }

  /** What a run saw between what it recorded and its last sign of life, in whole blocks. */
  async #cutOff(model: string, run: UnfinishedRun): Promise<LevelBlock[]> {
    const chart = new LevelChart();
    for (const { widthMs } of Object.values(keptSlots)) {
      const fromMs = blockBegin(widthMs, run.untilMs);
      const stored = await this.#stored(model, { widthMs, fromMs, beforeBoot: run.boot + 1 });
      for (const block of stored.reverse()) if (block.boot === run.boot) chart.append(block);
    }
    const walk = new LevelWalk(chart, [{ ...run, fromMs: run.untilMs, untilMs: run.lastSignMs }]);
    await this.#walk(model, { sinceMs: run.untilMs, beforeMs: run.lastSignMs + 1 }, walk);
    const blocks = [...chart.blocks(model, run.untilMs, run.lastSignMs)];
    return run.inBlocks ? blocks : blocks.filter(({ widthMs }) => widthMs === keptSlots.minutes.widthMs);
  }
}
