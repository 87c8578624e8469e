/** What was sold, and how locks fared: two charts below the level. */
import { useMemo } from 'preact/hooks';
import type { MarketLocks, TokenStatistics } from '#generated/types.ts';
import { type ChartSeries, LineChart } from '../charts/line.tsx';
import { askLocks, askVolume, type LongRange, SLOW_MS } from '../data/model.ts';
import { count, countWhole, priceText, rangeText, share } from '../format.ts';
import { FiguresSection } from '../parts/section.tsx';
import { Empty } from '../parts/states.tsx';
import { soldIn } from './sold.ts';

const HEIGHT_PX = 150;

interface OfModel {
  readonly model: string;
  readonly range: LongRange;
}

/** Billed tokens over time. */
export function Volume({ model, range }: OfModel) {
  return (
    <FiguresSection
      title={`Tokens billed, ${rangeText(range)}`}
      asking={askVolume(model, range)}
      everyMs={SLOW_MS}
      sheet={({ series }) => ({
        name: `${model}-tokens-${range}`,
        rows: () => [
          ['t', 'miss_tokens', 'cached_tokens', 'output_tokens', 'requests'],
          ...(series[0]?.points ?? []).map((point) => [
            ...[point.t, point.miss_tokens, point.cached_tokens],
            ...[point.output_tokens, point.requests],
          ]),
        ],
      })}
    >
      {(value) => <Sold value={value} />}
    </FiguresSection>
  );
}

function Sold({ value }: { readonly value: TokenStatistics }) {
  const { times, lines } = useMemo(() => {
    const sold = soldIn(value);
    const values = sold.map(({ value: tokens }) => tokens);
    const lines = [{ label: 'Tokens', values, color: 'accent', bars: true }] satisfies ChartSeries[];
    return { times: sold.map(({ t }) => t), lines };
  }, [value]);
  if (times.length === 0) return <Empty>Nothing was sold in this time.</Empty>;
  return <LineChart label="Tokens billed over time" {...{ times, lines }} format={count} fromZero height={HEIGHT_PX} />;
}

/** Past quotes, and how many locks started at them. */
export function Locks({ model, range }: OfModel) {
  return (
    <FiguresSection
      title={`Quotes and locks, ${rangeText(range)}`}
      about="The mean quote of each quarter of an hour, and how many of the locked requests in it started."
      asking={askLocks(model, range)}
      everyMs={SLOW_MS}
      sheet={({ points }) => ({
        name: `${model}-locks-${range}`,
        rows: () => [
          ['t', 'price', 'low', 'high', 'locks', 'started'],
          ...points.map((point) => [...[point.t, point.price, point.low], ...[point.high, point.locks, point.started]]),
        ],
      })}
    >
      {(value) => <Quotes value={value} />}
    </FiguresSection>
  );
}

function Quotes({ value: { points, locks_min } }: { readonly value: MarketLocks }) {
  const { times, lines } = useMemo(() => {
    const line = (
      label: string,
      of: (point: (typeof points)[number]) => number,
      color: ChartSeries['color'],
    ): ChartSeries => ({
      ...{ label, values: points.map(of), color },
    });
    const lines = [
      line('Lowest', ({ low }) => low, 'faint'),
      line('Highest', ({ high }) => high, 'warn'),
      // Above the others where they are the same.
      line('Quote', ({ price }) => price, 'accent'),
    ];
    return { times: points.map(({ t }) => t), lines };
  }, [points]);
  const sumOf = (name: 'locks' | 'started') => points.reduce((sum, point) => sum + (point[name] ?? 0), 0);
  const [resolved, started] = [sumOf('locks'), sumOf('started')];
  if (points.length < 2) return <Empty>There were too few quotes in this time.</Empty>;
  return (
    <>
      <p class="small">
        {resolved === 0
          ? `No quarter of an hour had at least ${locks_min} locks, so none are shown.`
          : `${countWhole(started)} of ${countWhole(resolved)} locks started (${share((started / resolved) * 100)}), in the quarters of an hour with at least ${locks_min} locks.`}
      </p>
      <LineChart label="Quotes over time" {...{ times, lines }} format={priceText} height={HEIGHT_PX} />
    </>
  );
}
