/** The level over time: as a line, or as candles. */
import { useMemo, useState } from 'preact/hooks';
import type { MarketHistory } from '#generated/types.ts';
import { CandleChart } from '../charts/candles.tsx';
import { LineChart } from '../charts/line.tsx';
import { askCandles, askHistory, CANDLE_S, type ChartRange, RANGES } from '../data/model.ts';
import { usd } from '../format.ts';
import { Choice } from '../parts/choice.tsx';
import { FiguresSection } from '../parts/section.tsx';
import { Empty } from '../parts/states.tsx';

const EVERY_MS = 60_000;
const TITLE = 'Level';
const WIDTHS: Readonly<Record<number, string>> = {
  ...{ 60: '1 min', 300: '5 min', 900: '15 min' },
  ...{ 1800: '30 min', 3600: '1 h', 7200: '2 h' },
};

/** The chart of a market, with its choices. */
export function LevelSection({ model }: { readonly model: string }) {
  const [range, setRange] = useState<ChartRange>('24h');
  const [shape, setShape] = useState<'line' | 'candles'>('line');
  const [bucketS, setBucket] = useState<number | null>(null);
  const choices = (
    <div class="choices">
      <Choice label="Period" options={RANGES.map((name) => [name, name])} value={range} onChoose={setRange} />
      <Choice label="Shape" options={SHAPES} value={shape} onChoose={setShape} />
      {shape === 'candles' && (
        <select
          aria-label="Width of a candle"
          value={String(bucketS ?? CANDLE_S[range])}
          onChange={({ currentTarget }) => setBucket(Number(currentTarget.value))}
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
      everyMs={EVERY_MS}
      choices={choices}
      sheet={({ points }) => ({ name, rows: () => [['t', 'level'], ...points.map(({ t, level }) => [t, level])] })}
    >
      {(value) => <Levels value={value} />}
    </FiguresSection>
  ) : (
    <FiguresSection
      key="candles"
      title={TITLE}
      asking={askCandles(model, range, bucketS ?? CANDLE_S[range])}
      everyMs={EVERY_MS}
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
  const { times, lines } = useMemo(() => seriesOf(value), [value]);
  if (value.points.length < 2) return <TooNew />;
  return <LineChart label={`Level of ${value.model} over ${value.range}`} times={times} lines={lines} format={usd} />;
}

function TooNew() {
  return <Empty>There are no levels of this time yet. Choose a shorter period, or come back later.</Empty>;
}

/** Buckets that are absent become gaps, so that no line is drawn over a time of which nothing is known. */
function seriesOf({ points, bucket_seconds }: MarketHistory) {
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
  return { times, lines: [{ label: 'Level', values, color: 'accent' as const }] };
}
