/** What is read from the parts of a gateway when somebody asks; between two scrapes it costs nothing. */
import type { Listing } from '#market/listing.ts';
import type { MarketView } from '#market/ports.ts';
import type { LastAudit, MoneyTotals } from '../ports.ts';
import type { SpanCounts } from '../traces/spans.ts';
import type { MetricName } from './catalogue.ts';
import { type Labels, labelText, sampleLine } from './series.ts';

/** What is read, each part through a narrow interface. */
export interface GaugeParts {
  readonly listings: { readonly all: readonly Listing[] };
  readonly board: MarketView;
  readonly targetStartRate: number;
  readonly orderService: {
    countsByModel(): ReadonlyMap<string, { readonly queued: number; readonly executing: number }>;
    readonly waitingBytes: { readonly waiting: number };
  };
  readonly pods: {
    states(): readonly {
      readonly model: string;
      readonly pod: string;
      readonly healthy: boolean;
      readonly slots: { readonly allowed: number; readonly busy: number };
      readonly answers: number;
      readonly failures: number;
      readonly full: number;
      readonly refused: number;
      readonly aborted: number;
    }[];
  };
  readonly webhookCounts: { readonly delivered: number; readonly failed: number };
  readonly journal: { readonly pending: number; readonly stalled: boolean };
  readonly disk: { readonly freeBytes: number | null };
  readonly diskReserveBytes: number;
  /** Null where no traces are kept. */
  readonly traces: { readonly counts: SpanCounts } | null;
}

/** Figures that only the database knows. */
export interface SlowFacts {
  readonly money: MoneyTotals;
  /** Null before the first audit has come to its end. */
  readonly audit: LastAudit | null;
  /** Endpoints that were given up. */
  readonly webhooksDisabled: number;
}

/** Reads a metric that is not counted, as lines; nothing for what is not known, as `facts` may be. */
export function gaugeReader(parts: GaugeParts, facts: SlowFacts | null): (name: MetricName) => Iterable<string> {
  const { board, targetStartRate, journal, disk, diskReserveBytes } = parts;
  const listings = parts.listings.all;
  const orders = parts.orderService.countsByModel();
  const pods = parts.pods.states();
  const markets = listings.flatMap(({ id }) => {
    const market = board.current(id);
    return market && !market.preview ? [market] : [];
  });
  const quotes = markets.flatMap(({ model }) => board.quote(model) ?? []);
  const each = <One>(name: MetricName, all: readonly One[], series: (one: One) => [Labels, number | null]) =>
    all.flatMap((one) => {
      const [labels, value] = series(one);
      return value === null ? [] : [sampleLine(name, labelText(labels), value)];
    });
  const one = (name: MetricName, value: number | null) => (value === null ? [] : [sampleLine(name, '', value)]);
  const ofPods = (name: MetricName, value: (pod: (typeof pods)[number]) => number) =>
    each(name, pods, (pod) => [{ model: pod.model, pod: pod.pod }, value(pod)]);
  const readers: { readonly [Name in MetricName]?: (name: MetricName) => Iterable<string> } = {
    sluice_market_level_usd: (name) => each(name, markets, ({ model, level }) => [{ model }, level / NANO]),
    sluice_market_quote_usd: (name) => each(name, quotes, ({ model, price }) => [{ model }, price / NANO]),
    sluice_market_clear_ratio: (name) => each(name, quotes, ({ model, clearRate }) => [{ model }, clearRate]),
    sluice_market_clear_ratio_target: (name) => one(name, targetStartRate),
    sluice_market_degraded: (name) => each(name, markets, ({ model, degraded }) => [{ model }, Number(degraded)]),
    sluice_orders_queued: (name) => each(name, listings, ({ id }) => [{ model: id }, orders.get(id)?.queued ?? 0]),
    sluice_orders_executing: (name) =>
      each(name, listings, ({ id }) => [{ model: id }, orders.get(id)?.executing ?? 0]),
    sluice_pod_slots: (name) => ofPods(name, ({ slots }) => slots.allowed),
    sluice_pod_slots_busy: (name) => ofPods(name, ({ slots }) => slots.busy),
    sluice_pod_up: (name) => ofPods(name, ({ healthy }) => Number(healthy)),
    sluice_pod_attempts_total: (name) =>
      pods.flatMap(({ model, pod, ...counts }) =>
        OUTCOMES.map(([counted, outcome]) => sampleLine(name, labelText({ model, pod, outcome }), counts[counted])),
      ),
    sluice_balances_usd: (name) => one(name, facts && Number(facts.money.balances) / NANO),
    sluice_holds_usd: (name) => one(name, facts && Number(facts.money.holds) / NANO),
    sluice_audit_last_success_timestamp_seconds: (name) =>
      one(name, facts?.audit ? facts.audit.endedAtMs / 1000 : null),
    sluice_audit_findings: (name) => one(name, facts?.audit?.findings ?? null),
    sluice_webhook_attempts_total: (name) =>
      (['delivered', 'failed'] as const).map((outcome) =>
        sampleLine(name, labelText({ outcome }), parts.webhookCounts[outcome]),
      ),
    sluice_webhook_endpoints_disabled: (name) => one(name, facts?.webhooksDisabled ?? null),
    sluice_journal_queue: (name) => one(name, journal.pending),
    sluice_journal_stalled: (name) => one(name, Number(journal.stalled)),
    sluice_queued_bytes: (name) => one(name, parts.orderService.waitingBytes.waiting),
    sluice_spans_total: (name) =>
      each(name, Object.entries(parts.traces?.counts ?? NO_SPANS), ([outcome, count]) => [{ outcome }, count]),
    sluice_disk_free_bytes: (name) => one(name, disk.freeBytes),
    sluice_disk_reserve_bytes: (name) => one(name, diskReserveBytes),
  };
  return (name) => readers[name]?.(name) ?? [];
}

const NANO = 1e9;

const NO_SPANS: SpanCounts = { sent: 0, failed: 0, dropped: 0 };

/** The counts of a pod, and their names here. */
const OUTCOMES = [
  ['answers', 'answered'],
  ['failures', 'failed'],
  ['full', 'full'],
  ['refused', 'refused'],
  ['aborted', 'aborted'],
] as const;
