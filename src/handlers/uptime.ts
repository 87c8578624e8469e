/** Measured uptime. Spec 4.9. */
import type { Clock } from '#base/clock.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { Listings } from '#market/listing.ts';
import type { ProbeStore } from '#observe/ports.ts';
import { daysWindow, windowOf } from '#observe/ranges.ts';
import type { ReadyView } from '#observe/ready.ts';
import { summaryOf, type Uptime, uptimeOf } from '#observe/uptime.ts';
import { statisticsCaching } from './conditional.ts';
import { listingNamed } from './listing-named.ts';

interface UptimeOptions {
  readonly listings: Listings;
  readonly ready: Pick<ReadyView, 'probed' | 'answered' | 'degraded'>;
  readonly probes: Pick<ProbeStore, 'buckets'>;
  /** Whether models are probed, and how often. */
  readonly settings: { readonly enabled: boolean; readonly intervalMs: number };
  readonly clock: Clock;
}

/**
 * getUptime. An unknown range becomes 24h, which the response names; `days=90`, an extension, is asked for apart. A model that has never answered is unmeasured, and
 * left out of the pooled figures.
 */
export function uptimeHandlers({ listings, ready, probes, settings, clock }: UptimeOptions): HandlersFor<'getUptime'> {
  const measured = (model: string | null) =>
    listings.all.map(({ id }) => id).filter((id) => (model === null || id === model) && ready.answered(id));
  const probed = (model: string | null) =>
    settings.enabled && ready.probed().some(({ id }) => model === null || id === model);
  return {
    async getUptime({ query }) {
      const model = listingNamed(query.model, listings)?.id ?? null;
      const range = query.days === '90' ? '90d' : query.range;
      const window = range === '90d' ? daysWindow(clock.nowMs()) : windowOf(range, clock.nowMs());
      const buckets = await probes.buckets(measured(model), window);
      const { percent, ...summary } = summaryOf(buckets);
      return {
        status: 200,
        headers: statisticsCaching,
        json: {
          range,
          model,
          bucket_seconds: window.bucketMs / 1000,
          interval_ms: settings.intervalMs,
          checks_running: probed(model),
          degraded: ready.degraded(model),
          summary: { uptime_pct: percent, ...fieldsOf(summary) },
          buckets: buckets.map((bucket) => ({ t: bucket.atMs / 1000, ...fieldsOf(uptimeOf(bucket)) })),
        },
      };
    },
  };
}

function fieldsOf(uptime: Omit<Uptime, 'percent'>) {
  return {
    total: uptime.total,
    failures: uptime.failures,
    avg_ms: uptime.averageMs,
    max_ms: uptime.maxMs,
    avg_queue_ms: uptime.averageQueueMs,
    max_queue_ms: uptime.maxQueueMs,
    avg_pipeline_ms: uptime.averagePipelineMs,
    max_pipeline_ms: uptime.maxPipelineMs,
  };
}
