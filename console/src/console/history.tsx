/**
 * Six charts of the last hour, day or week with one cursor. The pointer moves it in any of them; the control below moves
 * it by keys and by touch, and says its figures to those who cannot see them. A table has the same.
 */
import { useMemo, useState } from 'preact/hooks';
import { placeLink } from '../address.ts';
import { type ChartCursor, type ChartSeries, LineChart } from '../charts/line.tsx';
import { useSource } from '../data/polled.ts';
import { count, duration, moneyText, priceText, share } from '../format.ts';
import { Choice } from '../parts/choice.tsx';
import { Moment, Nothing } from '../parts/figures.tsx';
import { Shown } from '../parts/shown.tsx';
import { Source } from '../parts/source.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';
import { DEEDS } from './deeds.ts';
import { binText, binTimes, PAST_EVERY_MS, PAST_RANGES, RANGE_CHOICES, useRange } from './past.ts';

const PATH = '/console/api/history';
const HEIGHT_PX = 168;
/** More are in the log. */
const MARKS_MAX = 5;

type Past = Schemas['History'];
type Mark = Schemas['HistoryMark'];

/** The section of the overview. */
export function HistorySection() {
  const [range, choose] = useRange();
  const load = () => granted(settings.GET(PATH, { params: { query: { range } } }));
  const source = useSource(range, load, PAST_EVERY_MS);
  const { value } = source.asked.value;
  const title = `The last ${PAST_RANGES[range]}`;
  return (
    <section class="later" aria-label={title}>
      <div class="head">
        <h2>{title}</h2>
        <Choice label="Period of the charts" options={RANGE_CHOICES} value={range} onChoose={choose} />
      </div>
      <Shown source={source} lines={12}>
        {(past) => (isEmpty(past) ? <Empty>{NOTHING_YET}</Empty> : <Charts key={past.range} of={past} />)}
      </Shown>
      <Source
        path={`${PATH}?range=${range}`}
        {...(value ? { sheet: { name: `history-${range}`, rows: () => sheetOf(value) } } : {})}
      />
    </section>
  );
}

const NOTHING_YET = 'Nothing is recorded of this time. The gateway records once a minute: the first figures come soon.';

function isEmpty({ queued, revenue_usd_per_minute: revenue }: Past): boolean {
  return queued.every((value) => value === null) && revenue.every((value) => (value ?? 0) === 0);
}

interface ChartOf {
  readonly title: string;
  readonly format: (value: number) => string;
  readonly lines: readonly ChartSeries[];
}

/** A mean: more digits would mean nothing. */
const tenths = (value: number) => count(Math.round(value * 10) / 10);
const inPercent = (part: number) => share(part * 100);
const COLORS = ['accent', 'warn', 'rise', 'fall', 'ink'] as const;

/** The six, in the order in which they are shown. */
function chartsOf({ revenue_usd_per_minute, utilisation, queued, levels, failed, first_token_ms }: Past): ChartOf[] {
  const one = (label: string, values: readonly (number | null)[], color: ChartSeries['color'] = 'accent') => [
    { label, values, color },
  ];
  return [
    { title: 'Revenue a minute', format: moneyText, lines: one('Revenue', revenue_usd_per_minute) },
    { title: 'Utilization', format: inPercent, lines: one('Utilization', utilisation) },
    { title: 'Orders waiting', format: tenths, lines: one('Waiting', queued) },
    {
      ...{ title: 'Level', format: priceText },
      lines: levels.map(({ model, level }, at) => ({
        ...{ label: model, values: level, color: COLORS[at] ?? 'ink' },
      })),
    },
    {
      ...{ title: 'Failed orders', format: count },
      lines: one('Failed', failed, 'fall').map((line) => ({ ...line, bars: true })),
    },
    {
      ...{ title: 'First token', format: duration },
      lines: [...one('median', first_token_ms.median), ...one('p95', first_token_ms.p95, 'warn')],
    },
  ];
}

/** The newest bin that anything is known of; the last one is not over, and mostly not recorded. */
function newestOf({ queued, bins }: Past): number {
  const known = queued.findLastIndex((value) => value !== null);
  return known === -1 ? bins - 1 : known;
}

function Charts({ of }: { readonly of: Past }) {
  const [pointed, point] = useState<number | null>(null);
  const charts = useMemo(() => chartsOf(of), [of]);
  const times = useMemo(() => binTimes(of), [of]);
  const marks = useMemo(() => of.marks.map(({ at }) => Date.parse(at) / 1000), [of]);
  const bin = Math.min(pointed ?? newestOf(of), of.bins - 1);
  const then = of.marks.filter(({ at }) => binOf(of, at) === bin);
  return (
    <>
      <div class="six">
        {charts.map((chart) => (
          <Small key={chart.title} of={chart} cursor={{ index: pointed, point }} {...{ times, marks, bin }} />
        ))}
      </div>
      <label class="moment">
        <span>
          <b>From {binText(of, bin)}</b>
          {then.map((mark) => (
            <span key={`${mark.at} ${mark.subject}`}>
              {' '}
              · <Deed of={mark} />
            </span>
          ))}
        </span>
        <input
          type="range"
          aria-label="Moment of the charts"
          min={0}
          max={of.bins - 1}
          value={bin}
          aria-valuetext={`${binText(of, bin)}: ${charts.map((chart) => said(chart, bin)).join(', ')}`}
          onInput={({ currentTarget }) => point(Number(currentTarget.value))}
          onBlur={() => point(null)}
        />
      </label>
      <Marks of={of.marks} />
      <Figures of={of} charts={charts} />
    </>
  );
}

