/**
 * Turns stored changes of level into the time for which each level stood while a gateway was up. Used for what a killed
 * process did not store as blocks, and for what was recorded before blocks existed.
 */
import type { LevelChart } from '#market/data/level-chart.ts';
import type { GatewayRun } from '#market/level-records.ts';

/** Takes changes of level, oldest first, and adds to a chart the time of each level in which a gateway was up. */
export class LevelWalk {
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
      // The run may also contain the next level.
      if (run.untilMs > untilMs) return;
    }
  }
}
