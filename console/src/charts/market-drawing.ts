/** Draws a market with lightweight-charts. Only the series that it names are loaded. */
import {
  AreaSeries,
  type AutoscaleInfo,
  CandlestickSeries,
  createChart,
  type IChartApi,
  type ISeriesApi,
  type ITimeScaleApi,
  LineSeries,
  LineStyle,
  LineType,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { Candle } from '#generated/types.ts';
import { count, moment, priceText, priceTexts, ticks } from '../format.ts';
import { type Colors, faded } from './colors.ts';

/** What was so at a time, in epoch seconds. */
export interface At<Value> {
  readonly t: number;
  readonly value: Value;
}

/** What a chart shows. Times rise. */
export interface MarketFigures {
  /** As an area; null is a gap. */
  readonly levels: readonly At<number | null>[] | null;
  /** In the place of the area. */
  readonly candles: readonly Candle[] | null;
  /** Tokens. */
  readonly volume: readonly At<number>[];
  readonly quotes: readonly At<{ readonly low: number; readonly high: number }>[];
  /** The highest first. The chart reaches to the first of them that is not far above the level. */
  readonly bids: readonly number[];
}

/** Where prices are in the chart, in pixels below its top. */
export interface PriceScale {
  readonly yOf: (price: number) => number;
  readonly priceAt: (y: number) => number;
  /** Without the volume beneath. */
  readonly height: number;
  /** Of the axis at the right. */
  readonly axisWidth: number;
}

/** The element of a chart; its series and times can be read in a browser console, and by tests. */
export type ChartElement = HTMLDivElement & {
  candleSeries?: ISeriesApi<'Candlestick'>;
  timeScale?: ITimeScaleApi<Time>;
};

const VOLUME_PX = 88;
/** A bid that is higher than this many times the level would flatten what the level does. */
const REACH = 3;
const NO_VIEWS: readonly never[] = [];
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Labels of years, months and days, then those of times, then those with seconds. */
const [WEIGHT_TIME, WEIGHT_SECONDS] = [3, 4];
const QUIET = { priceLineVisible: false, lastValueVisible: false, crosshairMarkerVisible: false } as const;

interface DrawingParts {
  readonly box: ChartElement;
  readonly colors: Colors;
  readonly hasCandles: boolean;
  /** Called with the time where the reader points; null for none. */
  readonly point: (at: number | null) => void;
  /** Called with each other scale. */
  readonly scaled: (scale: PriceScale) => void;
}

/** A chart with its series. */
export class Drawing {
  readonly chart: IChartApi;
  readonly #area: ISeriesApi<'Area'> | null;
  readonly #candles: ISeriesApi<'Candlestick'> | null;
  readonly #low: ISeriesApi<'Line'>;
  readonly #high: ISeriesApi<'Line'>;
  readonly #colors: Colors;
  /** In a pane of its own, which is not there before something was sold. */
  #volume: ISeriesApi<'Area'> | null = null;
  readonly #scaled: DrawingParts['scaled'];
  #isGone = false;
  /** Of the scale that was handed on last. */
  #range = '';
  /** The highest bid that the chart reaches to; null for none. */
  #reach: number | null = null;

  constructor({ box, colors, hasCandles, point, scaled }: DrawingParts) {
    const chart = createChart(box, optionsFor(colors));
    const quote = {
      color: colors.warn,
      lineWidth: 1,
      lineStyle: LineStyle.Dotted,
      ...QUIET,
      priceFormat: PRICE,
    } as const;
    this.chart = chart;
    this.#scaled = scaled;
    this.#colors = colors;
    this.#low = chart.addSeries(LineSeries, quote);
    this.#high = chart.addSeries(LineSeries, quote);
    this.#candles = hasCandles ? chart.addSeries(CandlestickSeries, candleOptions(colors)) : null;
    this.#area = hasCandles ? null : chart.addSeries(AreaSeries, areaOptions(colors));
    chart.subscribeCrosshairMove(({ time }) => point(typeof time === 'number' ? time : null));
    box.timeScale = chart.timeScale();
    if (this.#candles) box.candleSeries = this.#candles;
    this.#main?.attachPrimitive({
      autoscaleInfo: () =>
        this.#reach === null ? null : { priceRange: { minValue: this.#reach, maxValue: this.#reach } },
      // Asked for at each drawing, when the scale is known.
      paneViews: () => {
        queueMicrotask(() => this.#handOn());
        return NO_VIEWS;
      },
    });
  }

  get #main(): ISeriesApi<'Area'> | ISeriesApi<'Candlestick'> | null {
    return this.#candles ?? this.#area;
  }

  /**
   * Shows these figures in the place of those before. The library loses its place among the points of one series when another
   * brings times between them, so the others have times of the main series only, and are empty while that changes.
   */
  show({ levels, candles, quotes, volume, bids }: MarketFigures): void {
    const tops = candles?.map(({ high }) => high) ?? levels?.map(({ value }) => value ?? 0) ?? [];
    const highest = tops.reduce((most, top) => Math.max(most, top), 0);
    this.#reach = bids.find((bid) => bid <= REACH * highest) ?? null;
    if (volume.length > 0) this.#volume ??= this.#addVolume();
    for (const series of [this.#low, this.#high, this.#volume]) series?.setData([]);
    this.#candles?.setData(
      (candles ?? []).map(({ t, open, high, low, close }) => ({ ...at(t), open, high, low, close })),
    );
    this.#area?.setData((levels ?? []).map(({ t, value }) => (value === null ? at(t) : { ...at(t), value })));
    const times = (candles ?? levels ?? []).map(({ t }) => t);
    const band = aligned(quotes, times);
    this.#low.setData(band.map(({ t, value }) => ({ ...at(t), value: value.low })));
    this.#high.setData(band.map(({ t, value }) => ({ ...at(t), value: value.high })));
    this.#volume?.setData(aligned(volume, times).map(({ t, value }) => ({ ...at(t), value })));
  }

  /** Takes it from the page. */
  remove(): void {
    this.#isGone = true;
    this.chart.remove();
  }

  #addVolume(): ISeriesApi<'Area'> {
    const series = this.chart.addSeries(AreaSeries, volumeOptions(this.#colors), 1);
    // An area reaches down to the floor of its pane, which therefore is zero.
    series.priceScale().applyOptions({ scaleMargins: { top: 0.1, bottom: 0 } });
    this.chart.panes()[1]?.setHeight(VOLUME_PX);
    return series;
  }

  #handOn(): void {
    if (this.#isGone) return;
    const main = this.#main;
    const height = this.chart.panes()[0]?.getHeight() ?? 0;
    const [top, bottom] = [main?.coordinateToPrice(0) ?? null, main?.coordinateToPrice(height) ?? null];
    const axisWidth = this.chart.priceScale('right').width();
    const range = `${top} ${bottom} ${height} ${axisWidth}`;
    if (top === null || bottom === null || top === bottom || range === this.#range) return;
    this.#range = range;
    const perPx = (top - bottom) / height;
    const scale = { yOf: (price: number) => (top - price) / perPx, priceAt: (y: number) => top - y * perPx };
    this.#scaled({ ...scale, height, axisWidth });
  }
}

/** The same at the first of `times` that is not before it; of several there, the last. What is after all of them is left out. */
function aligned<Value>(all: readonly At<Value>[], times: readonly number[]): readonly At<Value>[] {
  const found: At<Value>[] = [];
  let place = 0;
  for (const { t, value } of all) {
    while (place < times.length && (times[place] ?? 0) < t) place++;
    const time = times[place];
    if (time === undefined) break;
    if (found.at(-1)?.t === time) found.pop();
    found.push({ t: time, value });
  }
  return found;
}

function at(t: number) {
  return { time: t as UTCTimestamp };
}

/** `weight` is how coarse a label the chart asks for. */
function label(seconds: unknown, weight: number): string {
  const stepMs = weight < WEIGHT_TIME ? DAY_MS : weight < WEIGHT_SECONDS ? MINUTE_MS : SECOND_MS;
  const [text = ''] = ticks([Number(seconds) * SECOND_MS], stepMs);
  return text.split('\n')[0] ?? '';
}

function optionsFor(colors: Colors) {
  const local = (seconds: unknown) => moment(Number(seconds) * SECOND_MS);
  return {
    autoSize: true,
    layout: {
      background: { color: 'transparent' },
      textColor: colors.faint,
      attributionLogo: false,
      fontFamily: 'Sluice, system-ui, sans-serif',
      panes: { separatorColor: colors.line, enableResize: false },
    },
    grid: { vertLines: { color: colors.line }, horzLines: { color: colors.line } },
    // A label that an edge would cut is left out.
    rightPriceScale: { borderColor: colors.line, entireTextOnly: true },
    timeScale: {
      borderColor: colors.line,
      timeVisible: true,
      secondsVisible: true,
      // Labels at the edges are moved inwards, where they would be cut.
      fixLeftEdge: true,
      fixRightEdge: true,
      minBarSpacing: 0.01,
      tickMarkFormatter: label,
    },
    localization: { timeFormatter: local },
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false },
  };
}

/** A level that hardly moved has a hundredth of itself above and below: in less room, all labels would read the same. */
const FLAT = 0.01;

function withRoom(scaled: () => AutoscaleInfo | null): AutoscaleInfo | null {
  const found = scaled();
  if (!found?.priceRange) return found;
  const { minValue, maxValue } = found.priceRange;
  const missing = Math.max(0, FLAT * maxValue - (maxValue - minValue) / 2);
  return { ...found, priceRange: { minValue: minValue - missing, maxValue: maxValue + missing } };
}

/** What was sold is compared by its height. */
function fromZero(scaled: () => AutoscaleInfo | null): AutoscaleInfo | null {
  const found = scaled();
  return found?.priceRange ? { ...found, priceRange: { ...found.priceRange, minValue: 0 } } : found;
}

const PRICE = { type: 'custom', formatter: priceText, tickmarksFormatter: priceTexts, minMove: 1e-9 } as const;

function candleOptions({ rise, fall }: Colors) {
  return {
    ...{ upColor: rise, borderUpColor: rise, wickUpColor: rise },
    ...{ downColor: fall, borderDownColor: fall, wickDownColor: fall },
    ...{ priceFormat: PRICE, autoscaleInfoProvider: withRoom },
  };
}

function areaOptions({ accent }: Colors) {
  const colors = { lineColor: accent, topColor: faded(accent, 0.28), bottomColor: faded(accent, 0.02) };
  return { ...colors, lineWidth: 2, priceFormat: PRICE, autoscaleInfoProvider: withRoom } as const;
}

/** In steps, because bars would be as narrow as the points of the level are close. */
function volumeOptions({ accent }: Colors) {
  const fill = faded(accent, 0.45);
  const look = {
    lineColor: fill,
    topColor: fill,
    bottomColor: fill,
    lineWidth: 1,
    lineType: LineType.WithSteps,
  } as const;
  const priceFormat = { type: 'custom', formatter: count, minMove: 1 } as const;
  return { ...look, ...QUIET, priceFormat, autoscaleInfoProvider: fromZero } as const;
}
