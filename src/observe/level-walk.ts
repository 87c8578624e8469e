/**
 * From single changes of level, as they are stored, to how long each of them stood while somebody was there to see it:
 * what a process that was killed had not stored otherwise, and what was seen before levels were stored in blocks.
 */
import type { LevelChart } from '#market/level-chart.ts';
import type { GatewayRun } from '#market/ports.ts';

/** Walks through changes of level, oldest first, and keeps of each level the time in which a gateway was up. */
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
      // The run may hold the next level too.
      if (run.untilMs > untilMs) return;
    }
  }
}
