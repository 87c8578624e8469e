/**
 * Lines or bars over time, in SVG: nothing has to be loaded, and colors and fonts are those of the style sheet. A missing value is
 * a gap. The figures themselves are in the request under each chart: a picture is all that this is to those who cannot see it.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { dayUtc, moment, ticks } from '../format.ts';
import { offsetMs } from '../zone.ts';
import { rangeOf, roundFigures, roundMoments } from './axes.ts';
import type { Colors } from './colors.ts';

const SECOND_MS = 1000;
const DAY_S = 86_400;
/** The axis of values at the left, at least so wide, that of times below, and what stands out of the plot at its other edges. */
const EDGES = { left: 68, right: 12, top: 8, bottom: 40 };
/** The widest digit of a label. */
const DIGIT_PX = 7.6;
const LABEL_GAP_PX = 8;
/** A time with its seconds, as long as a locale writes it. */
const TICK_PX = 90;
const BAR_PX_MAX = 24;

/** One line, or one bar for each time. */
export interface ChartSeries {
  readonly label: string;
  /** One for each time. */
  readonly values: readonly (number | null)[];
  readonly color: keyof Colors;
  readonly bars?: true;
}

/** What a chart shows. */
export interface LineChartProps {
  /** What it is, for those who cannot see it. */
  readonly label: string;
  /** Epoch seconds, rising. */
  readonly times: readonly number[];
  readonly lines: readonly ChartSeries[];
  readonly format: (value: number) => string;
  readonly height?: number;
  /** The axis begins at zero, as it must where the height of things is compared. */
  readonly fromZero?: boolean;
  /** Shares the moment that is pointed at with other charts. The chart has no legend then. */
  readonly cursor?: ChartCursor;
  /** Moments with a line from top to bottom, in epoch seconds. */
  readonly marks?: readonly number[];
}

/** The moment that is pointed at, as an index of the times; null for none. */
export interface ChartCursor {
  readonly index: number | null;
  readonly point: (index: number | null) => void;
}

/** Draws the chart as wide as there is room. Below it are the figures where the reader points, or the newest. */
export function LineChart(props: LineChartProps) {
  const { label, times, lines, format, height = 240, fromZero = false, marks = [] } = props;
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [index, setIndex] = useState<number | null>(null);
  const cursor = props.cursor ?? { index, point: setIndex };
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    if (place.current) observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  const plot = useMemo(
    () => plotOf({ times, lines, width, height, fromZero, format }),
    [times, lines, width, height, fromZero, format],
  );
  const isPointed = cursor.index !== null && cursor.index < times.length;
  const at = isPointed ? (cursor.index ?? 0) : times.length - 1;
  return (
    <div class="chart lines" ref={place}>
      <svg
        role="img"
        aria-label={label}
        width={width}
        height={height}
        onPointerMove={({ offsetX }) => cursor.point(plot.nearest(offsetX))}
        onPointerLeave={() => cursor.point(null)}
      >
        <Axes plot={plot} />
        {lines.map((line) => (
          <Series key={line.label} line={line} plot={plot} />
        ))}
        {marks
          .map((mark) => mark * SECOND_MS)
          .filter((ms) => ms >= plot.fromMs && ms <= plot.toMs)
          .map((ms) => (
            <path key={ms} class="mark-line" d={`M${plot.xOfMs(ms)} ${EDGES.top}V${plot.bottom}`} />
          ))}
        {isPointed && <path class="cursor" d={`M${plot.x(at)} ${EDGES.top}V${plot.bottom}`} />}
      </svg>
      {!props.cursor && <Legend {...{ times, at, lines, format }} />}
    </div>
  );
}

interface LegendProps extends Pick<LineChartProps, 'times' | 'lines' | 'format'> {
  readonly at: number;
}

/** The figures of one time, or of one day of UTC where each time is one. */
function Legend({ times, at, lines, format }: LegendProps) {
  const time = times[at];
  const written = times.every((seconds) => seconds % DAY_S === 0) ? dayUtc : moment;
  return (
    <p class="readout">
      <span>{time === undefined ? '–' : written(time * SECOND_MS)}</span>
      {lines.map(({ label: name, color, values }) => (
        <span key={name}>
          <span class={`swatch swatch-${color}`} /> {name}{' '}
          <b>{typeof values[at] === 'number' ? format(values[at]) : '–'}</b>
        </span>
      ))}
    </p>
  );
}

/** Where everything is, in pixels. */
interface Plot {
  /** Of the time with this place in the list. */
  readonly x: (at: number) => number;
  readonly xOfMs: (ms: number) => number;
  readonly y: (value: number) => number;
  /** The place of the time that is nearest to `x`. */
  readonly nearest: (x: number) => number;
  readonly fromMs: number;
  readonly toMs: number;
  /** What is written at the left. */
  readonly labels: readonly { readonly value: number; readonly text: string }[];
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly barWidth: number;
}

