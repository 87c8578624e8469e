/** Puts the metrics together: what is counted, what is read, and the port on which they are served. */
import { moneyTotals } from '#accounts/ledger/money-totals.ts';
import { countDisabled } from '#accounts/webhooks/outbox-store.ts';
import type { Log } from '#base/log.ts';
import { type Config, ConfigError } from '#config/config.ts';
import type { GaugeParts } from '#observe/metrics/gauges.ts';
import { MetricsServer, metricsReader } from '#observe/metrics/metrics.ts';
import type { BackgroundAudit } from '#operator/background-audit.ts';
import type { BuiltMarket } from './market.ts';
import type { BuiltOrders } from './orders.ts';
import type { BuiltStorage, Outside } from './storage.ts';
import type { Webhooks } from './webhooks.ts';

/** The served metrics. */
export type ServedMetrics = ReturnType<typeof buildMetrics>;

/** What is measured. */
export interface MetricsParts {
  readonly outside: Outside;
  readonly storage: BuiltStorage;
  readonly market: Pick<BuiltMarket, 'board'>;
  readonly orders: Pick<BuiltOrders, 'orderService' | 'pods'>;
  readonly traces: GaugeParts['traces'];
  readonly audits: Pick<BackgroundAudit, 'runs'>;
  readonly webhooks: Pick<Webhooks, 'dispatcher'>;
}

/** Nothing listens yet. Null where the configuration has none. */
export function buildMetrics(parts: MetricsParts) {
  const { outside, storage, market, orders, traces, audits, webhooks } = parts;
  const { config, clock, log } = outside;
  const { metrics: address, listings, diskReserveBytes } = config;
  const { counts, db, journal, disk } = storage;
  if (!address || !counts) return null;
  const gauges: GaugeParts = {
    listings,
    board: market.board,
    targetStartRate: config.market.quote.targetStartRate,
    orderService: orders.orderService,
    pods: orders.pods,
    webhookCounts: webhooks.dispatcher.counts,
    journal,
    disk,
    diskReserveBytes,
    traces,
  };
  const facts = async () => {
    const [money, { last }, webhooksDisabled] = await Promise.all([
      moneyTotals(db),
      audits.runs.state(),
      countDisabled(db),
    ]);
    const open = last?.findings.filter(({ acknowledged }) => acknowledged === null) ?? [];
    return { money, audit: last && { endedAtMs: last.endedAtMs, findings: open.length }, webhooksDisabled };
  };
  const server = new MetricsServer({ read: metricsReader({ counts, gauges, facts, clock }), log });
  return { listen: () => listenAt(address, server, log), refuse: () => server.refuse(), close: () => server.close() };
}

/** The port, or null: the default port may be another gateway's. Throws ConfigError for one that somebody asked for. */
export async function listenAt(
  address: Omit<NonNullable<Config['metrics']>, 'accounts'>,
  server: Pick<MetricsServer, 'listen'>,
  log: Log,
): Promise<number | null> {
  try {
    return (await server.listen(address)).port;
  } catch (error) {
    const { host, port, required } = address;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (required)
      throw new ConfigError(
        `METRICS_PORT ${port} on ${host} cannot be listened on (${code}); set it to another, or to 0 for no metrics.`,
      );
    log.warn({ host, port, code }, 'There are no metrics: set METRICS_PORT to a free port, or to 0.');
    return null;
  }
}