interface SmallProps {
  readonly of: ChartOf;
  readonly times: readonly number[];
  readonly marks: readonly number[];
  readonly cursor: ChartCursor;
  readonly bin: number;
}

/** One chart; its figures of the moment that is pointed at stand in its heading. */
function Small({ of: { title, lines, format }, times, marks, cursor, bin }: SmallProps) {
  const isKnown = lines.some(({ values }) => values.some((value) => value !== null));
  return (
    <figure class="small-chart">
      <figcaption>
        <strong>{title}</strong>
        {lines.map(({ label, values, color }) => (
          <span key={label}>
            {lines.length > 1 && (
              <>
                <span class={`swatch swatch-${color}`} aria-hidden="true" /> <span class="faint">{label}</span>{' '}
              </>
            )}
            {textOf(values[bin], format)}
          </span>
        ))}
      </figcaption>
      {isKnown ? (
        <LineChart label={title} {...{ times, lines, format, marks, cursor }} height={HEIGHT_PX} fromZero />
      ) : (
        <p class="faint small" style={{ minHeight: `${HEIGHT_PX}px` }}>
          No order of this time has one.
        </p>
      )}
    </figure>
  );
}

function textOf(value: number | null | undefined, format: (value: number) => string) {
  return value === null || value === undefined ? <Nothing /> : <b>{format(value)}</b>;
}

function said({ title, lines, format }: ChartOf, bin: number): string {
  const figures = lines.map(({ label, values }) => {
    const value = values[bin] ?? null;
    return `${lines.length > 1 ? `${label} ` : ''}${value === null ? 'not known' : format(value)}`;
  });
  return `${title} ${figures.join(' and ')}`;
}

function binOf({ from, bin_seconds }: Past, at: string): number {
  return Math.floor((Date.parse(at) / 1000 - from) / bin_seconds);
}

/** What was changed, and when gateways started; the newest first. */
function Marks({ of }: { readonly of: readonly Mark[] }) {
  if (of.length === 0) return null;
  return (
    <>
      <h3>Changes and starts</h3>
      <ul class="timeline">
        {of
          .slice(-MARKS_MAX)
          .toReversed()
          .map((mark) => (
            <li key={`${mark.at} ${mark.what} ${mark.subject}`}>
              <Moment ms={Date.parse(mark.at)} /> <Deed of={mark} />
            </li>
          ))}
      </ul>
      {of.length > MARKS_MAX && (
        <p class="small faint">
          {of.length - MARKS_MAX} earlier ones are lines in the charts; <a href={placeLink('log')}>the log</a> has the
          changes.
        </p>
      )}
    </>
  );
}

function Deed({ of: { what, who, subject } }: { readonly of: Mark }) {
  if (who === null)
    return (
      <>
        {what === 'gateway.deploy' ? 'a new version was deployed' : 'a gateway started'}
        {subject !== null && `, version ${subject}`}
      </>
    );
  return (
    <>
      {who} {DEEDS[what] ?? what} {what.startsWith('pod.') && subject}
    </>
  );
}

/** The same as a table, which is made when it is opened. */
function Figures({ of, charts }: { readonly of: Past; readonly charts: readonly ChartOf[] }) {
  const [isOpen, open] = useState(false);
  const bins = Array.from({ length: of.bins }, (_, ago) => of.bins - 1 - ago);
  return (
    <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && (
        <DataTable
          label={`The last ${PAST_RANGES[of.range as keyof typeof PAST_RANGES]} in figures`}
          rows={bins}
          keyOf={String}
          columns={[
            { head: 'From', cell: (bin) => binText(of, bin) },
            ...charts.flatMap(({ title, lines, format }) =>
              lines.map(({ label, values }) => ({
                ...{ head: lines.length > 1 ? `${title}, ${label}` : title, number: true },
                cell: (bin: number) => textOf(values[bin], format),
              })),
            ),
          ]}
        />
      )}
    </details>
  );
}

function sheetOf(past: Past) {
  const { revenue_usd_per_minute, utilisation, queued, failed, first_token_ms, levels } = past;
  const head = ['from', 'revenue_usd_per_minute', 'utilisation', 'queued', 'failed', 'first_token_ms', 'p95_ms'];
  const columns = [revenue_usd_per_minute, utilisation, queued, failed, first_token_ms.median, first_token_ms.p95];
  const all = [...columns, ...levels.map(({ level }) => level)];
  return [
    [...head, ...levels.map(({ model }) => `level ${model}`)],
    ...binTimes(past).map((atS, bin) => [new Date(atS * 1000).toISOString(), ...all.map((one) => one[bin] ?? null)]),
  ];
}
