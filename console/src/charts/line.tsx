/**
 * Lines or bars over time, drawn by uPlot, which is loaded by the first of them. A missing value is a gap. The figures
 * themselves are in the request under each chart: a picture is all that this is to those who cannot see it.
 */
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { moment, ticks } from '../format.ts';
import { type Colors, faded, useColors } from './colors.ts';

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
  readonly fromZero?: true;
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

/** Draws the chart as wide as there is room. */
export function LineChart(props: LineChartProps) {
  const { label, times, lines, format, height = 240, fromZero, cursor } = props;
  const place = useRef<HTMLDivElement>(null);
  const colors = useColors();
  const chart = useRef<uPlot | null>(null);
  const newest = useRef<uPlot.AlignedData>([[]]);
  newest.current = [[...times], ...lines.map(({ values }) => [...values])];
  // What a chart that is drawn asks for again.
  const now = useRef(props);
  now.current = props;
  const shape = lines.map(({ label: name }) => name).join();
  useEffect(() => {
    let gone = false;
    let stop = () => {};
    void load().then(({ default: UPlot }) => {
      const box = place.current;
      if (gone || !box) return;
      const drawn = new UPlot(optionsFor({ now, colors, ...sizeOf(box, height) }, UPlot), newest.current, box);
      chart.current = drawn;
      if (now.current.cursor) putCursor(drawn, now.current.cursor.index);
      else showNewest(drawn);
      const observer = new ResizeObserver(() => drawn.setSize(sizeOf(box, height)));
      observer.observe(box);
      stop = () => observer.disconnect();
    });
    return () => {
      gone = true;
      stop();
      chart.current?.destroy();
      chart.current = null;
    };
  }, [shape, format, colors, height, fromZero]);
  useEffect(() => chart.current?.setData(newest.current), [times, lines]);
  useEffect(() => {
    if (chart.current && cursor) putCursor(chart.current, cursor.index);
  }, [cursor?.index, times]);
  const minHeight = `${height + (cursor ? 0 : LEGEND_PX)}px`;
  return <div class="chart" ref={place} role="img" aria-label={label} style={{ minHeight }} />;
}

/** Without the hooks: this is where others point. */
function putCursor(chart: uPlot, index: number | null): void {
  const time = index === null ? undefined : chart.data[0][index];
  const left = time === undefined ? -10 : chart.valToPos(time, 'x');
  chart.setCursor({ left, top: time === undefined ? -10 : 0 }, false);
}

/** Below the drawing, where the reader points to nothing. */
function showNewest(chart: uPlot): void {
  if (chart.cursor.idx === null || chart.cursor.idx === undefined)
    chart.setLegend({ idx: chart.data[0].length - 1 }, false);
}

function sizeOf(box: HTMLElement, height: number) {
  return { width: box.clientWidth, height };
}

/** A time with its seconds, as long as a locale writes it. */
const TICK_PX = 90;

/** The row of labels below the drawing. */
const LEGEND_PX = 28;

async function load() {
  const [library] = await Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')]);
  return library;
}

interface Drawn {
  /** What the chart was given last. */
  readonly now: { readonly current: LineChartProps };
  readonly colors: Colors;
  readonly width: number;
  readonly height: number;
}

function optionsFor({ now, colors, width, height }: Drawn, UPlot: typeof uPlot): uPlot.Options {
  const { lines, format, fromZero, cursor } = now.current;
  const axis: uPlot.Axis = {
    stroke: colors.faint,
    grid: { stroke: colors.line, width: 1 },
    ticks: { stroke: colors.line, width: 1 },
    font: '12px system-ui, sans-serif',
  };
  const times: uPlot.Axis = {
    ...axis,
    space: TICK_PX,
    values(...[, splits, , , stepS]) {
      const atMs = splits.map((second) => second * 1000);
      return [...ticks(atMs, stepS * 1000)];
    },
  };
  const written = (value: number | null) => (value === null || value === undefined ? '–' : format(value));
  return {
    width,
    height,
    cursor: { points: { size: 6 }, drag: { x: false, y: false }, y: !cursor },
    legend: { show: !cursor },
    hooks: {
      ...(cursor
        ? { setCursor: [({ cursor: { idx } }) => now.current.cursor?.point(idx ?? null)] }
        : { setCursor: [showNewest], setData: [showNewest] }),
      draw: [(chart) => drawMarks(chart, now.current.marks ?? [], colors)],
    },
    axes: [times, { ...axis, size: 68, values: (_, splits) => splits.map(format) }],
    scales: {
      y: { range: { min: { pad: 0.1, soft: 0, mode: fromZero ? 1 : 0 }, max: { pad: 0.1 } } },
    },
    series: [
      { label: 'Time', value: (_, seconds) => (seconds === null ? '–' : moment(seconds * 1000)) },
      ...lines.map(({ label, color, bars }): uPlot.Series => {
        const points = bars ? { show: false } : { size: 4, fill: colors[color], filter: alone };
        const look = { label, stroke: colors[color], width: 1.5, points };
        const value: uPlot.Series.Value = (_, raw) => written(raw);
        if (!bars) return { ...look, value };
        const paths = UPlot.paths.bars?.({ size: [0.8, 24] });
        return { ...look, value, width: 0, fill: faded(colors[color], 0.7), ...(paths ? { paths } : {}) };
      }),
    ],
  };
}

/** A line has two ends: a value without neighbors is shown as a point. */
function alone(chart: uPlot, series: number): number[] {
  const values = chart.data[series] ?? [];
  const isKnown = (at: number) => values[at] !== null && values[at] !== undefined;
  return [...values.keys()].filter((at) => isKnown(at) && !isKnown(at - 1) && !isKnown(at + 1));
}

const MARK_PX = 4;

function drawMarks(chart: uPlot, marks: readonly number[], { ink }: Colors): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.strokeStyle = faded(ink, 0.6);
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([MARK_PX * devicePixelRatio, MARK_PX * devicePixelRatio]);
  ctx.beginPath();
  for (const atS of marks) {
    const x = Math.round(chart.valToPos(atS, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
  }
  ctx.stroke();
  ctx.restore();
}
