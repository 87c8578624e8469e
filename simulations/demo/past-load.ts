/** What the gateway of the past did in each minute and quarter of an hour, for the charts of its operator. */
import type { JournalPort } from '#base/journal.ts';
import { DAY_MS, MINUTE_MS } from '#base/time.ts';
import { LOAD_KEPT_MS, LOOK_MS, type LoadSpan, STATISTICS_BUCKET_MS, type StatisticsUnits } from '#observe/ports.ts';
import { RunCounts } from '#observe/run-counts.ts';
import type { DemoModel } from './models.ts';
import { PAST_BOOT, type Past } from './past.ts';

/** What orders did in a span. */
interface Counted {
  failed: number;
  charged: bigint;
  readonly firstTokens: RunCounts;
}

/** The widths in which a gateway records it, and how long each is kept. */
const WIDTHS = [
  { widthMs: MINUTE_MS, keptMs: LOAD_KEPT_MS[MINUTE_MS] },
  { widthMs: STATISTICS_BUCKET_MS, keptMs: LOAD_KEPT_MS[STATISTICS_BUCKET_MS] },
];
/** Since when the pods have been down that are down, before the demo. */
const DOWN_MS = 15 * MINUTE_MS;

/** The load of the past, counted order by order. */
export class PastLoad {
  readonly #past: Past;
  readonly #models: readonly DemoModel[];
  readonly #spans = new Map<string, Counted>();

  constructor(past: Past, models: readonly DemoModel[]) {
    this.#past = past;
    this.#models = models;
  }

  /** An order was settled. */
  settled(atMs: number, charged: bigint, firstTokenMs: number): void {
    for (const { widthMs } of WIDTHS) {
      const span = this.#span(widthMs, atMs);
      span.charged += charged;
      span.firstTokens.add({ waitMs: null, bidOverLevel: 1, firstTokenMs, tokensPerSecond: null });
    }
  }

  /** An order failed. */
  failed(atMs: number): void {
    for (const { widthMs } of WIDTHS) this.#span(widthMs, atMs).failed++;
  }

  /** Writes it. Call once, after all orders. */
  async write(journal: JournalPort<StatisticsUnits>): Promise<void> {
    const { untilMs } = this.#past;
    for (const { widthMs, keptMs } of WIDTHS) {
      const spans: LoadSpan[] = [];
      const fromMs = untilMs - keptMs;
      for (let atMs = fromMs - (fromMs % widthMs) + widthMs; atMs < untilMs; atMs += widthMs)
        spans.push(this.#written(widthMs, atMs));
      await journal.write({ kind: 'gateway-load', boot: PAST_BOOT, spans });
    }
  }

  #written(widthMs: number, atMs: number): LoadSpan {
    const looks = widthMs / LOOK_MS;
    const slots = this.#models.reduce((sum, { pods, slots: each }) => sum + pods.length * each, 0);
    const demand = 0.7 + 0.25 * Math.sin((atMs / DAY_MS) * 2 * Math.PI) + 0.05 * Math.sin(atMs / 700_000);
    const isDown = atMs >= this.#past.untilMs - DOWN_MS;
    const pods = this.#models.flatMap(({ pods: own, down }) => [
      ...own.map((pod) => [pod, [looks, 0, 0]] as const),
      ...(down === undefined ? [] : [[down, isDown ? ([0, looks, 0] as const) : ([looks, 0, 0] as const)] as const]),
    ]);
    const { failed, charged, firstTokens } = this.#span(widthMs, atMs);
    return {
      ...{ widthMs, atMs, looks, failed, charged, firstTokens: firstTokens.pack() },
      queued: Math.round(looks * 12 * demand ** 3),
      busySlots: Math.round(looks * slots * demand),
      slots: looks * slots,
      pods: Object.fromEntries(pods),
    };
  }

  #span(widthMs: number, atMs: number): Counted {
    const name = `${widthMs} ${atMs - (atMs % widthMs)}`;
    const span = this.#spans.get(name) ?? { failed: 0, charged: 0n, firstTokens: new RunCounts() };
    this.#spans.set(name, span);
    return span;
  }
}
