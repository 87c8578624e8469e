/** What is counted of one model. Every series of it begins at 0, so that the first increase is seen as one. */

import type { OrderKind } from '#orders/order.ts';
import type { EndedCharge, EndedOrder } from '#orders/order-facts.ts';
import type { AttemptOutcome } from '#orders/ports.ts';
import { ATTEMPT_ERRORS } from '../attempt-errors.ts';
import { type MetricName, metricCatalogue } from './catalogue.ts';
import { Histogram } from './histogram.ts';
import { labelText, sampleLine } from './text.ts';

const STATUSES = ['done', 'error', 'expired', 'canceled'] as const;

/** The words of the convention: every conversation is a chat, whatever its wire shape. */
type Operation = 'chat' | 'text_completion';

/** Orders of one operation. */
class OperationCounts {
  readonly firstToken = new Histogram(metricCatalogue.gen_ai_server_time_to_first_token_seconds.buckets);
  readonly perToken = new Histogram(metricCatalogue.gen_ai_server_time_per_output_token_seconds.buckets);
  readonly input = new Histogram(metricCatalogue.gen_ai_client_token_usage.buckets);
  readonly output = new Histogram(metricCatalogue.gen_ai_client_token_usage.buckets);
  /** By error; null for none. */
  readonly durations = new Map<string | null, Histogram>();
}

/** Counts of one model, changed in a microsecond for each order. */
export class ModelCounts {
  readonly model: string;
  readonly #ends = new Map<OrderKind, Record<EndedOrder['status'], number>>();
  readonly #operations = new Map<Operation, OperationCounts>();
  readonly #attempts = new Map<string | null, Histogram>();
  readonly #queue = new Histogram(metricCatalogue.sluice_order_queue_seconds.buckets);
  readonly #pipeline = new Histogram(metricCatalogue.sluice_order_pipeline_seconds.buckets);
  #chargedNano = 0;
  #writtenOffNano = 0;
  #aboveBoundsNano = 0;
  #estimated = 0;

  constructor(model: string) {
    this.model = model;
  }

  /** An order of it has ended. */
  ended(order: EndedOrder): void {
    const ends = this.#ends.get(order.kind) ?? { done: 0, error: 0, expired: 0, canceled: 0 };
    this.#ends.set(order.kind, ends);
    ends[order.status]++;
    if (order.queueMs !== null) this.#queue.observe(order.queueMs / 1000);
    if (order.pipelineMs !== null) this.#pipeline.observe(order.pipelineMs / 1000);
    const counts = this.#operation(order.kind);
    if (order.attended) durationOf(counts.durations, order.error, 'server').observe(order.allMs / 1000);
    if (order.charge) this.#settled(order, order.charge, counts);
  }

  /** An attempt on one of its pods has ended. */
  attempted(outcome: AttemptOutcome['kind'], ms: number): void {
    durationOf(this.#attempts, ATTEMPT_ERRORS[outcome], 'client').observe(ms / 1000);
  }

  /** The lines of one metric of this model; none for a metric that is not of models, or has nothing yet. */
  *lines(name: MetricName): Iterable<string> {
    const model = { model: this.model };
    switch (name) {
      case 'sluice_orders_total':
        for (const [kind, ends] of this.#ends)
          for (const status of STATUSES) yield sampleLine(name, labelText({ ...model, kind, status }), ends[status]);
        return;
      case 'sluice_order_queue_seconds':
        yield this.#queue.text(name, labelText(model));
        return;
      case 'sluice_order_pipeline_seconds':
        yield this.#pipeline.text(name, labelText(model));
        return;
      case 'sluice_revenue_usd_total':
        yield sampleLine(name, labelText(model), this.#chargedNano / 1e9);
        return;
      case 'sluice_written_off_usd_total':
        yield sampleLine(name, labelText(model), this.#writtenOffNano / 1e9);
        return;
      case 'sluice_above_bounds_usd_total':
        yield sampleLine(name, labelText(model), this.#aboveBoundsNano / 1e9);
        return;
      case 'sluice_estimated_usage_total':
        yield sampleLine(name, labelText(model), this.#estimated);
        return;
      case 'gen_ai_client_operation_duration_seconds':
        for (const [error_type, times] of this.#attempts) yield times.text(name, this.#named('chat', { error_type }));
        return;
      default:
        yield* this.#operationLines(name);
    }
  }

  *#operationLines(name: MetricName): Iterable<string> {
    for (const [operation, counts] of this.#operations) {
      const { firstToken, perToken, input, output, durations } = counts;
      switch (name) {
        case 'gen_ai_server_request_duration_seconds':
          for (const [error_type, times] of durations) yield times.text(name, this.#named(operation, { error_type }));
          break;
        case 'gen_ai_server_time_to_first_token_seconds':
          yield firstToken.text(name, this.#named(operation));
          break;
        case 'gen_ai_server_time_per_output_token_seconds':
          yield perToken.text(name, this.#named(operation));
          break;
        case 'gen_ai_client_token_usage':
          yield input.text(name, this.#named(operation, { gen_ai_token_type: 'input' }));
          yield output.text(name, this.#named(operation, { gen_ai_token_type: 'output' }));
      }
    }
  }

  #named(operation: Operation, more: Parameters<typeof labelText>[0] = {}): string {
    return labelText({ gen_ai_operation_name: operation, gen_ai_request_model: this.model, ...more });
  }

  #operation(kind: OrderKind): OperationCounts {
    const operation = kind === 'completion' ? 'text_completion' : 'chat';
    const counts = this.#operations.get(operation) ?? new OperationCounts();
    this.#operations.set(operation, counts);
    return counts;
  }

  #settled(order: EndedOrder, charge: EndedCharge, counts: OperationCounts): void {
    const { tokens, charged, writtenOff, aboveBound, estimated } = charge;
    this.#chargedNano += Number(charged);
    this.#writtenOffNano += Number(writtenOff - aboveBound);
    this.#aboveBoundsNano += Number(aboveBound);
    if (estimated) this.#estimated++;
    counts.input.observe(tokens.uncached + tokens.cached);
    counts.output.observe(tokens.output);
    const { firstTokenMs, allMs, attended } = order;
    if (firstTokenMs === null) return;
    if (attended) counts.firstToken.observe(firstTokenMs / 1000);
    if (tokens.output > 1) counts.perToken.observe(Math.max(0, allMs - firstTokenMs) / 1000 / (tokens.output - 1));
  }
}

const DURATION_BOUNDS = {
  client: metricCatalogue.gen_ai_client_operation_duration_seconds.buckets,
  server: metricCatalogue.gen_ai_server_request_duration_seconds.buckets,
};

function durationOf(
  durations: Map<string | null, Histogram>,
  error: string | null,
  side: keyof typeof DURATION_BOUNDS,
): Histogram {
  const known = durations.get(error);
  if (known) return known;
  const histogram = new Histogram(DURATION_BOUNDS[side]);
  durations.set(error, histogram);
  return histogram;
}
