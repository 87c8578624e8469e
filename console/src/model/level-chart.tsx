/** The level over time: as a line, which the stream of the page carries on between two answers, or as candles. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { MarketHistory } from '#generated/types.ts';
import { useChoice, useText } from '../address.ts';
import { CandleChart } from '../charts/candles.tsx';
import { LineChart } from '../charts/line.tsx';
import { link, markets } from '../data/live.ts';
import { askCandles, askHistory, CANDLE_S, type ChartRange, RANGES, SLOW_MS } from '../data/model.ts';
import { priceText } from '../format.ts';
import { Choice } from '../parts/choice.tsx';
import { FiguresSection } from '../parts/section.tsx';
import { Empty } from '../parts/states.tsx';
import { grown, type LevelPoint } from './since.ts';

/** Of what the stream does not carry on. */
const ALONE_MS = 60_000;
/** The line grows to the right meanwhile, by a part of its period that nobody sees. */
const LINE_MS: Readonly<Record<ChartRange, number>> = { '1h': 300_000, '24h': SLOW_MS, '7d': SLOW_MS, '30d': SLOW_MS };
const TITLE = 'Level';
const WIDTHS: Readonly<Record<number, string>> = {
  ...{ 60: '1 min', 300: '5 min', 900: '15 min' },
  ...{ 1800: '30 min', 3600: '1 h', 7200: '2 h' },
};

/** The chart of a market, with its choices. */
export function LevelSection({ model }: { readonly model: string }) {
  const [range, setRange] = useChoice<ChartRange>('range', ['24h', '1h', '7d', '30d']);
  const [shape, setShape] = useChoice('shape', ['line', 'candles']);
  const [width, setWidth] = useText('width');
  const bucketS = WIDTHS[Number(width)] === undefined ? CANDLE_S[range] : Number(width);
  const choices = (
    <div class="choices">
      <Choice label="Period" options={RANGES.map((name) => [name, name])} value={range} onChoose={setRange} />
      <Choice label="Shape" options={SHAPES} value={shape} onChoose={setShape} />
      {shape === 'candles' && (
        <select
          aria-label="Width of a candle"
          value={String(bucketS)}
          onChange={({ currentTarget }) => setWidth(currentTarget.value)}
        >
          {Object.entries(WIDTHS).map(([seconds, text]) => (
            <option key={seconds} value={seconds}>
              {text}
            </option>
          ))}
        </select>
      )}
    </div>
  );
  const name = `${model}-${range}`;
  return shape === 'line' ? (
    <FiguresSection
      key="line"
      title={TITLE}
      asking={askHistory(model, range)}
      everyMs={link.value === 'polling' ? ALONE_MS : LINE_MS[range]}
      choices={choices}
      sheet={({ points }) => ({ name, rows: () => [['t', 'level'], ...points.map(({ t, level }) => [t, level])] })}
    >
      {(value) => <Levels value={value} />}
    </FiguresSection>
  ) : (
    <FiguresSection
      key="candles"
      title={TITLE}
      asking={askCandles(model, range, bucketS)}
      everyMs={ALONE_MS}
      choices={choices}
      sheet={(value) => ({ name, rows: () => [CANDLE_HEAD, ...value.candles.map(candleRow)] })}
    >
      {(value) =>
        value.candles.length < 2 ? (
          <TooNew />
        ) : (
          <CandleChart
            key={`${value.range} ${value.bucket_seconds}`}
            name={`Candles of ${model} over ${range}`}
            candles={value.candles}
          />
        )
      }
    </FiguresSection>
  );
}

const SHAPES = [
  ['line', 'Line'],
  ['candles', 'Candles'],
] as const;
const CANDLE_HEAD = ['t', 'open', 'high', 'low', 'close', 'mean'];
const candleRow = ({
  t,
  open,
  high,
  low,
  close,
  mean,
}: Record<'t' | 'open' | 'high' | 'low' | 'close' | 'mean', number>) => [...[t, open, high], ...[low, close, mean]];

function Levels({ value }: { readonly value: MarketHistory }) {
  const since = useSince(value);
  const { times, lines } = useMemo(() => seriesOf(value, since), [value, since]);
  if (value.points.length < 2) return <TooNew />;
  return (
    <LineChart label={`Level of ${value.model} over ${value.range}`} times={times} lines={lines} format={priceText} />
  );
}

function TooNew() {
  return <Empty>There are no levels of this time yet. Choose a shorter period, or come back later.</Empty>;
}

/** What the stream has brought since the answer. */
function useSince(value: MarketHistory): readonly LevelPoint[] {
  const [since, set] = useState<readonly LevelPoint[]>([]);
  const live = markets.value.get(value.model);
  useEffect(() => set((points) => grown(value.points, points, live)), [value, live]);
  return since;
}

/** Buckets that are absent become gaps, so that no line is drawn over a time without figures. */
function seriesOf({ points, bucket_seconds }: MarketHistory, since: readonly LevelPoint[]) {
  const times: number[] = [];
  const values: (number | null)[] = [];
  for (const { t, level } of points) {
    const seconds = Date.parse(t) / 1000;
    const last = times.at(-1);
    if (last !== undefined && seconds - last > 1.5 * bucket_seconds) {
      times.push(last + bucket_seconds);
      values.push(null);
    }
    times.push(seconds);
    values.push(level);
  }
  times.push(...since.map(({ t }) => Date.parse(t) / 1000));
  values.push(...since.map(({ level }) => level));
  return { times, lines: [{ label: 'Level', values, color: 'accent' as const }] };
}
