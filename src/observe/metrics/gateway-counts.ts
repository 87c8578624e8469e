/** What happens in a gateway, counted: the counters and histograms. Nothing here waits, throws or grows with traffic. */
import { type FaultCode, catalogue as faults } from '#base/fault.ts';
import type { EndedOrder } from '#orders/order-facts.ts';
import type { AttemptOutcome } from '#orders/ports.ts';
import { type MetricName, metricCatalogue } from './catalogue.ts';
import { Histogram } from './histogram.ts';
import { ModelCounts } from './model-counts.ts';
import { type Family, labelText, sampleLine } from './text.ts';

/** Counters that their parts keep themselves: `gauges.ts` reads them. */
const READ_LATER: ReadonlySet<MetricName> = new Set([
  'sluice_pod_attempts_total',
  'sluice_spans_total',
  'sluice_webhook_attempts_total',
]);

/** The counts since the start. */
export class GatewayCounts {
  readonly #models: Map<string, ModelCounts>;
  readonly #accounts: ReadonlyMap<string, AccountCounts>;
  readonly #refusals = new Map<string, number>(Object.keys(faults).map((code) => [code, 0]));
  readonly #commits = new Histogram(metricCatalogue.sluice_journal_commit_seconds.buckets);

  /** `models`: those that are sold. `accounts`: the ids of those that have series of their own. */
  constructor(models: readonly string[], accounts: readonly string[] = []) {
    this.#accounts = new Map(accounts.map((account) => [account, new AccountCounts(account)]));
    this.#models = new Map(models.map((model) => [model, new ModelCounts(model)]));
  }

  /** An order of a customer has ended. */
  readonly ended = (order: EndedOrder): void => {
    this.#model(order.model).ended(order);
    this.#accounts.get(order.account)?.ended(order);
  };

  /** An attempt on a pod has ended. */
  readonly attempted = (model: string, outcome: AttemptOutcome['kind'], ms: number): void =>
    this.#model(model).attempted(outcome, ms);

  /** A request was answered with an error. */
  readonly refused = (code: FaultCode): void => void this.#refusals.set(code, (this.#refusals.get(code) ?? 0) + 1);

  /** A transaction of the journal has committed. */
  readonly committed = (ms: number): void => this.#commits.observe(ms / 1000);

  /** The requests that were answered with an error, by its code; those codes that there were. */
  refusals(): readonly { readonly code: string; readonly requests: number }[] {
    return [...this.#refusals].flatMap(([code, requests]) => (requests > 0 ? [{ code, requests }] : []));
  }

  /** One metric, with what is counted when its lines are read; null for a metric that is not counted. */
  family(name: MetricName): Family | null {
    if (name === 'sluice_refusals_total') return { name, lines: this.#refusalLines(name) };
    if (name === 'sluice_journal_commit_seconds') return { name, lines: [this.#commits.text(name, '')] };
    if (metricCatalogue[name].type === 'gauge' || READ_LATER.has(name)) return null;
    const of = metricCatalogue[name].labels.some((label) => label === 'account') ? this.#accounts : this.#models;
    return { name, lines: linesOf(name, of.values()) };
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

function* linesOf(name: MetricName, all: Iterable<AccountCounts | ModelCounts>): Iterable<string> {
  for (const counts of all) yield* counts.lines(name);
}

/** Counts of one account. Every series of it begins at 0. */
class AccountCounts {
  readonly #account: string;
  readonly #ends: Record<EndedOrder['status'], number> = { done: 0, error: 0, expired: 0, canceled: 0 };
  readonly #tokens = { input: 0, output: 0 };
  #chargedNano = 0;

  /** `account` is its id. */
  constructor(account: string) {
    this.#account = account;
  }

  /** An order of it has ended. */
  ended({ status, charge }: EndedOrder): void {
    this.#ends[status]++;
    if (!charge) return;
    this.#chargedNano += Number(charge.charged);
    this.#tokens.input += charge.tokens.uncached + charge.tokens.cached;
    this.#tokens.output += charge.tokens.output;
  }

  /** The lines of one metric of this account; none for a metric that is not of accounts. */
  *lines(name: MetricName): Iterable<string> {
    const account = this.#account;
    switch (name) {
      case 'sluice_account_orders_total':
        for (const [status, count] of Object.entries(this.#ends))
          yield sampleLine(name, labelText({ account, status }), count);
        return;
      case 'sluice_account_tokens_total':
        for (const [gen_ai_token_type, count] of Object.entries(this.#tokens))
          yield sampleLine(name, labelText({ account, gen_ai_token_type }), count);
        return;
      case 'sluice_account_revenue_usd_total':
        yield sampleLine(name, labelText({ account }), this.#chargedNano / 1e9);
    }
  }
}
