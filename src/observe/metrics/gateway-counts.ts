/** What happens in a gateway, counted: the counters and histograms. Nothing here waits, throws or grows with traffic. */
import { type FaultCode, catalogue as faults } from '#base/fault.ts';
import type { EndedOrder } from '#orders/ended-order.ts';
import type { AttemptOutcome } from '#orders/ports.ts';
import { type MetricName, metricCatalogue } from './catalogue.ts';
import { Histogram } from './histogram.ts';
import { ModelCounts } from './model-counts.ts';
import { type Family, labelText, sampleLine } from './text.ts';

/** The counts since the start. */
export class GatewayCounts {
  readonly #models: Map<string, ModelCounts>;
  readonly #refusals = new Map<string, number>(Object.keys(faults).map((code) => [code, 0]));
  readonly #commits = new Histogram(metricCatalogue.sluice_journal_commit_seconds.buckets);

  /** `models`: those that are sold. */
  constructor(models: readonly string[]) {
    this.#models = new Map(models.map((model) => [model, new ModelCounts(model)]));
  }

  /** An order of a customer has ended. */
  readonly ended = (order: EndedOrder): void => this.#model(order.model).ended(order);

  /** An attempt on a pod has ended. */
  readonly attempted = (model: string, outcome: AttemptOutcome['kind'], ms: number): void =>
    this.#model(model).attempted(outcome, ms);

  /** A request was answered with an error. */
  readonly refused = (code: FaultCode): void => void this.#refusals.set(code, (this.#refusals.get(code) ?? 0) + 1);

  /** A transaction of the journal has committed. */
  readonly committed = (ms: number): void => this.#commits.observe(ms / 1000);

  /** One metric, with what is counted when its lines are read; null for a metric that is not counted. */
  family(name: MetricName): Family | null {
    if (name === 'sluice_refusals_total') return { name, lines: this.#refusalLines(name) };
    if (name === 'sluice_journal_commit_seconds') return { name, lines: [this.#commits.text(name, '')] };
    if (metricCatalogue[name].type === 'gauge' || name === 'sluice_pod_attempts_total') return null;
    return { name, lines: this.#modelLines(name) };
  }

  *#modelLines(name: MetricName): Iterable<string> {
    for (const counts of this.#models.values()) yield* counts.lines(name);
  }

  *#refusalLines(name: MetricName): Iterable<string> {
    for (const [code, count] of this.#refusals) yield sampleLine(name, labelText({ code }), count);
  }

  /** Only models of the configuration get here, now or after a change of it. */
  #model(id: string): ModelCounts {
    const known = this.#models.get(id);
    if (known) return known;
    const counts = new ModelCounts(id);
    this.#models.set(id, counts);
    return counts;
  }
}
