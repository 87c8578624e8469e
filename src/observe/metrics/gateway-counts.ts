/** What happens in a gateway, counted: the counters and histograms. Nothing here waits, throws or grows with traffic. */
import { type FaultCode, catalogue as faults } from '#base/fault.ts';
import type { EndedOrder } from '#orders/order-facts.ts';
import type { AttemptOutcome } from '#orders/ports.ts';
import type { MetricName } from './catalogue.ts';
import { AccountCounts, ModelCounts } from './model-counts.ts';
import { SeriesTable } from './series.ts';

/** The counts since the start. */
export class GatewayCounts {
  readonly #series = new SeriesTable();
  readonly #models = new Map<string, ModelCounts>();
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

  /** The requests that were answered with an error, by its code; those codes that there were. */
  refusals(): readonly { readonly code: string; readonly requests: number }[] {
    return [...this.#refusals].flatMap(([code, { value }]) => (value > 0 ? [{ code, requests: value }] : []));
  }

  /** The lines of one metric, counted when they are read; none for a metric that is not counted here. */
  lines(name: MetricName): Iterable<string> {
    return this.#series.lines(name);
  }

  /** Only models of the configuration get here, now or after a change of it. */
  #model(id: string): ModelCounts {
    const known = this.#models.get(id);
    if (known) return known;
    const counts = new ModelCounts(id, this.#series);
    this.#models.set(id, counts);
    return counts;
  }
}
