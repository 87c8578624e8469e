/**
 * The orders of the account as they move: how many by time, and the newest first. What is looked for is in the address. A
 * page has 50 of them, however many there are; files have all that the filters let through.
 */
import { keep, placeLink, present, useChoice, useText } from '../address.ts';
import { StackedBars } from '../charts/bars.tsx';
import { momentsOf, stackOf } from '../charts/stack.ts';
import { answered, api } from '../data/api.ts';
import { useSource } from '../data/polled.ts';
import { countWhole } from '../format.ts';
import { Export } from '../parts/export.tsx';
import { PageButtons, usePages } from '../parts/pages.tsx';
import { Shown } from '../parts/shown.tsx';
import { OrderSheet } from './order.tsx';
import { type OrderAndRun, OrderTable } from './order-table.tsx';
import { barQuery, barText, periodNow, type ShownPeriod } from './period.ts';
import { PeriodChoice } from './period-choice.tsx';
import { granted, type Schemas, settings } from './session.ts';

const EVERY_MS = 4_000;
const SUMS_EVERY_MS = 15_000;
const KEYS_EVERY_MS = 60_000;
const LIMIT = 50;
/** Of one request for a file, and of all of them together. */
const FILE = { limit: 500, max: 20_000 };
/** `working` is what is not over yet. */
const FILTERS = {
  all: '',
  working: 'queued,executing',
  done: 'done',
  'not answered': 'error,canceled,expired',
} as const;
/** What the bars are made of, and what each looks like. */
const OUTCOMES = ['done', 'working', 'not answered'] as const;
const TONES = ['rise', 'warn', 'fall'] as const;
const COLUMNS = [
  ...['id', 'created_at', 'status', 'model', 'kind', 'key_id', 'key_name', 'tags', 'bid', 'price'],
  ...['admitted_at', 'first_token_at', 'finished_at', 'error', 'batch_id', 'custom_id'],
  ...['prompt_tokens', 'cached_tokens', 'output_tokens', 'charged_usd', 'at_bid_usd'],
];

/** What is looked for. */
interface Wanted {
  readonly filter: keyof typeof FILTERS;
  readonly model: string;
  readonly key: string;
  readonly tag: string;
  readonly cost: string;
  readonly id: string;
  readonly period: ShownPeriod;
}

/** The screen at `#/activity`. */
export function OrdersView({ mayChange }: { readonly mayChange: boolean }) {
  const [filter] = useChoice('status', ['all', 'working', 'done', 'not answered']);
  const [model] = useText('model');
  const [key] = useText('key');
  const [tag] = useText('tag');
  const [cost] = useText('cost');
  const [id] = useText('id');
  const [open, show] = useText('order');
  const wanted = { filter, model, key, tag, cost, id, period: periodNow() };
  const pages = usePages();
  const { cursor } = pages;
  const source = useSource(
    JSON.stringify([queryOf(wanted), cursor]),
    () => pageOf(wanted, { limit: LIMIT, cursor, include: 'usage,pricing' }),
    EVERY_MS,
  );
  const levels = useLevels();
  return (
    <>
      <div class="row filters">
        <Filters wanted={wanted} />
        <Export of={{ name: 'orders', columns: COLUMNS, rows: () => allOf(wanted) }} />
      </div>
      {id === '' && <Histogram wanted={wanted} />}
      <Shown source={source}>
        {(page) => (
          <OrderTable
            rows={rowsOf(page)}
            levels={levels}
            mayChange={mayChange}
            onOpen={show}
            onChanged={source.again}
          />
        )}
      </Shown>
      <PageButtons pages={pages} next={source.asked.value.value?.list.next_cursor} />
      {open !== '' && <OrderSheet key={open} id={open} mayChange={mayChange} onClose={() => show('')} />}
    </>
  );
}

/** Another question begins at its first page. */
function look(texts: Readonly<Record<string, string>>): void {
  keep({ ...texts, page: '' });
}

