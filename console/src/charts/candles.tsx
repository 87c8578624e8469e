/**
 * Candles, drawn by lightweight-charts, which is loaded by the first of them. Its own logo brings an inline style, which
 * the content security policy keeps out, so the link that its licence asks for is ours.
 */
import type { IChartApi, ISeriesApi, UTCTimestamp } from 'lightweight-charts';
import { useEffect, useRef } from 'preact/hooks';
import type { Candle } from '#generated/types.ts';
import { moment, priceText, ticks } from '../format.ts';
import { type Colors, useColors } from './colors.ts';

const HEIGHT_PX = 300;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The element of a chart; its series can be read in a browser console, and by tests. */
type ChartElement = HTMLDivElement & { candleSeries?: ISeriesApi<'Candlestick'> };

/** Draws the candles as wide as there is room. */
export function CandleChart({ name, candles }: { readonly name: string; readonly candles: readonly Candle[] }) {
  const place = useRef<ChartElement>(null);
  const colors = useColors();
  const newest = useRef(candles);
  newest.current = candles;
  useEffect(() => {
    let chart: IChartApi | null = null;
    let gone = false;
    void import('lightweight-charts').then(({ CandlestickSeries, createChart }) => {
      const box = place.current;
      if (gone || !box) return;
      chart = createChart(box, optionsFor(colors));
      box.candleSeries = chart.addSeries(CandlestickSeries, seriesOptions(colors));
      box.candleSeries.setData(dataOf(newest.current));
      chart.timeScale().fitContent();
      box.dataset.drawn = 'true';
    });
    return () => {
      gone = true;
      delete place.current?.candleSeries;
      chart?.remove();
    };
  }, [colors]);
  // Newer figures leave alone where the reader has moved to.
  useEffect(() => place.current?.candleSeries?.setData(dataOf(candles)), [candles]);
  return (
    <>
      <div class="chart candles" ref={place} role="img" aria-label={name} style={{ height: `${HEIGHT_PX}px` }} />
      <p class="small faint attribution">
        Candles by{' '}
        <a href="https://www.tradingview.com/" rel="noreferrer" target="_blank">
          TradingView Lightweight Charts
        </a>
      </p>
    </>
  );
}

function dataOf(candles: readonly Candle[]) {
  return candles.map(({ t, open, high, low, close }) => ({ time: t as UTCTimestamp, open, high, low, close }));
}

/** `weight` is how coarse a label the chart asks for: years, months and days are below 3. */
function label(seconds: unknown, weight: number): string {
  const [text = ''] = ticks([Number(seconds) * 1000], weight < 3 ? DAY_MS : MINUTE_MS);
  return text.split('\n')[0] ?? '';
}

function optionsFor(colors: Colors) {
  const local = (seconds: unknown) => moment(Number(seconds) * 1000);
  return {
    autoSize: true,
    layout: {
      background: { color: 'transparent' },
      textColor: colors.faint,
      attributionLogo: false,
      fontFamily: 'system-ui, sans-serif',
    },
    grid: { vertLines: { color: colors.line }, horzLines: { color: colors.line } },
    rightPriceScale: { borderColor: colors.line },
    timeScale: { borderColor: colors.line, timeVisible: true, tickMarkFormatter: label },
    localization: { priceFormatter: priceText, timeFormatter: local },
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false },
  };
}

function seriesOptions({ rise, fall }: Colors) {
  return {
    ...{ upColor: rise, borderUpColor: rise, wickUpColor: rise },
    ...{ downColor: fall, borderDownColor: fall, wickDownColor: fall },
    priceFormat: { type: 'price' as const, minMove: 0.000001, precision: 6 },
  };
}
