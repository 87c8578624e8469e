/**
 * The level of a market as an area or as candles, with what was sold beneath, and the quotes. What draws it is loaded by the
 * first of them. The logo of the library brings an inline style, which the content security policy
 * keeps out, so the link that its license asks for is ours.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { count, moment, priceText } from '../format.ts';
import { isUtc } from '../zone.ts';
import { useColors } from './colors.ts';
import type { ChartElement, Drawing, MarketFigures, PriceScale } from './market-drawing.ts';

const HEIGHT_PX = 420;
const SECOND_MS = 1000;

interface MarketChartProps {
  readonly name: string;
  readonly figures: MarketFigures;
  /** What lies over the drawing, once it is there. */
  readonly children: (scale: PriceScale) => ComponentChildren;
}

/** Draws as wide as there is room. Above it are the figures where the reader points, or the newest. */
export function MarketChart({ name, figures, children }: MarketChartProps) {
  const place = useRef<ChartElement>(null);
  const colors = useColors();
  const zone = isUtc.value;
  const drawn = useRef<Drawing | null>(null);
  const newest = useRef(figures);
  const isMoved = useRef(false);
  newest.current = figures;
  const [pointed, point] = useState<number | null>(null);
  const [scale, scaled] = useState<PriceScale | null>(null);
  const hasCandles = figures.candles !== null;
  useEffect(() => {
    let gone = false;
    void import('./market-drawing.ts').then(({ Drawing }) => {
      const box = place.current;
      if (gone || !box) return;
      drawn.current = new Drawing({ box, colors, hasCandles, point, scaled });
      drawn.current.show(newest.current);
      drawn.current.chart.timeScale().fitContent();
      isMoved.current = false;
      box.dataset.drawn = 'true';
    });
    return () => {
      gone = true;
      delete place.current?.candleSeries;
      delete place.current?.timeScale;
      drawn.current?.remove();
      drawn.current = null;
    };
  }, [colors, zone, hasCandles]);
  // At another width, as of a phone that is turned, the whole time is shown again, unless the reader has moved it.
  useEffect(() => {
    let width = 0;
    const observer = new ResizeObserver(([entry]) => {
      const now = entry?.contentRect.width ?? 0;
      if (width !== 0 && now !== width && !isMoved.current)
        requestAnimationFrame(() => drawn.current?.chart.timeScale().fitContent());
      width = now;
    });
    if (place.current) observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  // Newer figures leave alone where the reader has moved to.
  useEffect(() => drawn.current?.show(figures), [figures]);
  return (
    <>
      <Readout figures={figures} at={pointed} />
      <div class="chart-frame">
        <div
          class={hasCandles ? 'chart candles' : 'chart'}
          ref={place}
          role="img"
          aria-label={name}
          onPointerMove={({ buttons }) => {
            isMoved.current ||= buttons > 0;
          }}
          style={{ height: `${HEIGHT_PX}px` }}
        />
        {scale && children(scale)}
      </div>
      <p class="small faint attribution">
        Chart by{' '}
        <a href="https://www.tradingview.com/" rel="noreferrer" target="_blank">
          TradingView Lightweight Charts
        </a>
      </p>
    </>
  );
}

/** The figures of one time, as text. */
function Readout({ figures, at }: { readonly figures: MarketFigures; readonly at: number | null }) {
  const { levels, candles, volume, quotes } = figures;
  const candle = before(candles ?? [], at);
  const level = before(levels ?? [], at);
  const time = candle?.t ?? level?.t;
  const quote = before(quotes, at)?.value;
  const sold = before(volume, at);
  const part = (label: string, value: string, color?: 'accent' | 'warn') => (
    <span key={label}>
      {color && <span class={`swatch swatch-${color}`} />} {label} <b>{value}</b>
    </span>
  );
  return (
    <p class="readout">
      {time !== undefined && <span>{moment(time * SECOND_MS)}</span>}
      {level && part('Level', level.value === null ? '–' : priceText(level.value), 'accent')}
      {candle && (['open', 'high', 'low', 'close'] as const).map((name) => part(name, priceText(candle[name])))}
      {quote && part('Quote', `${priceText(quote.low)} to ${priceText(quote.high)}`, 'warn')}
      {sold && part('Tokens', count(sold.value))}
    </p>
  );
}

/** The last that is not after `at`; the last of all where that is null. */
function before<Each extends { readonly t: number }>(all: readonly Each[], at: number | null): Each | undefined {
  return at === null ? all.at(-1) : all.findLast(({ t }) => t <= at);
}
