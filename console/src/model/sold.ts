/** What was sold in each bucket of a period: the gateway leaves out those without tokens. */
import type { TokenStatistics } from '#generated/types.ts';

/** Billed tokens of each bucket, oldest first; nothing where none were sold in the whole period. */
export function soldIn({ from, to, bucket_seconds, series }: TokenStatistics): { t: number; value: number }[] {
  const points = series[0]?.points;
  if (!points) return [];
  const sums = new Map(points.map(({ t, input_tokens, output_tokens }) => [t, input_tokens + output_tokens]));
  return Array.from({ length: Math.round((to - from) / bucket_seconds) }, (_, at) => {
    const t = from + at * bucket_seconds;
    return { t, value: sums.get(t) ?? 0 };
  });
}
