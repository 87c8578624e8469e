/**
 * The orders of the account, the newest first, as they move. A page has 50 of them, however many there are; files have all
 * that the filter lets through.
 */
import { keep, useChoice, useText } from '../address.ts';
import { answered, api } from '../data/api.ts';
import { useSource } from '../data/polled.ts';
import { Export } from '../parts/export.tsx';
import { PageButtons, usePages } from '../parts/pages.tsx';
import { Shown } from '../parts/shown.tsx';
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
  const [filter] = useChoice('status', ['all', 'working', 'done', 'not done']);
  const [model] = useText('model');
  const [id] = useText('id');
  const wanted = { filter, model, id };
  const pages = usePages();
  const { cursor } = pages;
  const source = useSource(
    JSON.stringify([wanted, cursor]),
    () => pageOf(wanted, { limit: LIMIT, cursor, include: 'usage,pricing' }),
    EVERY_MS,
  );
  const levels = useLevels();
  return (
    <>
      <div class="row">
        <Filters wanted={wanted} />
        <Export of={{ name: 'orders', columns: COLUMNS, rows: () => allOf(wanted) }} />
      </div>
      <Shown source={source}>
        {({ data }) => <OrderTable orders={data} levels={levels} mayChange={mayChange} onChanged={source.again} />}
      </Shown>
      <PageButtons pages={pages} next={source.asked.value.value?.next_cursor} />
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
      <input
        aria-label="Model"
        placeholder="any model"
        // Not `value`: a refresh while somebody types would take the text away.
        defaultValue={wanted.model}
        onChange={({ currentTarget }) => look({ model: currentTarget.value.trim() })}
      />
      <input
        aria-label="Order id begins with"
        placeholder="order id begins with"
        defaultValue={wanted.id}
        onChange={({ currentTarget }) => look({ id: currentTarget.value.trim() })}
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
