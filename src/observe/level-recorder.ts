/**
 * Records the levels of every market over time: takes each change, writes what this process observed to the journal
 * every minute, and returns charts. A chart has this process's data from the start; what earlier ones recorded is
 * prepended when it is first needed. Time without a running gateway stays empty. docs/decisions/0012.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Clock, Timer } from '#base/clock.ts';
import { every } from '#base/clock.ts';
import type { JournalPort } from '#base/journal.ts';
import type { Log } from '#base/log.ts';
import { MINUTE_MS } from '#base/time.ts';
import { blockBegin, keptCandles, type LevelBlock, LevelChart } from '#market/data/level-chart.ts';
import type { LevelMoved } from '#market/ports.ts';
import type { GatewayRun, LevelPast, LevelUnits, StoredBlock, UnfinishedRun, WantedBlocks } from './ports.ts';

interface LevelRecorderOptions {
  /** The markets and previews. */
  readonly models: readonly string[];
  readonly past: LevelPast;
  readonly journal: JournalPort<LevelUnits>;
  readonly clock: Clock;
  readonly log: Log;
  readonly bootEpoch: number;
}

/** The delay before the past of the next market is read ahead: a starting process has more urgent work. */
const READ_AHEAD_MS = 100;

/** Blocks added to a chart per turn of the event loop: a millisecond or two. */
const BLOCKS_PER_TURN = 300;

/** The most units that may wait for a database that does not commit. */
const UNWRITTEN_MAX = 10;

