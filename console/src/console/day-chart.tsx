/** An amount of each of the last 35 days, of all accounts or of one. */
import { useMemo } from 'preact/hooks';
import { type ChartSeries, LineChart } from '../charts/line.tsx';
import { nowMs } from '../clock.ts';
import { moneyText } from '../format.ts';

/** As many as the gateway sums. */
export const DAYS_SHOWN = 35;
const DAY_S = 86_400;

interface DayChartProps {
  readonly label: string;
  /** Days of UTC, such as `2026-11-23`; those that are missing are 0. */
  readonly days: readonly { readonly day: string; readonly usd: number }[];
}

/** The chart. */
export function DayChart({ label, days }: DayChartProps) {
  const { times, lines } = useMemo(() => {
    const sums = new Map(days.map(({ day, usd }) => [Date.parse(day) / 1000, usd]));
    const lastS = Math.floor(nowMs() / 1000 / DAY_S) * DAY_S;
    const times = Array.from({ length: DAYS_SHOWN }, (_, at) => lastS - (DAYS_SHOWN - 1 - at) * DAY_S);
    const values = times.map((atS) => sums.get(atS) ?? 0);
    const lines: ChartSeries[] = [{ label, values, color: 'accent', bars: true }];
    return { times, lines };
  }, [label, days]);
  return <LineChart label={`${label} by day`} {...{ times, lines }} format={moneyText} fromZero height={180} />;
}
