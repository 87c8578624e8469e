/**
 * What happens in a gateway, counted: the counters and histograms, by model and by account. Nothing here waits, throws or
 * grows with traffic. A series begins at 0, so that the first increase is seen as one.
 */
import { type FaultCode, catalogue as faults } from '#base/fault.ts';
import type { OrderKind } from '#orders/order.ts';
import type { EndedCharge, EndedOrder } from '#orders/order-facts.ts';
import type { AttemptOutcome } from '#orders/ports.ts';
import { ATTEMPT_ERRORS } from '../ports.ts';
import type { MetricName } from './catalogue.ts';
import { type Counter, type Histogram, type Labels, SeriesTable } from './series.ts';

/** Amounts are counted in nano-dollars and shown in dollars. */
const NANO = 1e9;

/** The words of the convention: every conversation is a chat, whatever its wire shape. */
type Operation = 'chat' | 'text_completion';

/** Counts of one model, changed in a microsecond for each order. */
class ModelCounts {
  readonly #ends: (kind: OrderKind) => EndCounters;
  readonly #operation: (operation: Operation) => OperationCounts;
  /** By error; null for none. */
  readonly #attempts: (error: string | null) => Histogram;
  readonly #queue: Histogram;
  readonly #pipeline: Histogram;
  readonly #charged: Counter;
  readonly #writtenOff: Counter;
  readonly #aboveBounds: Counter;
  readonly #estimated: Counter;

  constructor(model: string, series: SeriesTable) {
    const named = (operation: Operation) => ({ gen_ai_operation_name: operation, gen_ai_request_model: model });
    this.#ends = once((kind) => endCounters(series, 'sluice_orders_total', { model, kind }));
    this.#operation = once((operation) => operationCounts(series, named(operation)));
    this.#attempts = once((error_type) =>
      series.histogram('gen_ai_client_operation_duration_seconds', { ...named('chat'), error_type }),
    );
    this.#queue = series.histogram('sluice_order_queue_seconds', { model });
    this.#pipeline = series.histogram('sluice_order_pipeline_seconds', { model });
    this.#charged = series.counter('sluice_revenue_usd_total', { model }, NANO);
    this.#writtenOff = series.counter('sluice_written_off_usd_total', { model }, NANO);
    this.#aboveBounds = series.counter('sluice_above_bounds_usd_total', { model }, NANO);
    this.#estimated = series.counter('sluice_estimated_usage_total', { model });
  }

  ended(order: EndedOrder): void {
    this.#ends(order.kind)[order.status].value++;
    if (order.queueMs !== null) this.#queue.observe(order.queueMs / 1000);
    if (order.pipelineMs !== null) this.#pipeline.observe(order.pipelineMs / 1000);
    const counts = this.#operation(order.kind === 'completion' ? 'text_completion' : 'chat');
    if (order.attended) counts.durations(order.error).observe(order.allMs / 1000);
    if (order.charge) this.#settled(order, order.charge, counts);
  }

  /** An attempt on one of its pods has ended. */
  attempted(outcome: AttemptOutcome['kind'], ms: number): void {
    this.#attempts(ATTEMPT_ERRORS[outcome]).observe(ms / 1000);
  }

  #settled(order: EndedOrder, charge: EndedCharge, counts: OperationCounts): void {
    const { tokens, charged, writtenOff, aboveBound, estimated } = charge;
    this.#charged.value += Number(charged);
    this.#writtenOff.value += Number(writtenOff - aboveBound);
    this.#aboveBounds.value += Number(aboveBound);
    if (estimated) this.#estimated.value++;
    counts.input.observe(tokens.uncached + tokens.cached);
    counts.output.observe(tokens.output);
    const { firstTokenMs, allMs, attended } = order;
    if (firstTokenMs === null) return;
    if (attended) counts.firstToken.observe(firstTokenMs / 1000);
    if (tokens.output > 1) counts.perToken.observe(Math.max(0, allMs - firstTokenMs) / 1000 / (tokens.output - 1));
  }
}

