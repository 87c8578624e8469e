/** What was charged on each day, by model and key, with a picture. */
import { useMemo } from 'preact/hooks';
import { keep, useChoice, useText } from '../address.ts';
import { LineChart } from '../charts/line.tsx';
import { nowMs } from '../clock.ts';
import { useSource } from '../data/polled.ts';
import { countWhole, moneyText } from '../format.ts';
import { Export } from '../parts/export.tsx';
import { Money } from '../parts/figures.tsx';
import { Shown } from '../parts/shown.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
import { granted, type Schemas, settings } from './session.ts';

const EVERY_MS = 30_000;
const DAY_S = 86_400;
/** A table stays usable; files have all. */
const SHOWN_MAX = 200;
const COLUMNS = ['day', 'model', 'key_id', 'key_name', 'requests', 'charged_usd'];

type List = Schemas['UsageDayList'];
type Day = Schemas['UsageDay'];

/** The screen at `#/usage`. */
export function UsageView() {
  const [days] = useChoice('days', ['30', '7', '90', '365']);
  const load = () => {
    const from = new Date(nowMs() - (Number(days) - 1) * DAY_S * 1000).toISOString().slice(0, 10);
    return granted(settings.GET('/settings/api/usage', { params: { query: { from } } }));
  };
  const source = useSource(`usage ${days}`, load, EVERY_MS);
  return (
    <>
      <p class="row">
        <label>
          Last{' '}
          <select value={days} onChange={({ currentTarget }) => keep({ days: currentTarget.value })}>
            {['7', '30', '90', '365'].map((number) => (
              <option key={number} value={number}>
                {number} days
              </option>
            ))}
          </select>
        </label>
      </p>
      <Shown source={source}>{(list) => <Figures list={list} />}</Shown>
    </>
  );
}

function Figures({ list }: { readonly list: List }) {
  const [model, setModel] = useText('model');
  const [key, setKey] = useText('key');
  const rows = list.data.filter((row) => (model === '' || row.model === model) && (key === '' || row.key_id === key));
  if (list.data.length === 0)
    return (
      <Empty>Nothing was charged in this time. Orders are summed here by day, model and key as soon as they end.</Empty>
    );
  const keys = new Map(list.data.map(({ key_id, key_name }) => [key_id ?? '', key_name ?? key_id ?? 'no key']));
  return (
    <>
      <div class="row">
        <Select label="Model" all="all models" of={names(list.data)} value={model} onChange={setModel} />
        <Select label="Key" all="all keys" of={[...keys]} value={key} onChange={setKey} />
        <Export
          of={{
            name: 'usage',
            columns: COLUMNS,
            rows: () =>
              rows.map((row) => [row.day, row.model, row.key_id, row.key_name, row.requests, row.charged_usd]),
          }}
        />
      </div>
      {list.truncated && <p class="note">There is more: the oldest days are left out. Choose a shorter time.</p>}
      <Picture list={list} rows={rows} />
      <DayTable rows={rows} />
    </>
  );
}

function names(rows: readonly Day[]): [string, string][] {
  return [...new Set(rows.map(({ model }) => model))].sort().map((model) => [model, model]);
}

interface SelectProps {
  readonly label: string;
  readonly all: string;
  readonly of: readonly (readonly [value: string, text: string])[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Select({ label, all, of, value, onChange }: SelectProps) {
  return (
    <select aria-label={label} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <option value="">{all}</option>
      {of.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}

function Picture({ list: { from, to }, rows }: { readonly list: List; readonly rows: readonly Day[] }) {
  const { times, values } = useMemo(() => byDay(from, to, rows), [from, to, rows]);
  const total = rows.reduce((sum, row) => sum + row.charged_usd, 0);
  return (
    <section class="panel" aria-label="Charged by day">
      <div class="head">
        <h2>Charged by day</h2>
        <span class="faint">
          <Money value={Number(total.toFixed(9))} /> in all
        </span>
      </div>
      <LineChart
        label={`What was charged on each day from ${from} to ${to}, UTC`}
        times={times}
        lines={[{ label: 'Charged', values, color: 'accent', bars: true }]}
        format={moneyText}
        height={180}
        fromZero
      />
    </section>
  );
}

function byDay(from: string, to: string, rows: readonly Day[]) {
  // Noon: the axis has local time, in which a UTC day may begin on the day before.
  const first = Date.parse(from) / 1000 + DAY_S / 2;
  const length = Math.ceil((Date.parse(to) / 1000 - first) / DAY_S) + 1;
  const times = Array.from({ length }, (_, at) => first + at * DAY_S);
  const sums = new Map<number, number>();
  for (const { day, charged_usd } of rows) {
    const at = Date.parse(day) / 1000 + DAY_S / 2;
    sums.set(at, (sums.get(at) ?? 0) + charged_usd);
  }
  return { times, values: times.map((at) => sums.get(at) ?? 0) };
}

function DayTable({ rows }: { readonly rows: readonly Day[] }) {
  return (
    <>
      <DataTable
        label="Usage"
        rows={rows.slice(0, SHOWN_MAX)}
        keyOf={({ day, model, key_id }) => `${day} ${model} ${key_id}`}
        columns={[
          { head: 'Day, UTC', cell: ({ day }) => day },
          { head: 'Model', cell: ({ model }) => model },
          { head: 'Key', cell: ({ key_name, key_id }) => key_name ?? key_id ?? 'none' },
          { head: 'Orders', number: true, cell: ({ requests }) => countWhole(requests) },
          { head: 'Charged', number: true, cell: ({ charged_usd }) => <Money exact value={charged_usd} /> },
        ]}
      />
      {rows.length > SHOWN_MAX && (
        <p class="faint">
          {countWhole(rows.length - SHOWN_MAX)} more rows are in the files, and with a model or key chosen.
        </p>
      )}
    </>
  );
}
