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
  type SpanProcessor,
  TracerProvider,
  type TracerProviderOptions,
} from '@opentelemetry/sdk-trace';
import type { Clock } from '#base/clock.ts';
import { type TraceIds, traceIds } from '#base/id.ts';
import type { TraceHeaders } from '#orders/order-facts.ts';
import type { SpanAttributes } from './catalogue.ts';

interface SpanStart {
  readonly name: string;
  /** Default: INTERNAL. */
  readonly kind?: 'SERVER' | 'CLIENT';
  /** A text: the id of the trace that begins with it. */
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
  /** Told of each span that ends. */
  readonly processor: SpanProcessor;
  /** What the gateway is called. */
  readonly resource: NonNullable<TracerProviderOptions['resource']>;
  readonly clock: Clock;
}

/** Makes spans, all of which are sampled. */
export class Spans {
  readonly ids: TraceIds = traceIds();
  readonly #tracer: Tracer;
  readonly #clock: Clock;
  /** What the tracer is told when it asks for an id, which it does while it starts a span without a parent. */
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