/** The level history of this process, and of those before it. */
export class LevelRecorder {
  readonly #options: LevelRecorderOptions;
  readonly #charts: Map<string, LevelChart>;
  /** Charts that include the past, or are loading it. */
  readonly #complete = new Map<string, Promise<LevelChart>>();
  readonly #startedAtMs: number;
  /** Resolves when the blocks of the previous process are complete. */
  #recovered: Promise<void> = Promise.resolve();
  #recordedToMs: number;
  #unwritten = 0;
  readonly #timer: Timer;
  #readAhead: Timer;
  /** The read-ahead in progress. */
  #reading: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: LevelRecorderOptions) {
    this.#options = options;
    this.#charts = new Map(options.models.map((model) => [model, new LevelChart()]));
    this.#startedAtMs = options.clock.nowMs();
    this.#recordedToMs = this.#startedAtMs;
    this.#timer = every(options.clock, MINUTE_MS, () => {
      this.#record(Math.floor(options.clock.nowMs() / MINUTE_MS) * MINUTE_MS).catch((error) => {
        options.log.error({ err: error }, 'The levels of a minute could not be recorded.');
      });
    });
    this.#readAhead = this.#readAheadLater(options.models);
  }

  /** Records a market that is new; nothing changes for one that is there. */
  add(model: string): void {
    if (!this.#charts.has(model)) this.#charts.set(model, new LevelChart());
  }

  /** Records a change of level. */
  take({ model, level, atMs }: LevelMoved): void {
    this.#charts.get(model)?.move(level, atMs);
  }

  /** Writes what the previous process was killed before writing. Charts requested in the meantime wait for it. */
  recover(): Promise<void> {
    this.#recovered = this.#recover();
    return this.#recovered;
  }

  /** The levels of a market over the last month, up to now. Rejects when the past cannot be read. */
  async chart(model: string): Promise<LevelChart> {
    let complete = this.#complete.get(model);
    if (!complete) {
      complete = this.#prependPast(model);
      this.#complete.set(model, complete);
      complete.catch(() => this.#complete.delete(model));
    }
    const chart = await complete;
    chart.count(this.#options.clock.nowMs());
    return chart;
  }

  /** Records up to now. Resolves when the database is no longer needed. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer.cancel();
    this.#readAhead.cancel();
    try {
      await this.#record(this.#options.clock.nowMs());
    } finally {
      await this.#reading;
    }
  }

  async #recover(): Promise<void> {
    const { past, journal, models, bootEpoch } = this.#options;
    const run = await past.unfinished(bootEpoch);
    if (!run || run.untilMs >= this.#startedAtMs) return;
    const lastSignMs = Math.min(run.lastSignMs, this.#startedAtMs);
    const blocks: LevelBlock[] = [];
    for (const model of models) blocks.push(...(await this.#unrecordedBlocks(model, { ...run, lastSignMs })));
    await journal.write({ kind: 'level-blocks', boot: run.boot, untilMs: lastSignMs, blocks });
  }

  /** One market after the other, with pauses, so that a request for a chart waits for hardly more than its own. */
  #readAheadLater([model, ...rest]: readonly string[]): Timer {
    return this.#options.clock.after(READ_AHEAD_MS, () => {
      if (model === undefined) return;
      // The requested charts come first.
      const requested = Promise.allSettled(this.#complete.values());
      const read = requested.then(() => (this.#closed ? null : this.chart(model)));
      this.#reading = read.then(
        () => {
          if (!this.#closed) this.#readAhead = this.#readAheadLater(rest);
        },
        (error) => {
          if (!this.#closed)
            this.#options.log.warn(
              { err: error },
              'Past levels could not be read ahead; they will be read on request.',
            );
        },
      );
    });
  }

  async #record(untilMs: number): Promise<void> {
    // Levels stay in the charts meanwhile, and are written as one unit once the database commits again.
    if (untilMs <= this.#recordedToMs || this.#unwritten >= UNWRITTEN_MAX) return;
    const blocks: LevelBlock[] = [];
    for (const [model, chart] of this.#charts) {
      chart.count(untilMs);
      blocks.push(...chart.blocks(model, this.#recordedToMs, untilMs));
    }
    this.#recordedToMs = untilMs;
    const { journal, bootEpoch: boot } = this.#options;
    this.#unwritten++;
    await journal.write({ kind: 'level-blocks', boot, untilMs, blocks }).finally(() => this.#unwritten--);
  }

  async #prependPast(model: string): Promise<LevelChart> {
    await this.#recovered;
    const chart = this.#charts.get(model) ?? new LevelChart();
    const nowMs = this.#options.clock.nowMs();
    const blocks: StoredBlock[] = [];
    for (const { widthMs, keptMs } of Object.values(keptCandles)) {
      const wanted = { widthMs, fromMs: blockBegin(widthMs, nowMs - keptMs), beforeBoot: this.#options.bootEpoch };
      const stored = await this.#stored(model, wanted);
      // A gateway whose clock was ahead recorded future candles. A chart that began there had no room for today.
      blocks.push(...stored.filter(({ fromMs }) => fromMs <= nowMs));
    }
    const older = await this.#beforeBlocks(model);
    // All or nothing: after a failure the next request must find the chart unchanged. From here on nothing can fail.
    for (const [index, block] of blocks.entries()) {
      if (index % BLOCKS_PER_TURN === 0) await yieldToOthers();
      chart.prepend(block);
    }
    if (older) chart.prependChanges(older);
    return chart;
  }

  /** In pages with yields in between, because an embedded database is read on this thread. */
  async #stored(model: string, wanted: WantedBlocks): Promise<StoredBlock[]> {
    const blocks: StoredBlock[] = [];
    for await (const page of this.#options.past.blocks(model, wanted)) {
      blocks.push(...page);
      await this.#yieldToOthers();
    }
    return blocks;
  }

  /** The part of the last day recorded before blocks existed; null if no gateway was up then. */
  async #beforeBlocks(model: string): Promise<LevelChart | null> {
    const sinceMs = this.#options.clock.nowMs() - keptCandles.quarters.keptMs;
    const runs = (await this.#options.past.runs(sinceMs, this.#startedAtMs)).filter(({ inBlocks }) => !inBlocks);
    const beforeMs = runs.at(-1)?.untilMs;
    if (beforeMs === undefined) return null;
    const chart = new LevelChart();
    await this.#walk(model, { sinceMs, beforeMs }, chart, runs);
    return chart;
  }

  /**
   * Turns stored changes of level into the time for which each level stood while a gateway was up, and adds it to a chart.
   * Used for what a killed process did not store as blocks, and for what was recorded before blocks existed.
   */
  async #walk(
    model: string,
    { sinceMs, beforeMs }: { sinceMs: number; beforeMs: number },
    chart: LevelChart,
    runs: readonly GatewayRun[],
  ): Promise<void> {
    let at = 0;
    let standing: number | null = null;
    let standsSinceMs = 0;
    const standUntil = (untilMs: number) => {
      if (standing === null) return;
      for (let run = runs[at]; run; run = runs[++at]) {
        const fromMs = Math.max(standsSinceMs, run.fromMs);
        const toMs = Math.min(untilMs, run.untilMs);
        if (fromMs < toMs) chart.add(standing, fromMs, toMs);
        // The run may also contain the next level.
        if (run.untilMs > untilMs) return;
      }
    };
    for await (const page of this.#options.past.changes(model, sinceMs, beforeMs)) {
      for (const { level, atMs } of page) {
        standUntil(atMs);
        standing = level;
        standsSinceMs = Math.max(atMs, standsSinceMs);
      }
      await this.#yieldToOthers();
    }
    standUntil(Number.POSITIVE_INFINITY);
  }

  async #yieldToOthers(): Promise<void> {
    await yieldToOthers();
    if (this.#closed) throw new Error('The gateway closed while past levels were being read.');
  }

  /** What a run observed between its last recorded block and its last sign of life, in whole blocks. */
  async #unrecordedBlocks(model: string, run: UnfinishedRun): Promise<LevelBlock[]> {
    const chart = new LevelChart();
    for (const { widthMs } of Object.values(keptCandles)) {
      const fromMs = blockBegin(widthMs, run.untilMs);
      const stored = await this.#stored(model, { widthMs, fromMs, beforeBoot: run.boot + 1 });
      for (const block of stored.reverse()) if (block.boot === run.boot) chart.append(block);
    }
    const rest = { ...run, fromMs: run.untilMs, untilMs: run.lastSignMs };
    await this.#walk(model, { sinceMs: rest.fromMs, beforeMs: rest.untilMs + 1 }, chart, [rest]);
    const blocks = [...chart.blocks(model, run.untilMs, run.lastSignMs)];
    return run.inBlocks ? blocks : blocks.filter(({ widthMs }) => widthMs === keptCandles.minutes.widthMs);
  }
}
