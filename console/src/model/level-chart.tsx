/** The level over time: as an area, which the stream of the page carries on between two answers, or as candles. */
import { useMemo } from 'preact/hooks';
import type { MarketCandles, MarketHistory } from '#generated/types.ts';
import { useChoice, useText } from '../address.ts';
import { MarketChart } from '../charts/market-chart.tsx';
import type { At, MarketFigures } from '../charts/market-drawing.ts';
import { link } from '../data/live.ts';
import {
  askCandles,
  askHistory,
  askLocks,
  askVolume,
  CANDLE_S,
  type ChartRange,
  RANGE_MS,
  RANGES,
  SLOW_MS,
} from '../data/model.ts';
import { useSource } from '../data/polled.ts';
import { Choice, periods } from '../parts/choice.tsx';
import { FiguresSection } from '../parts/section.tsx';
import { Empty } from '../parts/states.tsx';
import { BidLines } from './bid-lines.tsx';
import type { OwnBids } from './own-bids.ts';
import type { LevelPoint } from './since.ts';
import { soldIn } from './sold.ts';
import { useSince } from './use-since.ts';

/** Of what the stream does not carry on. */
const ALONE_MS = 60_000;
/** The line grows to the right meanwhile, by a part of its period that nobody sees. */
const LINE_MS: Readonly<Record<ChartRange, number>> = { '1h': 300_000, '24h': SLOW_MS, '7d': SLOW_MS, '30d': SLOW_MS };
const TITLE = 'Level';
const WIDTHS: Readonly<Record<number, string>> = {
  ...{ 60: '1 min', 300: '5 min', 900: '15 min' },
  ...{ 1800: '30 min', 3600: '1 h', 7200: '2 h' },
};

/** The chart of a market, with its choices and the reader's own bids. */
export function LevelSection({ model, own }: { readonly model: string; readonly own: OwnBids }) {
  const [range, setRange] = useChoice<ChartRange>('range', ['24h', '1h', '7d', '30d']);
  const [shape, setShape] = useChoice('shape', ['line', 'candles']);
  const [width, setWidth] = useText('width');
  const bucketS = WIDTHS[Number(width)] === undefined ? CANDLE_S[range] : Number(width);
  const behind = useBehind(model, range, own.bids);
  const choices = (
    <div class="choices">
      <Choice label="Period" options={periods(RANGES)} value={range} onChoose={setRange} />
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
      {(value) => <Levels key={value.range} {...{ value, behind, own }} />}
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
      {(value) => <Candles key={`${value.range} ${value.bucket_seconds}`} {...{ value, behind, own }} />}
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

/** What is drawn besides the level. */
type Behind = Pick<MarketFigures, 'volume' | 'quotes' | 'bids'>;

/** Tokens and quotes are summed in quarters of an hour, which say nothing within an hour. */
function useBehind(model: string, range: ChartRange, bids: OwnBids['bids']): Behind {
  const load = () =>
    range === '1h' ? Promise.resolve(null) : Promise.all([askVolume(model, range).ask(), askLocks(model, range).ask()]);
  const { value } = useSource(`${model} ${range}`, load, SLOW_MS).asked.value;
  return useMemo(() => {
    const [sold, locks] = value ?? [];
    return {
      volume: sold ? soldIn(sold) : [],
      quotes: (locks?.points ?? []).map(({ t, low, high }) => ({ t, value: { low, high } })),
      bids: bids.map(({ price }) => price),
    };
  }, [value, bids]);
}

interface ShapeProps<Value> {
  readonly value: Value;
  readonly behind: Behind;
  readonly own: OwnBids;
}

function Candles({ value, behind, own }: ShapeProps<MarketCandles>) {
  const figures = useMemo(() => ({ levels: null, candles: value.candles, ...behind }), [value, behind]);
  if (value.candles.length < 2) return <TooNew />;
  return (
    <MarketChart name={`Candles of ${value.model} over ${value.range}`} figures={figures}>
      {(scale) => <BidLines own={own} scale={scale} />}
    </MarketChart>
  );
}

function Levels({ value, behind, own }: ShapeProps<MarketHistory>) {
  const since = useSince(value);
  const figures = useMemo(() => ({ levels: levelsOf(value, since), candles: null, ...behind }), [value, since, behind]);
  if (value.range !== '1h' && lengthMs(value) < RANGE_MS['1h'])
    return <FirstHour model={value.model} {...{ behind, own }} />;
  if (value.points.length < 2) return <TooNew />;
  return (
    <MarketChart name={`Level of ${value.model} over ${value.range}`} figures={figures}>
      {(scale) => <BidLines own={own} scale={scale} />}
    </MarketChart>
  );
}

function lengthMs({ points }: MarketHistory): number {
  return Date.parse(points.at(-1)?.t ?? '') - Date.parse(points[0]?.t ?? '') || 0;
}

interface FirstHourProps extends Omit<ShapeProps<never>, 'value'> {
  readonly model: string;
}

/** Of a market that opened within an hour, all levels, in finer steps than those of the longer period. */
function FirstHour({ model, ...shown }: FirstHourProps) {
  const { path, ask } = askHistory(model, '1h');
  const { value } = useSource(path, ask, ALONE_MS).asked.value;
  if (value === null) return <TooNew />;
  return (
    <>
      <p class="faint small">This market is younger than the period: these are its first levels.</p>
      <Levels value={value} {...shown} />
    </>
  );
}

function TooNew() {
  return <Empty>There are no levels of this time yet. Choose a shorter period, or come back later.</Empty>;
}

/**
 * Buckets that are absent become gaps, so that no line is drawn over a time without figures. Of several levels within a
 * second the last is drawn.
 */
function levelsOf(
  { points, bucket_seconds }: MarketHistory,
  since: readonly LevelPoint[],
): readonly At<number | null>[] {
  const levels: At<number | null>[] = [];
  for (const { t: at, level: value } of [...points, ...since]) {
    const t = Math.floor(Date.parse(at) / 1000);
    const last = levels.at(-1)?.t;
    if (last === t) levels.pop();
    else if (last !== undefined && t - last > 1.5 * bucket_seconds && levels.length < points.length)
      levels.push({ t: last + bucket_seconds, value: null });
    levels.push({ t, value });
  }
  return levels;
}