function Filters({ wanted }: { readonly wanted: Wanted }) {
  return (
    <>
      <select
        aria-label="Orders"
        value={wanted.filter}
        onChange={({ currentTarget }) => look({ status: currentTarget.value })}
      >
        {Object.keys(FILTERS).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <PeriodChoice period={wanted.period} />
      <KeySelect value={wanted.key} onChange={(key) => look({ key })} />
      <Filter name="Model" hint="any model" value={wanted.model} onChange={(model) => look({ model })} />
      <Filter name="Tag" hint="any tag" value={wanted.tag} onChange={(tag) => look({ tag })} />
      <Filter
        name="Charged at least, USD"
        hint="USD at least"
        value={wanted.cost}
        onChange={(cost) => look({ cost })}
      />
      <Filter name="Order id begins with" hint="order id" value={wanted.id} onChange={(id) => look({ id })} />
    </>
  );
}

interface FilterProps {
  readonly name: string;
  readonly hint: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function Filter({ name, hint, value, onChange }: FilterProps) {
  return (
    <input
      // Another value comes from the address: by a link, or a bar.
      key={value}
      aria-label={name}
      placeholder={hint}
      // Not `value`: a refresh while somebody types would take the text away.
      defaultValue={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
    />
  );
}

interface KeySelectProps {
  readonly value: string;
  readonly onChange: (key: string) => void;
}

/** The keys by their names; one that was revoked stays chosen where a link names it. */
export function KeySelect({ value, onChange }: KeySelectProps) {
  const source = useSource('keys', () => granted(settings.GET('/settings/api/keys')), KEYS_EVERY_MS);
  const keys = source.asked.value.value?.data ?? [];
  return (
    <select aria-label="Key" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <option value="">any key</option>
      {value !== '' && !keys.some(({ key_id }) => key_id === value) && <option value={value}>another key</option>}
      {keys.map(({ key_id, name }) => (
        <option key={key_id} value={key_id}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** How many orders were sent in each hour or day. Each bar looks at its own. */
function Histogram({ wanted }: { readonly wanted: Wanted }) {
  const { period } = wanted;
  const query = { ...queryOf(wanted), step: period.step };
  const load = () => granted(settings.GET('/settings/api/order-sums', { params: { query } }));
  const source = useSource(`sums ${JSON.stringify(query)}`, load, SUMS_EVERY_MS);
  return (
    <Shown source={source} lines={4}>
      {({ data, truncated }) =>
        data.length > 0 && (
          <>
            <StackedBars
              label="Orders by time"
              stack={stackOf(
                data.map(({ at, status, orders }) => ({
                  atMs: Date.parse(at),
                  name: outcomeOf(status),
                  value: orders,
                })),
                momentsOf(period.fromMs, period.toMs, period.stepMs),
                OUTCOMES,
              )}
              tones={TONES}
              format={countWhole}
              timeText={(atMs) => barText(period, atMs)}
              linkOf={(atMs) => placeLink('activity', '', linkQuery(wanted, barQuery(period, atMs)))}
              height={90}
            />
            {truncated && <p class="note">There are more orders than are summed: the oldest are left out.</p>}
          </>
        )
      }
    </Shown>
  );
}

function outcomeOf(status: string): (typeof OUTCOMES)[number] {
  return status === 'done' ? 'done' : status === 'queued' || status === 'executing' ? 'working' : 'not answered';
}

function linkQuery({ filter, model, key, tag, cost }: Wanted, bar: object): Record<string, string> {
  return present({ status: filter === 'all' ? '' : filter, model, key, tag, cost, ...bar });
}

/** The levels now, while somebody looks. */
function useLevels(): ReadonlyMap<string, number> {
  const source = useSource('levels', () => answered(api.GET('/v1/market/levels')), EVERY_MS);
  return new Map((source.asked.value.value?.levels ?? []).map(({ model, level }) => [model, level]));
}

interface Page {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly include: string;
}

/** An order that is looked for by its id may be of any time. */
function queryOf({ filter, model, key, tag, cost, id, period }: Wanted) {
  const texts = present({ status: FILTERS[filter], model, key, tag, charged_min: cost });
  return { ...texts, ...(id === '' ? period.query : { id }) };
}

function pageOf(wanted: Wanted, { cursor, ...page }: Page) {
  const query = { ...page, ...queryOf(wanted), ...(cursor === undefined ? {} : { cursor }) };
  return granted(settings.GET('/settings/api/orders', { params: { query } }));
}

function rowsOf({ list, runs }: Schemas['MemberOrders']): OrderAndRun[] {
  return list.data.flatMap((order, at) => {
    const run = runs[at];
    return run ? [{ order, run }] : [];
  });
}

/** All that the filters let through, up to a bound that is said where it is met. */
async function allOf(wanted: Wanted) {
  const rows: OrderAndRun[] = [];
  let cursor: string | undefined;
  do {
    const page = await pageOf(wanted, { limit: FILE.limit, cursor, include: 'usage,batch' });
    rows.push(...rowsOf(page));
    cursor = page.list.next_cursor ?? undefined;
    if (cursor && rows.length >= FILE.max)
      throw new Error(`There are more than ${FILE.max.toLocaleString()} orders: choose fewer, or ask GET /v1/orders.`);
  } while (cursor);
  return rows.map(({ order, run }) => [
    ...[order.id, order.created_at, order.status, order.model, order.kind, run.key_id, run.key_name],
    ...[order.tags?.join(' ') ?? null, order.bid, order.level_at_execution],
    ...[order.admitted_at, run.first_token_at, order.finished_at, order.error],
    ...[order.batch_id ?? null, order.custom_id ?? null],
    ...[order.usage?.prompt_tokens ?? null, order.usage?.cached_tokens ?? null, order.usage?.output_tokens ?? null],
    ...[run.charged_usd, run.at_bid_usd],
  ]);
}
