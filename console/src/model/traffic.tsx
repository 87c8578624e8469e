/** What was sold, what waits, and how locks fared: three charts below the level. */
import { useMemo } from 'preact/hooks';
import type { DepthStep, MarketDepth, MarketLocks, TokenStatistics } from '#generated/types.ts';
import { type ChartSeries, LineChart } from '../charts/line.tsx';
import { askDepth, askLocks, askVolume, type LongRange, SLOW_MS } from '../data/model.ts';
import { count, countWhole, priceText, share } from '../format.ts';
import { Moment, Stick, UnitPrice } from '../parts/figures.tsx';
import { FiguresSection } from '../parts/section.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';

const DEPTH_MS = 300_000;
const HEIGHT_PX = 150;

interface OfModel {
  readonly model: string;
  readonly range: LongRange;
}

/** Billed tokens over time. */
export function Volume({ model, range }: OfModel) {
  return (
    <FiguresSection
      title={`Tokens billed, ${range}`}
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
  const points = value.series[0]?.points;
  const { times, lines } = useMemo(() => {
    const sums = new Map(points?.map(({ t, input_tokens, output_tokens }) => [t, input_tokens + output_tokens]));
    const length = Math.round((value.to - value.from) / value.bucket_seconds);
    const times = Array.from({ length }, (_, at) => value.from + at * value.bucket_seconds);
    const values = times.map((t) => sums.get(t) ?? 0);
    return { times, lines: [{ label: 'Tokens', values, color: 'accent', bars: true }] satisfies ChartSeries[] };
  }, [value]);
  if (!points) return <Empty>Nothing was sold in this time.</Empty>;
  return <LineChart label="Tokens billed over time" {...{ times, lines }} format={count} fromZero height={HEIGHT_PX} />;
}

/** What waits at which bid. */
export function DepthSection({ model }: { readonly model: string }) {
  return (
    <FiguresSection
      title="Depth"
      about="Orders that wait, by bid. A step is shown once enough accounts are in it, and one window late."
      asking={askDepth(model)}
      everyMs={DEPTH_MS}
      sheet={({ steps }) => ({
        name: `${model}-depth`,
        rows: () => [['price', 'orders'], ...steps.map(({ price, orders }) => [price, orders])],
      })}
    >
      {(value) => <Book value={value} />}
    </FiguresSection>
  );
}

function Book({ value: { steps, taken_at, slots, busy_slots } }: { readonly value: MarketDepth }) {
  if (taken_at === null || slots === null || busy_slots === null) return <Empty>Not known yet.</Empty>;
  return (
    <>
      <p class="small">
        {countWhole(busy_slots)} of {countWhole(slots)} slots busy, at <Moment ms={Date.parse(taken_at)} />
      </p>
      {steps.length === 0 ? (
        <Empty>No orders wait that may be shown: too few, or of too few accounts.</Empty>
      ) : (
        <Steps steps={steps} />
      )}
    </>
  );
}

function Steps({ steps }: { readonly steps: readonly DepthStep[] }) {
  const most = Math.max(...steps.map(({ orders }) => orders));
  return (
    <DataTable
      label="Waiting bids"
      rows={steps}
      keyOf={({ price }) => String(price)}
      columns={[
        { head: 'Bid from', number: true, cell: ({ price }) => <UnitPrice value={price} /> },
        { head: 'Orders', number: true, cell: ({ orders }) => countWhole(orders) },
        { head: 'Share', unheaded: true, cell: ({ orders }) => <Stick share={orders / most} /> },
      ]}
    />
  );
}

/** Past quotes, and how many locks started at them. */
export function Locks({ model, range }: OfModel) {
  return (
    <FiguresSection
      title={`Quotes and locks, ${range}`}
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
      line('Quote', ({ price }) => price, 'accent'),
      line('Lowest', ({ low }) => low, 'faint'),
      line('Highest', ({ high }) => high, 'warn'),
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