interface Drawn extends Pick<LineChartProps, 'times' | 'lines' | 'format'> {
  readonly width: number;
  readonly height: number;
  readonly fromZero: boolean;
}

function plotOf({ times, lines, width, height, fromZero, format }: Drawn): Plot {
  const [fromMs, toMs] = [(times[0] ?? 0) * SECOND_MS, (times.at(-1) ?? 0) * SECOND_MS];
  const known = lines.flatMap(({ values }) => values.filter((value) => value !== null));
  const [low, high] = rangeOf(known.length === 0 ? [0] : known, fromZero);
  const labels = roundFigures(low, high).map((value) => ({ value, text: format(value) }));
  const longest = Math.max(0, ...labels.map(({ text }) => text.length));
  const left = Math.max(EDGES.left, Math.ceil(longest * DIGIT_PX) + 2 * LABEL_GAP_PX);
  const [right, bottom] = [Math.max(width - EDGES.right, left + 1), height - EDGES.bottom];
  const hasBars = lines.some(({ bars }) => bars);
  const barWidth = hasBars ? Math.min(BAR_PX_MAX, (0.8 * (right - left)) / Math.max(1, times.length)) : 0;
  const [begin, end] = [left + barWidth / 2, right - barWidth / 2];
  const xOfMs = (ms: number) => (toMs === fromMs ? end : begin + ((ms - fromMs) / (toMs - fromMs)) * (end - begin));
  const x = (at: number) => xOfMs((times[at] ?? 0) * SECOND_MS);
  const y = (value: number) => bottom - ((value - low) / (high - low)) * (bottom - EDGES.top);
  const nearest = (px: number) => {
    const after = times.findIndex((_, at) => x(at) >= px);
    if (after === -1) return times.length - 1;
    return after > 0 && px - x(after - 1) < x(after) - px ? after - 1 : after;
  };
  return { x, xOfMs, y, nearest, fromMs, toMs, labels, left, right, bottom, barWidth };
}

function Axes({ plot }: { readonly plot: Plot }) {
  const { xOfMs, y, fromMs, toMs, labels, left, right, bottom } = plot;
  const countMax = Math.max(1, Math.floor((right - left) / TICK_PX));
  const { stepMs, atMs } = roundMoments(fromMs, toMs, countMax, offsetMs(fromMs));
  const texts = ticks(atMs, stepMs);
  return (
    <>
      {labels.map(({ value, text }, at) => (
        <g key={value}>
          <path class="grid-line" d={`M${left} ${y(value)}H${right}`} />
          <text x={left - LABEL_GAP_PX} y={y(value) + 4} text-anchor="end">
            {text === labels[at - 1]?.text ? '' : text}
          </text>
        </g>
      ))}
      {atMs.map((ms, at) => (
        <g key={ms}>
          <path class="grid-line" d={`M${xOfMs(ms)} ${EDGES.top}V${bottom}`} />
          {texts[at]?.split('\n').map((text, row) => (
            <text key={text} y={bottom + 16 + 16 * row} {...anchored(xOfMs(ms), right + EDGES.right)}>
              {text}
            </text>
          ))}
        </g>
      ))}
    </>
  );
}

/** In the middle below `x`, or before the end of the drawing, which would cut it. */
function anchored(x: number, end: number) {
  return x + TICK_PX / 2 > end
    ? ({ x: end, 'text-anchor': 'end' } as const)
    : ({ x, 'text-anchor': 'middle' } as const);
}

function Series({ line: { values, color, bars }, plot }: { readonly line: ChartSeries; readonly plot: Plot }) {
  const { x, y, barWidth } = plot;
  const paint = `var(--${color})`;
  const points = values.map((value, at) => (value === null ? null : ([x(at), y(value)] as const)));
  const round = (px: number) => px.toFixed(1);
  if (bars) {
    const zero = y(0);
    const d = points
      .map(
        (point) =>
          point &&
          `M${round(point[0] - barWidth / 2)} ${round(zero)}v${round(point[1] - zero)}h${round(barWidth)}V${round(zero)}z`,
      )
      .join('');
    return <path d={d} style={{ fill: paint }} opacity={0.7} />;
  }
  const d = points
    .map((point, at) => point && `${points[at - 1] ? 'L' : 'M'}${round(point[0])} ${round(point[1])}`)
    .join('');
  // A line has two ends: a value without neighbors is shown as a point.
  const alone = points.filter((point, at) => point && !points[at - 1] && !points[at + 1]);
  return (
    <>
      <path class="line" d={d} style={{ stroke: paint }} />
      {alone.map(
        (point) => point && <circle key={point[0]} cx={point[0]} cy={point[1]} r={2} style={{ fill: paint }} />,
      )}
    </>
  );
}
