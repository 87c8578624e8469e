/** The buckets of an uptime as they lie in its range: the gateway leaves out those without probes. */
import type { Uptime, UptimeBucket } from '#generated/types.ts';

/** A bucket; null when nothing was measured in it. `t` is its begin in epoch seconds. */
export interface UptimeSlot {
  readonly t: number;
  readonly bucket: UptimeBucket | null;
}

const DAY_S = 86_400;
const LENGTH_S: Readonly<Record<string, number>> = {
  ...{ '24h': DAY_S, '7d': 7 * DAY_S, '30d': 30 * DAY_S, '90d': 90 * DAY_S },
};

/** All slots of the range, oldest first; the last one has `nowMs` in it, or the last bucket if this clock is behind. */
export function slotsOf(uptime: Pick<Uptime, 'range' | 'bucket_seconds' | 'buckets'>, nowMs: number): UptimeSlot[] {
  const { range, bucket_seconds: width, buckets } = uptime;
  const known = new Map(buckets.map((bucket) => [bucket.t, bucket]));
  const nowS = Math.floor(nowMs / 1000);
  const lastS = Math.max(nowS - (nowS % width), buckets.at(-1)?.t ?? 0);
  const length = (LENGTH_S[range] ?? DAY_S) / width;
  return Array.from({ length }, (_, at) => {
    const t = lastS - (length - 1 - at) * width;
    return { t, bucket: known.get(t) ?? null };
  });
}
