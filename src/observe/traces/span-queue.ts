/**
 * Spans that wait to be exported: as many as a constant says, the rest is dropped and counted. One export runs at a
 * time; nobody waits for it. A collector that fails or hangs costs one line of log, and one when it is back.
 */
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import { type Clock, type Timer, waitAtMost } from '#base/clock.ts';
import type { Log } from '#base/log.ts';

/** The defaults of OpenTelemetry. */
const WAITING_MAX = 2048;
const BATCH_SPANS = 512;
const DELAY_MS = 5_000;

interface SpanQueueOptions {
  readonly exporter: Pick<SpanExporter, 'export' | 'shutdown'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** What became of the spans that ended. */
export interface SpanCounts {
  /** The collector took them. */
  readonly sent: number;
  /** It did not: it was away, slow, or refused them. */
  readonly failed: number;
  /** Too many waited. */
  readonly dropped: number;
}

/** The queue in front of an exporter. */
export class SpanQueue implements SpanProcessor {
  readonly #options: SpanQueueOptions;
  readonly #counts = { sent: 0, failed: 0, dropped: 0 };
  #waiting: ReadableSpan[] = [];
  #timer: Timer | null = null;
  #sending = false;
  /** Whether the last export failed, or spans were dropped since. */
  #isFailing = false;
  #closed = false;
  /** Resolves when nothing waits any more; null unless the queue closes. */
  #closing: PromiseWithResolvers<void> | null = null;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
  }

  get counts(): SpanCounts {
    return this.#counts;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.#closed || this.#waiting.length >= WAITING_MAX) {
      this.#counts.dropped++;
      if (!this.#closed) this.#noteFailure('more spans ended than could be exported');
      return;
    }
    this.#waiting.push(span);
    this.#next();
  }

  /**
   * Exports what waits, for at most `limitMs`; what is left then, fails, or comes later, is given up and counted. Call
   * once.
   */
  async close(limitMs: number): Promise<void> {
    this.#closing = Promise.withResolvers<void>();
    this.#next();
    await waitAtMost(this.#options.clock, limitMs, this.#closing.promise);
    this.#closed = true;
    this.#timer?.cancel();
    this.#counts.dropped += this.#waiting.length;
    this.#waiting = [];
    // It waits for an export that hangs, and for its repetitions.
    void this.#options.exporter.shutdown().catch(() => {});
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}

  #next(): void {
    if (this.#sending) return;
    const isDue = this.#closing !== null || this.#waiting.length >= BATCH_SPANS;
    if (this.#waiting.length === 0) this.#closing?.resolve();
    else if (isDue) this.#send();
    else this.#timer ??= this.#options.clock.after(DELAY_MS, () => this.#send());
  }

  #send(): void {
    this.#timer?.cancel();
    this.#timer = null;
    if (this.#sending || this.#waiting.length === 0) return;
    this.#sending = true;
    const batch = this.#waiting.splice(0, BATCH_SPANS);
    try {
      this.#options.exporter.export(batch, ({ code, error }) => this.#sent(batch.length, code === 0 ? null : error));
    } catch (error) {
      this.#sent(batch.length, error);
    }
  }

  /** `error`: null for none; undefined for one that is not known. */
  #sent(spans: number, error: unknown): void {
    this.#sending = false;
    if (error === null) {
      this.#counts.sent += spans;
      this.#noteSuccess();
    } else {
      this.#counts.failed += spans;
      this.#noteFailure(error instanceof Error ? error.message : String(error));
    }
    this.#next();
  }

  #noteFailure(cause: string): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#options.log.warn({ cause }, 'Traces are lost: the collector does not take them. Orders go on.');
  }

  #noteSuccess(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    const { failed, dropped } = this.#counts;
    this.#options.log.info({ failed, dropped }, 'The collector takes traces again.');
  }
}
