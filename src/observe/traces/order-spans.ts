/** The spans of one order: its waits, its attempts and its settlement, below the request or a span of its own. */
import type { Span } from '@opentelemetry/api';
import { catalogue as faults } from '#base/fault.ts';
import type { AttemptFollower, BegunAttempt, EndedAttempt, EndedOrder, OrderFollower } from '#orders/order-facts.ts';
import { ATTEMPT_ERRORS } from '../ports.ts';
import type { SpanAttributes } from './catalogue.ts';
import { describeSpan, endSpan, headersOf, type Spans } from './spans.ts';

/** The request that an order came with. */
interface RequestParent {
  readonly span: Span;
  /** The caller's, for pods. */
  readonly tracestate: string | null;
}

type ToldOrder = Pick<BegunAttempt, 'orderId' | 'model' | 'attended' | 'batchId' | 'bid' | 'createdAtMs'>;

/** Follows an order. */
export class OrderSpans implements OrderFollower {
  readonly #spans: Spans;
  readonly #request: RequestParent | null;
  readonly #traceId: string;
  /** The span of an order for which nobody waits. */
  #own: Span | null = null;

  /** `request`: null if no request of this process submitted it. `traceId`: of its own trace, if it gets one. */
  constructor(spans: Spans, request: RequestParent | null, traceId: string) {
    this.#spans = spans;
    this.#request = request;
    this.#traceId = traceId;
  }

  began(attempt: BegunAttempt): AttemptFollower {
    const { orderId, model, pod, queuedAtMs, admittedAtMs, bid } = attempt;
    const [parent, nowMs] = [this.#home(attempt), this.#spans.nowMs()];
    const id = { 'sluice.order.id': orderId };
    this.#spans.whole(
      { name: 'queue', parent, atMs: queuedAtMs, attributes: { ...id, 'sluice.order.bid': usd(bid) } },
      { atMs: admittedAtMs },
    );
    const admitted = { ...id, 'sluice.order.level': usd(attempt.price), 'sluice.pod': pod };
    this.#spans.whole({ name: 'admission', parent, atMs: admittedAtMs, attributes: admitted }, { atMs: nowMs });
    const attributes = {
      ...{ ...id, 'sluice.attempt': attempt.attempt, 'sluice.pod': pod },
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': model,
      'gen_ai.request.max_tokens': attempt.outputCap,
    };
    const span = this.#spans.start({ name: `chat ${model}`, kind: 'CLIENT', parent, atMs: nowMs, attributes });
    const tracestate = parent === this.#request?.span ? this.#request.tracestate : null;
    return { context: headersOf(span, tracestate), ended: (end) => endAttempt(span, nowMs, this.#spans.nowMs(), end) };
  }

  ended(order: EndedOrder): void {
    const { orderId, bid, error, status, charge, endedAtMs, waitedSinceMs } = order;
    const parent = this.#home(order);
    const [id, why] = [{ 'sluice.order.id': orderId }, { 'error.type': error ?? undefined }];
    const charged = { 'sluice.order.charged_usd': charge ? usd(charge.charged) : undefined };
    const nowMs = this.#spans.nowMs();
    if (waitedSinceMs === null) {
      const attributes = { ...id, ...charged, 'sluice.order.status': status };
      this.#spans.whole({ name: 'settlement', parent, atMs: endedAtMs, attributes }, { atMs: nowMs });
    } else {
      const attributes = { ...id, 'sluice.order.bid': usd(bid), ...why };
      this.#spans.whole({ name: 'queue', parent, atMs: waitedSinceMs, attributes }, { atMs: endedAtMs });
    }
    const level = order.price === null ? undefined : usd(order.price);
    const outcome = { ...charged, ...why, 'sluice.order.status': status, 'sluice.order.level': level };
    const failed = error !== null && isOurFault(error);
    // The request may be over: its caller left.
    if (parent === this.#own) endSpan(parent, { atMs: nowMs, attributes: outcome, failed });
    else if (parent.isRecording()) describeSpan(parent, { ...homeAttributes(order), ...outcome }, failed);
  }

  /** The parent of everything: the request if its caller waits for the order. */
  #home(order: ToldOrder): Span {
    if (this.#request && order.attended) return this.#request.span;
    this.#own ??= this.#spans.start({
      name: `order ${order.model}`,
      parent: this.#traceId,
      atMs: order.createdAtMs,
      link: this.#request?.span.spanContext(),
      attributes: homeAttributes(order),
    });
    return this.#own;
  }
}

function endAttempt(span: Span, beganAtMs: number, atMs: number, end: EndedAttempt): void {
  const { outcome, firstOutputAtMs, finishReason, usage } = end;
  const error = ATTEMPT_ERRORS[outcome];
  const firstMs = firstOutputAtMs === null ? null : Math.max(0, firstOutputAtMs - beganAtMs);
  const attributes = {
    'error.type': error ?? undefined,
    'gen_ai.response.finish_reasons': finishReason ? [finishReason] : undefined,
    'gen_ai.response.time_to_first_chunk': firstMs === null ? undefined : firstMs / 1000,
    'gen_ai.usage.input_tokens': usage?.promptTokens,
    'gen_ai.usage.cache_read.input_tokens': usage?.cachedTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
  };
  endSpan(span, { atMs, attributes, failed: error !== null && error !== 'aborted' });
}

function homeAttributes({ orderId, model, bid, batchId }: ToldOrder): SpanAttributes {
  return {
    'sluice.order.id': orderId,
    'sluice.order.model': model,
    'sluice.order.bid': usd(bid),
    'sluice.batch.id': batchId ?? undefined,
  };
}

/** Whether a code is not the caller's doing. Rows also have words that no request is answered with. */
export function isOurFault(code: string): boolean {
  const known: { readonly status: number } | undefined = Object.hasOwn(faults, code)
    ? faults[code as keyof typeof faults]
    : undefined;
  return known ? known.status >= 500 : code.startsWith('gateway_');
}

/** Exact enough for eyes; receipts have the whole amount. */
function usd(nano: bigint | number): number {
  return Number(nano) / 1e9;
}
