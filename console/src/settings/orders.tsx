/**
 * The orders of the account, the newest first, as they move. A page has 50 of them, however many there are; files have all
 * that the filter lets through.
 */
import { useRef, useState } from 'preact/hooks';
import { answered, api } from '../data/api.ts';
import { askAgain, useSource } from '../data/polled.ts';
import { Export } from '../parts/export.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { OrderTable } from './order-table.tsx';
import { granted, type Schemas, settings } from './session.ts';

const EVERY_MS = 4_000;
const LIMIT = 50;
/** Of one request for a file, and of all of them together. */
const FILE = { limit: 500, max: 20_000 };
/** `working` is what is not over yet. */
const FILTERS = { all: '', working: 'queued,executing', done: 'done', 'not done': 'error,canceled,expired' } as const;
const COLUMNS = [
  ...['id', 'created_at', 'status', 'model', 'kind', 'bid', 'price', 'admitted_at', 'finished_at', 'error'],
  ...['batch_id', 'custom_id', 'prompt_tokens', 'cached_tokens', 'output_tokens', 'charged_usd'],
];

type Order = Schemas['Order'];

/** What is looked for. */
interface Wanted {
  readonly filter: keyof typeof FILTERS;
  readonly model: string;
  readonly id: string;
}

/** The screen at `#/activity`. */
export function OrdersView({ mayChange }: { readonly mayChange: boolean }) {
  const [wanted, setWanted] = useState<Wanted>({ filter: 'all', model: '', id: '' });
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const source = useSource(
    JSON.stringify([wanted, cursor]),
    () => pageOf(wanted, { limit: LIMIT, cursor, include: 'usage,pricing' }),
    EVERY_MS,
  );
  const { value, failure } = source.asked.value;
  const last = useRef(value);
  last.current = value ?? last.current;
  const shown = last.current;
  const levels = useLevels();
  const look = (change: Partial<Wanted>) => {
    setCursors([]);
    setWanted({ ...wanted, ...change });
  };
  return (
    <>
      <div class="row">
        <Filters wanted={wanted} onChange={look} />
        <Export of={{ name: 'orders', columns: COLUMNS, rows: () => allOf(wanted) }} />
      </div>
      {failure && <Failure sentence={failure} />}
      {shown === null ? (
        !failure && <Loading />
      ) : (
        <div class={value === null ? 'stale' : ''} aria-busy={value === null}>
          <OrderTable orders={shown.data} levels={levels} mayChange={mayChange} onChanged={() => askAgain(source)} />
        </div>
      )}
      <p class="row">
        {cursors.length > 0 && (
          <button type="button" class="button" onClick={() => setCursors(cursors.slice(0, -1))}>
            Newer
          </button>
        )}
        {value?.next_cursor && (
          <button type="button" class="button" onClick={() => setCursors([...cursors, value.next_cursor ?? ''])}>
            Older
          </button>
        )}
        {cursors.length > 0 && <span class="faint">page {cursors.length + 1}</span>}
      </p>
    </>
  );
}

function Filters({
  wanted,
  onChange,
}: {
  readonly wanted: Wanted;
  readonly onChange: (change: Partial<Wanted>) => void;
}) {
  return (
    <>
      <select
        aria-label="Orders"
        value={wanted.filter}
        onChange={({ currentTarget }) => onChange({ filter: currentTarget.value as Wanted['filter'] })}
      >
        {Object.keys(FILTERS).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <input
        aria-label="Model"
        placeholder="any model"
        // Not `value`: a refresh while somebody types would take the text away.
        defaultValue={wanted.model}
        onChange={({ currentTarget }) => onChange({ model: currentTarget.value.trim() })}
      />
      <input
        aria-label="Order id begins with"
        placeholder="order id begins with"
        defaultValue={wanted.id}
        onChange={({ currentTarget }) => onChange({ id: currentTarget.value.trim() })}
      />
    </>
  );
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

function pageOf({ filter, model, id }: Wanted, { cursor, ...page }: Page) {
  const query = {
    ...page,
    ...(FILTERS[filter] === '' ? {} : { status: FILTERS[filter] }),
    ...(model === '' ? {} : { model }),
    ...(id === '' ? {} : { id }),
    ...(cursor === undefined ? {} : { cursor }),
  };
  return granted(settings.GET('/settings/api/orders', { params: { query } }));
}

/** All that the filter lets through, up to a bound that is said where it is met. */
async function allOf(wanted: Wanted) {
  const orders: Order[] = [];
  let cursor: string | undefined;
  do {
    const { data, next_cursor } = await pageOf(wanted, { limit: FILE.limit, cursor, include: 'usage,batch' });
    orders.push(...data);
    cursor = next_cursor ?? undefined;
    if (cursor && orders.length >= FILE.max)
      throw new Error(`There are more than ${FILE.max.toLocaleString()} orders: choose fewer, or ask GET /v1/orders.`);
  } while (cursor);
  return orders.map((order) => {
    const { id, created_at, status, model, kind, bid, level_at_execution, admitted_at, finished_at, error, usage } =
      order;
    return [
      ...[id, created_at, status, model, kind, bid, level_at_execution, admitted_at, finished_at, error],
      ...[order.batch_id ?? null, order.custom_id ?? null],
      ...[usage?.prompt_tokens ?? null, usage?.cached_tokens ?? null, usage?.output_tokens ?? null],
      usage?.charged_usd ?? null,
    ];
  });
}
