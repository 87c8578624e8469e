/**
 * Records what this gateway does, for the charts of the operator: what waits and runs and how the pods are, looked at every
 * ten seconds, and what ended orders were charged or failed of. The spans that changed are written once a minute, each
 * whole. An order costs some additions in memory, never a statement. A kill loses the last minute of it.
 */
import { type Clock, RepeatedWork } from '#base/clock.ts';
import type { JournalPort } from '#base/journal.ts';
import type { Log } from '#base/log.ts';
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import type { EndedOrder } from '#orders/order-facts.ts';
import { LOAD_KEPT_MS, LOOK_MS, type LoadSpan, type StatisticsUnits } from './ports.ts';
import { RunCounts } from './run-counts.ts';

/** A pod as it stands now; only a healthy one gets orders. */
interface SeenPod {
  readonly pod: string;
  readonly standing: 'healthy' | 'unhealthy' | 'draining' | 'drained';
  readonly slots: { readonly busy: number; readonly allowed: number };
}

interface LoadRecorderOptions {
  readonly queued: () => number;
  readonly pods: () => readonly SeenPod[];
  readonly journal: JournalPort<StatisticsUnits>;
  readonly clock: Clock;
  readonly log: Log;
  readonly bootEpoch: number;
}

/** While the database does not commit, spans are kept for this long. */
const UNWRITTEN_MS_MAX = HOUR_MS;

const WIDTHS = Object.keys(LOAD_KEPT_MS).map(Number);

/** The load of this process. Memory: 5 kB for each of the spans of the last hour that are not written. */
export class LoadRecorder {
  readonly #options: LoadRecorderOptions;
  readonly #spans = new Map<string, Span>();
  readonly #looks: RepeatedWork;
  /** One at a time. */
  readonly #writes: RepeatedWork;

  constructor(options: LoadRecorderOptions) {
    this.#options = options;
    this.#looks = new RepeatedWork(options.clock, LOOK_MS, async () => this.#look());
    this.#writes = new RepeatedWork(options.clock, MINUTE_MS, () => this.#write());
  }

  /** An order of a customer has ended. */
  readonly take = (order: EndedOrder): void => {
    for (const span of this.#current()) span.take(order);
  };

  /** Writes the spans that are not yet written. Resolves when the database is no longer needed. */
  async close(): Promise<void> {
    await Promise.all([this.#looks.close(), this.#writes.close(), this.#write()]);
  }

  #look(): void {
    const queued = this.#options.queued();
    const pods = this.#options.pods();
    for (const span of this.#current()) span.look(queued, pods);
  }

  #current(): Span[] {
    const nowMs = this.#options.clock.nowMs();
    return WIDTHS.map((widthMs) => {
      const atMs = nowMs - (nowMs % widthMs);
      const key = `${widthMs} ${atMs}`;
      const known = this.#spans.get(key);
      if (known) return known;
      const span = new Span(widthMs, atMs);
      this.#spans.set(key, span);
      return span;
    });
  }

  async #write(): Promise<void> {
    const { journal, log, clock, bootEpoch: boot } = this.#options;
    const nowMs = clock.nowMs();
    for (const [key, { endMs, changed }] of this.#spans) {
      // A minute longer than it lasts: a clock may step back.
      if (endMs + (changed ? UNWRITTEN_MS_MAX : MINUTE_MS) <= nowMs) this.#spans.delete(key);
    }
    const changed = [...this.#spans.values()].filter((span) => span.changed);
    if (changed.length === 0) return;
    const spans = changed.map((span) => span.row());
    for (const span of changed) span.changed = false;
    try {
      await journal.write({ kind: 'gateway-load', boot, spans });
    } catch (error) {
      for (const span of changed) span.changed = true;
      log.error({ err: error }, 'The load of the gateway could not be recorded; trying again in a minute.');
    }
  }
}

/** One minute, or one quarter of an hour. */
class Span {
  changed = false;
  readonly endMs: number;
  readonly #place: Pick<LoadSpan, 'widthMs' | 'atMs'>;
  readonly #firstTokens = new RunCounts();
  readonly #pods = new Map<string, [healthy: number, unhealthy: number, drained: number]>();
  #looks = 0;
  #queued = 0;
  #busySlots = 0;
  #slots = 0;
  #failed = 0;
  #charged = 0n;

  constructor(widthMs: number, atMs: number) {
    this.#place = { widthMs, atMs };
    this.endMs = atMs + widthMs;
  }

  look(queued: number, pods: readonly SeenPod[]): void {
    this.changed = true;
    this.#looks++;
    this.#queued += queued;
    for (const { pod, standing, slots } of pods) {
      const counts = this.#pods.get(pod) ?? [0, 0, 0];
      this.#pods.set(pod, counts);
      counts[standing === 'healthy' ? 0 : standing === 'unhealthy' ? 1 : 2]++;
      if (standing !== 'healthy') continue;
      this.#busySlots += slots.busy;
      this.#slots += slots.allowed;
    }
  }

  take({ status, charge, firstTokenMs, queueMs }: EndedOrder): void {
    this.changed = true;
    if (status === 'error') this.#failed++;
    if (charge) this.#charged += charge.charged;
    if (firstTokenMs === null || queueMs === null) return;
    const ms = Math.max(0, firstTokenMs - queueMs);
    this.#firstTokens.add({ waitMs: null, bidOverLevel: 1, firstTokenMs: ms, tokensPerSecond: null });
  }

  row(): LoadSpan {
    return {
      ...this.#place,
      looks: this.#looks,
      queued: this.#queued,
      busySlots: this.#busySlots,
      slots: this.#slots,
      failed: this.#failed,
      charged: this.#charged,
      firstTokens: this.#firstTokens.pack(),
      pods: Object.fromEntries(this.#pods),
    };
  }
}
