/** Incidents, as the probes saw them: adjacent periods in which probes failed. They are as exact as the periods are. */
import type { Uptime } from '#generated/types.ts';

const DAY_MS = 86_400_000;

/** A time in which probes failed. Epoch milliseconds. */
export interface Incident {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly failures: number;
  /** Probes in that time. */
  readonly total: number;
}

/** The incidents of an uptime, newest first. */
export function incidentsOf({
  buckets,
  bucket_seconds,
}: Pick<Uptime, 'bucket_seconds'> & {
  readonly buckets: readonly Pick<Uptime['buckets'][number], 't' | 'failures' | 'total'>[];
}): readonly Incident[] {
  const widthMs = bucket_seconds * 1000;
  const incidents: Incident[] = [];
  for (const { t, failures, total } of buckets) {
    if (failures === 0) continue;
    const fromMs = t * 1000;
    const last = incidents.at(-1);
    const grows = last?.untilMs === fromMs;
    const before = grows && last ? last : { fromMs, failures: 0, total: 0 };
    const incident = {
      fromMs: before.fromMs,
      untilMs: fromMs + widthMs,
      failures: before.failures + failures,
      total: before.total + total,
    };
    if (grows) incidents[incidents.length - 1] = incident;
    else incidents.push(incident);
  }
  return incidents.reverse();
}

/** The first and the last day of an incident of whole days, which are those of UTC; null of any other. */
export function daysOf({ fromMs, untilMs }: Pick<Incident, 'fromMs' | 'untilMs'>): readonly [number, number] | null {
  return fromMs % DAY_MS === 0 && untilMs % DAY_MS === 0 ? [fromMs, untilMs - DAY_MS] : null;
}
