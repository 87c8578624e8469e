/** Makes spans with the names and attributes of the catalogue. Times are those of the gateway's clock. */
import {
  type Attributes,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import {
  AlwaysOnSampler,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
  TracerProvider,
  type TracerProviderOptions,
} from '@opentelemetry/sdk-trace';
import { type Clock, type Timer, waitAtMost } from '#base/clock.ts';
import { type TraceIds, traceIds } from '#base/id.ts';
import type { Log } from '#base/log.ts';
import type { TraceHeaders } from '#orders/order-facts.ts';
import type { SpanAttributes } from './catalogue.ts';

interface SpanStart {
  readonly name: string;
  /** Default: INTERNAL. */
  readonly kind?: 'SERVER' | 'CLIENT';
  /** The parent span. A string is a trace id: the span begins that trace. */
  readonly parent: Span | SpanContext | string;
  readonly atMs: number;
  readonly attributes?: SpanAttributes;
  readonly link?: SpanContext | undefined;
}

interface SpanEnd {
  readonly atMs: number;
  readonly attributes?: SpanAttributes;
  /** Whether something failed that should not have. */
  readonly failed?: boolean;
}

/** What `Spans` needs. */
export interface SpansOptions {
  /** Receives each span that ends. */
  readonly processor: SpanProcessor;
  /** The name of the gateway. */
  readonly resource: NonNullable<TracerProviderOptions['resource']>;
  readonly clock: Clock;
}

/** Makes spans, all of which are sampled. */
export class Spans {
  readonly ids: TraceIds = traceIds();
  readonly #tracer: Tracer;
  readonly #clock: Clock;
  /** What the tracer is given when it asks for an id, which it does while it starts a span without a parent. */
  #traceId = '';

  constructor({ processor, resource, clock }: SpansOptions) {
    const idGenerator = { generateTraceId: () => this.#traceId, generateSpanId: () => this.ids.spanId() };
    const settings = { idGenerator, resource, sampler: new AlwaysOnSampler(), spanProcessors: [processor] };
    this.#tracer = new TracerProvider(settings).getTracer('sluice');
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  start({ name, kind, parent, atMs, attributes = {}, link }: SpanStart): Span {
    if (typeof parent === 'string') this.#traceId = parent;
    const links: Link[] = link ? [{ context: link }] : [];
    const options = { kind: kind ? SpanKind[kind] : SpanKind.INTERNAL, startTime: atMs, links };
    return this.#tracer.startSpan(name, { ...options, attributes: definedOf(attributes) }, contextOf(parent));
  }

  /** A span that is over. */
  whole(start: SpanStart, end: SpanEnd): void {
    endSpan(this.start(start), { ...end, atMs: Math.max(start.atMs, end.atMs) });
  }
}

/** Ends a span. */
export function endSpan(span: Span, { atMs, attributes = {}, failed = false }: SpanEnd): void {
  describeSpan(span, attributes, failed);
  span.end(atMs);
}

/** Adds to a span that may go on. */
export function describeSpan(span: Span, attributes: SpanAttributes, failed: boolean): void {
  span.setAttributes(definedOf(attributes));
  if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
}

/** The headers that make `span` the parent of what is done elsewhere. */
export function headersOf(span: Span, tracestate: string | null): TraceHeaders {
  const { traceId, spanId } = span.spanContext();
  return { traceparent: headerOf(traceId, spanId, true), tracestate };
}

/** The header `traceparent`. */
export function headerOf(traceId: string, spanId: string, sampled: boolean): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

function contextOf(parent: SpanStart['parent']) {
  if (typeof parent === 'string') return ROOT_CONTEXT;
  return 'spanContext' in parent ? trace.setSpan(ROOT_CONTEXT, parent) : trace.setSpanContext(ROOT_CONTEXT, parent);
}

function definedOf(attributes: SpanAttributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

/** The defaults of OpenTelemetry. */
const WAITING_MAX = 2048;
const BATCH_SPANS = 512;
const DELAY_MS = 5_000;

interface SpanQueueOptions {
  readonly exporter: Pick<SpanExporter, 'export' | 'shutdown'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The outcome of the spans that ended. */
export interface SpanCounts {
  /** The collector took them. */
  readonly sent: number;
  /** It did not: it was away, slow, or refused them. */
  readonly failed: number;
  /** Too many waited. */
  readonly dropped: number;
}

/**
 * Spans that wait to be exported: as many as a constant says, the rest is dropped and counted. One export runs at a time;
 * nobody waits for it. A collector that fails or hangs costs one line of log, and one when it is back.
 */
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
   * Exports waiting spans for at most `limitMs`. Spans that remain, fail or come later are given up and counted. Call
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
      const { failed, dropped } = this.#counts;
      if (this.#isFailing) this.#options.log.info({ failed, dropped }, 'The collector takes traces again.');
      this.#isFailing = false;
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
}
