/**
 * Traces: decides which requests and orders are followed, and follows them with spans of OpenTelemetry. Loaded only
 * where a collector is configured. A request that is not sampled costs an id and a comparison.
 */
import { ROOT_CONTEXT, type Span, type SpanContext, TraceFlags } from '@opentelemetry/api';
import { SamplingDecision, type SpanExporter, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import type { FaultCode } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import type { SamplingSettings } from '#base/trace-settings.ts';
import type { TraceHeaders } from '#orders/order-facts.ts';
import type { RequestTrace } from '#orders/request.ts';
import { isOurFault, OrderSpans } from './order-spans.ts';
import { endSpan, headerOf, headersOf, type SpanCounts, SpanQueue, Spans, type SpansOptions } from './spans.ts';

interface TracesOptions extends Omit<SpansOptions, 'processor'> {
  readonly sampling: SamplingSettings;
  readonly exporter: SpanExporter;
  readonly log: Log;
}

/** A request that has just come. */
interface BegunRequest {
  readonly method: string;
  /** Its parent; null if its caller keeps no trace. */
  readonly parent: TraceHeaders | null;
  readonly atMs: number;
}

/** How it ended. */
interface EndedRequest {
  /** The address as the contract has it, with its parameters in braces; null for an unknown one. */
  readonly route: string | null;
  /** Null without a response. */
  readonly status: number | null;
  /** The fault that it was answered with; null for none. */
  readonly fault: FaultCode | null;
  /** The order in the reply; null for none. */
  readonly orderId: string | null;
  /** Whether the caller disconnected before the response was complete. */
  readonly gone: boolean;
  readonly atMs: number;
}

/** Any other method could create an unbounded number of names. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The traces of this process. */
export class Traces {
  readonly #samples: Sampler;
  readonly #queue: SpanQueue;
  readonly #spans: Spans;

  constructor({ sampling, exporter, resource, clock, log }: TracesOptions) {
    this.#samples = samplerOf(sampling);
    this.#queue = new SpanQueue({ exporter, clock, log });
    this.#spans = new Spans({ processor: this.#queue, resource, clock });
  }

  /** The outcome of the spans that ended. */
  get counts(): SpanCounts {
    return this.#queue.counts;
  }

  /**
   * Returns the trace of the request from here on, whether anything of it is kept or not, and what its order is given; and
   * what is to be called when it has ended.
   */
  begun({ method, parent, atMs }: BegunRequest) {
    const { ids } = this.#spans;
    const caller = parent && contextOf(parent);
    const traceId = caller?.traceId ?? ids.traceId();
    if (!this.#samples(traceId, caller && caller.traceFlags === TraceFlags.SAMPLED)) {
      const traceparent = headerOf(traceId, caller?.spanId ?? ids.spanId(), false);
      const context = { traceparent, tracestate: parent?.tracestate ?? null };
      return { trace: { context, follower: null }, ended: (_end: EndedRequest) => {} };
    }
    const known = METHODS.has(method);
    const attributes = { 'http.request.method': known ? method : '_OTHER' };
    const [name, kind] = [known ? method : 'HTTP', 'SERVER'] as const;
    const span = this.#spans.start({ name, kind, parent: caller ?? traceId, atMs, attributes });
    const tracestate = parent?.tracestate ?? null;
    const follower = new OrderSpans(this.#spans, { span, tracestate }, ids.traceId());
    return {
      trace: { context: headersOf(span, tracestate), follower },
      ended: (end: EndedRequest) => endRequest(span, name, end),
    };
  }

  /** The trace of an order that no request of this process asks for. */
  newTrace(): RequestTrace {
    const traceId = this.#spans.ids.traceId();
    const follower = this.#samples(traceId, null) ? new OrderSpans(this.#spans, null, traceId) : null;
    const context = { traceparent: headerOf(traceId, this.#spans.ids.spanId(), false), tracestate: null };
    return { requestId: null, context, follower };
  }

  /** Exports what has ended, for at most `limitMs`. */
  close(limitMs: number): Promise<void> {
    return this.#queue.close(limitMs);
  }
}

/** The caller's trace as its header names it, which is well-formed. */
function contextOf({ traceparent }: TraceHeaders): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}

function endRequest(span: Span, name: string, { route, status, fault, orderId, gone, atMs }: EndedRequest): void {
  const error = fault ?? (gone ? 'client_closed' : undefined);
  if (route !== null) span.updateName(`${name} ${route}`);
  endSpan(span, {
    atMs,
    attributes: {
      'http.route': route ?? undefined,
      'http.response.status_code': status ?? undefined,
      'error.type': error,
      'sluice.order.id': orderId ?? undefined,
    },
    failed: error !== undefined && isOurFault(error),
  });
}

/** Whether a trace is kept. `byParent`: what the caller decided; null where it keeps no trace. */
type Sampler = (traceId: string, byParent: boolean | null) => boolean;

/** The share is taken by the trace's id, so that all services with the same one keep the same traces. */
export function samplerOf({ parentBased, ratio }: SamplingSettings): Sampler {
  const byId = new TraceIdRatioBasedSampler(ratio);
  const isChosen = (traceId: string) =>
    byId.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED;
  return (traceId, byParent) => (parentBased && byParent !== null ? byParent : isChosen(traceId));
}
