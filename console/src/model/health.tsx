/** How a model was reached: bars of uptime, and what its answers took. Both from the gateway's own probes. */
import { useMemo } from 'preact/hooks';
import type { Uptime, UptimeBucket } from '#generated/types.ts';
import { type ChartSeries, LineChart } from '../charts/line.tsx';
import { nowMs } from '../clock.ts';
import { askUptime, type LongRange, SLOW_MS } from '../data/model.ts';
import { countWhole, duration, moment, rangeText, share } from '../format.ts';
import { FiguresSection } from '../parts/section.tsx';
import { Empty } from '../parts/states.tsx';
import { slotsOf } from './uptime-slots.ts';

/** Uptime, waiting and work of one model. */
export function HealthSection({ model, range }: { readonly model: string; readonly range: LongRange }) {
  return (
    <FiguresSection
      title={`Uptime, ${rangeText(range)}`}
      about="The gateway sends real requests through the whole way. Waiting measures demand, the rest measures health."
      asking={askUptime(model, range)}
      everyMs={SLOW_MS}
      sheet={(value) => uptimeSheet(`${model}-uptime-${range}`, value)}
    >
      {(value) => <Measured value={value} />}
    </FiguresSection>
  );
}

/** The buckets of an uptime as a table. */
export function uptimeSheet(name: string, { buckets }: Uptime) {
  const row = (bucket: UptimeBucket) => [
    ...[bucket.t, bucket.total, bucket.failures],
    ...[bucket.avg_queue_ms, bucket.avg_pipeline_ms],
  ];
  return { name, rows: () => [['t', 'total', 'failures', 'avg_queue_ms', 'avg_pipeline_ms'], ...buckets.map(row)] };
}

function Measured({ value }: { readonly value: Uptime }) {
  const { buckets, summary } = value;
  const { times, lines } = useMemo(() => {
    const lines: ChartSeries[] = [
      { label: 'Waiting', values: buckets.map(({ avg_queue_ms }) => avg_queue_ms), color: 'warn' },
      { label: 'The rest', values: buckets.map(({ avg_pipeline_ms }) => avg_pipeline_ms), color: 'accent' },
    ];
    return { times: buckets.map(({ t }) => t), lines };
  }, [buckets]);
  if (summary.uptime_pct === null) return <Empty>{notMeasured(value)}</Empty>;
  return (
    <>
      <UptimeBars value={value} />
      {buckets.length > 1 && (
        <LineChart label="Waiting and work over time" {...{ times, lines }} format={duration} fromZero height={130} />
      )}
    </>
  );
}

/** Why there is no figure. */
export function notMeasured({ checks_running }: Uptime): string {
  return checks_running ? 'Nothing was measured in this time.' : 'Not measured: there are no probes of it.';
}

/** One bar for each bucket of the range; what failed is red from the top, and what was not measured is pale. */
export function UptimeBars({ value }: { readonly value: Uptime }) {
  const { buckets, summary, range } = value;
  const failed = buckets.filter(({ failures }) => failures > 0).length;
  const probes = summary.total === 1 ? '1 probe' : `${countWhole(summary.total)} probes`;
  const said = `${share(summary.uptime_pct ?? 0)} of ${probes}; failures in ${failed} of ${buckets.length} periods`;
  // What came after the answer was not asked for, which is not the same as not measured.
  const all = useMemo(() => slotsOf(value, nowMs()), [value]);
  const unmeasured = all.filter(({ bucket }) => !bucket).length;
  return (
    <div class="uptime">
      <svg viewBox={`0 0 ${all.length * 4} 24`} preserveAspectRatio="none" role="img" aria-label={said}>
        {all.map(({ t, bucket }, at) => (
          <g key={t}>
            <title>{`${moment(t * 1000)}: ${bucket ? `${bucket.failures} of ${bucket.total} failed` : 'not measured'}`}</title>
            <rect x={at * 4} y={0} width={3} height={24} class={bucket ? 'up' : 'unmeasured'} />
            {bucket && <rect x={at * 4} y={0} width={3} height={down(bucket)} class="down" />}
          </g>
        ))}
      </svg>
      <span class="small faint ends">
        <span>{AGO[range] ?? ''}</span>
        {unmeasured > SOME * all.length && <span>gray: not measured</span>}
        <span>now</span>
      </span>
      <span class="small">
        <strong>{share(summary.uptime_pct ?? 0)}</strong> <span class="faint">of {probes}</span>
      </span>
    </div>
  );
}

/** With a larger part that was not measured, the bars say what that looks like. The last slot is often empty. */
const SOME = 0.05;

const AGO: Readonly<Record<string, string>> = {
  ...{ '24h': '24 hours ago', '7d': '7 days ago', '30d': '30 days ago', '90d': '90 days ago' },
};

/** A single failure is seen, too. */
function down({ failures, total }: UptimeBucket): number {
  return failures === 0 ? 0 : Math.max(5, (failures / total) * 24);
}