function operationCounts(series: SeriesTable, named: Labels) {
  const tokens = (gen_ai_token_type: string) =>
    series.histogram('gen_ai_client_token_usage', { ...named, gen_ai_token_type });
  return {
    firstToken: series.histogram('gen_ai_server_time_to_first_token_seconds', named),
    perToken: series.histogram('gen_ai_server_time_per_output_token_seconds', named),
    input: tokens('input'),
    output: tokens('output'),
    /** By error; null for none. */
    durations: once((error_type: string | null) =>
      series.histogram('gen_ai_server_request_duration_seconds', { ...named, error_type }),
    ),
  };
}

/** Orders of one operation. */
type OperationCounts = ReturnType<typeof operationCounts>;

/** Counts of one account. */
class AccountCounts {
  readonly #ends: EndCounters;
  readonly #input: Counter;
  readonly #output: Counter;
  readonly #charged: Counter;

  /** `account` is its id. */
  constructor(account: string, series: SeriesTable) {
    const tokens = (gen_ai_token_type: string) =>
      series.counter('sluice_account_tokens_total', { account, gen_ai_token_type });
    this.#ends = endCounters(series, 'sluice_account_orders_total', { account });
    this.#input = tokens('input');
    this.#output = tokens('output');
    this.#charged = series.counter('sluice_account_revenue_usd_total', { account }, NANO);
  }

  ended({ status, charge }: EndedOrder): void {
    this.#ends[status].value++;
    if (!charge) return;
    this.#charged.value += Number(charge.charged);
    this.#input.value += charge.tokens.uncached + charge.tokens.cached;
    this.#output.value += charge.tokens.output;
  }
}

type EndCounters = Readonly<Record<EndedOrder['status'], Counter>>;

function endCounters(series: SeriesTable, name: MetricName, labels: Labels): EndCounters {
  const counter = (status: string) => series.counter(name, { ...labels, status });
  return { done: counter('done'), error: counter('error'), expired: counter('expired'), canceled: counter('canceled') };
}

/** What `make` returns for a key, made when it is first asked for. */
function once<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new Map<Key, Made>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}

/** The counts since the start. */
export class GatewayCounts {
  readonly #series = new SeriesTable();
  /** Only models of the configuration get here, now or after a change of it. */
  readonly #model = once((id: string) => new ModelCounts(id, this.#series));
  readonly #accounts: ReadonlyMap<string, AccountCounts>;
  readonly #refusals = new Map(
    Object.keys(faults).map((code) => [code, this.#series.counter('sluice_refusals_total', { code })]),
  );
  readonly #commits = this.#series.histogram('sluice_journal_commit_seconds', {});

  /** `models`: those that are sold. `accounts`: the ids of those that have series of their own. */
  constructor(models: readonly string[], accounts: readonly string[] = []) {
    for (const model of models) this.#model(model);
    this.#accounts = new Map(accounts.map((account) => [account, new AccountCounts(account, this.#series)]));
  }

  /** An order of a customer has ended. */
  readonly ended = (order: EndedOrder): void => {
    this.#model(order.model).ended(order);
    this.#accounts.get(order.account)?.ended(order);
  };

  readonly attempted = (model: string, outcome: AttemptOutcome['kind'], ms: number): void =>
    this.#model(model).attempted(outcome, ms);

  readonly refused = (code: FaultCode): void => {
    const counter = this.#refusals.get(code);
    if (counter) counter.value++;
  };

  /** A transaction of the journal has committed. */
  readonly committed = (ms: number): void => this.#commits.observe(ms / 1000);

  /** The requests that were answered with an error, by its code; only codes that occurred. */
  refusals(): readonly { readonly code: string; readonly requests: number }[] {
    return [...this.#refusals].flatMap(([code, { value }]) => (value > 0 ? [{ code, requests: value }] : []));
  }

  /** The lines of one metric, counted when they are read; none for a metric that is not counted here. */
  lines(name: MetricName): Iterable<string> {
    return this.#series.lines(name);
  }
}
